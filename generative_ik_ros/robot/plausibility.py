"""Warnings about chains of descriptions that are probably not what their authors meant."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from generative_ik_ros.errors import listed, warn_caller
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.elements import Joint
from generative_ik_ros.robot.fold import path
from generative_ik_ros.robot.joints import MovingJoints
from generative_ik_ros.robot.loops import standing_loops
from generative_ik_ros.robot.rigid import TURN


@dataclass(frozen=True)
class Doubts:
    """What makes a description doubtful."""

    most_turns: int = 5
    """Revolute joints with limits beyond this many turns are rare; limits in degrees are not."""
    largest_in_degrees: float = 720.0
    """Larger limits mean that there are none."""
    open_loop: float = 1e-3
    """Loops whose ends are further apart are open [m]."""
    shortest_arm: int = 3
    """Joints before that of a gripper that make it one of an arm."""


DOUBTS = Doubts()

_JAW = re.compile("jaw|claw", re.IGNORECASE)
_GRIPPER = re.compile("gripper|jaw|finger|claw", re.IGNORECASE)

Ends = Sequence[tuple[str, str]]
"""The first and the last link of chains."""


def warn_of_implausible(robot: MovingJoints, description: RobotDescription, ends: Ends) -> None:
    """Warn the caller of `from_urdf`, at most once for each kind of doubt.

    Args:
        robot: The chain or tree that was made.
        description: What it was made from.
        ends: Of the chain, or of the chains to the tree's tips.
    """
    for doubt in (*_limits(robot, description), *_loops(robot, description, ends)):
        warn_caller(doubt)
    for loop, gap in standing_loops(description, ends, robot.fixed):
        if gap > DOUBTS.open_loop:
            warn_caller(
                f"fixed: the loop '{loop.name}' is open by {gap:.2g} m where its joints stand"
            )


def warn_of_gripper(description: RobotDescription, base: str, tip: str) -> None:
    """Warn the caller of `from_urdf` of a tip, chosen by default, that is a part of a gripper."""
    joints = [joint for joint, _ in path(description, base, tip)]
    *arm, last = [joint for joint in joints if joint.moves]
    is_arm = len(arm) >= DOUBTS.shortest_arm and not any(
        _GRIPPER.search(joint.name) for joint in arm
    )
    if is_arm and is_gripper(last):
        warn_caller(
            f"the tip link is '{tip}', which joint '{last.name}' of the gripper moves; "
            f"for poses of the hand pass tip_link='{last.parent}'"
        )


def is_gripper(joint: Joint) -> bool:
    """Say whether a joint moves a part of a gripper, by its name and that of the part."""
    # A link that is named gripper may be the whole of it, and a fingertip is one of a hand.
    return bool(_GRIPPER.search(joint.name) or _JAW.search(joint.child))


def _limits(robot: MovingJoints, description: RobotDescription) -> Iterator[str]:
    named = description.joint_named
    stuck = [
        name
        for name, lower, upper in zip(robot.names, robot.lower, robot.upper, strict=True)
        if lower == upper and (lower == 0.0 or named[name].lower < named[name].upper)
    ]
    if stuck:
        yield (
            f"joints that cannot move: {listed(stuck)}; their limits, or those of joints that "
            "mimic them, leave one position. Exporters write 0 and 0 where no limits were set: "
            "set them in the description or with joint_limits=, or hold the joints with fixed="
        )
    in_degrees = [
        f"{name} ({named[name].lower:g} to {named[name].upper:g})"
        for name in robot.names
        if _in_degrees(named[name])
    ]
    if in_degrees:
        yield (
            f"limits of more than {DOUBTS.most_turns} turns: {listed(in_degrees)}; are they in "
            "degrees? A URDF has radians; 180 degrees are 3.1416"
        )


def _in_degrees(joint: Joint) -> bool:
    """Whether a revolute joint's limits look like degrees and not like whole turns in radians."""
    largest = max(-joint.lower, joint.upper)
    turns = largest / TURN
    return (
        joint.type == "revolute"
        and DOUBTS.most_turns * TURN < largest <= DOUBTS.largest_in_degrees
        and abs(turns - np.rint(turns)) > 1e-3
    )


def _loops(robot: MovingJoints, description: RobotDescription, ends: Ends) -> Iterator[str]:
    """Name joints of a loop that nothing closes; one with mimics has been taken care of."""
    moving = {
        joint.name
        for first, last in ends
        for joint, _ in path(description, first, last)
        if joint.moves and description.driver(joint)[0].name in robot.names
    }
    for loop in description.loops:
        if loop.frames is not None:
            continue
        around = [joint for joint, _ in path(description, *loop.links) if joint.moves]
        coupled = [joint.name for joint in around if joint.name in moving]
        if len(coupled) > 1 and not any(joint.mimic for joint in around):
            yield (
                f"the description closes a loop of links by '{loop.name}', which is ignored: "
                f"{listed(coupled)} move as if it were open; say with loops= where its ends are, "
                "or with a mimic element which joint follows from another"
            )
            return
