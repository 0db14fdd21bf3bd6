"""Paths through the node's service: trajectories that pass all poses, and clear answers."""

import math
import re

import numpy as np
import pytest
from ik_client import path_request, pose_rows, sweep

from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.srv import GetIKPath
from generative_ik_ros.trajectories.result import Trajectory

Response = GetIKPath.Response
SWEEP = sweep(120)


@pytest.fixture(scope="module")
def poses(panda):
    return panda.forward(SWEEP)


def trajectory_of(response):
    """The reply's trajectory as one of ours, from nothing but the message."""
    points = response.trajectory.points
    times = [one.time_from_start.sec + 1e-9 * one.time_from_start.nanosec for one in points]
    rows = (
        np.array([getattr(one, name) for one in points])
        for name in ("positions", "velocities", "accelerations")
    )
    names = tuple(response.trajectory.joint_names)
    at_pose = np.array(response.pose_points)
    return Trajectory(names, np.array(times), *rows, at_pose, response.deviation)


def at_poses(response):
    return trajectory_of(response).positions[np.array(response.pose_points)]


def test_a_trajectory_through_all_poses_within_the_limits(panda, panda_client, poses):
    response = panda_client.call_path(path_request(poses, seed_state=SWEEP[0].tolist()))
    assert response.status == Response.SOLVED and response.message == response.reason == ""
    assert response.num_reached == 120 and response.fraction == 1.0
    assert (response.base_link, response.tip_link) == ("panda_link0", "panda_hand_tcp")
    assert response.trajectory.header.frame_id == "panda_link0"
    assert tuple(response.trajectory.joint_names) == panda.names
    found = trajectory_of(response)
    np.testing.assert_allclose(panda.forward(at_poses(response)), poses, atol=3e-5)
    assert max(response.position_errors) <= 1e-5 >= max(response.orientation_errors)
    assert (np.diff(found.times) > 0.0).all()
    _, velocity, acceleration = found.at(np.linspace(0.0, found.duration, 5000))
    # Times are rounded to nanoseconds.
    assert (np.abs(velocity) <= panda.velocity_limits * (1.0 + 1e-5)).all()
    assert (np.abs(acceleration) <= panda.velocity_limits * (1.0 + 1e-3)).all()
    steps = np.abs(np.diff(at_poses(response), axis=0))
    assert response.largest_step == pytest.approx(steps.max())
    assert response.length == pytest.approx(
        np.linalg.norm(np.diff(at_poses(response), axis=0), axis=1).sum()
    )
    assert math.isnan(response.clearance) and 0.0 <= response.deviation <= 0.01
    assert 0.0 < response.solve_time <= response.total_time


def test_flat_arrays_are_the_same(panda_client, poses):
    message = path_request(poses, seed_state=SWEEP[0].tolist())
    plain = panda_client.call_path(message)
    message.poses, message.targets.poses, message.flat_reply = pose_rows(poses), [], True
    flat = panda_client.call_path(message)
    assert flat.status == Response.SOLVED and not flat.trajectory.points
    assert flat.joint_names == plain.trajectory.joint_names
    found = trajectory_of(plain)
    np.testing.assert_allclose(flat.times, found.times, atol=1e-6)
    for name in ("positions", "velocities", "accelerations"):
        rows = np.reshape(getattr(flat, name), (-1, 7))
        np.testing.assert_allclose(rows, getattr(found, name), atol=1e-4)
    assert list(flat.pose_points) == list(plain.pose_points)


def test_limits_scaling_and_tip_speed(panda, panda_client, poses):
    def duration(**fields):
        message = path_request(poses, seed_state=SWEEP[0].tolist(), **fields)
        response = panda_client.call_path(message)
        assert response.status == Response.SOLVED
        return trajectory_of(response)

    plain = duration()
    half = duration(max_velocity_scaling_factor=0.5, max_acceleration_scaling_factor=0.25)
    assert half.duration == pytest.approx(2.0 * plain.duration, rel=1e-3)
    slow = duration(velocity_limits=[0.1], acceleration_limits=[1.0] * 7)
    assert np.abs(slow.velocities).max() <= 0.1 * (1.0 + 1e-6)
    creeping = duration(max_tip_speed=0.02)
    position, velocity, _ = creeping.at(np.linspace(1.0, creeping.duration - 1.0, 500))
    tip = np.einsum("mij,mj->mi", panda.jacobian(position)[:, :3], velocity)
    speed = np.linalg.norm(tip, axis=1)
    assert 0.019 < speed.min() and speed.max() <= 0.0202


