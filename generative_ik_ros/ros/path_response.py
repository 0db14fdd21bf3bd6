"""What the service `~/get_ik_path` replies with."""

# Generated messages have no stubs: pyright sees neither their constants nor their array types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false

from array import array
from typing import NamedTuple

import numpy as np
from builtin_interfaces.msg import Duration
from numpy.typing import NDArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from generative_ik_ros.paths.result import IKPath
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.ros.conversions import flat
from generative_ik_ros.srv import GetIKPath
from generative_ik_ros.trajectories.result import Trajectory

_BILLION = 1_000_000_000
_NONE = array("d")


class Followed(NamedTuple):
    """A chain, the poses to follow in the base link (B, 4, 4) [m], and what was found.

    `trajectory` is None if no pose is reached, or if there is none close enough to the path; then
    `fault` says why.
    """

    chain: KinematicChain
    targets_in_base: NDArray[np.float64]
    path: IKPath
    trajectory: Trajectory | None
    fault: str
    solve_time: float


def fill_response(response: GetIKPath.Response, followed: Followed, *, flat_reply: bool) -> None:
    """Write a path and its trajectory into a reply, as a message or as flat arrays."""
    path, trajectory = followed.path, followed.trajectory
    reached = path.num_reached
    response.status, response.message = summary(followed)
    response.base_link, response.tip_link = followed.chain.base_link, followed.chain.tip_link
    if trajectory is not None:
        if flat_reply:
            response.joint_names = list(trajectory.joint_names)
            response.times = flat(trajectory.times, "d")
            response.positions = flat(trajectory.positions, "d")
            response.velocities = flat(trajectory.velocities, "d")
            response.accelerations = flat(trajectory.accelerations, "d")
        else:
            response.trajectory = trajectory_message(trajectory)
            response.trajectory.header.frame_id = followed.chain.base_link
        response.pose_points = flat(trajectory.pose_points, "I")
        response.deviation = trajectory.deviation
    response.num_reached, response.fraction = reached, reached / len(path.positions)
    response.reason = path.reason
    response.position_errors = flat(path.position_error[:reached], "d")
    response.orientation_errors = flat(path.orientation_error[:reached], "d")
    response.length, response.largest_step = path.length, path.largest_step
    response.clearance = path.clearance
    response.solve_time = followed.solve_time


def summary(followed: Followed) -> tuple[int, str]:
    """Return the status of a request and a line that explains it."""
    path, status = followed.path, GetIKPath.Response
    if followed.fault:
        return status.NO_SOLUTION, followed.fault
    if path.complete:
        return status.SOLVED, ""
    if path.num_reached:
        return status.PARTIAL, f"{_share(path)}: {path.reason}"
    return status.TIMED_OUT if path.timed_out else status.NO_SOLUTION, f"no path: {path.reason}"


def _share(path: IKPath) -> str:
    return f"{path.num_reached} of {len(path.positions)} poses reached"


def trajectory_message(trajectory: Trajectory) -> JointTrajectory:
    """Return a trajectory as the message that controllers take."""
    num_joints = len(trajectory.joint_names)
    positions, velocities, accelerations = (
        flat(values, "d")
        for values in (trajectory.positions, trajectory.velocities, trajectory.accelerations)
    )
    points = []
    for number, when in enumerate((trajectory.times * _BILLION).round().astype(int).tolist()):
        row = slice(number * num_joints, (number + 1) * num_joints)
        # Without the constructor, which fills all fields with empty ones first: half the time.
        point = JointTrajectoryPoint.__new__(JointTrajectoryPoint)
        point._check_fields = False
        point.positions, point.velocities = positions[row], velocities[row]
        point.accelerations, point.effort = accelerations[row], _NONE
        point.time_from_start = Duration(sec=when // _BILLION, nanosec=when % _BILLION)
        points.append(point)
    return JointTrajectory(joint_names=list(trajectory.joint_names), points=points)
