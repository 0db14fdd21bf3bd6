"""Which links of a robot have poses to reach: the ends of its arms and legs, or its fingertips.

A description does not say. Joints in series are a limb; where several begin at one link, those
with fewer than three joints (grippers, wheels, heads) and short ones (the fingers of a hand at
the end of an arm) are none, and the limb ends at that link. What ends there, its frames for tools
say; else it is the link itself. A robot of fingers alone is a hand.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from generative_ik_ros.robot.base_joints import base_joint_names
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.elements import Joint
from generative_ik_ros.robot.plausibility import is_gripper


@dataclass(frozen=True)
class LimbRules:
    """What a limb is."""

    fewest_joints: int = 3
    """Joints of a limb, those that mimic others not counted."""
    shortest: float = 0.25
    """Least length of a limb that begins at the end of another [m]."""
    longest_finger: float = 0.5
    """Greatest length of all limbs of a robot that is a hand [m]."""


RULES = LimbRules()
ARM, HAND, LIMBS = "arm", "hand", "limbs"

_TIPS = (
    re.compile(r"tool|tcp|(^|_)(ee|eef|grasp)(_|$)|end_?effector|attachment|gripper_frame|pinch"),
    re.compile(r"flange|gripper|hand|(^|_)tip(_|$)|foot"),
)
"""Names of frames that are the tip of what they are fixed to, the first before the second."""
_NO_TIP = re.compile(
    "imu|camera|optical|depth|laser|lidar|marker|sensor|accelerometer|inertia|finger_"
)
_HAND = re.compile("hand|finger|thumb|palm|knuckle|claw", re.IGNORECASE)
_WHEEL = re.compile("wheel|drive|caster", re.IGNORECASE)
FLOOR = "evaluation_floor"
_BASE = "evaluation_base"


@dataclass(frozen=True)
class Limbs:
    """What of a robot has poses to reach.

    Attributes:
        kind: "arm", of one tip; "hand", whose tips are reached together; "limbs", one by one.
        ends: The base and the tip link of each.
    """

    kind: str
    ends: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Branch:
    """What a joint moves: the most joints in series, itself among them, and the length [m]."""

    joint: Joint
    joints: int
    length: float


def limbs_of(description: RobotDescription) -> Limbs | None:
    """Return what of a robot has poses to reach, or None where no three joints are in series."""
    bases = [description.root, *(joint.child for joint in description.joints if joint.floats)]
    ends = [(base, tip) for base in bases for tip in _tips(description, base, 0)]
    if not ends:
        ends = [(base, tip) for base in bases for tip in _leaves(description, base, 0)]
        return Limbs(HAND if _is_hand(description) else LIMBS, tuple(ends)) if ends else None
    if len(ends) == 1:
        return Limbs(ARM, tuple(ends))
    short = all(_reach(description, base) <= RULES.longest_finger for base, _ in ends)
    return Limbs(HAND if short and _is_hand(description) else LIMBS, tuple(ends))


def has_wheels(description: RobotDescription) -> bool:
    """Say whether a robot stands on wheels, by the names of joints near its root."""
    return any(
        joint.moves and _WHEEL.search(joint.name) and _depth(description, joint.parent) < 2
        for joint in description.joints
    )


def on_floor(
    description: RobotDescription, base: str
) -> tuple[RobotDescription, dict[str, tuple[float, float]]]:
    """Put a robot's base on a floor on which it moves in all directions.

    Args:
        description: The robot.
        base: The base of its limbs; what is above it is left out.

    Returns:
        The robot, whose root is `FLOOR`, and limits of its base: 1 m each way.
    """
    joint = Joint(
        _BASE, "planar", FLOOR, base, np.eye(4), np.array([0.0, 0.0, 1.0]), -np.inf, np.inf, None
    )
    joints = [one for one in description.joints if one.child != base]
    below, links = {base}, [base]
    for link in links:
        new = [one.child for one in joints if one.parent == link]
        links += new
        below.update(new)
    kept = tuple(one for one in joints if one.parent in below)
    robot = replace(description, links=(FLOOR, *links), joints=(joint, *kept), root=FLOOR)
    x, y, _ = base_joint_names(joint)
    return robot, {x: (-1.0, 1.0), y: (-1.0, 1.0)}


def _is_hand(description: RobotDescription) -> bool:
    names = (description.name, *description.links, *(one.name for one in description.joints))
    return any(_HAND.search(name) for name in names)


def _depth(description: RobotDescription, link: str) -> int:
    """Return how many joints move a link against the root."""
    return sum(joint.moves for joint in description.joints_above(link))


def _rigid(description: RobotDescription, link: str) -> tuple[list[str], list[Joint]]:
    """Return the links that move with a link and are below it, and the joints that go on."""
    links, moving = [link], []
    for one in links:
        for joint in description.child_joints.get(one, ()):
            if joint.type == "fixed":
                links.append(joint.child)
            elif joint.moves:
                moving.append(joint)
    return links, moving


def _tips(description: RobotDescription, link: str, depth: int) -> Iterator[str]:
    """Yield the tips of the limbs below a link that some joints move, or its own."""
    links, moving = _rigid(description, link)
    branches = [_branch(description, joint) for joint in moving]
    going_on = [one for one in branches if _is_limb(one, depth, alone=len(branches) == 1)]
    if going_on:
        for branch in going_on:
            counted = depth + (branch.joint.mimic is None)
            yield from _tips(description, branch.joint.child, counted)
    elif depth >= RULES.fewest_joints:
        yield _tip_of(description, links)


def _leaves(description: RobotDescription, link: str, depth: int) -> Iterator[str]:
    """Yield all ends of three or more joints in series."""
    links, moving = _rigid(description, link)
    for joint in moving:
        yield from _leaves(description, joint.child, depth + (joint.mimic is None))
    if not moving and depth >= RULES.fewest_joints:
        yield _tip_of(description, links)


def _is_limb(branch: _Branch, depth: int, *, alone: bool) -> bool:
    enough = branch.joints >= RULES.fewest_joints
    if not enough and depth >= RULES.fewest_joints and is_gripper(branch.joint):
        return False
    return alone or (enough and (depth == 0 or branch.length >= RULES.shortest))


def _branch(description: RobotDescription, joint: Joint) -> _Branch:
    """Measure what a joint moves."""
    below = [_branch(description, one) for one in _rigid(description, joint.child)[1]]
    return _Branch(
        joint,
        (joint.mimic is None) + max((one.joints for one in below), default=0),
        _reach(description, joint.child),
    )


def _reach(description: RobotDescription, link: str) -> float:
    """Return the greatest distance along joints and links from a link to a leaf below it [m]."""
    below = description.child_joints.get(link, ())
    return max(
        (
            float(np.linalg.norm(one.child_in_parent[:3, 3])) + _reach(description, one.child)
            for one in below
        ),
        default=0.0,
    )


def _tip_of(description: RobotDescription, links: list[str]) -> str:
    """Return which of some links that move together is the tip."""
    frames = [link for link in links[1:] if not _NO_TIP.search(link.lower())]
    for names in _TIPS:
        named = [link for link in frames if names.search(link.lower())]
        if named:
            return max(named, key=lambda link: len(description.joints_above(link)))
    leaves = [link for link in frames if link not in description.child_joints]
    return leaves[0] if len(leaves) == 1 else links[0]
