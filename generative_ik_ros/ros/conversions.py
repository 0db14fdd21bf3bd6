"""Conversions between ROS messages and numpy arrays."""

import math
from array import array
from collections.abc import Sequence
from math import isfinite

import numpy as np
from geometry_msgs.msg import Pose, Transform
from numpy.typing import ArrayLike

from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.errors import InvalidTargetError
from generative_ik_ros.moveit.poses import NORM_TOLERANCE
from generative_ik_ros.msg import IKSolutions as IKSolutionsMsg
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.poses import pose_matrix
from generative_ik_ros.robot.quaternions import unit_quaternions
from generative_ik_ros.solutions import IKSolutions, SolveStatus
from generative_ik_ros.srv import GetIKSolutions

WHAT_TO_FREE = (
    "free an axis with region_lower and region_upper, or the orientation with "
    "orientation_tolerance: .inf, or ask for the nearest orientation at the exact position with "
    "prefer: position (docs/few-joints.md)"
)


def poses_to_transforms(poses: Sequence[Pose]) -> Floats:
    """Convert poses to homogeneous transforms, (B, 4, 4) float64.

    Args:
        poses: B poses, positions in [m].

    Raises:
        InvalidTargetError: A pose has NaN or infinite entries, or a quaternion whose norm differs
            from 1 by more than `NORM_TOLERANCE`; the message names the first such pose.
    """
    # Plain Python, one pose at a time: for the single pose of most requests it takes a tenth of
    # the time of numpy, which matters in a round trip of two milliseconds.
    rows = [_transform_rows(number, pose) for number, pose in enumerate(poses)]
    return np.array(rows, dtype=np.float64).reshape(-1, 4, 4)


def rows_to_transforms(values: Sequence[float]) -> Floats:
    """Convert poses in a flat array to homogeneous transforms, (B, 4, 4) float64.

    Args:
        values: (B, 7) x y z [m] and a quaternion x y z w, row-major.

    Raises:
        InvalidTargetError: As `poses_to_transforms`, or the number of values is no multiple of 7.
    """
    if len(values) % 7:
        raise InvalidTargetError(f"poses needs 7 numbers for each pose, got {len(values)}")
    rows = np.array(values, dtype=np.float64).reshape(-1, 7)
    norms = np.linalg.norm(rows[:, 3:], axis=1)
    good = np.isfinite(rows).all(axis=1) & (np.abs(norms - 1.0) <= NORM_TOLERANCE)
    for number in np.flatnonzero(~good).tolist():
        _checked_norm(number, *rows[number].tolist())
    return pose_matrix(rows[:, :3], rows[:, 3:])


def _transform_rows(number: int, pose: Pose) -> tuple[float, ...]:
    """Return the 16 entries of a homogeneous transform, row by row."""
    position, orientation = pose.position, pose.orientation
    px, py, pz = position.x, position.y, position.z
    x, y, z, w = orientation.x, orientation.y, orientation.z, orientation.w
    norm = _checked_norm(number, px, py, pz, x, y, z, w)
    x, y, z, w = x / norm, y / norm, z / norm, w / norm
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w), px,
        2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w), py,
        2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y), pz,
        0.0, 0.0, 0.0, 1.0,
    )  # fmt: skip


def _checked_norm(
    number: int, px: float, py: float, pz: float, x: float, y: float, z: float, w: float
) -> float:
    """Return the norm of a pose's quaternion; raises if it is too far from 1, or not finite."""
    if not (isfinite(px) and isfinite(py) and isfinite(pz)):
        raise InvalidTargetError(f"target {number}: position is not finite: {_text(px, py, pz)}")
    norm = math.hypot(x, y, z, w)
    if abs(norm - 1.0) <= NORM_TOLERANCE:
        return norm
    text = _text(x, y, z, w)
    if not all(map(isfinite, (x, y, z, w))):
        raise InvalidTargetError(f"target {number}: orientation is not finite: {text}")
    if norm < NORM_TOLERANCE:
        raise InvalidTargetError(f"target {number}: orientation is a zero quaternion {text}")
    raise InvalidTargetError(
        f"target {number}: orientation {text} (x, y, z, w) has norm {norm:.6g}; only quaternions "
        f"within {NORM_TOLERANCE} of norm 1 are accepted and normalised (a message in which w is "
        "not given has w = 1)"
    )


def _text(*values: float) -> str:
    return "(" + ", ".join(f"{value:.6g}" for value in values) + ")"


def transforms_to_poses(transforms: Floats) -> list[Pose]:
    """Convert homogeneous transforms (B, 4, 4), [m], to B poses."""
    poses = []
    quaternions = unit_quaternions(transforms[:, :3, :3])
    for position, quaternion in zip(
        transforms[:, :3, 3].tolist(), quaternions.tolist(), strict=True
    ):
        pose = Pose()
        pose.position.x, pose.position.y, pose.position.z = position
        orientation = pose.orientation
        orientation.x, orientation.y, orientation.z, orientation.w = quaternion
        poses.append(pose)
    return poses