def test_start_end_closed_and_objective(panda, panda_client, poses):
    names = [*panda.names[::-1], "panda_finger_joint1"]
    seed = [*SWEEP[0][::-1].tolist(), 0.01]
    message = path_request(
        poses, seed_state=seed, seed_joint_names=names, max_step=[0.05],
        joint_weights=[2.0] + [1.0] * 6, objective="length", timeout=2.0,
    )  # fmt: skip
    response = panda_client.call_path(message)
    assert response.status == Response.SOLVED and response.largest_step <= 0.05 + 1e-9
    assert np.abs(at_poses(response)[0] - SWEEP[0]).max() <= 0.05 + 1e-9
    end = at_poses(response)[-1]
    message = path_request(poses, end_state=end.tolist(), timeout=20.0)
    response = panda_client.call_path(message)
    assert response.status == Response.SOLVED, response.message
    np.testing.assert_allclose(at_poses(response)[-1], end, atol=1e-4)
    loop = np.concatenate([poses, poses[-2::-1]])
    response = panda_client.call_path(path_request(loop, closed=True, timeout=20.0))
    assert response.status == Response.SOLVED, response.message
    np.testing.assert_allclose(at_poses(response)[0], at_poses(response)[-1], atol=1e-6)


def test_paths_within_regions(panda, panda_client, poses):
    free, exact = TaskSpaceRegion.free_axis("z"), TaskSpaceRegion.exact()
    plain = panda_client.call_path(path_request(poses))
    for regions in ([free], [free] * 60 + [exact] * 60):
        message = path_request(
            poses,
            region_lower=np.ravel([one.lower for one in regions]).tolist(),
            region_upper=np.ravel([one.upper for one in regions]).tolist(),
            timeout=10.0,
        )
        response = panda_client.call_path(message)
        assert response.status == Response.SOLVED, response.message
        assert max(response.position_errors) <= 1e-5 >= max(response.orientation_errors)
        tips = panda.forward(at_poses(response))
        assert np.abs(tips[:, :3, 2:] - poses[:, :3, 2:]).max() <= 3e-5
        turned = np.abs(tips[:, :3, 0] - poses[:, :3, 0]).max(axis=1)
        assert turned[:60].max() > 0.01
        assert len(regions) == 1 or turned[60:].max() <= 3e-5
        assert response.length < plain.length


def test_part_of_a_path_says_where_it_ends_and_why(panda, panda_client, poses):
    far = poses.copy()
    far[80:, 0, 3] += 3.0
    response = panda_client.call_path(
        path_request(far, seed_state=SWEEP[0].tolist(), timeout=10.0)
    )
    assert response.status == Response.PARTIAL and response.num_reached == 80
    assert response.fraction == pytest.approx(80 / 120) and "pose 80" in response.reason
    assert response.message == f"80 of 120 poses reached: {response.reason}"
    np.testing.assert_allclose(panda.forward(at_poses(response)), poses[:80], atol=3e-5)


def test_no_path_and_no_time(panda_client, poses):
    far = poses.copy()
    far[:, 0, 3] += 3.0
    response = panda_client.call_path(path_request(far, timeout=10.0))
    assert response.status == Response.NO_SOLUTION and response.num_reached == 0
    assert response.message == f"no path: {response.reason}" and "pose 0" in response.reason
    assert not response.trajectory.points and response.fraction == 0.0
    response = panda_client.call_path(path_request(poses, timeout=1e-4))
    assert response.status in (Response.TIMED_OUT, Response.BUSY), response


def nan_pose(poses):
    message = path_request(poses[:5])
    message.targets.poses[3].position.y = math.nan
    return message


