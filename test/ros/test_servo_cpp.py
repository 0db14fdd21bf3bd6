"""The node in C++ is the same servo as that of the Python node, by the same tests."""

# ruff: noqa: F811  (fixtures of both are arguments of tests here)

import time
from pathlib import Path

import numpy as np
import pytest
from ament_index_python import get_package_prefix
from geometry_msgs.msg import TransformStamped
from ik_client import LATCHED
from node_process import NodeProcess
from servo_arm import RATE, START, check_limits, pose_message, twist_message
from test_servo import (  # noqa: F401  (tests and fixtures of both)
    OPTIONS,
    arm,
    arm_at,
    node,
    robot,
    shifted,
    status,
    statuses,
    test_a_stream_of_poses_is_followed_within_the_limits,
    test_a_target_out_of_reach_is_approached_and_reported,
    test_a_twist_moves_the_tip_in_its_frame,
    test_bad_messages_are_refused_and_the_node_stays_up,
    test_ctrl_c_ends_a_motion_smoothly,
    test_it_is_off_by_default_and_switched_by_its_parameter,
    test_nothing_is_commanded_while_it_is_unknown_where_the_arm_is,
    test_other_parameters_end_a_motion_smoothly,
    test_the_arm_brakes_smoothly_when_the_source_of_targets_is_killed,
    test_trajectories_have_the_same_commands,
)

PACKAGE = "generative_ik_servo"
try:
    EXECUTABLE = Path(get_package_prefix(PACKAGE), "lib", PACKAGE, "servo_node")
except (LookupError, OSError):
    pytest.skip("generative_ik_servo is not installed", allow_module_level=True)

ARGUMENTS = ("-r", "__node:=generative_ik")
"""With them its topics are those of the other node."""


@pytest.fixture(scope="module")
def start_servo(start_node):
    def start(**options):
        return start_node(executable=str(EXECUTABLE), arguments=ARGUMENTS, **options)

    return start


ONLY_IN_PYTHON = {
    "avoid_collisions": (True, False),
    "soft_limits": (True, False),
    "joint_limits": ("panda_joint1 -1 1", ""),
    "loops": ("loops.yaml", ""),
}


@pytest.mark.parametrize("name", ONLY_IN_PYTHON)
def test_what_only_the_python_node_does_is_refused(arm, node, panda, statuses, name):
    on, off = ONLY_IN_PYTHON[name]
    tip, mark = panda.forward(START), node.mark()
    try:
        assert arm.set_parameters(**{name: on})[0].successful
        one, _ = status(statuses, node, f"{name}: not done by this node")
        assert one.level == b"\x01" and "generative_ik_node" in one.message
        node.wait_for(f"servo: {name}: not done by this node", mark)
        arm.stream(lambda t: pose_message(tip), 0.3)
        assert not arm.commands
    finally:
        assert arm.set_parameters(**{name: off})[0].successful
    arm.drive(pose_message(tip), 0.1)


def test_values_are_checked_and_may_be_of_another_type(arm):
    results = arm.set_parameters(
        servo_rate=int(RATE), servo_timeout=1e-9, servo_filter="x", servo_priority=100
    )
    assert [result.successful for result in results] == [True, False, False, False]
    assert "servo_timeout" in results[1].reason  # in rclcpp's words
    assert "servo_filter must be a number" in results[2].reason
    assert "servo_priority must be between 0 and 99, not 100" in results[3].reason
    # A bad description or link leaves everything as it was.
    results = arm.set_parameters(robot_description="<robot", tip_link="moon")
    assert not any(result.successful for result in results)
    assert "no link 'moon'; links: " in results[1].reason


def test_the_description_comes_by_topic(start_servo, panda_urdf, panda):
    process = start_servo(tip_link="panda_hand_tcp", servo=True, **OPTIONS)
    arm = arm_at(process, panda)
    process.wait_for(f"waiting for a robot description on {process.namespace}/robot_description")
    arm.describe_robot("<robot")
    process.wait_for("robot description refused: ")
    arm.stream(lambda t: twist_message([0, 0, 0.1, 0, 0, 0]), 0.3)
    assert not arm.commands
    arm.describe_robot(panda_urdf)
    time.sleep(0.5)
    arm.drive(twist_message([0, 0, 0.1, 0, 0, 0]), 0.4)
    arm.rest()
    check_limits(panda, arm.path(), START)
    arm.close()


def test_frames_are_looked_up_in_tf(arm, panda):
    messages = pytest.importorskip("tf2_msgs.msg", reason="tf2_ros is not installed")
    publisher = arm.node.create_publisher(messages.TFMessage, "/tf_static", LATCHED)
    stamped = TransformStamped(child_frame_id="camera")
    stamped.header.frame_id = "panda_link0"
    # A quarter of a turn about z.
    stamped.transform.translation.x = 0.3
    stamped.transform.rotation.z = stamped.transform.rotation.w = np.sqrt(0.5)
    publisher.publish(messages.TFMessage(transforms=[stamped]))
    camera = np.array([[0, -1, 0, 0.3], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    goal = shifted(panda.forward(START), 0.05, 0.05, 0.0)
    in_camera = np.linalg.inv(camera) @ goal
    arm._when(lambda: publisher.get_subscription_count())
    time.sleep(0.5)
    arm.drive(pose_message(in_camera, "/camera"), 2.0)
    arm.rest()
    path = arm.path()
    check_limits(panda, path, START)
    assert np.abs(panda.forward(path[-1]) - goal).max() < 1e-4
    arm.node.destroy_publisher(publisher)


def test_a_bad_parameter_ends_the_start(ros):
    process = NodeProcess(ARGUMENTS, executable=str(EXECUTABLE), servo_rate=5000)
    code, _ = process.wait()
    said = "generative_ik_servo: parameter servo_rate must be between 1 and 2000, not 5000"
    assert code == 2 and said in process.output()
