"""Checks target poses, and makes rotations exact that were rounded."""

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros._core import are_poses, rotation_defect
from generative_ik_ros.arguments import number_array
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError, InvalidTargetError

_CALL = "generative_ik_ros.pose_matrix(position, quaternion_xyzw)"


def check_targets(targets: ArrayLike, num_tips: int | None = None) -> Floats:
    """Return targets as (B, 4, 4) float64 with exact rotations; (B, K, 4, 4) for K > 1 tips.

    Args:
        targets: (4, 4) or (B, 4, 4) poses, tip in base [m]; (K, 4, 4) or (B, K, 4, 4) for the tips
            of a tree, and with one tip also as for a chain.
        num_tips: K; None for a chain.

    Raises:
        InvalidTargetError: The shape is another, a value is not finite, or a matrix is no pose.
    """
    try:
        poses = np.array(number_array("targets", targets), order="C")
    except InvalidArgumentError:
        raise InvalidTargetError(_hint(targets)) from None
    if num_tips is not None:
        return _check_several(poses, num_tips)
    if poses.ndim == 2:
        poses = poses[None]
    if poses.ndim != 3 or poses.shape[1:] != (4, 4):
        seven = ", as these seem to be" if poses.shape[-1:] == (7,) else ""
        raise InvalidTargetError(
            f"targets have shape {np.shape(targets)}; they must be (4, 4) or (B, 4, 4). For x y z "
            f"and a quaternion x y z w{seven}, use {_CALL}"
        )
    if not are_poses(poses):
        _explain(poses)
    return poses


def _check_several(poses: Floats, num_tips: int) -> Floats:
    """Return the targets of a tree's tips."""
    shape = (num_tips, 4, 4)
    if num_tips == 1 and poses.ndim in (2, 3) and poses.shape[-2:] == (4, 4):
        poses = poses.reshape(-1, *shape)
    if poses.shape[-3:] != shape or poses.ndim > 4:
        what = "a tree of one tip" if num_tips == 1 else f"{num_tips} tips"
        raise InvalidTargetError(
            f"targets have shape {poses.shape}; for {what} they must be {shape} or "
            f"(B, {num_tips}, 4, 4). For x y z and a quaternion x y z w, use {_CALL}"
        )
    rows = poses.reshape(-1, 4, 4)
    if not are_poses(rows):
        _explain(rows)
    return rows if num_tips == 1 else rows.reshape(-1, *shape)


def _hint(targets: object) -> str:
    """Explain what to do with targets that are not numbers."""
    first = targets[0] if isinstance(targets, list | tuple) and targets else targets
    first = getattr(first, "pose", first)  # geometry_msgs/PoseStamped
    if hasattr(first, "position") and hasattr(first, "orientation"):
        return (
            "targets must be (4, 4) matrices, not Pose messages; with p = pose.position and "
            "o = pose.orientation, use "
            "generative_ik_ros.pose_matrix([p.x, p.y, p.z], [o.x, o.y, o.z, o.w])"
        )
    return f"targets must be an array of numbers, as {_CALL} returns"


def _explain(poses: Floats, exact: float = 1e-12, rounded: float = 2e-3) -> None:
    """Say what is wrong with the first bad pose, or make rotations exact that were rounded.

    A matrix as close to a rotation as `rounded` is taken for one that was rounded to three digits
    or more, as 0.707 for the root of 1/2, and the nearest rotation is taken, unless it is `exact`.
    """
    if not np.isfinite(poses).all():
        bad = int(np.flatnonzero(~np.isfinite(poses).all(axis=(1, 2)))[0])
        raise InvalidTargetError(f"target {bad} has a value that is NaN or infinite")
    last_row = np.abs(poses[:, 3] - (0.0, 0.0, 0.0, 1.0)).max(axis=1, initial=0.0)
    if (last_row > 1e-9).any():
        bad = int(np.argmax(last_row))
        raise InvalidTargetError(f"target {bad} has last row {poses[bad, 3]}, not 0 0 0 1")
    defect, reflected = (np.array(x) for x in zip(*map(rotation_defect, poses), strict=True))
    wrong = (defect > rounded) | reflected
    if wrong.any():
        bad = int(np.argmax(wrong))
        what = (
            f"its columns are {defect[bad]:.3g} away from orthonormal; {_CALL} makes one of a "
            "quaternion"
            if defect[bad] > rounded
            else "it is a reflection"
        )
        raise InvalidTargetError(f"the rotation of target {bad} is no rotation matrix: {what}")
    inexact = defect > exact
    left, _, right = np.linalg.svd(poses[inexact, :3, :3])
    poses[inexact, :3, :3] = left @ right
