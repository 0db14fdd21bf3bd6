"""Seven numbers of a pose come in, a transform goes out, and back."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from generative_ik_ros.errors import InvalidTargetError


def pose_matrix(pose: Sequence[float]) -> NDArray[np.float64]:
    """Turn position [m] and quaternion (x, y, z, w), of any length but 0, into a transform (4, 4).

    Raises:
        InvalidTargetError: A number is not finite or the quaternion has no length.
    """
    numbers = np.asarray(pose, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise InvalidTargetError("--pose has a number that is not finite")
    largest = np.abs(numbers[3:]).max()
    if largest < 1e-9:
        raise InvalidTargetError("--pose has a zero quaternion; no rotation is 0 0 0 1 (x y z w)")
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_quat(numbers[3:] / largest).as_matrix()
    matrix[:3, 3] = numbers[:3]
    return matrix


def pose_numbers(matrix: NDArray[np.float64]) -> list[float]:
    """Turn a transform (4, 4) into x, y, z [m] and the quaternion x, y, z, w."""
    quaternion = Rotation.from_matrix(matrix[:3, :3]).as_quat(canonical=True)
    return [*matrix[:3, 3].tolist(), *quaternion.tolist()]
