"""Conversion of poses in their usual Python forms to homogeneous transforms."""

import math
from typing import Protocol, TypeAlias, cast

from numpy.typing import ArrayLike

from generative_ik_ros.arguments import number_array
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError, InvalidTargetError
from generative_ik_ros.robot.poses import pose_matrix

NORM_TOLERANCE = 0.01
"""Largest accepted deviation of a quaternion's norm from 1. Smaller ones are normalised, to accept
rounded input such as (0.707, 0, 0, 0.707); a larger one is more likely a mistake (Euler angles, a
missing entry) than rounding."""


class _Point(Protocol):
    x: float
    y: float
    z: float


class _Quaternion(_Point, Protocol):
    w: float


class PoseMessage(Protocol):
    """Anything shaped like geometry_msgs/Pose."""

    position: _Point
    orientation: _Quaternion


PoseLike: TypeAlias = PoseMessage | ArrayLike
"""geometry_msgs/Pose, a (4, 4) transform, or x, y, z, qx, qy, qz, qw; lengths in [m]."""


def to_transform(pose: PoseLike) -> Floats:
    """Return a pose as a (4, 4) transform [m].

    Raises:
        InvalidTargetError: It has none of the forms of `PoseLike`, has NaN or infinite entries, or
            its quaternion does not have unit norm.
    """
    if hasattr(pose, "position") and hasattr(pose, "orientation"):
        p, q = pose.position, pose.orientation  # pyright: ignore[reportAttributeAccessIssue]
        pose = (p.x, p.y, p.z, q.x, q.y, q.z, q.w)
    try:
        values = number_array("pose", cast(ArrayLike, pose))
    except InvalidArgumentError:
        raise InvalidTargetError(_FORMS) from None
    if values.shape == (4, 4):
        return values
    if values.shape != (7,):
        raise InvalidTargetError(f"{_FORMS}; got an array of shape {values.shape}")
    norm = math.sqrt(float(values[3:] @ values[3:]))
    # Negated so that NaN is refused as well.
    if not abs(norm - 1.0) <= NORM_TOLERANCE:
        raise InvalidTargetError(
            f"the quaternion (x, y, z, w) of a pose must have norm 1; {values[3:]} has {norm:.6g}"
        )
    return pose_matrix(values[:3], values[3:])


_FORMS = (
    "a pose is a geometry_msgs/Pose, a (4, 4) transform, or seven numbers x, y, z, qx, qy, qz, qw"
)
