"""Sphere trees that contain shapes: their surfaces for certain, and what these enclose."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.balls import balls_around
from generative_ik_ros.collision.patches import Patches
from generative_ik_ros.collision.solid import Depths
from generative_ik_ros.collision.sphere_tree import SphereTree
from generative_ik_ros.collision.split import halved

DEPTH = 3
"""Levels below the root: 8^3 leaves."""
_AT_ONCE = 256
"""Cells whose distances from all balls fit into a processor's cache."""


def cover_of(patches: Patches, depths: Sequence[Depths], depth: int = DEPTH) -> SphereTree:
    """Build a tree whose leaves contain all patches, and all cells that lie inside.

    A node contains the patches and cells of the leaves below it, not these leaves' whole balls.

    Args:
        patches: The surface.
        depths: How deep points lie inside, for each shape that has an inside.
        depth: Levels below the root.
    """
    leaf = halved(patches.points.mean(axis=1), patches.weights, 3 * depth)
    order = np.argsort(leaf, kind="stable")
    points = patches.corners[order].reshape(-1, 3)
    groups = np.repeat(leaf[order], patches.corners.shape[1])
    reach = np.zeros(len(points))
    leaves = balls_around(points, reach, groups, 8**depth, depths)
    for grid in filter(lambda one: one.solid, depths):
        cells, half, owner = _inside(leaves, grid)
        points = np.concatenate([points, cells])
        reach = np.concatenate([reach, np.full(len(cells), half)])
        groups = np.concatenate([groups, owner])
        gaps = np.linalg.norm(cells - leaves[owner, :3], axis=-1) + half
        np.maximum.at(leaves[:, 3], owner, gaps * (1.0 + 1e-9))
    order = np.argsort(groups, kind="stable")
    points, reach, groups = points[order], reach[order], groups[order]
    levels = [
        balls_around(points, reach, groups // 8 ** (depth - level), 8**level, depths)
        for level in range(depth)
    ]
    return SphereTree((*levels, leaves))


def _inside(
    leaves: NDArray[np.float64], grid: Depths
) -> tuple[NDArray[np.float64], float, NDArray[np.int64]]:
    """Return the cells inside, half their diagonal, and the leaf that each one goes to.

    Cells close to the surface are left out: the surface's own balls reach as deep.
    """
    half = grid.size * np.sqrt(3.0) / 2.0
    cells = grid.centers[grid.depth > half / 2.0]
    there = np.flatnonzero(leaves[:, 3] > 0.0)
    balls = leaves[there]
    owner = np.empty(len(cells), np.int64)
    for start in range(0, len(cells), _AT_ONCE):
        some = cells[start : start + _AT_ONCE]
        # How far a cell reaches out of each ball.
        squares = (some**2).sum(axis=1)[:, None] - 2.0 * some @ balls[:, :3].T
        gaps = np.sqrt(np.maximum(squares + (balls[:, :3] ** 2).sum(axis=1), 0.0)) - balls[:, 3]
        owner[start : start + _AT_ONCE] = there[gaps.argmin(axis=1)]
    return cells, half, owner
