"""How deep points lie inside a shape: signed distances on a grid."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.closed_mesh import is_closed
from generative_ik_ros.collision.patches import subdivided
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere


@dataclass(frozen=True)
class SolidGrid:
    """The grid by which the inside of a mesh is found."""

    cells: int = 20_000
    """About as many cells as a grid has."""
    stopped: int = 2
    """Half the width in cells of the largest holes that are taken for closed."""
    eps: float = 0.02
    """Share by which distances may come out too small, for speed."""


GRID = SolidGrid()


class Depths(NamedTuple):
    """A grid over a shape, and how deep the cells' centres lie in it.

    Attributes:
        origin: (3,) centre of the first cell [m].
        size: Edge of a cell [m].
        depth: (X, Y, Z) at most the distance to the surface for a centre inside; -`size` for most
            centres outside, and nowhere less [m].
        solid: Whether the inside belongs to the shape: that of a mesh with holes or unjoined seams
            does not, but little can get there.
    """

    origin: NDArray[np.float64]
    size: float
    depth: NDArray[np.float64]
    solid: bool = True

    @property
    def centers(self) -> NDArray[np.float64]:
        """(X, Y, Z, 3) centres of the cells [m]."""
        return self.origin + self.size * np.stack(
            np.meshgrid(*map(np.arange, self.depth.shape), indexing="ij"), axis=-1
        )


def depths_of(shape: Shape) -> Depths | None:
    """Lay a grid over a shape and compute the depths of its cells; None if it has no inside."""
    low, high = bounds_of([shape])
    extent = np.maximum(high - low, 1e-6)
    size = max(float((np.prod(extent) / GRID.cells) ** (1 / 3)), float(extent.max()) / 200.0)
    counts = np.ceil(extent / size).astype(np.int64) + 3
    # Odd shares of a cell keep centres and rays off the faces and edges of machined parts.
    origin = (low + high) / 2.0 - size * ((counts - 1) / 2.0 + (0.0131, 0.0173, 0.0097))
    grid = Depths(origin, size, np.full(tuple(counts), -size))
    rotation, position = shape.pose[:3, :3], shape.pose[:3, 3]
    if isinstance(shape, Mesh):
        grid = grid._replace(solid=is_closed(shape.vertices, shape.faces))
        triangles = shape.triangles @ rotation.T + position
        inside = (_inside if grid.solid else _enclosed)(triangles, grid)
        if inside.any():
            grid.depth[inside] = distances(triangles, grid.centers[inside])
    else:
        np.maximum(depth_in(shape, (grid.centers - position) @ rotation), -size, out=grid.depth)
    return grid if (grid.depth > 0.0).any() else None


def bounds_of(shapes: Sequence[Shape]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the corners of a box around shapes, along the axes that they are placed in."""
    lows, highs = zip(*map(_bounds, shapes), strict=True)
    return np.min(lows, axis=0), np.max(highs, axis=0)


def _bounds(shape: Shape) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rotation, origin = shape.pose[:3, :3], shape.pose[:3, 3]
    match shape:
        case Mesh(vertices=vertices):
            placed = vertices @ rotation.T + origin
            return placed.min(axis=0), placed.max(axis=0)
        case Box(size=size):
            half = size / 2.0
        case Sphere(radius=radius):
            return origin - radius, origin + radius
        case Cylinder(radius=radius, length=length):
            half = np.array([radius, radius, length / 2.0])
        case Capsule(radius=radius, length=length):
            half = np.array([radius, radius, radius + length / 2.0])
        case _:
            raise TypeError(f"no bounds are known for {type(shape).__name__}")
    reach = np.abs(rotation) @ half
    return origin - reach, origin + reach


