"""Nodes as separate processes, and clients of them, in a ROS domain of this test run."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
try:
    import rclpy
except ImportError:
    rclpy = None
    MISSING = "rclpy is not installed (make setup)"
else:
    try:
        import generative_ik_ros.srv  # noqa: F401

        MISSING = ""
    except ImportError:
        MISSING = "the package's ROS interfaces are not built (make setup)"
# Everything but test_present.py, which reports what is missing.
collect_ignore_glob = ["test_[!p]*.py", "test_p[!r]*.py", "test_process.py"] if MISSING else []


@pytest.fixture(scope="session")
def missing():
    """What is missing to run the tests of this folder; empty if nothing is."""
    return MISSING


@pytest.fixture(scope="session")
def ros():
    """ROS in a separate domain, so that concurrent test runs do not interfere."""
    from node_process import choose_domain
    from rclpy.signals import SignalHandlerOptions

    choose_domain()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    yield
    rclpy.shutdown()


@pytest.fixture(scope="session")
def panda_urdf():
    return (HERE.parents[1] / "config" / "robots" / "panda.urdf").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def solid_urdf(panda_urdf):
    """The Panda with boxes for its links; `panda` is its arm, too."""
    from solid_panda import solid

    return solid(panda_urdf)


@pytest.fixture(scope="session")
def panda(panda_urdf):
    from generative_ik_ros.robot.chain import KinematicChain

    return KinematicChain.from_urdf(panda_urdf, "panda_link0", "panda_hand_tcp")


@pytest.fixture(scope="module")
def start_node(ros):
    """Start nodes as processes, which must end cleanly and without a traceback."""
    from node_process import NodeProcess

    started = []

    def start(**options):
        started.append(NodeProcess(**options))
        return started[-1]

    yield start
    for process in started:
        process.stop()
    for process in started:
        process.wait()
        assert process.returncode == 0, process.output()
        assert "Traceback" not in process.output(), process.output()


@pytest.fixture(scope="module")
def client_of(ros):
    """Create clients of nodes started by start_node, which wait as `IKClient.wait` does."""
    from ik_client import IKClient

    made = []

    def make(process, **options):
        made.append(IKClient(process.namespace))
        made[-1].wait(**options)
        return made[-1]

    yield make
    for client in made:
        client.close()


@pytest.fixture(scope="module")
def node(start_node):
    """A node without a robot."""
    return start_node()


@pytest.fixture(scope="module")
def client(node, client_of):
    """A client of `node`, which test modules may override."""
    return client_of(node)


@pytest.fixture(scope="module")
def panda_node(start_node, panda_urdf):
    """A node with the Panda, for tests that do not change its state."""
    return start_node(robot_description=panda_urdf, tip_link="panda_hand_tcp")


@pytest.fixture(scope="module")
def panda_client(panda_node, client_of):
    return client_of(panda_node)
