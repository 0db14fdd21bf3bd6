"""Folds the joints between two links of a robot into the arrays of a serial chain."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import AmbiguousChainError, RobotDescriptionError, listed
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.elements import Joint
from generative_ik_ros.robot.rigid import TURN, inverse
from generative_ik_ros.robot.urdf_reader import MAX_MAGNITUDE

MAX_JOINTS = 64
UNLIMITED_TURNS = 100
"""A revolute joint with a wider range, in turns, counts as unlimited: exporters write 1e16."""


def path(description: RobotDescription, base: str, tip: str) -> list[tuple[Joint, bool]]:
    """List the joints from base to tip, and whether each is passed from parent to child."""
    from_base, from_tip = description.joints_above(base), description.joints_above(tip)
    while from_base and from_tip and from_base[-1] is from_tip[-1]:
        from_base.pop()
        from_tip.pop()
    return [(joint, False) for joint in from_base] + [(joint, True) for joint in from_tip[::-1]]


def only_tip(description: RobotDescription, base: str) -> str:
    """Return the one obvious tip: the leaf below the base that moves against it."""
    leaves: list[tuple[str, str, NDArray[np.float64]]] = []
    # Each link below the base: the last joint above it that moves, and its frame in that joint.
    below: list[tuple[str, str, NDArray[np.float64]]] = [(base, "", np.eye(4))]
    for link, mover, frame in below:
        joints = description.child_joints.get(link, ())
        if not joints and mover:
            leaves.append((link, mover, frame))
        for joint in joints:
            if joint.moves:
                below.append((joint.child, joint.name, np.eye(4)))
            elif joint.type == "fixed":
                below.append((joint.child, mover, frame @ joint.child_in_parent))
    if not leaves:
        raise RobotDescriptionError(f"no joint moves any link below the base '{base}'")
    tip, mover, frame = leaves[0]
    for _, other_mover, other_frame in leaves[1:]:
        if other_mover != mover or not np.allclose(other_frame, frame, rtol=0.0, atol=1e-9):
            raise AmbiguousChainError(
                f"the robot has several possible tip links below '{base}'; choose tip_link "
                f"from: {listed(leaf for leaf, _, _ in leaves)}"
            )
    return tip


def numeric_core(
    description: RobotDescription, base: str, tip: str, missing_limits: str
) -> dict[str, Any]:
    """Fold the path into the arrays of a SerialChain, by field name."""
    moving, origins, axes, tip_in_last_joint = _moving_joints(description, base, tip)
    drivers, multipliers, offsets = zip(
        *(_driver(description, joint) for joint in moving), strict=True
    )
    by_name = {driver.name: driver for driver in drivers}
    on_path = [joint.name for joint in moving]
    names = [name for name in on_path if name in by_name]
    names += [name for name in by_name if name not in on_path]
    limits = np.array([_limits(by_name[name], missing_limits) for name in names])
    continuous = np.isinf(limits[:, 1])
    variable = np.array([names.index(driver.name) for driver in drivers])
    for joint, v, multiplier in zip(moving, variable, multipliers, strict=True):
        periodic = joint.type != "prismatic" and float(multiplier).is_integer()
        if continuous[v] and not periodic:
            raise RobotDescriptionError(
                f"joint '{names[v]}' has no limits, but '{joint.name}' follows it "
                f"{multiplier:g} times, which a full turn changes; give it limits"
            )
    core = {
        "lower": limits[:, 0].copy(),
        "upper": limits[:, 1].copy(),
        "continuous": continuous,
        "prismatic": np.array([by_name[name].type == "prismatic" for name in names]),
        "joint_origins": np.array(origins),
        "joint_axes": np.array(axes),
        "joint_prismatic": np.array([joint.type == "prismatic" for joint in moving]),
        "joint_variable": variable,
        "joint_multiplier": np.array(multipliers),
        "joint_offset": np.array(offsets),
        "tip_in_last_joint": tip_in_last_joint,
    }
    for array in core.values():
        array.flags.writeable = False
    return {"names": tuple(names), **core}


def _moving_joints(
    description: RobotDescription, base: str, tip: str
) -> tuple[list[Joint], list[NDArray[np.float64]], list[NDArray[np.float64]], NDArray[np.float64]]:
    """Return the path's moving joints, their origins and axes, and the tip in the last joint."""
    moving, origins, axes = [], [], []
    pending = np.eye(4)  # the fixed transform since the last moving joint
    for joint, down in path(description, base, tip):
        if not joint.moves and joint.type != "fixed":
            raise RobotDescriptionError(
                f"joint '{joint.name}' between '{base}' and '{tip}' is {joint.type}; a chain "
                "may have revolute, continuous, prismatic and fixed joints only"
            )
        if down:
            pending = pending @ joint.child_in_parent
        if joint.moves:
            moving.append(joint)
            origins.append(pending)
            # Seen from the child, the parent moves the other way about the same axis.
            axes.append(joint.axis if down else -joint.axis)
            pending = np.eye(4)
        if not down:
            pending = pending @ inverse(joint.child_in_parent)
    if not moving:
        raise RobotDescriptionError(f"no joint moves between '{base}' and '{tip}'")
    if len(moving) > MAX_JOINTS:
        raise RobotDescriptionError(
            f"{len(moving)} joints move between '{base}' and '{tip}', at most {MAX_JOINTS} may"
        )
    return moving, origins, axes, pending


def _driver(description: RobotDescription, joint: Joint) -> tuple[Joint, float, float]:
    """Return a joint's driver, and multiplier and offset, all checked."""
    driver, multiplier, offset = description.driver(joint)
    if not driver.moves:
        raise RobotDescriptionError(
            f"joint '{joint.name}' mimics '{driver.name}', which is {driver.type}"
        )
    if not max(abs(multiplier), abs(offset)) <= MAX_MAGNITUDE:
        raise RobotDescriptionError(
            f"joint '{joint.name}' follows '{driver.name}' {multiplier:g} times with offset "
            f"{offset:g}, which is too large"
        )
    return driver, multiplier, offset


def _limits(joint: Joint, missing_limits: str) -> tuple[float, float]:
    """Return a variable's limits [rad or m], infinite for a continuous joint."""
    lower, upper = joint.lower, joint.upper
    if joint.type == "continuous":
        return -np.inf, np.inf
    if np.isinf(lower) or np.isinf(upper):
        if joint.type == "revolute" and missing_limits == "continuous":
            return -np.inf, np.inf
        hint = (
            "; give it limits, make it continuous, or pass missing_limits='continuous'"
            if joint.type == "revolute"
            else ""
        )
        raise RobotDescriptionError(f"{joint.type} joint '{joint.name}' has no limits{hint}")
    if lower > upper:
        raise RobotDescriptionError(
            f"joint '{joint.name}' has lower limit {lower:g} above its upper limit {upper:g}"
        )
    if joint.type == "revolute" and upper - lower > UNLIMITED_TURNS * TURN:
        if lower <= -np.pi and upper >= np.pi:
            return -np.inf, np.inf
    if max(-lower, upper) > MAX_MAGNITUDE:
        raise RobotDescriptionError(
            f"joint '{joint.name}' has the limits {lower:g} and {upper:g}; give it real ones"
        )
    return lower, upper