def depth_in(shape: Shape, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how deep points (..., 3) in a primitive's own frame lie in it; below 0 outside."""
    match shape:
        case Box(size=size):
            return (size / 2.0 - np.abs(points)).min(axis=-1)
        case Sphere(radius=radius):
            return radius - np.linalg.norm(points, axis=-1)
        case Cylinder(radius=radius, length=length):
            around = radius - np.hypot(points[..., 0], points[..., 1])
            return np.minimum(around, length / 2.0 - np.abs(points[..., 2]))
        case Capsule(radius=radius, length=length):
            beyond = np.maximum(np.abs(points[..., 2]) - length / 2.0, 0.0)
            return radius - np.sqrt(points[..., 0] ** 2 + points[..., 1] ** 2 + beyond**2)
    raise TypeError(f"no depth is known for {type(shape).__name__}")


def distances(triangles: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return lower bounds of the distances from points to triangles, a few per cent low."""
    from scipy.spatial import KDTree  # slow to import, and not needed where bodies are stored

    reach = max(float(np.ptp(triangles.reshape(-1, 3), axis=0).max()), 1e-6) / 45.0
    pieces = subdivided(triangles, reach)
    corners = np.concatenate([unique_points(pieces.reshape(-1, 3)), pieces.mean(axis=1)])
    # Every point of a triangle is at most so far from a corner or the middle.
    spread = np.linalg.norm(np.roll(pieces, -1, axis=1) - pieces, axis=-1).max() / 2.0
    near = KDTree(corners).query(points, eps=GRID.eps)[0] / (1.0 + GRID.eps)
    # The perpendicular foot may lie between corners, beside which the distance is a hypotenuse.
    return np.sqrt(np.maximum(near**2 - spread**2, 0.0))


def unique_points(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each of points (N, 3) once, in no order that means anything."""
    rows = np.ascontiguousarray(points + 0.0).view(np.dtype((np.void, 24))).reshape(-1)
    return np.unique(rows).view(np.float64).reshape(-1, 3)


def _inside(triangles: NDArray[np.float64], grid: Depths) -> NDArray[np.bool_]:
    """Return which centres a closed surface winds around, by its crossings of lines along z."""
    counts = np.array(grid.depth.shape)
    flat = (triangles[..., :2] - grid.origin[:2]) / grid.size
    a, b, c = (flat[:, k] for k in range(3))
    twice = _cross(b - a, c - a)
    low = np.clip(np.ceil(flat.min(axis=1)).astype(np.int64), 0, counts[:2])
    high = np.clip(np.floor(flat.max(axis=1)).astype(np.int64) + 1, 0, counts[:2])
    wide = np.maximum(high - low, 0)
    number = np.where(np.abs(twice) > 0.0, wide[:, 0] * wide[:, 1], 0)
    face = np.repeat(np.arange(len(triangles)), number)
    rank = np.arange(len(face)) - np.repeat(np.cumsum(number) - number, number)
    column = low[face] + np.stack(np.divmod(rank, np.maximum(wide[face, 1], 1)), axis=-1)
    shares = (
        np.stack(
            [_cross(q[face] - p[face], column - p[face]) for p, q in ((b, c), (c, a), (a, b))],
            axis=-1,
        )
        / twice[face, None]
    )
    hit = (shares >= 0.0).all(axis=-1)
    face, column, shares = face[hit], column[hit], shares[hit]
    height = (shares * triangles[face, :, 2]).sum(axis=-1)
    level = np.ceil((height - grid.origin[2]) / grid.size).astype(np.int64)
    turns = np.zeros((*counts[:2], counts[2] + 1), np.int64)
    index = (column[:, 0], column[:, 1], np.clip(level, 0, counts[2]))
    np.add.at(turns, index, np.sign(twice[face]).astype(np.int64))
    return np.cumsum(turns[..., :-1], axis=-1) != 0


def _enclosed(triangles: NDArray[np.float64], grid: Depths) -> NDArray[np.bool_]:
    """Return which cells cannot be reached from outside, with small holes stopped."""
    from scipy.ndimage import binary_dilation, label

    points = unique_points(subdivided(triangles, grid.size / 2.0).reshape(-1, 3))
    wall = np.zeros(grid.depth.shape, bool)
    wall[tuple(np.round((points - grid.origin) / grid.size).astype(np.int64).T)] = True
    most = np.zeros_like(wall)
    for thicker in range(GRID.stopped + 1):
        thick = np.pad(wall, GRID.stopped)
        if thicker:
            thick = np.asarray(binary_dilation(thick, iterations=thicker), bool)
        free = np.logical_not(thick)
        regions = np.empty(free.shape, np.int32)
        label(free, output=regions)
        # The outermost cells are all outside.
        inside = (free & (regions != regions[0, 0, 0]))[(slice(GRID.stopped, -GRID.stopped),) * 3]
        if thicker:
            inside = np.asarray(binary_dilation(inside, iterations=thicker, mask=~wall), bool)
        if inside.sum() > most.sum():
            most = inside
    return most


def _cross(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    return first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]
