"""Balls inside solids and points on their surfaces: what touches them surely collides."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.balls import EVEN_DIRECTIONS
from generative_ik_ros.collision.patches import Patches
from generative_ik_ros.collision.solid import Depths, unique_points
from generative_ik_ros.collision.sphere_tree import SphereTree
from generative_ik_ros.collision.split import tree_over


@dataclass(frozen=True)
class InnerSpheres:
    """How many spheres are inside a body."""

    balls: int = 64
    """Spheres with a radius, at most."""
    points: int = 448
    """Points of the surface, spheres of radius 0; the more, the fewer others there are."""
    most: int = 4096
    """Points of a surface among which some are chosen."""


INNER = InnerSpheres()


def inner_of(patches: Patches, depths: Sequence[Depths]) -> SphereTree:
    """Build a tree of balls inside solids and of points on surfaces.

    Args:
        patches: The surfaces.
        depths: How deep points lie inside, for each shape that has an inside.
    """
    found = [_candidates(grid) for grid in depths if grid.solid]
    balls = _largest(np.concatenate([np.empty((0, 4)), *found]), INNER.balls)
    points = spread(patches.points.reshape(-1, 3), INNER.points + INNER.balls - len(balls))
    leaves = np.concatenate([balls, np.pad(points, ((0, 0), (0, 1)))])
    return tree_over(leaves)


def spread(points: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Choose points (at most `count`, 3) far from each other, by farthest-first traversal."""
    points = unique_points(points)
    if len(points) > INNER.most:
        # Corners stand out in some direction; of the others a part will do.
        ends = (points @ EVEN_DIRECTIONS.T).argmax(axis=0)
        points = unique_points(
            np.concatenate([points[ends], points[:: len(points) // INNER.most + 1]])
        )
    columns = points.T.copy()
    away = columns - columns.mean(axis=1, keepdims=True)
    apart = np.einsum("in,in->n", away, away)
    chosen = np.empty(min(count, len(points)), np.int64)
    for k in range(len(chosen)):
        chosen[k] = apart.argmax()
        away = columns - columns[:, chosen[k], None]
        squares = np.einsum("in,in->n", away, away)
        apart = squares if k == 0 else np.minimum(apart, squares)
    return points[chosen]


def _candidates(grid: Depths) -> NDArray[np.float64]:
    """Return balls inside a shape, centred in the cells of its grid, (N, 4)."""
    from scipy.ndimage import binary_erosion  # not needed where the bodies are stored

    inside = grid.depth > 0.0
    # A ray along an edge could be misled: neighbours that are inside too bear witness.
    sure = inside & (np.asarray(binary_erosion(inside), bool) | (grid.depth < 1.5 * grid.size))
    sure &= grid.depth > 1e-4
    return np.concatenate([grid.centers[sure], grid.depth[sure][:, None]], axis=-1)


def _largest(candidates: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Choose the largest ball, then the largest whose centre is in none chosen, and so on."""
    left = candidates[np.argsort(-candidates[:, 3], kind="stable")]
    chosen = []
    while len(left) and len(chosen) < count:
        chosen.append(left[0])
        apart = np.linalg.norm(left[:, :3] - left[0, :3], axis=-1)
        left = left[apart > left[0, 3]]
    return np.array(chosen).reshape(-1, 4)
