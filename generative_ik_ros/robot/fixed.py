"""Checks positions of joints by name, and joints that stand at one instead of being variables."""

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
    positions = positions_by_name("fixed", description, fixed)
    for name, position in positions.items():
        _check_stands(description, name, position)
    return positions


def positions_by_name(
    argument: str, description: RobotDescription, given: Mapping[str, float] | None
) -> dict[str, float]:
    """Return an argument that has positions of joints [rad or m] by name; {} for None.

    Raises:
        UnknownNameError: The robot has no joint of that name.
        InvalidArgumentError: It is no mapping, or a position is no finite number.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidArgumentError(
            f"{argument} must map names of joints to positions, not {type(given).__name__}"
        )
    check_names("joint", given, description.joint_named)
    positions = {}
    for name, value in given.items():
        try:
            positions[name] = float(value)
        except (TypeError, ValueError, OverflowError):
            positions[name] = math.nan
        if not math.isfinite(positions[name]):
            raise InvalidArgumentError(
                f"{argument}: the position of joint '{name}' must be a finite number, not "
                f"{shown(value)}"
            )
    return positions


def _check_stands(description: RobotDescription, name: str, position: float) -> None:
    joint = description.joint_named[name]
    if not joint.moves:
        raise InvalidArgumentError(
            f"fixed: joint '{name}' is {joint.type}; only revolute, continuous and prismatic "
            "joints take a position"
        )
    if joint.mimic is not None:
        driver = description.driver(joint)[0].name
        raise InvalidArgumentError(f"fixed: joint '{name}' mimics '{driver}'; fix that one")
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
