"""Balls around groups of points that reach little beyond the solid the points belong to."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import _core
from generative_ik_ros.collision.directions import spread_directions
from generative_ik_ros.collision.solid import Depths
from generative_ik_ros.collision.sphere_tree import EMPTY

ROUNDS = 24
"""Rounds of the search for the best centre of a ball."""
EVEN_DIRECTIONS = spread_directions(48)
_STEPS = spread_directions(14)


def balls_around(
    points: NDArray[np.float64],
    reach: NDArray[np.float64],
    group: NDArray[np.int64],
    count: int,
    depths: Sequence[Depths],
) -> NDArray[np.float64]:
    """Return a ball around each group of small balls, (count, 4).

    Of all balls around a group, the one is looked for that reaches least beyond the solid. That
    is not the smallest one: a ball centred on a flat surface stands out of it by its radius, and
    one with its centre deep inside, through the same points, hardly at all.

    Args:
        points: (N, 3) centres of the small balls [m], sorted by group.
        reach: (N,) their radii [m], 0 for points.
        group: (N,) the group of each.
        count: Number of groups.
        depths: How deep points lie in the solids; none: the smallest balls are looked for.
    """
    made = np.zeros((count, 4))
    made[:, 3] = EMPTY
    groups, first = np.unique(group, return_index=True)
    grids = [(grid.origin, grid.size, np.ascontiguousarray(grid.depth)) for grid in depths]
    first = np.append(first, len(points)).astype(np.int64)
    points = np.ascontiguousarray(points)
    made[groups] = _core.tight_balls(points, reach, first, grids, EVEN_DIRECTIONS, _STEPS, ROUNDS)
    return made
