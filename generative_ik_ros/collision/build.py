"""Bodies from shapes: trees of spheres around them, balls inside, points on their surfaces.

What is clear of the spheres around is surely free, what touches those inside surely collides.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import _core
from generative_ik_ros.collision.balls import EVEN_DIRECTIONS, balls_around
from generative_ik_ros.collision.body import Body
from generative_ik_ros.collision.patches import Patches, patches_of
from generative_ik_ros.collision.shapes import Shape, Sphere
from generative_ik_ros.collision.solid import Depths, depths_of, unique_points
from generative_ik_ros.collision.sphere_tree import SphereTree
from generative_ik_ros.collision.split import halved, tree_over
from generative_ik_ros.errors import InvalidArgumentError


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
    inside = grid.depth > 0.0
    # A ray along an edge could be misled: neighbours that are inside too bear witness.
    sure = inside & (_among_others(inside) | (grid.depth < 1.5 * grid.size))
    sure &= grid.depth > 1e-4
    return np.concatenate([grid.centers[sure], grid.depth[sure][:, None]], axis=-1)


def _among_others(inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which cells' six neighbours are inside (scipy.ndimage takes long to import)."""
    padded = np.pad(inside, 1)
    middle = (slice(1, -1),) * 3
    return np.logical_and.reduce(
        [np.roll(padded, step, axis)[middle] for axis in range(3) for step in (-1, 1)]
    )


def _largest(candidates: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Choose the largest ball, then the largest whose centre is in none chosen, and so on."""
    left = candidates[np.argsort(-candidates[:, 3], kind="stable")]
    chosen = []
    while len(left) and len(chosen) < count:
        chosen.append(left[0])
        apart = np.linalg.norm(left[:, :3] - left[0, :3], axis=-1)
        left = left[apart > left[0, 3]]
    return np.array(chosen).reshape(-1, 4)


def cover_of(patches: Patches, depths: Sequence[Depths], depth: int = 3) -> SphereTree:
    """Build a tree whose leaves contain all patches, and all cells that lie inside.

    A node contains the patches and cells of the leaves below it, not these leaves' whole balls.

    Args:
        patches: The surface.
        depths: How deep points lie inside, for each shape that has an inside.
        depth: Levels below the root; there are 8^depth leaves.
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
    return cells, half, there[_core.balls_at(cells, leaves[there])]


EXTREMES = 16
"""Points of a body that are far from each other."""


def body_of(shapes: Sequence[Shape]) -> Body:
    """Build the body that shapes of one rigid thing make together.

    Args:
        shapes: At least one, placed in the frame of the thing: a link, or a scene.

    Raises:
        InvalidArgumentError: There are no shapes.
    """
    shapes = tuple(shapes)
    if not shapes:
        raise InvalidArgumentError("a body needs at least one shape")
    if all(isinstance(shape, Sphere) for shape in shapes):
        return _of_spheres(shapes)
    patches = patches_of(shapes)
    depths = [grid for shape in shapes if (grid := depths_of(shape)) is not None]
    cover = cover_of(patches, depths)
    extremes = spread(patches.points.reshape(-1, 3), EXTREMES)
    return Body(cover, inner_of(patches, depths), False, extremes)


def _of_spheres(shapes: Sequence[Shape]) -> Body:
    """Build a body that is its own cover, nothing more and nothing less."""
    spheres = np.array([[*s.pose[:3, 3], s.radius] for s in shapes if isinstance(s, Sphere)])
    tree = tree_over(spheres)
    ends = np.concatenate([np.eye(3), -np.eye(3)])
    on_surface = spheres[:, None, :3] + spheres[:, None, 3:] * ends
    return Body(tree, tree, True, spread(on_surface.reshape(-1, 3), EXTREMES))
