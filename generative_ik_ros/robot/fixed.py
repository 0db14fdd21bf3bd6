"""Checks joints that are told to stand at a position instead of being variables."""

import math
from collections.abc import Mapping

from generative_ik_ros.errors import InvalidArgumentError, check_names, shown, warn_caller
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.limits import beyond_limit, overshoot


def fixed_positions(
    description: RobotDescription, fixed: Mapping[str, float] | None
) -> dict[str, float]:
    """Return the positions [rad or m] of joints that stand, by name; {} for None.

    Raises:
        UnknownNameError: The robot has no joint of that name.
        InvalidArgumentError: A joint cannot be told to stand: it does not move, mimics another,
            or the position is no finite number within its limits, or a little beyond one.
    """
    if fixed is None:
        return {}
    if not isinstance(fixed, Mapping):
        raise InvalidArgumentError(
            f"fixed must map names of joints to positions, not {type(fixed).__name__}"
        )
    check_names("joint", fixed, description.joint_named)
    return {name: _position(description, name, value) for name, value in fixed.items()}


def _position(description: RobotDescription, name: str, value: float) -> float:
    joint = description.joint_named[name]
    if not joint.moves:
        raise InvalidArgumentError(
            f"fixed: joint '{name}' is {joint.type}; only revolute, continuous and prismatic "
            "joints take a position"
        )
    if joint.mimic is not None:
        driver = description.driver(joint)[0].name
        raise InvalidArgumentError(f"fixed: joint '{name}' mimics '{driver}'; fix that one")
    try:
        position = float(value)
    except (TypeError, ValueError, OverflowError):
        position = math.nan
    if not math.isfinite(position):
        raise InvalidArgumentError(
            f"fixed: the position of joint '{name}' must be a finite number, not {shown(value)}"
        )
    margin = overshoot(joint.type == "prismatic")
    if not joint.lower - margin <= position <= joint.upper + margin:
        raise InvalidArgumentError(
            f"fixed: joint '{name}' cannot stand at {position:g}, its limits are "
            f"{joint.lower:g} and {joint.upper:g}"
        )
    if not joint.lower <= position <= joint.upper:
        warn_caller(
            f"fixed: {beyond_limit(name, position, joint.lower, joint.upper)}; it stands there"
        )
    return position
