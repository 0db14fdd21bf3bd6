"""A floating base: six joints above the root link by which a robot moves in the world."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.arguments import number_array
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError, RobotDescriptionError
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.elements import Joint

WORLD = "world"
"""The link that a robot with a floating base has for its root."""
_COORDINATES = ("x", "y", "z", "roll", "pitch", "yaw")
_DOWNWARDS = ("x", "y", "z", "yaw", "pitch", "roll")
"""The same from the world to the root link: the yaw turns first, the roll last."""
BASE_JOINTS = tuple(f"{WORLD}_{name}" for name in _DOWNWARDS)


def check_bounds(bounds: ArrayLike) -> Floats:
    """Return the bounds of a floating base as (2, 6).

    Args:
        bounds: (6,) lower and (6,) upper x y z [m] roll pitch yaw [rad] of the root link in the
            world; both of an angle are infinite if it is free.

    Raises:
        InvalidArgumentError: They have another shape, a number is NaN, a length is infinite, an
            angle has one bound only, or a lower bound is above the upper one.
    """
    numbers = number_array("floating_base", bounds)
    if numbers.shape != (2, 6):
        raise InvalidArgumentError(
            f"floating_base has shape {numbers.shape}; it must be lower and upper bounds of "
            "x y z [m] roll pitch yaw [rad]"
        )
    for name, lower, upper in zip(_COORDINATES, *numbers.tolist(), strict=True):
        free = (lower, upper) == (-math.inf, math.inf) and name in _COORDINATES[3:]
        if not free and not (math.isfinite(lower) and math.isfinite(upper)):
            infinite = "" if name in _COORDINATES[:3] else ", or both infinite"
            raise InvalidArgumentError(
                f"floating_base: the bounds of {name} must be finite{infinite}, not {lower:g} and "
                f"{upper:g}"
            )
        if lower > upper:
            raise InvalidArgumentError(
                f"floating_base: {name} has lower bound {lower:g} above its upper bound {upper:g}"
            )
    return numbers


def with_floating_base(
    description: RobotDescription, bounds: Floats
) -> tuple[RobotDescription, dict[str, float]]:
    """Put a robot on six joints in a link called "world", which becomes its root.

    The old root stands in it at Trans(x, y, z) Rz(yaw) Ry(pitch) Rx(roll), by joints called
    world_x, world_y, world_z, world_yaw, world_pitch and world_roll, in this order. A root without
    shapes that is there for a floating or planar joint to the robot goes with that joint.

    Args:
        description: The robot.
        bounds: (2, 6) as `check_bounds` returns them.

    Returns:
        The robot in the world, and the joints whose bounds coincide with where they stand.

    Raises:
        RobotDescriptionError: The robot has a link or joint of one of these names already.
    """
    description = _without_floating_joint(description)
    links = (WORLD, *(f"{name}_link" for name in BASE_JOINTS[:-1]))
    for kind, names, taken in (
        ("link", links, description.links),
        ("joint", BASE_JOINTS, description.joint_named),
    ):
        for name in names:
            if name in taken:
                raise RobotDescriptionError(
                    f"the robot has a {kind} '{name}', which a floating base would add"
                )
    below = (*links[1:], description.root)
    joints = []
    rows = zip(BASE_JOINTS, links, below, _DOWNWARDS, strict=True)
    for name, parent, child, coordinate in rows:
        k = _COORDINATES.index(coordinate)
        lower, upper = bounds[:, k].tolist()
        turning = "revolute" if math.isfinite(lower) else "continuous"
        kind = "prismatic" if k < 3 else turning
        joints.append(
            Joint(name, kind, parent, child, np.eye(4), np.eye(3)[k % 3], lower, upper, None)
        )
    in_world = replace(
        description,
        links=(*links, *description.links),
        joints=(*joints, *description.joints),
        root=WORLD,
    )
    return in_world, {joint.name: joint.lower for joint in joints if joint.lower == joint.upper}


def _without_floating_joint(description: RobotDescription) -> RobotDescription:
    """Return the robot below the floating or planar joint that is its root's only one, if any."""
    root, below = description.root, description.child_joints.get(description.root, ())
    shaped = root in description.visuals or root in description.collisions
    if len(below) != 1 or not below[0].floats or shaped:
        return description
    return replace(
        description,
        links=tuple(link for link in description.links if link != root),
        joints=tuple(joint for joint in description.joints if joint is not below[0]),
        root=below[0].child,
    )