def transform_to_matrix(transform: Transform) -> Floats:
    """Convert a TF transform to a homogeneous transform, (4, 4) float64 [m]."""
    t, r = transform.translation, transform.rotation
    return pose_matrix((t.x, t.y, t.z), (r.x, r.y, r.z, r.w))


def flat(values: ArrayLike, typecode: str) -> array:
    """Return values as a flat `array.array`, whose entries rclpy does not check one by one."""
    return array(typecode, np.ascontiguousarray(values, dtype=typecode).tobytes())


def fill_results(
    message: GetIKSolutions.Response | IKSolutionsMsg, solutions: IKSolutions
) -> None:
    """Write the fields that a service reply and a solutions message share, as flat arrays."""
    present = present_in(solutions)
    message.joint_names = list(solutions.joint_names)
    message.statuses = flat(solutions.status, "b")
    message.counts = flat(solutions.counts, "I")
    message.positions = flat(solutions.positions[present], "d")
    message.position_errors = flat(solutions.position_error[present], "d")
    message.orientation_errors = flat(solutions.orientation_error[present], "d")


def present_in(solutions: IKSolutions) -> Bools:
    """Return (B, N) whether there is a solution."""
    return np.arange(solutions.positions.shape[1]) < solutions.counts[:, None]


def fill_response(
    response: GetIKSolutions.Response, chain: KinematicChain, solutions: IKSolutions
) -> None:
    """Write the result of a solve for a chain, or a tree, into a service reply."""
    response.best_effort = flat(solutions.best_effort, "d")
    response.best_effort_position_errors = flat(solutions.best_effort_position_error, "d")
    response.best_effort_orientation_errors = flat(solutions.best_effort_orientation_error, "d")
    fill_results(response, solutions)
    response.base_link = chain.base_link
    if isinstance(chain, KinematicTree):
        response.tip_links = list(chain.tip_links)
    else:
        response.tip_link = chain.tip_link
    response.status, response.message = summary(solutions)
    if solutions.clearance is not None:
        response.clearance = flat(solutions.clearance[present_in(solutions)], "d")
    if solutions.scores is not None:
        response.scores = flat(solutions.scores[present_in(solutions)], "d")
    if solutions.target_of is not None:
        response.target_of = flat(solutions.target_of[present_in(solutions)], "I")
    response.sampler = solutions.sampler
    response.solve_time = float(solutions.timings.total)


def blocked_targets(solutions: IKSolutions) -> list[int]:
    """Return the targets that are reached in collision only."""
    pairs = solutions.blocked_by or ()
    return [target for target, pair in enumerate(pairs) if pair is not None]


def summary(solutions: IKSolutions) -> tuple[int, str]:
    """Return the status of a request as a whole and a line that explains it."""
    status, counts = solutions.status, solutions.counts
    total = len(status)
    if all(one is SolveStatus.SOLVED for one in status):
        return int(SolveStatus.SOLVED), ""
    timed_out = sum(one is SolveStatus.TIMED_OUT for one in status)
    near = sum(one is SolveStatus.APPROXIMATE for one in status)
    if near and not solutions.reached.any():
        message = f"no exact solution; {near} of {total} targets are approximated, "
        message += solutions.best_effort_message(status.index(SolveStatus.APPROXIMATE))
        return int(SolveStatus.APPROXIMATE), message
    if counts.any():
        message = f"{int(counts.sum())} of {total * solutions.positions.shape[1]} solutions found"
        if total > 1:
            message += f"; {int((counts > 0).sum())} of {total} targets have at least one"
        if near:
            message += f", {near} of them approximations"
        for target in blocked_targets(solutions)[:1]:
            message += f"; target {target}: {solutions.best_effort_message(target)}"
        return int(SolveStatus.PARTIAL), message
    blocked = blocked_targets(solutions)
    if blocked and not timed_out:
        message = solutions.best_effort_message(blocked[0])
        if total > 1:
            message = f"target {blocked[0]}: {message} ({len(blocked)} of {total} targets are)"
        return int(SolveStatus.NO_SOLUTION), message
    closest = int(np.argmin(solutions.best_effort_position_error))
    nearest = (
        f"closest configuration: {solutions.best_effort_position_error[closest]:.3g} m and "
        f"{solutions.best_effort_orientation_error[closest]:.3g} rad off"
        f"{solutions.too_few_joints(WHAT_TO_FREE)}"
    )
    if timed_out:
        return int(SolveStatus.TIMED_OUT), f"timed out before the first solution; {nearest}"
    return int(SolveStatus.NO_SOLUTION), f"no solution: the pose is out of reach; {nearest}"
