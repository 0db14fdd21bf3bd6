"""Whether configurations fulfil MoveIt's position and orientation constraints.

By the formulas of MoveIt's `kinematic_constraints`, for where no `move_group` decides it.
"""

import numpy as np

from generative_ik_ros.errors import UnknownNameError
from generative_ik_ros.moveit.constraints import (
    SHAPES,
    Frames,
    Matrix,
    Message,
    Parameterization,
    read_offset,
    read_orientation,
    read_shapes,
)
from generative_ik_ros.robot.quaternions import unit_quaternions


def fulfilled(
    constraints: Message, frames: Frames, position_slack: float, angle_slack: float
) -> bool:
    """Say whether links are where constraints want them.

    Args:
        constraints: moveit_msgs/Constraints, of which position and orientation are looked at.
        frames: Poses of the links and of other frames in the base link [m].
        position_slack: By how much a shape may be missed [m].
        angle_slack: By how much a tolerance may be exceeded [rad].

    Raises:
        InvalidTargetError: A constraint is malformed, or its shape is of another kind than box,
            sphere and cylinder.
        UnknownNameError: A link or frame is not among `frames`.
    """
    return all(
        _inside(one, frames, position_slack) for one in constraints.position_constraints
    ) and all(_turned(one, frames, angle_slack) for one in constraints.orientation_constraints)


def _inside(position: Message, frames: Frames, slack: float) -> bool:
    """Say whether a point of the link is in one of the shapes."""
    link = _link(position, frames)
    point = link[:3, :3] @ read_offset(position) + link[:3, 3]
    for kind, sizes, pose in read_shapes(position, frames):
        at = pose[:3, :3].T @ (point - pose[:3, 3])
        name, _ = SHAPES[kind]
        if name == "box":
            excess = np.abs(at) - 0.5 * sizes
        elif name == "sphere":
            excess = np.linalg.norm(at) - sizes
        else:
            excess = np.array([abs(at[2]) - 0.5 * sizes[0], np.hypot(at[0], at[1]) - sizes[1]])
        if (excess <= slack).all():
            return True
    return False


def _turned(orientation: Message, frames: Frames, slack: float) -> bool:
    """Say whether the link's rotation is within the tolerances."""
    frame, rotation, tolerances = read_orientation(orientation, frames)
    gap = (frame @ rotation).T @ _link(orientation, frames)[:3, :3]
    if orientation.parameterization == Parameterization.XYZ_EULER_ANGLES:
        angles = euler_angles(gap)
    else:
        angles = rotation @ _rotation_vector(gap)
    return bool((np.abs(angles) <= tolerances + slack).all())


def _rotation_vector(rotation: Matrix) -> Matrix:
    """Return the axis of a rotation times its angle (3,) [rad]."""
    quaternion = unit_quaternions(rotation)
    sine = np.linalg.norm(quaternion[:3])
    angle = 2.0 * np.arctan2(sine, quaternion[3])
    return quaternion[:3] * (angle / sine if sine > 0.0 else 2.0)


def euler_angles(rotation: Matrix) -> Matrix:
    """Return a, b, c (3,) of Rx(a) Ry(b) Rz(c), b between -90 and 90 degrees [rad]."""
    r = rotation
    b = np.arctan2(r[0, 2], np.hypot(r[0, 0], r[0, 1]))
    return np.array([np.arctan2(-r[1, 2], r[2, 2]), b, np.arctan2(-r[0, 1], r[0, 0])])


def _link(constraint: Message, frames: Frames) -> Matrix:
    if constraint.link_name not in frames:
        raise UnknownNameError("link", constraint.link_name, frames)
    return frames[constraint.link_name]
