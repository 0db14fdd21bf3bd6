"""Launch files run by the real `ros2 launch`, with a stand-in for RViz that tells its start."""

import os
import re
import shutil
from pathlib import Path

import moveit_interfaces
import numpy as np
import pytest
import yaml
from ament_index_python import get_package_prefix
from geometry_msgs.msg import TwistStamped
from ik_client import LATCHED, IKClient, request
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String

pytest.importorskip("launch.actions", reason="launch is not installed")
pytest.importorskip("launch_ros.actions", reason="launch_ros is not installed")
pytest.importorskip("ros2launch.api", reason="ros2launch is not installed")

from launched import Launched, install, install_package, install_stand_ins  # noqa: E402
from solid_panda import boxes_file, solid  # noqa: E402

from generative_ik_ros.robot.chain import KinematicChain  # noqa: E402
from generative_ik_ros.robot.known import load_robot  # noqa: E402
from generative_ik_ros.srv import GetIKSolutions  # noqa: E402

OWN = """<robot name="own">
  <link name="floor"/><link name="base"/><link name="one"/><link name="two"/><link name="tip"/>
  <joint name="stand" type="fixed"><parent link="floor"/><child link="base"/>
    <origin xyz="0 0 1"/></joint>
  <joint name="a" type="continuous"><parent link="base"/><child link="one"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="b" type="revolute"><parent link="one"/><child link="two"/>
    <origin xyz="0.4 0 0"/><axis xyz="0 1 0"/><limit lower="-3" upper="3"/></joint>
  <joint name="c" type="revolute"><parent link="two"/><child link="tip"/>
    <origin xyz="0.4 0 0"/><axis xyz="0 0 1"/><limit lower="-3" upper="3"/></joint>
</robot>"""
MOVEIT = Path(__file__).parents[2] / "config" / "moveit"
SERVICE, SOLVED = "generative_ik/get_ik_solutions", GetIKSolutions.Response.SOLVED


@pytest.fixture(scope="module")
def prefixes(ros, tmp_path_factory):
    """The checkout as an installed package, and stand-ins of the packages that it starts."""
    folder = tmp_path_factory.mktemp("install")
    return [
        install(folder / "ours"),
        install_stand_ins(folder / "others"),
        *filter(None, os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)),
    ]


@pytest.fixture
def launch(prefixes, tmp_path_factory):
    """Launch a file; nothing that was started outlives the test."""
    running = []

    def start(*arguments):
        running.append(Launched(tmp_path_factory.mktemp("log"), *arguments, prefixes=prefixes))
        return running[-1]

    yield start
    for process in running:
        process.kill()


def rviz_of(launched):
    """Return the configuration that RViz was started with."""
    return yaml.safe_load(launched.rviz_configuration())["Visualization Manager"]


def robot_shown(manager):
    return next(d for d in manager["Displays"] if d["Name"] == "Robot")["Enabled"]


def test_rviz_looks_at_an_arm_of_ones_own(launch, tmp_path):
    """The line of the README: nothing says the root link but the description."""
    (tmp_path / "own.urdf").write_text(OWN)
    launched = launch("ik.launch.py", f"description_file:={tmp_path / 'own.urdf'}")
    manager = rviz_of(launched)
    reach = KinematicChain.from_urdf(OWN).reach
    assert manager["Global Options"]["Fixed Frame"] == "floor"
    view = manager["Views"]["Current"]
    assert 2.0 * reach < view["Distance"] < 3.5 * reach
    assert view["Focal Point"]["X"] == view["Focal Point"]["Y"] == 0.0
    # Without joint states all links would lie on each other, white, over the solutions.
    assert not robot_shown(manager)
    launched.wait_for("robot 'own' ready")
    launched.interrupt()
    assert "Traceback" not in launched.output()


def test_rviz_waits_for_a_description_by_topic(launch):
    launched = launch("ik.launch.py", "namespace:=topic")
    launched.wait_for("RViz starts once there is a description on /topic/robot_description")
    client = IKClient("/topic")
    publisher = client.node.create_publisher(String, "robot_description", LATCHED)
    publisher.publish(String(data=OWN))
    manager = rviz_of(launched)
    assert manager["Global Options"]["Fixed Frame"] == "floor"
    client.close()
    launched.interrupt()


def test_the_panda_is_shown_with_its_joint_states(launch):
    launched = launch("panda.launch.py")
    manager = rviz_of(launched)
    assert manager["Global Options"]["Fixed Frame"] == "panda_link0"
    assert robot_shown(manager)
    launched.wait_for("robot 'panda' ready")
    for sampler in ("auto (closed_form)", "ikflow", "ggik", "distal"):
        launched.wait_for(f"│ {sampler}")
    launched.interrupt()


def test_arguments_reach_the_node(launch, panda_urdf, tmp_path):
    description = tmp_path / "solid.urdf"
    description.write_text(solid(panda_urdf))
    block = boxes_file(tmp_path / "block.yaml", block=((0.4, 0.4, 0.4), (0.5, 0.0, 0.4)))
    launched = launch(
        "ik.launch.py",
        "namespace:=solid",
        "rviz:=false",
        f"description_file:={description}",
        "base_link:=panda_link0",
        "tip_link:=panda_hand_tcp",
        "avoid_collisions:=true",
        f"scene_file:={block}",
        "collision_padding:=0.01",
        f"mesh_dirs:={tmp_path}",
        "point_cloud_topic:=points",
        "sampler:=uniform",
        "fastdds_transports:=DEFAULT",
        "use_sim_time:=true",
    )
    client = IKClient("/solid")
    client.wait()
    inside = np.diag([1.0, -1.0, -1.0, 1.0])
    inside[:3, 3] = (0.5, 0.0, 0.4)
    once = request(inside[None], num_solutions=1)
    answer = client.until(once, lambda one: one.status > 0)
    assert answer.message.startswith("reached in collision only: ")
    padding, simulated, *texts = client.get_parameters(
        "collision_padding",
        "use_sim_time",
        "mesh_dirs",
        "point_cloud_topic",
        "sampler",
        "fastdds_transports",
    )
    assert padding.double_value == 0.01 and simulated.bool_value
    assert [text.string_value for text in texts] == [str(tmp_path), "points", "uniform", "DEFAULT"]
    client.close()
    launched.interrupt()
    assert "Traceback" not in launched.output()


