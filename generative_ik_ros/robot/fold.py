"""Folds the joints between two links of a robot into the arrays of a serial chain."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import AmbiguousChainError, RobotDescriptionError
from generative_ik_ros.robot.description import Joint, RobotDescription, listed
from generative_ik_ros.robot.rigid import TURN, inverse
from generative_ik_ros.robot.urdf_checks import MAX_MAGNITUDE

MAX_JOINTS = 64
UNLIMITED_TURNS = 100
"""A revolute joint with a wider range, in turns, counts as unlimited: exporters write 1e16."""


def path(description: RobotDescription, base: str, tip: str) -> list[tuple[Joint, bool]]:
    """List the joints from base to tip, each with whether it is passed from parent to child."""

    def up(link: str) -> list[Joint]:
        joints = []
        while link in description.parent_joint:
            joints.append(description.parent_joint[link])
            link = joints[-1].parent
        return joints

    from_base, from_tip = up(base), up(tip)
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
    origins, axes, moving = [], [], []
    pending = np.eye(4)  # where the path has come to since the last moving joint
    for joint, down in path(description, base, tip):
        if not joint.moves and joint.type != "fixed":
            raise RobotDescriptionError(
                f"joint '{joint.name}' between '{base}' and '{tip}' is {joint.type}; a chain "
                "may have revolute, continuous, prismatic and fixed joints only"
            )
        if down:
            pending = pending @ joint.child_in_parent
        if joint.moves:
            # Seen from the child, the parent moves the other way about the same axis.
            origins.append(pending)
            axes.append(joint.axis if down else -joint.axis)
            moving.append(joint)
            pending = np.eye(4)
        if not down:
            pending = pending @ inverse(joint.child_in_parent)
    if not moving:
        raise RobotDescriptionError(f"no joint moves between '{base}' and '{tip}'")
    if len(moving) > MAX_JOINTS:
        raise RobotDescriptionError(
            f"{len(moving)} joints move between '{base}' and '{tip}', at most {MAX_JOINTS} may"
        )

    followed = [_driver(description, joint) for joint in moving]
    on_path = [joint.name for joint in moving]
    drivers = {driver.name: driver for driver, _, _ in followed}
    names = [name for name in on_path if name in drivers]
    names += [name for name in drivers if name not in on_path]
    variables = [drivers[name] for name in names]
    limits = [_limits(joint, missing_limits) for joint in variables]
    continuous = [bool(np.isinf(upper)) for _, upper in limits]
    for joint, (driver, multiplier, _) in zip(moving, followed, strict=True):
        periodic = joint.type != "prismatic" and float(multiplier).is_integer()
        if continuous[names.index(driver.name)] and not periodic:
            raise RobotDescriptionError(
                f"joint '{driver.name}' has no limits, but '{joint.name}' follows it "
                f"{multiplier:g} times, which a full turn changes; give it limits"
            )
    core = {
        "lower": np.array([lower for lower, _ in limits]),
        "upper": np.array([upper for _, upper in limits]),
        "continuous": np.array(continuous),
        "prismatic": np.array([joint.type == "prismatic" for joint in variables]),
        "joint_origins": np.array(origins),
        "joint_axes": np.array(axes),
        "joint_prismatic": np.array([joint.type == "prismatic" for joint in moving]),
        "joint_variable": np.array([names.index(driver.name) for driver, _, _ in followed]),
        "joint_multiplier": np.array([multiplier for _, multiplier, _ in followed]),
        "joint_offset": np.array([offset for _, _, offset in followed]),
        "tip_in_last_joint": pending,
    }
    for array in core.values():
        array.flags.writeable = False
    return {"names": tuple(names), **core}


def _driver(description: RobotDescription, joint: Joint) -> tuple[Joint, float, float]:
    """Follow mimics to the joint that is free; position = multiplier * its position + offset."""
    driver, multiplier, offset = joint, 1.0, 0.0
    while driver.mimic is not None:
        offset += multiplier * driver.mimic.offset
        multiplier *= driver.mimic.multiplier
        driver = description.joint_named[driver.mimic.joint]
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
