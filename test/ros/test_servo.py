"""The node commands an arm towards streams of targets."""

import signal
import threading
import time

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from ik_client import Response, Topic, request
from robots import pose_gap
from rviz_side import RVizSide
from servo_arm import (
    ACCELERATION,
    RATE,
    START,
    ServoArm,
    check_limits,
    pose_message,
    twist_message,
    twist_source,
)
from solid_panda import SRDF, boxes_file

from generative_ik_ros import CollisionModel, IKSolver, KinematicChain, Scene
from generative_ik_ros.ros.conversions import transforms_to_poses

TIMEOUT = 0.4
TRIES = 4
"""Attempts to measure what a busy machine may spoil."""
OPTIONS = {
    "servo_rate": RATE,
    "servo_timeout": TIMEOUT,
    "servo_acceleration_limits": str(ACCELERATION),
}


@pytest.fixture(scope="module")
def start_servo(start_node):
    """Starts nodes that may be servos; test_servo_cpp.py has another one."""
    return start_node


def arm_at(process, chain, on=True):
    arm = ServoArm(process, chain)
    if not process.executable:
        arm.wait()
    if on:
        arm.found()
        arm.power()
        time.sleep(0.3)
    return arm


@pytest.fixture(scope="module")
def node(start_servo, panda_urdf):
    return start_servo(
        robot_description=panda_urdf, tip_link="panda_hand_tcp", servo=True, **OPTIONS
    )


@pytest.fixture(scope="module")
def robot(node, panda):
    arm = arm_at(node, panda)
    yield arm
    arm.close()


@pytest.fixture
def arm(robot):
    robot.place()
    yield robot
    robot.rest()


@pytest.fixture
def statuses(robot):
    topic = Topic(robot, DiagnosticArray, "/diagnostics", 100)
    yield topic
    topic.close()


def status(statuses, node, wanted):
    """The next status of the servo whose message has a text."""
    del statuses._messages[:]
    seen = []
    for _ in range(100):
        for one in statuses.next().status:
            if one.name == f"{node.namespace[1:]}/generative_ik: servo":
                seen.append(one.message)
                if wanted in one.message:
                    return one, {pair.key: pair.value for pair in one.values}
    raise AssertionError(f"no status with {wanted!r} among {set(seen)}")


def shifted(pose, *shift):
    moved = pose.copy()
    moved[:3, 3] += shift
    return moved


def test_a_stream_of_poses_is_followed_within_the_limits(arm, panda):
    tip = panda.forward(START)

    def circle(t):
        angle = min(2.0 * t, 2.0 * np.pi)
        return shifted(tip, 0.08 * (np.cos(angle) - 1.0), 0.08 * np.sin(angle), 0.0)

    for _ in range(TRIES):
        arm.place()
        arm.stream(lambda t: pose_message(circle(t), "panda_link0"), 4.5)
        arm.rest()
        path = arm.path()
        check_limits(panda, path, START)
        tips = panda.forward(path)
        radius = np.linalg.norm(tips[:, :2, 3] - (tip[:2, 3] - (0.08, 0.0)), axis=1)
        # The filter makes it smaller by w^2 / (w^2 + 2^2) = 0.4 %; late poses leave corners.
        if round_enough := np.abs(radius - 0.08).max() < 0.008 and len(path) > 0.3 * 4.5 * RATE:
            break
    assert round_enough
    position, angle = pose_gap(tips, np.repeat(tip[None], len(tips), axis=0))
    assert position.max() > 0.15 and angle.max() < 0.03
    assert position[-1] < 1e-4 and angle[-1] < 1e-4


def test_trajectories_have_the_same_commands(arm, panda):
    tip = shifted(panda.forward(START), 0.0, 0.0, 0.05)
    arm.drive(pose_message(tip), 0.1)
    arm.rest()
    arm._when(lambda: len(arm.trajectories) >= len(arm.commands))
    path, trajectories = arm.path(), list(arm.trajectories)
    assert len(path) == len(trajectories)
    points = [one.points[0] for one in trajectories]
    assert list(trajectories[0].joint_names) == list(panda.joint_names)
    assert np.array_equal([point.positions for point in points], path)
    velocities = check_limits(panda, path, START)[1:]
    assert np.allclose([point.velocities for point in points], velocities, atol=1e-6)
    nanoseconds = {p.time_from_start.sec * 10**9 + p.time_from_start.nanosec for p in points}
    assert nanoseconds == {round(1e9 / RATE)}


@pytest.mark.parametrize("frame", ["", "panda_link0", "panda_hand_tcp"])
def test_a_twist_moves_the_tip_in_its_frame(arm, panda, frame):
    tip, speed = panda.forward(START), 0.05
    axis = tip[:3, 2] if frame == panda.tip_link else np.array([0.0, 0.0, 1.0])
    arm.drive(twist_message([0, 0, speed, 0, 0, 0], frame), 1.5)
    arm.rest()
    path = arm.path()
    check_limits(panda, path, START)
    moved = panda.forward(path[-1])[:3, 3] - tip[:3, 3]
    # A busy machine commands more rarely, and then the arm is slower.
    longest = speed * len(path) / RATE
    assert 0.5 * longest < moved @ axis < longest
    assert np.linalg.norm(moved - (moved @ axis) * axis) < 0.001


