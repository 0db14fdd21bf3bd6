"""Joints that turn about another point than their child's origin, as joints that do not."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.elements import Joint, fixed_joint
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.robot.xml_values import frozen

_ON_AXIS = 1e-12
"""A child's origin this near to the axis [m] counts as on it."""


class UnusedNames:
    """Makes names for links or joints that the description gives none.

    Args:
        taken: The names that it gives.
    """

    def __init__(self, taken: set[str]):
        """Keep the names."""
        self._taken = taken

    def like(self, name: str) -> str:
        """Return a name that is not taken, and take it."""
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


def reversed_joint(joint: Joint, child_in_joint: Floats) -> tuple[Joint, Floats]:
    """Return a joint from its child to its parent, with the same positions.

    Args:
        joint: A joint with its own frame in the parent instead of the child's, (4, 4) [m].
        child_in_joint: (4, 4) the child in that frame at position zero [m].

    Returns:
        Likewise.
    """
    turned = replace(
        joint,
        parent=joint.child,
        child=joint.parent,
        child_in_parent=frozen(inverse(child_in_joint)),
        axis=frozen(-joint.axis),
    )
    return turned, inverse(joint.child_in_parent)


def about_child(
    joint: Joint, child_in_joint: Floats, links: UnusedNames, joints: UnusedNames
) -> Iterator[Joint]:
    """Yield a joint whose frame is its child's, and a fixed one behind it if need be.

    In a URDF, a joint's frame is that of its child link; in SDF and MJCF it may be another. The
    child's frame can be taken as it is where the joint is prismatic, or the child's origin lies on
    its axis. Otherwise a link is put between them.

    Args:
        joint: A joint with its own frame in the parent instead of the child's, (4, 4) [m].
        child_in_joint: (4, 4) the child in that frame at position zero [m].
        links: To name a link.
        joints: To name a joint.
    """
    place = child_in_joint[:3, 3]
    beside = place - joint.axis * (joint.axis @ place)
    if joint.type in ("revolute", "continuous") and np.linalg.norm(beside) > _ON_AXIS:
        link = links.like(f"{joint.name}_frame")
        yield replace(joint, child=link)
        yield fixed_joint(joints.like(f"{joint.name}_fixed"), link, joint.child, child_in_joint)
        return
    yield replace(
        joint,
        child_in_parent=frozen(joint.child_in_parent @ child_in_joint),
        axis=frozen(child_in_joint[:3, :3].T @ joint.axis),
    )
