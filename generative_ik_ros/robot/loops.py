"""The loops and couplings that the joints of a chain or tree are part of."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from generative_ik_ros.errors import ClosedLoopError
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.elements import Coupling, Loop
from generative_ik_ros.robot.fold import path
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.robot.tree import link_transforms


class Constraints(NamedTuple):
    """The loops and couplings that some joints are part of, directly or by way of each other.

    Attributes:
        loops: The loops, without those of which the description does not say how they close.
        couplings: The couplings.
        variables: The joints that move and do not follow others: those asked for, and those that
            the loops and couplings bring with them.
    """

    loops: tuple[Loop, ...]
    couplings: tuple[Coupling, ...]
    variables: frozenset[str]

    @property
    def names(self) -> list[str]:
        """What messages call them."""
        return [
            *(f"the loop '{loop.name}'" for loop in self.loops),
            *(f"the coupling '{coupling.name}'" for coupling in self.couplings),
        ]


def constraints_of(
    description: RobotDescription, ends: Iterable[tuple[str, str]], standing: Mapping[str, float]
) -> Constraints:
    """Return the loops and couplings between some links, directly or by way of each other.

    Joints that stand count as joints there: whether a loop closes depends on them, too.

    Args:
        description: The robot.
        ends: The first and the last link of each path.
        standing: Joints that stand, and where [rad or m].
    """
    reached = {driver for way in ends for driver in _drivers(description, way)}
    joints_of = {
        part: _drivers_of(description, part)
        for part in (*description.loops, *description.couplings)
        if isinstance(part, Coupling) or part.frames is not None
    }
    found: set[Loop | Coupling] = set()
    grows = True
    while grows:
        grows = False
        for part, joints in joints_of.items():
            if part not in found and not reached.isdisjoint(joints):
                found.add(part)
                reached |= joints
                grows = True
    moving = [part for part in joints_of if part in found and joints_of[part] - standing.keys()]
    return Constraints(
        tuple(part for part in moving if isinstance(part, Loop)),
        tuple(part for part in moving if isinstance(part, Coupling)),
        frozenset(reached - standing.keys()),
    )


def standing_loops(
    description: RobotDescription, ends: Iterable[tuple[str, str]], standing: Mapping[str, float]
) -> Iterator[tuple[Loop, float]]:
    """Yield the loops between some links whose joints all stand, and how far they are open [m]."""
    if not description.loops:
        return
    reached = {driver for way in ends for driver in _drivers(description, way)}
    for loop in description.loops:
        drivers, frames = _drivers_of(description, loop), loop.frames
        stands = drivers <= standing.keys() and not reached.isdisjoint(drivers)
        if stands and frames is not None:
            placed = link_transforms(description, standing, description.root)
            first, last = (placed[loop.links[k]][0] @ frames[k] for k in (0, 1))
            place = (inverse(first) @ last)[:3, 3]
            apart = place - np.clip(place, loop.region.lower[:3], loop.region.upper[:3])
            yield loop, float(np.linalg.norm(apart))


def _drivers(description: RobotDescription, ends: tuple[str, str]) -> set[str]:
    """Return the joints that move one link against another and do not follow others."""
    joints = [joint for joint, _ in path(description, *ends) if joint.moves]
    return {description.driver(joint)[0].name for joint in joints}


def _drivers_of(description: RobotDescription, part: Loop | Coupling) -> set[str]:
    """Return the joints that move a loop or a coupling and do not follow others."""
    if isinstance(part, Loop):
        return _drivers(description, part.links)
    joints = [description.joint_named[name] for name, _ in part.factors]
    return {description.driver(joint)[0].name for joint in joints if joint.moves}


def check_open(
    description: RobotDescription, base: str, tip: str, standing: Mapping[str, float]
) -> None:
    """Check that no loop or coupling is between a base and a tip, as chains cannot have them.

    Raises:
        ClosedLoopError: There is one; the message says what can have it.
    """
    if not description.loops and not description.couplings:
        return
    found = constraints_of(description, [(base, tip)], standing)
    if found.names:
        raise ClosedLoopError(
            f"joints between '{base}' and '{tip}' are in {found.names[0]}, which a chain cannot "
            f"have: KinematicTree.from_urdf(source, '{base}', ['{tip}']) takes the same "
            "arguments and is solved in the same way; or hold all joints in it with fixed="
        )
