"""Joint limits: a caller's own, soft ones, and how far an encoder may read beyond them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from generative_ik_ros.arguments import true_or_false
from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.errors import (
    InvalidArgumentError,
    UnknownNameError,
    listed,
    shown,
    warn_caller,
)
from generative_ik_ros.robot.base_joints import base_joint_names, with_base_joints
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.elements import Joint

JointLimits = Mapping[str, tuple[float, float]]
"""Lower and upper limit [rad or m] by a joint's name."""


def overshoot(prismatic: Bools | bool) -> Floats:
    """Return how far joints may be read beyond their limits [rad or m].

    What encoders read so much beyond a limit is taken for a position there: 0.05 rad, MoveIt's
    default start_state_max_bounds_error, and 0.005 m of prismatic joints.
    """
    return np.where(prismatic, 0.005, 0.05)


def read_inside(
    seed: Floats, lower: Floats, upper: Floats, prismatic: Bools, reach: Floats
) -> Floats:
    """Return a seed state (n,) about which there is something within `reach` and the limits.

    Where there is nothing, because an encoder reads a little beyond a limit, a joint is taken to
    be at the limit. All are in [rad or m].
    """
    inside = np.clip(seed, lower, upper)
    beyond = np.abs(seed - inside)
    return np.where((beyond > reach) & (beyond <= overshoot(prismatic)), inside, seed)


def beyond_limit(name: str, position: float, lower: float, upper: float) -> str:
    """Say in a few words how far a position outside of the limits is beyond them.

    The numbers are short: Python keeps every text of a warning that it has shown.
    """
    limit = min(max(position, lower), upper)
    return (
        f"joint '{name}' is at {position:.6g}, which is {abs(position - limit):.1g} beyond its "
        f"{'lower' if position < lower else 'upper'} limit {limit:.6g}"
    )


def with_limits(
    description: RobotDescription, joint_limits: JointLimits | None, *, soft_limits: bool = False
) -> RobotDescription:
    """Return a robot with other limits of its joints.

    Args:
        description: The robot.
        joint_limits: Limits instead of the description's. Both infinite: a revolute joint has
            none. Those of "JOINT/x" and so on take a planar or floating joint apart, see
            `robot.base_joints`.
        soft_limits: Whether joints that `joint_limits` does not name have the part of their
            limits that is within the soft ones of their `<safety_controller>`.

    Raises:
        UnknownNameError: The robot has no joint of that name.
        InvalidArgumentError: A joint cannot have limits, or they are no two numbers in order.
        RobotDescriptionError: A planar joint cannot be taken apart.
    """
    if not true_or_false("soft_limits", soft_limits) and joint_limits is None:
        return description
    if not isinstance(joint_limits, Mapping | None):
        raise InvalidArgumentError(
            "joint_limits must map names of joints to their lower and upper limits, not "
            f"{shown(joint_limits)}"
        )
    given = joint_limits or {}
    description = with_base_joints(description, given)
    movable = [joint.name for joint in description.joints if joint.moves]
    movable += [name for joint in description.joints for name in base_joint_names(joint)]
    for name in given:
        if name not in description.joint_named:
            raise UnknownNameError("joint", name, movable)
        if name not in movable:
            raise InvalidArgumentError(
                f"joint_limits: joint '{name}' is {description.joint_named[name].type} and has no "
                f"limits; joints that have: {listed(movable)}"
            )
    if soft_limits and not any(joint.soft_limits for joint in description.joints):
        warn_caller(f"soft_limits: no joint of '{description.name}' has any")
    return replace(
        description,
        joints=tuple(
            _limited(joint, *_checked(joint, given[joint.name]))
            if joint.name in given
            else (_softly_limited(joint) if soft_limits else joint)
            for joint in description.joints
        ),
    )


def _checked(joint: Joint, limits: Sequence[float]) -> tuple[float, float]:
    where = f"joint_limits of '{joint.name}'"
    try:
        lower, upper = map(float, limits)
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgumentError(
            f"{where} must be two numbers, lower and upper, not {shown(limits)}"
        ) from None
    none = lower == -math.inf and upper == math.inf and joint.type != "prismatic"
    if not none and not (math.isfinite(lower) and math.isfinite(upper)):
        rule = "finite" if joint.type == "prismatic" else "finite, or -inf and inf for none"
        raise InvalidArgumentError(f"{where} must be {rule}, not {lower:g} and {upper:g}")
    if lower > upper:
        raise InvalidArgumentError(f"{where}: lower {lower:g} is above upper {upper:g}")
    return lower, upper


def _limited(joint: Joint, lower: float, upper: float) -> Joint:
    if joint.type != "prismatic":
        kind = "continuous" if math.isinf(upper) else "revolute"
        return replace(joint, type=kind, lower=lower, upper=upper)
    return replace(joint, lower=lower, upper=upper)


def _softly_limited(joint: Joint) -> Joint:
    """Return a joint within its soft limits; where none of its positions is, chains refuse it."""
    if joint.soft_limits is None or joint.type == "continuous":
        return joint
    lower, upper = joint.soft_limits
    return replace(joint, lower=max(lower, joint.lower), upper=min(upper, joint.upper))
