"""The limits of a chain's variables: their joints' own, and those of joints that mimic them."""

from collections.abc import Iterable, Sequence

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import RobotDescriptionError
from generative_ik_ros.robot.description_source import LIMITS
from generative_ik_ros.robot.elements import Joint
from generative_ik_ros.robot.rigid import TURN


def variable_limits(
    drivers: Sequence[Joint],
    followers: Iterable[tuple[Joint, int, float, float]],
    missing_limits: str,
) -> Floats:
    """Return lower and upper limits (n, 2) of variables [rad or m], infinite where continuous.

    Args:
        drivers: The variables' joints.
        followers: Each joint that moves, the index of its driver, and multiplier and offset.
        missing_limits: What a revolute joint without limits is: "error" or "continuous".

    Raises:
        RobotDescriptionError: Limits are missing, useless, or exclude each other.
    """
    limits = [_own_limits(driver) for driver in drivers]
    for joint, v, multiplier, offset in followers:
        if joint is not drivers[v] and multiplier:
            limits[v] = _narrowed(limits[v], drivers[v], joint, multiplier, offset)
    checked = zip(drivers, limits, strict=True)
    return np.array([_checked(driver, *pair, missing_limits) for driver, pair in checked])


def _own_limits(joint: Joint) -> tuple[float, float]:
    """Return a joint's limits [rad or m], infinite where it has none.

    Raises:
        RobotDescriptionError: The lower one is above the upper one.
    """
    lower, upper = joint.lower, joint.upper
    if lower > upper:
        raise RobotDescriptionError(
            f"joint '{joint.name}' has lower limit {lower:g} above its upper limit {upper:g}"
        )
    # Exporters write 1e16 for no limits.
    wide = joint.type == "revolute" and upper - lower > 100 * TURN
    return (-np.inf, np.inf) if wide and lower <= -np.pi and upper >= np.pi else (lower, upper)


def _narrowed(
    limits: tuple[float, float], driver: Joint, joint: Joint, multiplier: float, offset: float
) -> tuple[float, float]:
    """Return a driver's limits where a joint that follows it is within its own, too.

    Raises:
        RobotDescriptionError: There is no such position.
    """
    ends = [(end - offset) / multiplier + 0.0 for end in _own_limits(joint)]
    lower, upper = max(limits[0], min(ends)), min(limits[1], max(ends))
    if lower > upper:
        raise RobotDescriptionError(
            f"joint '{joint.name}' follows '{driver.name}' {multiplier:g} times with offset "
            f"{offset:g}; nowhere are both within their limits: {joint.lower:g} to "
            f"{joint.upper:g}, and {limits[0]:g} to {limits[1]:g}"
        )
    return lower, upper


def _checked(joint: Joint, lower: float, upper: float, missing_limits: str) -> tuple[float, float]:
    """Return a variable's limits [rad or m], both infinite for a continuous joint."""
    if np.isinf(lower) or np.isinf(upper):
        unlimited = np.isfinite([joint.lower, joint.upper]).all() or missing_limits == "continuous"
        if joint.type == "continuous" or (joint.type == "revolute" and unlimited):
            return -np.inf, np.inf
        hint = (
            "; give it limits, make it continuous, or pass missing_limits='continuous'"
            if joint.type == "revolute"
            else "; give it limits, there or by joint_limits="
        )
        raise RobotDescriptionError(f"{joint.type} joint '{joint.name}' has no limits{hint}")
    if max(-lower, upper) > LIMITS.max_magnitude:
        raise RobotDescriptionError(
            f"joint '{joint.name}' has the limits {lower:g} and {upper:g}; give it real ones"
        )
    return lower, upper