def test_the_arm_brakes_smoothly_when_the_source_of_targets_is_killed(arm, node, panda, statuses):
    for _ in range(TRIES):
        arm.place()
        source = twist_source(node.namespace, 0, 0.25, 0, 0, 0, 0)
        try:
            arm._when(lambda: len(arm.commands) > 0.8 * RATE, 60.0)
        finally:
            source.kill()
            killed = time.monotonic()
            source.wait()
        status(statuses, node, "waiting for a target")
        arm.rest()
        path, times = arm.path(), np.array([at for at, _ in arm.commands])
        velocities = check_limits(panda, path, START)
        before = velocities[:-1][times < killed]
        assert np.abs(before[-1]).max() > 0.1
        assert np.abs(velocities[-1]).max() == 0.0
        # The timeout, and the time to brake; what was sent before may arrive after.
        longest = TIMEOUT + np.abs(velocities).max() / ACCELERATION
        if in_time := (times > killed).sum() <= (longest + 0.2) * RATE:
            break
    assert in_time


def test_nothing_is_commanded_while_it_is_unknown_where_the_arm_is(arm, node, panda, statuses):
    arm.power(False)
    try:
        time.sleep(1.3)
        arm.commands.clear()
        mark = node.mark()
        arm.stream(lambda t: twist_message([0, 0, 0.1, 0, 0, 0]), 0.5)
        assert not arm.commands
        node.wait_for("no position of panda_joint1, ", mark)
        one, _ = status(statuses, node, "no position of")
        assert one.level == b"\x01" and f"{node.namespace}/joint_states" in one.message
    finally:
        arm.power()
    start = START + 0.1
    arm.place(start)
    arm.drive(twist_message([0, 0, 0.1, 0, 0, 0]), 0.4)
    arm.rest()
    check_limits(panda, arm.path(), start)


def test_a_target_out_of_reach_is_approached_and_reported(arm, node, panda, statuses):
    far = shifted(panda.forward(START), 0.0, 0.0, 3.0)
    seen = threading.Event()
    source = threading.Thread(target=arm.stream_until, args=(seen.is_set, pose_message(far)))
    source.start()
    try:
        one, values = status(statuses, node, "HELD: ")
    finally:
        seen.set()
        source.join()
    assert one.level == b"\x01" and float(values["position_error_m"]) > 1.0
    arm.rest()
    path = arm.path()
    check_limits(panda, path, START)
    assert panda.forward(path[-1])[2, 3] > panda.forward(START)[2, 3] + 0.2


BAD = {
    "position is not finite": lambda tip: pose_message(shifted(tip, float("nan"), 0, 0)),
    "frame 'moon'": lambda tip: pose_message(tip, "moon"),
    "twist is not finite": lambda tip: twist_message([0, float("inf"), 0, 0, 0, 0]),
    "frame 'sun'": lambda tip: twist_message([0, 0, 0.1, 0, 0, 0], "sun"),
}


@pytest.mark.parametrize("reason", BAD)
def test_bad_messages_are_refused_and_the_node_stays_up(arm, node, panda, statuses, reason):
    tip, mark = panda.forward(START), node.mark()
    message = BAD[reason](tip)
    arm.stream(lambda t: message, 0.3)
    node.wait_for(f"servo: refused: {'target 0: ' if 'position' in reason else ''}{reason}", mark)
    one, values = status(statuses, node, reason)
    assert one.level == b"\x01" and int(values["refused_messages"]) > 0
    assert not arm.commands
    arm.drive(pose_message(tip), 0.1)


def test_solves_do_not_hold_up_commands(arm, panda):
    tip, answered = panda.forward(START), []
    targets = panda.forward(np.linspace(START - 0.2, START + 0.2, 100))

    def ask():
        while not end.is_set():
            answered.append(arm.call(request(targets, num_solutions=1000)).status)

    for _ in range(TRIES):
        arm.place()
        end, client = threading.Event(), threading.Thread(target=ask)
        client.start()
        try:
            arm.stream(lambda t: pose_message(shifted(tip, 0, 0.1 * np.sin(2.0 * t), 0)), 3.0)
            count = len(arm.commands)
        finally:
            end.set()
            client.join()
        arm.rest()
        check_limits(panda, arm.path(), START)
        # Half of the answers take 0.1 s and longer, in which as many commands come as ever.
        if enough := count > 0.3 * 3.0 * RATE:
            break
    assert enough and len(answered) > 3
    assert set(answered) <= {Response.SOLVED, Response.PARTIAL}


