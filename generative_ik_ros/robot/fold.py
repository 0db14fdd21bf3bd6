"""Folds the joints between links of a robot into arrays."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import (
    AmbiguousChainError,
    InvalidArgumentError,
    RobotDescriptionError,
    listed,
    shown,
)
from generative_ik_ros.robot.base_joints import base_joint_names
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.description_source import LIMITS
from generative_ik_ros.robot.elements import Joint
from generative_ik_ros.robot.limits import overshoot
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.robot.variable_limits import variable_limits

MissingLimits = Literal["error", "continuous"]
"""What a revolute joint without limits is: an error, or continuous."""
MAX_JOINTS = 64


def path(description: RobotDescription, base: str, tip: str) -> list[tuple[Joint, bool]]:
    """List the joints from base to tip, and whether each is passed from parent to child."""
    from_base, from_tip = description.joints_above(base), description.joints_above(tip)
    while from_base and from_tip and from_base[-1] is from_tip[-1]:
        from_base.pop()
        from_tip.pop()
    return [(joint, False) for joint in from_base] + [(joint, True) for joint in from_tip[::-1]]


def only_tip(description: RobotDescription, base: str) -> str:
    """Return the one obvious tip: the leaf below the base that moves against it."""
    leaves: list[tuple[str, str, Floats]] = []
    # Each link below the base: the last joint above it that moves, and its frame in that joint.
    below: list[tuple[str, str, Floats]] = [(base, "", np.eye(4))]
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
        reached = {link for link, _, _ in below}
        floats = [j for j in description.joints if not j.supported and j.parent in reached]
        raise RobotDescriptionError(
            f"no joint moves any link below the base '{base}'"
            + (
                f"; joint '{floats[0].name}' {_unsupported(description, floats[0])}"
                if floats
                else ""
            )
        )
    tip, mover, frame = leaves[0]
    for _, other_mover, other_frame in leaves[1:]:
        if other_mover != mover or not np.allclose(other_frame, frame, rtol=0.0, atol=1e-9):
            raise AmbiguousChainError(
                f"the robot has several possible tip links below '{base}'; choose tip_link "
                f"from: {listed(leaf for leaf, _, _ in leaves)}"
            )
    return tip


@dataclass(frozen=True)
class Folded:
    """The moving joints between a base and some links, parents first, depth first.

    Attributes:
        base: The link to start from.
        links: The links walked to.
        joints: The m joints.
        origins: (4, 4) each joint's frame in the moved frame of the joint before it, or in the
            base where there is none [m].
        axes: (3,) each joint's axis in its frame, negated where it is passed from child to parent.
        parents: Index of the joint before each, -1 for the base.
        places: For each link, the last joint above it, -1 for the base, and its pose (4, 4) in
            that joint's moved frame [m].
    """

    base: str
    links: tuple[str, ...]
    joints: list[Joint]
    origins: list[Floats]
    axes: list[Floats]
    parents: list[int]
    places: Mapping[str, tuple[int, Floats]]


def fold(
    description: RobotDescription,
    base: str,
    links: Sequence[str],
    fixed: Mapping[str, float],
    variables: Container[str] | None = None,
) -> Folded:
    """Walk from the base to the links, and fold in what does not move.

    Args:
        description: The robot.
        base: Link to start from, anywhere in the robot.
        links: Links to walk to.
        fixed: Joints that stand, and where [rad or m].
        variables: The joints that move, and those that follow them; None for all that are not
            fixed. Others stand at the position nearest to zero within their limits.
    """
    ways: dict[str, dict[str, tuple[Joint, bool]]] = {}
    for link in links:
        at = base
        for joint, down in path(description, base, link):
            ways.setdefault(at, {})[joint.name] = joint, down
            at = joint.child if down else joint.parent
    places: dict[str, tuple[int, Floats]] = {base: (-1, np.eye(4))}
    folded = Folded(base, tuple(links), [], [], [], [], places)
    todo = [(base, *way) for way in reversed(ways.get(base, {}).values())]
    while todo:
        link, joint, down = todo.pop()
        above, pose = places[link]
        motion = _standing(description, joint, fixed, variables)
        if down:
            pose = pose @ joint.child_in_parent
        if motion is None:
            folded.joints.append(joint)
            folded.origins.append(pose)
            # Seen from the child, the parent moves the other way about the same axis.
            folded.axes.append(joint.axis if down else -joint.axis)
            folded.parents.append(above)
            above, pose = len(folded.parents) - 1, np.eye(4)
        elif joint.moves:
            pose = pose @ (motion if down else inverse(motion))
        if not down:
            pose = pose @ inverse(joint.child_in_parent)
        link = joint.child if down else joint.parent
        places[link] = above, pose
        todo += [(link, *way) for way in reversed(ways.get(link, {}).values())]
    return folded


def _standing(
    description: RobotDescription,
    joint: Joint,
    fixed: Mapping[str, float],
    variables: Container[str] | None,
) -> Floats | None:
    """Return the motion (4, 4) of a joint that stands, or None for one that moves.

    Raises:
        InvalidArgumentError: Where it is fixed, a joint that follows it is outside its limits.
    """
    driver, multiplier, offset = description.driver(joint)
    stands = driver.name in fixed or (variables is not None and driver.name not in variables)
    if joint.moves and not stands:
        return None
    position = multiplier * fixed.get(driver.name, driver.neutral) + offset
    follows = joint.moves and joint is not driver and multiplier and driver.name in fixed
    margin = overshoot(joint.type == "prismatic")
    if follows and not joint.lower - margin <= position <= joint.upper + margin:
        raise InvalidArgumentError(
            f"fixed: joint '{driver.name}' cannot stand at {fixed[driver.name]:g}: "
            f"'{joint.name}', which follows it, would be at {position:g}, its limits are "
            f"{joint.lower:g} and {joint.upper:g}"
        )
    return joint.motion(position)


def check_path(
    description: RobotDescription, base: str, tip: str, fixed: Mapping[str, float]
) -> None:
    """Check that joints which a configuration can list move the tip against the base.

    Raises:
        RobotDescriptionError: None do, or one in between is of another type.
    """
    ways = path(description, base, tip)
    for joint, down in ways:
        driver = description.driver(joint)[0]
        if joint.moves and driver.name in fixed:
            continue
        if not joint.supported or driver.obstacle:
            raise RobotDescriptionError(
                f"joint '{joint.name}' between '{base}' and '{tip}' "
                + _unsupported(description, driver if joint.supported else joint, down)
            )
    moving = [joint for joint, _ in ways if joint.moves]
    if moving and all(description.driver(joint)[0].name in fixed for joint in moving):
        raise RobotDescriptionError(f"all joints between '{base}' and '{tip}' are fixed")
    if not moving:
        raise RobotDescriptionError(f"no joint moves between '{base}' and '{tip}'")


def _unsupported(description: RobotDescription, joint: Joint, down: bool = True) -> str:
    """Say what to do about a joint that no chain may have, passed from parent to child or back."""
    if joint.obstacle:
        return f"{joint.obstacle}: not supported; choose other links, or hold it by fixed="
    hint = f"pass {'base' if down else 'tip'}_link='{joint.child}'"
    if joint.floats and joint.parent == description.root:
        hint += ", or floating_base= to a KinematicTree"
    if names := base_joint_names(joint):
        hint += f", or limits of {', '.join(names)} in joint_limits="
    return (
        f"is {joint.type}; a chain may have revolute, continuous, prismatic and fixed joints "
        f"only: {hint}"
    )


def joint_arrays(
    description: RobotDescription, folded: Folded, missing_limits: MissingLimits
) -> dict[str, Any]:
    """Return the arrays of `MovingJoints`, by field name; not yet read-only.

    Raises:
        RobotDescriptionError: There are too many joints, or one of them cannot be used.
        InvalidArgumentError: `missing_limits` is neither of its two values.
    """
    if not isinstance(missing_limits, str) or missing_limits not in get_args(MissingLimits):
        raise InvalidArgumentError(
            f"missing_limits must be 'error' or 'continuous', not {shown(missing_limits)}"
        )
    moving = folded.joints
    if len(moving) > MAX_JOINTS:
        ends = dict.fromkeys(link for link in folded.links if link != folded.base)
        links = listed(f"'{link}'" for link in ends)
        raise RobotDescriptionError(
            f"{len(moving)} joints move between '{folded.base}' and {links}, at most {MAX_JOINTS} "
            "may"
        )
    drivers, multipliers, offsets = zip(
        *(_driver(description, joint) for joint in moving), strict=True
    )
    by_name = {driver.name: driver for driver in drivers}
    themselves = [joint.name for joint in moving]
    names = [name for name in themselves if name in by_name]
    names += [name for name in by_name if name not in themselves]
    variable = np.array([names.index(driver.name) for driver in drivers])
    followers = zip(moving, variable, multipliers, offsets, strict=True)
    limits = variable_limits([by_name[name] for name in names], followers, missing_limits)
    continuous = np.isinf(limits[:, 1])
    velocity = np.array([by_name[name].velocity for name in names])
    for joint, v, multiplier in zip(moving, variable, multipliers, strict=True):
        periodic = joint.type != "prismatic" and float(multiplier).is_integer()
        if continuous[v] and not periodic:
            raise RobotDescriptionError(
                f"joint '{names[v]}' has no limits, but '{joint.name}' follows it "
                f"{multiplier:g} times, which a full turn changes; give it limits"
            )
        if multiplier:
            velocity[v] = min(velocity[v], joint.velocity / abs(multiplier))
    return {
        "names": tuple(names),
        "lower": limits[:, 0].copy(),
        "upper": limits[:, 1].copy(),
        "continuous": continuous,
        "prismatic": np.array([by_name[name].type == "prismatic" for name in names]),
        "velocity_limits": velocity,
        "joint_origins": np.array(folded.origins),
        "joint_axes": np.array(folded.axes),
        "joint_prismatic": np.array([joint.type == "prismatic" for joint in moving]),
        "joint_variable": variable,
        "joint_multiplier": np.array(multipliers),
        "joint_offset": np.array(offsets),
    }


def read_only(arrays: dict[str, Any]) -> dict[str, Any]:
    """Make the arrays among the values read-only."""
    for array in arrays.values():
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    return arrays


def _driver(description: RobotDescription, joint: Joint) -> tuple[Joint, float, float]:
    """Return a joint's driver, and multiplier and offset, all checked."""
    driver, multiplier, offset = description.driver(joint)
    if not driver.moves:
        raise RobotDescriptionError(
            f"joint '{joint.name}' mimics '{driver.name}', which is {driver.type}"
        )
    if not max(abs(multiplier), abs(offset)) <= LIMITS.max_magnitude:
        raise RobotDescriptionError(
            f"joint '{joint.name}' follows '{driver.name}' {multiplier:g} times with offset "
            f"{offset:g}, which is too large"
        )
    return driver, multiplier, offset