def test_a_description_of_a_package_by_xacro(launch, prefixes):
    if shutil.which("xacro") is None:
        pytest.skip("xacro is not installed")
    folder = install_package(prefixes[1], "own_arm") / "urdf"
    folder.mkdir()
    parts = OWN.partition('<link name="floor"/>')
    (folder / "own.urdf.xacro").write_text(
        '<robot name="own" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        f'<xacro:arg name="floor" default=""/><link name="$(arg floor)"/>{parts[2]}'.replace(
            'link="floor"', 'link="$(arg floor)"'
        )
    )
    launched = launch(
        "ik.launch.py",
        "namespace:=own",
        "description_package:=own_arm",
        "description_file:=urdf/own.urdf.xacro",
        "description_arguments:=floor:=ground",
    )
    assert rviz_of(launched)["Global Options"]["Fixed Frame"] == "ground"
    launched.wait_for("robot 'own' ready")
    launched.interrupt()


def test_the_service_of_moveits_messages_has_the_name_that_is_chosen(launch):
    moveit_interfaces.require()
    launched = launch(
        "ik.launch.py", "robot:=panda", "rviz:=false", "position_ik_service:=/solve_ik"
    )
    launched.wait_for("robot 'panda' ready")
    client = IKClient("")
    client.wait()
    names = dict(client.node.get_service_names_and_types())
    assert names["/solve_ik"] == ["moveit_msgs/srv/GetPositionIK"]
    client.close()
    launched.interrupt()


def test_a_bad_description_starts_rviz_all_the_same(launch):
    launched = launch("ik.launch.py", "namespace:=bad")
    client = IKClient("/bad")
    publisher = client.node.create_publisher(String, "robot_description", LATCHED)
    publisher.publish(String(data="<robot/>"))
    launched.wait_for("the view is not fitted to the robot")
    assert rviz_of(launched)["Global Options"]["Fixed Frame"] == "base_link"
    client.close()
    launched.interrupt()


def test_two_arms_are_served_side_by_side(launch):
    moveit = not moveit_interfaces.provide()
    launched = launch("two_arms.launch.py")
    groups = yaml.safe_load((MOVEIT / "kinematics_two_arms.yaml").read_text())
    panda = load_robot("panda")
    target = panda.forward([0.2, 0.3, 0.0, -1.8, 0.0, 2.1, 0.8])
    for side in ("left", "right"):
        launched.wait_for(f"{side}_panda_link0 to {side}_panda_hand_tcp, 7 joints")
        client = IKClient(f"/{side}")
        client.wait()
        # The name that the plugin of this arm's group asks for.
        assert client.node.resolve_service_name(SERVICE) == groups[f"{side}_arm"]["service"]
        answer = client.call(request(target[None], num_solutions=3))
        assert answer.status == SOLVED and answer.base_link == f"{side}_panda_link0"
        assert list(answer.joint_names) == [f"{side}_{name}" for name in panda.joint_names]
        q = np.reshape(answer.positions, (-1, 7))
        assert np.allclose(panda.forward(q), target, atol=2e-5)
        if moveit:
            # Of the node itself, one hears later than of its services.
            named = ("generative_ik", f"/{side}")
            client._when(lambda n=named, c=client: n in c.node.get_node_names_and_namespaces())
            topics = dict(
                client.node.get_subscriber_names_and_types_by_node("generative_ik", f"/{side}")
            )
            assert "/monitored_planning_scene" in topics
            asked = client.node.get_client_names_and_types_by_node("generative_ik", f"/{side}")
            assert "/get_planning_scene" in dict(asked)
        client.close()
    manager = rviz_of(launched)
    assert manager["Global Options"]["Fixed Frame"] == "world"
    assert robot_shown(manager)
    launched.interrupt()
    assert not re.search("Traceback|refused|not fitted", launched.output())


def test_the_servo_in_cpp_has_the_topics_of_the_other(launch):
    try:
        get_package_prefix("generative_ik_servo")
    except (LookupError, OSError):
        pytest.skip("generative_ik_servo is not installed")
    launched = launch(
        *("ik.launch.py", "robot:=panda", "rviz:=false", "namespace:=cpp"),
        *("servo:=true", "servo_node:=cpp", "servo_commands:=~/positions"),
    )
    client, panda, commands = IKClient("/cpp"), load_robot("panda"), []
    client.wait()
    node = client.node
    node.create_subscription(Float64MultiArray, "generative_ik/positions", commands.append, 10)
    states = node.create_publisher(JointState, "joint_states", 10)
    twists = node.create_publisher(TwistStamped, "generative_ik/servo_twist", 10)
    start = [0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.7]

    def commanded():
        states.publish(JointState(name=list(panda.joint_names), position=start))
        twist = TwistStamped()
        twist.twist.linear.z = 0.05
        twists.publish(twist)
        return len(commands) > 20

    client._when(commanded, 30.0)
    assert np.allclose(commands[0].data, start, atol=1e-3)
    assert (launched.interrupt(), client.close()) == (0, None)
    assert "Traceback" not in launched.output()
