"""Loops that are parallelograms: opposite sides stay parallel, as the mechanism was built.

A planar loop with opposite sides of equal length closes in two ways: as a parallelogram, and
crossed. It passes from one to the other only where all sides lie on one line, which a machine with
such a linkage never does.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.closures import Closure
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.fold import path
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.robot.tree import link_transforms

_SAME = 1e-8
"""Points and sides that differ by less than this are the same [m]; likewise axes."""


class _Corner(NamedTuple):
    """A joint of a loop: where it is, and the link that comes after it on the way around."""

    place: Floats
    after: str


def parallel_sides(
    description: RobotDescription,
    closures: Sequence[Closure],
    positions: Mapping[str, ArrayLike],
    base: str,
) -> Iterator[Closure]:
    """Yield a closure for each loop that is a parallelogram: one side stays parallel to another.

    Args:
        description: The robot.
        closures: Those of its loops; others are passed over.
        positions: Of joints where all loops are closed [rad or m], by name.
        base: A link that does not move.
    """
    in_base = {
        link: pose[0] for link, pose in link_transforms(description, positions, base).items()
    }
    for closure in closures:
        corners = _corners(description, closure, in_base)
        if corners is None or len(corners) != 4:
            continue
        places = np.array([corner.place for corner in corners])
        sides = np.roll(places, -1, axis=0) - places
        if np.abs(sides[0] + sides[2]).max() > _SAME or np.abs(sides[1] + sides[3]).max() > _SAME:
            continue
        links = corners[0].after, corners[2].after
        turned = np.eye(4)
        turned[:3, :3] = in_base[links[1]][:3, :3].T @ in_base[links[0]][:3, :3]
        frames = np.eye(4), turned
        yield Closure(closure.name, links, frames, TaskSpaceRegion.orientation_only())


def _corners(
    description: RobotDescription, closure: Closure, in_base: Mapping[str, Floats]
) -> list[_Corner] | None:
    """Return the joints around a loop, one of several that turn about the same line; or None.

    There are none where a joint does not turn, or axes are not parallel.
    """
    first, last = closure.links
    if first not in in_base or last not in in_base:
        return None  # a coupling's slide
    end = in_base[first] @ closure.frames[0]
    moving = [(joint, down) for joint, down in path(description, first, last) if joint.moves]
    if not moving or any(joint.type == "prismatic" for joint, _ in moving):
        return None
    axes = np.array([in_base[joint.child][:3, :3] @ joint.axis for joint, _ in moving])
    normal = axes[0]
    hinges = closure.region.held_coordinates[1] == 2
    if hinges:
        axes = np.vstack([axes, end[:3, 2]])
    if np.abs(np.cross(axes, normal)).max() > _SAME or closure.region.held_coordinates[0] != 3:
        return None
    ways = [joint.child if down else joint.parent for joint, down in moving]
    places = [in_base[joint.child][:3, 3] for joint, _ in moving]
    around = [_Corner(_flat(p, normal), link) for p, link in zip(places, ways, strict=True)]
    around.append(_Corner(_flat(end[:3, 3], normal), first))
    return _distinct(around)


def _flat(place: Floats, normal: Floats) -> Floats:
    """Project a place onto the plane of a loop."""
    return place - normal * (normal @ place)


def _distinct(around: list[_Corner]) -> list[_Corner]:
    """Return the corners of a loop; of joints on one line the last, behind which a side begins."""
    return [
        corner
        for corner, following in zip(around, [*around[1:], around[0]], strict=True)
        if np.abs(following.place - corner.place).max() > _SAME
    ]
