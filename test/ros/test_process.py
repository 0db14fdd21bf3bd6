"""The node as a process: start, errors at start, and shutdown."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from ik_client import request

COMMAND = [sys.executable, "-m", "generative_ik_ros.ros.node", "--ros-args"]


def test_a_start_loads_nothing_large_that_it_does_not_need():
    slow = {"scipy.spatial", "scipy.ndimage", "scipy.sparse", "torch", "coal", "matplotlib"}
    code = f"import sys, generative_ik_ros.ros.node; sys.exit(str({slow} & set(sys.modules)))"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.stderr.strip() == "set()"


def test_a_process_ends_even_where_c_code_keeps_the_interpreter():
    """The middleware was seen to wait without end while a node was destroyed."""
    code = (
        "import ctypes\n"
        "from generative_ik_ros.ros.last_resort import end_process_after\n"
        "end_process_after(0.3)\n"
        # Unlike CDLL, this keeps the interpreter's lock.
        "ctypes.PyDLL(None).sleep(60)\n"
    )
    start = time.monotonic()
    assert subprocess.run([sys.executable, "-c", code], timeout=50.0).returncode == 0
    assert 0.3 <= time.monotonic() - start < 40.0


def test_a_signal_ends_it_cleanly_even_under_load(start_node, client_of, panda, panda_urdf):
    node = start_node(robot_description=panda_urdf, tip_link="panda_hand_tcp")
    client = client_of(node)
    targets = panda.forward(np.random.default_rng(0).uniform(panda.lower, panda.upper, (20, 7)))
    stop = threading.Event()

    def keep_asking():
        while not stop.is_set():
            client.call_async(request(targets, num_solutions=20))
            stop.wait(0.005)

    thread = threading.Thread(target=keep_asking)
    thread.start()
    stop.wait(0.5)
    node.signal(signal.SIGTERM)
    code, seconds = node.wait()
    stop.set()
    thread.join()
    assert code == 0, node.output()
    assert seconds < 5.0
    for word in ("Traceback", "Error", "never retrieved", "terminate"):
        assert word not in node.output(), node.output()


def test_a_signal_does_not_wait_for_a_solve_without_end(start_node, client_of, panda, panda_urdf):
    node = start_node(robot_description=panda_urdf, tip_link="panda_hand_tcp")
    client = client_of(node)
    # A tolerance below the precision of double: all seeds are tried for every pose.
    share = np.random.default_rng(0).uniform(0.4, 0.6, (10_000, 7))
    targets = panda.forward(panda.lower + share * (panda.upper - panda.lower))
    client.call_async(request(targets, num_solutions=1, timeout=50.0, position_tolerance=1e-18))
    time.sleep(1.0)
    node.signal(signal.SIGINT)
    code, seconds = node.wait()
    assert code == 0 and seconds < 5.0, node.output()
    assert "a solve is still running" in node.output()


def test_a_signal_ends_the_making_of_a_node_wherever_it_comes():
    """An exception would be ignored where an object is deleted, and the node would go on."""
    code = (
        "import signal\n"
        "from generative_ik_ros.ros import process\n"
        "class Node:\n"
        "    def __del__(self):\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        "process.run(lambda: Node() and exit('it went on'), [])\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["-p", "sampler:=magic"], "unknown sampler 'magic'; choose from: auto, "),
        (["-p", "point_cloud_topic:=/a//b"], "point_cloud_topic, '/a//b': "),
        (["-p", "use_sim_time:=soon"], "expecting type 'BOOL'"),
        (["-p", "robot_description:=hello"], "no XML text: it starts with 'hello'"),
        (["--params-file", "/no/such/file"], "Couldn't parse params file"),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_a_bad_start_is_one_line_and_an_exit_code(ros, arguments, reason):
    ended = subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 2
    assert reason in ended.stderr and "Traceback" not in ended.stderr


def test_names_are_the_documented_ones(ros, panda_urdf):
    """The public names, without a namespace."""
    import rclpy
    from ik_client import IKClient

    node = subprocess.Popen(COMMAND)
    client = IKClient("/")
    try:
        client.wait()
        services = dict(client.node.get_service_names_and_types())
        topics = dict(client.node.get_topic_names_and_types())
    finally:
        client.close()
        node.send_signal(signal.SIGINT)
        assert node.wait(30) == 0
    assert rclpy.ok()
    assert services["/generative_ik/get_ik_solutions"] == ["generative_ik_ros/srv/GetIKSolutions"]
    assert topics["/robot_description"] == ["std_msgs/msg/String"]
    assert topics["/generative_ik/target_pose"] == ["geometry_msgs/msg/PoseStamped"]
    assert topics["/generative_ik/solutions"] == ["generative_ik_ros/msg/IKSolutions"]
    assert topics["/generative_ik/solution_markers"] == ["visualization_msgs/msg/MarkerArray"]


PROFILES = """<profiles xmlns="http://www.eprosima.com/XMLSchemas/fastRTPS_Profiles">
<transport_descriptors><transport_descriptor><transport_id>shm</transport_id><type>SHM</type>
</transport_descriptor></transport_descriptors>
<participant profile_name="any" is_default_profile="true"><rtps><userTransports>
<transport_id>shm</transport_id></userTransports><useBuiltinTransports>true</useBuiltinTransports>
</rtps></participant></profiles>"""


@pytest.mark.parametrize(
    ("environment", "parameters", "shared_memory", "reported"),
    [
        ({}, {}, False, "FASTDDS_BUILTIN_TRANSPORTS=UDPv4"),
        (
            {"FASTDDS_BUILTIN_TRANSPORTS": "DEFAULT"},
            {"fastdds_transports": "UDPv4"},
            True,
            "FASTDDS_BUILTIN_TRANSPORTS=DEFAULT",
        ),
        ({}, {"fastdds_transports": ""}, True, "FASTDDS_BUILTIN_TRANSPORTS="),
        ({"FASTRTPS_DEFAULT_PROFILES_FILE": "FILE"}, {}, True, "as in FILE"),
    ],
)
def test_no_shared_memory_unless_selected(
    start_node, monkeypatch, tmp_path, environment, parameters, shared_memory, reported
):
    """With SUBNET, as on robots; with LOCALHOST rmw_fastrtps always uses shared memory."""
    file = tmp_path / "profiles.xml"
    file.write_text(PROFILES)
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET")
    monkeypatch.delenv("FASTDDS_BUILTIN_TRANSPORTS", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value.replace("FILE", str(file)))
    node = start_node(**parameters)
    node.wait_for("waiting for a robot description")
    threads = {entry.read_text() for entry in Path(f"/proc/{node.pid}/task").glob("*/comm")}
    assert any(name.startswith("dds.udp") for name in threads)
    assert any(name.startswith("dds.shm") for name in threads) == shared_memory
    line = f"middleware           rmw_fastrtps_cpp, {reported.replace('FILE', str(file))}\n"
    assert line in node.health().stdout


def test_other_middlewares_are_left_alone(monkeypatch):
    from generative_ik_ros.ros import transport

    monkeypatch.delenv(transport.VARIABLE, raising=False)
    monkeypatch.setattr(transport, "get_rmw_implementation_identifier", lambda: "rmw_x_cpp")
    transport.select("UDPv4")
    assert transport.VARIABLE not in transport.os.environ
    assert transport.description() == "rmw_x_cpp, as configured"
