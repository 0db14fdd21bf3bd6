"""Simple shapes for links that have no visual geometry."""

from collections.abc import Container
from dataclasses import dataclass

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.elements import GREY, Visual
from generative_ik_ros.robot.fold import path
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.rigid import rotation_to


@dataclass(frozen=True)
class BoneLook:
    """How thick bones are."""

    radius: float = 0.02
    """Radius of a bone for a reach of 1 m or more [m]; see `bones`."""
    rod: float = 0.6
    """Radius of the rod of a prismatic joint, relative to that of a bone."""
    shortest: float = 1e-6
    """Shorter bones are not drawn [m]."""
    longest_rod: float = 10.0
    """Longer rods are cut [m]."""


LOOK = BoneLook()


def bones(
    chain: KinematicChain | KinematicTree, drawn: Container[str]
) -> dict[str, tuple[Visual, ...]]:
    """Return shapes for the links between base and tips that have none.

    A cylinder leads from a link's origin to the next joint, with a ball at its end; a prismatic
    joint has a rod as long as its range. All shapes are rigidly attached to their links.

    Args:
        chain: The chain or tree. Its size determines the radius: 2 cm at a size of 1 m or more,
            smaller for smaller arms.
        drawn: The links that need no bones.

    Returns:
        The shapes of each link that needs any.
    """
    radius = LOOK.radius * min(1.0, chain.size)
    found: dict[str, list[Visual]] = {}
    paths = [path(chain.description, chain.base_link, tip) for tip in chain.tip_links]
    # Tips share joints.
    for joint in {joint.name: joint for one in paths for joint, _ in one}.values():
        # A joint is fixed in its parent link, in whichever direction the path passes it.
        end = joint.child_in_parent[:3, 3]
        if joint.parent not in drawn and np.linalg.norm(end) > LOOK.shortest:
            found.setdefault(joint.parent, []).append(cylinder(np.zeros(3), end, radius))
            found[joint.parent].append(_ball(end, radius))
        if joint.type == "prismatic" and joint.child not in drawn:
            out = joint.axis * np.clip(max(joint.upper, 0.0), 0.0, LOOK.longest_rod)
            back = joint.axis * np.clip(min(joint.lower, 0.0), -LOOK.longest_rod, 0.0)
            if np.linalg.norm(out - back) > LOOK.shortest:
                rod = cylinder(-out, -back, LOOK.rod * radius)
                found.setdefault(joint.child, []).append(rod)
    return {link: tuple(shapes) for link, shapes in found.items()}


def cylinder(start: Floats, end: Floats, radius: float) -> Visual:
    """Return a cylinder between two points (3,) [m], which may coincide."""
    length = float(np.linalg.norm(end - start))
    frame = np.eye(4)
    if length > 0.0:
        frame[:3, :3] = rotation_to((end - start) / length)
    frame[:3, 3] = (start + end) / 2
    return Visual("cylinder", (radius, length), "", frame, GREY)


def _ball(center: Floats, radius: float) -> Visual:
    frame = np.eye(4)
    frame[:3, 3] = center
    return Visual("sphere", (radius,), "", frame, GREY)
