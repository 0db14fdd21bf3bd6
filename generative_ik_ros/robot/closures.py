"""The goals that keep the loops of a tree closed, and its couplings within their bounds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import RobotDescriptionError
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.elements import Coupling, Joint, Loop, Mimic
from generative_ik_ros.robot.fold import path
from generative_ik_ros.robot.joint_frames import UnusedNames
from generative_ik_ros.robot.loops import constraints_of
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.robot.xml_values import frozen

_HERE = frozen(np.eye(4))
_X = frozen(np.array([1.0, 0.0, 0.0]))
MAX_CLOSURES = 24
"""Loops and couplings of a tree."""
LARGEST_TOLERANCE = 1e-5
"""Loops are closed to this [m and rad], also where a solver's tolerances are larger."""


@dataclass(frozen=True, eq=False)
class Closure:
    """A frame on a link that stays within a region about a frame on another one.

    Attributes:
        name: What messages call it, such as "the loop 'rod'".
        links: The link with the reference frame, and that with the other, the tip.
        frames: (4, 4) both frames in their links [m].
        region: Where the tip may be in the reference.
    """

    name: str
    links: tuple[str, str]
    frames: tuple[Floats, Floats]
    region: TaskSpaceRegion


def closures_of(
    description: RobotDescription,
    base: str,
    ends: Iterable[tuple[str, str]],
    standing: Mapping[str, float],
) -> tuple[tuple[Closure, ...], RobotDescription, frozenset[str]]:
    """Return what holds between the links of a tree.

    A coupling is a slide: one prismatic joint for each of its joints, which follows it, and so
    their end is as far from the base as their sum says [1 m for each rad or m].

    Args:
        description: The robot.
        base: The base link, where slides begin.
        ends: The reference link and the link of each tip.
        standing: Joints that stand, and where [rad or m].

    Returns:
        The closures, the robot with slides, and all joints that move: those of the closures, too.

    Raises:
        RobotDescriptionError: There are too many, or a joint of one cannot be used.
    """
    found = constraints_of(description, ends, standing)
    if len(found.names) > MAX_CLOSURES:
        raise RobotDescriptionError(
            f"{len(found.names)} loops and couplings are between the links, at most "
            f"{MAX_CLOSURES} may be"
        )
    closures: list[Closure] = []
    for loop in found.loops:
        _check_loop(description, loop, standing)
        closures.append(_closure(loop))
    slides: list[Joint] = []
    names = UnusedNames({*description.links, *description.joint_named})
    for coupling in found.couplings:
        _check(description, coupling, standing)
        slides += _slide(coupling, base, names)
        end = slides[-1].child
        closures.append(
            Closure(f"the coupling '{coupling.name}'", (base, end), (_HERE, _HERE), _sum(coupling))
        )
    if slides:
        links = (*description.links, *(joint.child for joint in slides))
        joints = (*description.joints, *slides)
        description = replace(description, links=links, joints=joints)
    return tuple(closures), description, found.variables


def _check_loop(description: RobotDescription, loop: Loop, standing: Mapping[str, float]) -> None:
    """Check that the joints of a loop can be used."""
    for joint, _ in path(description, *loop.links):
        driver = description.driver(joint)[0]
        if joint.moves and driver.name in standing:
            continue
        if why := driver.obstacle or joint.obstacle or ("" if joint.supported else _is(joint)):
            raise RobotDescriptionError(
                f"joint '{joint.name}' in the loop '{loop.name}' {why}, which is not supported: "
                "choose other links"
            )


def _is(joint: Joint) -> str:
    return f"is {joint.type}"


def _closure(loop: Loop) -> Closure:
    assert loop.frames is not None  # noqa: S101 (`constraints_of` leaves out those without)
    return Closure(f"the loop '{loop.name}'", loop.links, loop.frames, loop.region)


def _slide(coupling: Coupling, base: str, names: UnusedNames) -> list[Joint]:
    """Return the prismatic joints of a coupling, each on the one before."""
    slides, parent = [], base
    for name, factor in coupling.factors:
        link = names.like(f"{coupling.name}/{name}")
        mimic = Mimic(name, factor, 0.0)
        slides.append(Joint(link, "prismatic", parent, link, _HERE, _X, -np.inf, np.inf, mimic))
        parent = link
    return slides


def _sum(coupling: Coupling) -> TaskSpaceRegion:
    """Return the bounds of a coupling's slide, of which all but x stay where they are."""
    lower, upper = np.full(6, -np.inf), np.full(6, np.inf)
    lower[0], upper[0] = coupling.lower, coupling.upper
    return TaskSpaceRegion(lower, upper)


def _check(
    description: RobotDescription, coupling: Coupling, standing: Mapping[str, float]
) -> None:
    """Check that the joints of a coupling move, and have one position only."""
    for name, _ in coupling.factors:
        joint = description.joint_named[name]
        driver = description.driver(joint)[0]
        if not joint.supported or not joint.moves or driver.obstacle:
            why = driver.obstacle or joint.obstacle or _is(joint)
            raise RobotDescriptionError(
                f"joint '{name}' of the coupling '{coupling.name}' {why}, which is not supported: "
                "choose other links"
            )
        if driver.type == "continuous" and driver.name not in standing:
            raise RobotDescriptionError(
                f"joint '{driver.name}' of the coupling '{coupling.name}' is continuous, and a "
                "full turn of it would change the sum: give it limits by joint_limits="
            )
