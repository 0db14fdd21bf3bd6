"""The loops and couplings that the joints of a chain or tree are part of."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from generative_ik_ros.errors import ClosedLoopError
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.elements import Coupling, Loop
from generative_ik_ros.robot.fold import path


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
    description: RobotDescription, variables: Collection[str], standing: Mapping[str, float]
) -> Constraints:
    """Return the loops and couplings that some joints are part of.

    Args:
        description: The robot.
        variables: Joints that move and do not follow others.
        standing: Joints that stand, and where [rad or m].
    """
    joints_of = {
        part: _drivers(description, part, standing)
        for part in (*description.loops, *description.couplings)
        if isinstance(part, Coupling) or part.frames is not None
    }
    found, moving = dict.fromkeys(()), set(variables)
    grows = True
    while grows:
        grows = False
        for part, joints in joints_of.items():
            if part not in found and not moving.isdisjoint(joints):
                found[part], grows = None, True
                moving |= joints
    return Constraints(
        tuple(part for part in joints_of if part in found and isinstance(part, Loop)),
        tuple(part for part in joints_of if part in found and isinstance(part, Coupling)),
        frozenset(moving),
    )


def _drivers(
    description: RobotDescription, part: Loop | Coupling, standing: Mapping[str, float]
) -> set[str]:
    """Return the joints that move a loop or a coupling and do not follow others."""
    if isinstance(part, Coupling):
        joints = [description.joint_named[name] for name, _ in part.factors]
    else:
        joints = [joint for joint, _ in path(description, *part.links)]
    drivers = {description.driver(joint)[0].name for joint in joints if joint.moves}
    return drivers - standing.keys()


def check_open(
    description: RobotDescription,
    base: str,
    tip: str,
    variables: Collection[str],
    standing: Mapping[str, float],
) -> None:
    """Check that no loop or coupling is between a base and a tip, as chains cannot have them.

    Raises:
        ClosedLoopError: There is one; the message says what can have it.
    """
    if not description.loops and not description.couplings:
        return
    found = constraints_of(description, variables, standing)
    if found.names:
        raise ClosedLoopError(
            f"joints between '{base}' and '{tip}' are in {found.names[0]}, which a chain cannot "
            f"have: KinematicTree.from_urdf(source, '{base}', ['{tip}']) takes the same "
            "arguments and is solved in the same way; or hold them with fixed="
        )
