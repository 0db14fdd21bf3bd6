"""A chain in, capsules for those of its links that the description gives no shape out."""

from collections.abc import Container

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import Visual
from generative_ik_ros.robot.fold import path

RADIUS = 0.02
"""Radius of a bone [m], for an arm of ordinary size; see `bones`."""
_ROD = 0.6
"""Radius of the rod of a sliding joint, in radii of a bone."""
_SHORTEST = 1e-6
_LONGEST_ROD = 10.0
_GREY = (0.7, 0.7, 0.7, 1.0)


def bones(chain: KinematicChain, drawn: Container[str]) -> dict[str, tuple[Visual, ...]]:
    """Stand in for the links between base and tip that have no shape of their own.

    From a link's origin to the joint that follows there is a cylinder with a ball at its end; a
    sliding joint has a rod as long as its travel. All of it is rigid in its link.

    Args:
        chain: The chain. Its reach sets the thickness: 2 cm at a reach of 1 m and above, thinner
            for smaller arms.
        drawn: The links that need no bones.

    Returns:
        The shapes of each link that needs any.
    """
    radius = RADIUS * min(1.0, chain.reach)
    found: dict[str, list[Visual]] = {}
    for joint, _ in path(chain.description, chain.base_link, chain.tip_link):
        # A joint stands still in its parent, in whichever direction the path goes through it.
        end = joint.child_in_parent[:3, 3]
        if joint.parent not in drawn and np.linalg.norm(end) > _SHORTEST:
            found.setdefault(joint.parent, []).append(_cylinder(np.zeros(3), end, radius))
            found[joint.parent].append(_ball(end, radius))
        if joint.type == "prismatic" and joint.child not in drawn:
            out = joint.axis * np.clip(max(joint.upper, 0.0), 0.0, _LONGEST_ROD)
            back = joint.axis * np.clip(min(joint.lower, 0.0), -_LONGEST_ROD, 0.0)
            if np.linalg.norm(out - back) > _SHORTEST:
                rod = _cylinder(-out, -back, _ROD * radius)
                found.setdefault(joint.child, []).append(rod)
    return {link: tuple(shapes) for link, shapes in found.items()}


def _cylinder(start: NDArray[np.float64], end: NDArray[np.float64], radius: float) -> Visual:
    """Return a cylinder between two points (3,) [m]."""
    length = float(np.linalg.norm(end - start))
    frame = np.eye(4)
    frame[:3, :3] = _turned_to((end - start) / length)
    frame[:3, 3] = (start + end) / 2
    return Visual("cylinder", (radius, length), "", frame, _GREY)


def _ball(center: NDArray[np.float64], radius: float) -> Visual:
    frame = np.eye(4)
    frame[:3, 3] = center
    return Visual("sphere", (radius,), "", frame, _GREY)


def _turned_to(direction: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a rotation (3, 3) whose z axis has a direction, by the shortest turn."""
    x, y, z = direction
    if 1.0 + z < 1e-9:
        return np.diag([1.0, -1.0, -1.0])
    return Rotation.from_quat([-y, x, 0.0, 1.0 + z]).as_matrix()