def test_it_is_off_by_default_and_switched_by_its_parameter(start_servo, panda_urdf, panda):
    process = start_servo(robot_description=panda_urdf, tip_link="panda_hand_tcp", **OPTIONS)
    arm = arm_at(process, panda, on=False)
    arm.power()

    def topics():
        names = dict(arm.node.get_topic_names_and_types())
        own = f"{process.namespace}/generative_ik/servo_commands"
        return own in names and arm.node.count_publishers(own)

    arm.stream(lambda t: twist_message([0, 0, 0.1, 0, 0, 0]), 0.5)
    assert not arm.commands and not topics()
    (result,) = arm.set_parameters(servo=True)
    assert result.successful
    arm.found()
    arm.drive(twist_message([0, 0, 0.1, 0, 0, 0]), 1.0)
    (result,) = arm.set_parameters(servo=False)
    assert result.successful
    arm.stream(lambda t: twist_message([0, 0, 0.1, 0, 0, 0]), 0.5)
    arm.rest()
    path = arm.path()
    velocities = check_limits(panda, path, START)
    assert np.abs(velocities).max() > 0.05
    assert np.abs(velocities[-1]).max() == 0.0
    arm._when(lambda: not topics())
    arm.close()


def test_the_handle_in_rviz_drives_the_arm_if_it_is_to(arm, panda):
    rviz, goal = RVizSide(arm), shifted(panda.forward(START), 0.05, 0.1, -0.05)
    (pose,) = transforms_to_poses(goal[None])
    rviz.drag(pose)
    time.sleep(0.5)
    assert not arm.commands
    try:
        assert arm.set_parameters(servo_handle=True)[0].successful
        # One drag is enough: the arm goes on until it is there, and then waits.
        pose.position.x += 1e-3
        rviz.drag(pose)
        arm._when(lambda: arm.commands)
        arm.rest()
    finally:
        arm.set_parameters(servo_handle=False)
    path = arm.path()
    check_limits(panda, path, START)
    position, angle = pose_gap(panda.forward(path[-1]), shifted(goal, 1e-3, 0.0, 0.0))
    assert position < 1e-4 and angle < 1e-4


def test_other_parameters_end_a_motion_smoothly(arm, panda):
    twist, speed = twist_message([0, 0.2, 0, 0, 0, 0]), 0.2
    try:
        arm.drive(twist, 0.6)
        (result,) = arm.set_parameters(servo_acceleration_limits=[3.0] * 7)
        assert result.successful
        changed = len(arm.commands)
        arm.drive(twist, 0.6)
        arm.rest()
        path = arm.path()
        check_limits(panda, path, START)
        before, after = panda.forward(path[[changed - 1, -1]])[:, 1, 3]
        assert after > before + 0.5 * speed * (len(path) - changed) / RATE
        mark = len(arm.commands)
        (result,) = arm.set_parameters(servo_velocity_limits="1 2 3")
        assert result.successful
        arm.stream(lambda t: twist, 0.3)
        assert len(arm.commands) == mark
    finally:
        arm.set_parameters(servo_acceleration_limits="5", servo_velocity_limits="")


def test_the_arm_keeps_away_from_obstacles(start_node, solid_urdf, panda, tmp_path):
    tip = panda.forward(START)
    box = (0.1, 0.4, 0.6), tuple(float(x) for x in tip[:3, 3] + (0.2, 0.0, 0.0))
    file = boxes_file(tmp_path / "box.yaml", box=box)
    process = start_node(
        robot_description=solid_urdf, tip_link="panda_hand_tcp", servo=True, scene_file=file,
        avoid_collisions=True, robot_description_semantic=SRDF, **OPTIONS,
    )  # fmt: skip
    arm = arm_at(process, panda)
    # It would take the tip through the box.
    arm.drive(twist_message([0.15, 0, 0, 0, 0, 0]), 4.0)
    arm.rest()
    path = arm.path()
    check_limits(panda, path, START)
    chain = KinematicChain.from_urdf(solid_urdf, "panda_link0", "panda_hand_tcp")
    model = CollisionModel.from_urdf(solid_urdf, srdf=SRDF)
    solver, scene = IKSolver(chain, collision=model), Scene.from_yaml(file)
    clearance = solver.clearance(path[::-10], scene=scene)
    # Half of it is left in any case (docs/tracking.md), measured by spheres.
    assert clearance.min() > 0.004
    moved = panda.forward(path[-1])[:3, 3] - tip[:3, 3]
    assert moved[0] > 0.02 and clearance[0] < 0.05
    # Without collision checks, nothing keeps it away.
    assert arm.set_parameters(avoid_collisions=False)[0].successful
    arm.place()
    arm.drive(twist_message([0.15, 0, 0, 0, 0, 0]), 2.0)
    arm.rest()
    assert panda.forward(arm.path()[-1])[0, 3] > tip[0, 3] + moved[0] + 0.05
    arm.close()


def test_ctrl_c_ends_a_motion_smoothly(start_servo, panda_urdf, panda):
    process = start_servo(
        robot_description=panda_urdf, tip_link="panda_hand_tcp", servo=True, **OPTIONS
    )
    arm = arm_at(process, panda)
    arm.drive(twist_message([0, 0.25, 0, 0, 0, 0]), 0.6)
    process.signal(signal.SIGINT)
    arm.stream(lambda t: twist_message([0, 0.25, 0, 0, 0, 0]), 1.0)
    process.wait()
    velocities = check_limits(panda, arm.path(), START)
    assert np.abs(velocities).max() > 0.1 and np.abs(velocities[-1]).max() == 0.0
    arm.close()