BAD = {
    "no_pose": (lambda poses: path_request(), "targets has no poses"),
    "one_pose": (lambda poses: path_request(poses[:1]), "targets has one pose; a path needs two"),
    "nan": (nan_pose, "target 3: position is not finite"),
    "many": (
        lambda poses: path_request(np.repeat(poses[:1], 100_000, axis=0), timeout=50.0),
        "100000 targets exceed the node's max_targets, 10000",
    ),
    "flat": (lambda poses: path_request(poses=[0.0] * 15), "7 numbers for each pose, got 15"),
    "flat_nan": (
        lambda poses: path_request(poses=[0.0] * 6 + [1.0] + [math.nan] * 7),
        "target 1: position is not finite",
    ),
    "flat_turn": (lambda poses: path_request(poses=[0.0] * 14), "target 0: orientation is a zero"),
    "twice": (lambda poses: path_request(poses, poses=pose_rows(poses)), "given twice"),
    "objective": (
        lambda poses: path_request(poses, objective="beauty"), "beauty"
    ),
    "region": (
        lambda poses: path_request(poses, region_lower=[0.0] * 12, region_upper=[0.0] * 12),
        "six for all poses or six for each, 720",
    ),
    "inverted": (
        lambda poses: path_request(poses, region_lower=[1.0] * 6, region_upper=[0.0] * 6),
        "the bounds of x are inverted",
    ),
    "end_state": (lambda poses: path_request(poses, end_state=[0.0]), "end_state needs 7 entries"),
    "max_step": (lambda poses: path_request(poses, max_step=[-1.0]), "max_step must be above 0"),
    "weights": (
        lambda poses: path_request(poses, joint_weights=[math.nan] * 7), "joint_weights is nan"
    ),
    "velocity": (
        lambda poses: path_request(poses, velocity_limits=[0.0]), "velocity_limits must be above 0"
    ),
    "factor": (
        lambda poses: path_request(poses, max_velocity_scaling_factor=2.0),
        "max_velocity_scaling_factor must be from 0",
    ),
    "tip_speed": (
        lambda poses: path_request(poses, max_tip_speed=-1.0), "max_tip_speed must be zero or more"
    ),
    "timeout": (lambda poses: path_request(poses, timeout=1e9), "exceeds the node's max_timeout"),
    "tip_link": (lambda poses: path_request(poses, tip_link="nose"), "nose"),
    "closed": (lambda poses: path_request(poses, closed=True), "closed"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_request_is_answered(case, panda_node, panda_client, poses):
    make, fragment = BAD[case]
    response = panda_client.call_path(make(poses))
    assert response.status == Response.INVALID_REQUEST and fragment in response.message
    assert not response.trajectory.points and panda_node.alive


def test_without_a_robot(client):
    response = client.call_path(path_request(np.stack([np.eye(4)] * 2)))
    assert response.status == Response.NO_ROBOT_DESCRIPTION


def test_a_robot_without_velocity_limits(start_node, client_of, panda_urdf, poses):
    text = re.sub(' velocity="[0-9.]+"', "", panda_urdf)
    node = start_node(robot_description=text, tip_link="panda_hand_tcp")
    client = client_of(node)
    response = client.call_path(path_request(poses))
    assert response.status == Response.INVALID_REQUEST
    assert "no velocity limit for panda_joint1" in response.message
    response = client.call_path(path_request(poses, velocity_limits=[1.0], timeout=20.0))
    assert response.status == Response.SOLVED


def test_the_path_in_rviz(panda, panda_client, poses):
    shown = panda_client.path_markers()
    try:
        far = poses.copy()
        far[80:, 0, 3] += 3.0
        panda_client.call_path(path_request(far, seed_state=SWEEP[0].tolist(), timeout=10.0))
        lines = {}
        while not lines or len(lines["not_reached"].points) != 41:  # the latest one before is sent
            markers = shown.next().markers
            lines = {one.ns: one for one in markers if one.type == one.LINE_STRIP}
    finally:
        shown.close()
    assert set(lines) == {"reached", "not_reached"}
    ends = [[p.x, p.y, p.z] for p in (lines["reached"].points[0], lines["reached"].points[-1])]
    np.testing.assert_allclose(ends, poses[[0, 79], :3, 3], atol=1e-4)
    arms = {one.ns for one in markers if one.ns.startswith("solution_") and one.action == one.ADD}
    assert len(arms) == 12
    assert markers[0].action == markers[0].DELETEALL
