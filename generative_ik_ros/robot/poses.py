"""Homogeneous transforms from positions and quaternions, and back."""

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.arguments import number_array
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidTargetError
from generative_ik_ros.robot.quaternions import rotation_matrices, unit_quaternions


def pose_matrix(position: ArrayLike, quaternion_xyzw: ArrayLike) -> Floats:
    """Make homogeneous transforms from positions and quaternions in the order of ROS.

    Args:
        position: (..., 3) x, y, z [m].
        quaternion_xyzw: (..., 4) x, y, z, w of any length but 0; it is normalised. The leading
            axes of both are broadcast against each other.

    Returns:
        (..., 4, 4) transforms, as `IKSolver.solve` takes them: (4, 4) of (3,) and (4,), and
        (B, 4, 4) of (B, 3) and (B, 4).

    Raises:
        InvalidTargetError: A shape is another, a number is not finite, or a quaternion is zero.
    """
    positions = _rows("position", position, 3)
    quaternions = _rows("quaternion_xyzw", quaternion_xyzw, 4)
    largest = np.abs(quaternions).max(axis=-1, keepdims=True, initial=0.0)
    if (largest < 1e-9).any():
        raise InvalidTargetError(
            "quaternion_xyzw is zero, which is no rotation; no rotation at all is 0 0 0 1"
        )
    try:
        batch = np.broadcast_shapes(positions.shape[:-1], quaternions.shape[:-1])
    except ValueError:
        raise InvalidTargetError(
            f"position has shape {positions.shape} and quaternion_xyzw {quaternions.shape}: "
            "there must be equally many of both, or one of either"
        ) from None
    # Divided by the largest entry first, whose square might be no finite number.
    poses = np.zeros((*batch, 4, 4))
    poses[..., :3, :3] = rotation_matrices(quaternions / largest)
    poses[..., :3, 3] = positions
    poses[..., 3, 3] = 1.0
    return poses


def pose_numbers(pose: Floats) -> list[float]:
    """Take a transform (4, 4) apart into x, y, z [m] and the quaternion x, y, z, w."""
    return [*pose[:3, 3].tolist(), *unit_quaternions(pose[:3, :3]).tolist()]


def _rows(name: str, values: ArrayLike, length: int) -> Floats:
    rows = number_array(name, values, InvalidTargetError)
    if rows.ndim == 0 or rows.shape[-1] != length:
        raise InvalidTargetError(
            f"{name} has shape {rows.shape}; it must be ({length},) or (B, {length})"
        )
    if not np.isfinite(rows).all():
        raise InvalidTargetError(f"{name} has a number that is NaN or infinite")
    return rows
