"""Surfaces of shapes as many small convex patches."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere

PATCHES = 16_000
"""About as many patches as a surface is cut into."""
MOST = 4 * PATCHES
"""Patches beyond the triangles of a mesh at which cutting ends."""
_OCTANTS = np.array(
    [[[x, 0, 0], [0, y, 0], [0, 0, z]] for x in (1, -1) for y in (1, -1) for z in (1, -1)], float
)
_BOX = np.array(
    # Two triangles a side, counter-clockwise from outside.
    [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4]]
    + [[2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]]
)


class Patches(NamedTuple):
    """A surface, cut into patches.

    Attributes:
        corners: (N, 3 or 6, 3) points whose convex hull contains a patch [m].
        points: (N, 3, 3) points of the surface itself, a triangle to each patch [m].
    """

    corners: NDArray[np.float64]
    points: NDArray[np.float64]

    @property
    def weights(self) -> NDArray[np.float64]:
        """(N,) areas of the triangles, none of them 0 [m^2]."""
        return areas(self.points) + 1e-12


def areas(triangles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the areas of triangles (N, 3, 3)."""
    sides = triangles[:, 1:] - triangles[:, :1]
    return np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=-1) / 2.0


def box_triangles(size: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (12, 3, 3) triangles of a box around the origin, seen counter-clockwise."""
    return box_corners(size)[_BOX]


def box_corners(size: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (8, 3) corners of a box around the origin."""
    signs = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], float)
    return signs * size / 2.0


def patches_of(shapes: Sequence[Shape]) -> Patches:
    """Cut the surfaces of shapes into patches, in the frame that the shapes are placed in."""
    finest = spacing(shapes)
    made = []
    for shape in shapes:
        corners, points = _patches(shape, finest)
        rotation, origin = shape.pose[:3, :3], shape.pose[:3, 3]
        made.append((corners @ rotation.T + origin, points @ rotation.T + origin))
    return Patches(*map(np.concatenate, _alike(*zip(*made, strict=True))))


def spacing(shapes: Sequence[Shape]) -> float:
    """Return the length of a patch's longest edge [m]."""
    area = sum(_area(shape) for shape in shapes)
    return max(np.sqrt(area / (PATCHES / 5)), max(map(_extent, shapes)) / 1000.0, 1e-6)


def _area(shape: Shape) -> float:
    match shape:
        case Box(size=size):
            return 2.0 * float(size[0] * size[1] + size[1] * size[2] + size[2] * size[0])
        case Sphere(radius=radius):
            return 4.0 * np.pi * radius**2
        case Cylinder(radius=radius, length=length):
            return 2.0 * np.pi * radius * (radius + length)
        case Capsule(radius=radius, length=length):
            return 2.0 * np.pi * radius * (2.0 * radius + length)
        case Mesh():
            return float(areas(shape.triangles).sum())
    raise TypeError(f"no surface is known for {type(shape).__name__}")


def _extent(shape: Shape) -> float:
    match shape:
        case Box(size=size):
            return float(size.max())
        case Sphere(radius=radius):
            return 2.0 * radius
        case Cylinder(radius=radius, length=length):
            return max(2.0 * radius, length)
        case Capsule(radius=radius, length=length):
            return 2.0 * radius + length
        case Mesh(vertices=vertices):
            return float(np.ptp(vertices, axis=0).max())
    raise TypeError(f"no extent is known for {type(shape).__name__}")


def _patches(shape: Shape, finest: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    match shape:
        case Box(size=size):
            return _flat(subdivided(box_triangles(size), finest))
        case Sphere(radius=radius):
            return _ball(radius, _OCTANTS, 0.0, finest)
        case Cylinder(radius=radius, length=length):
            parts = [_side(radius, length, finest)]
            parts += [_disc(radius, z, finest) for z in (-length / 2.0, length / 2.0)]
        case Capsule(radius=radius, length=length):
            parts = [_side(radius, length, finest)]
            parts += [
                _ball(radius, _OCTANTS[_OCTANTS[:, 2, 2] == side], side * length / 2.0, finest)
                for side in (-1.0, 1.0)
            ]
        case _:
            assert isinstance(shape, Mesh)
            return _flat(subdivided(shape.triangles, finest))
    corners, points = map(np.concatenate, _alike(*zip(*parts, strict=True)))
    return corners, points


def _alike(
    corners: Sequence[NDArray[np.float64]], points: Sequence[NDArray[np.float64]]
) -> tuple[Sequence[NDArray[np.float64]], Sequence[NDArray[np.float64]]]:
    """Repeat the corners of flat patches where others have more."""
    most = max(part.shape[1] for part in corners)
    return [np.tile(part, (1, most // part.shape[1], 1)) for part in corners], points


def subdivided(triangles: NDArray[np.float64], finest: float) -> NDArray[np.float64]:
    """Halve triangles (F, 3, 3) at their longest edges until none is longer than `finest`."""
    done, most = [], len(triangles) + MOST
    while len(triangles):
        edges = np.linalg.norm(np.roll(triangles, -1, axis=1) - triangles, axis=-1)
        long = edges.max(axis=1) > finest
        done.append(triangles[~long])
        rest, edges = triangles[long], edges[long]
        if sum(map(len, done)) + 2 * len(rest) > most:
            done.append(rest)
            break
        rows, first = np.arange(len(rest)), edges.argmax(axis=1)
        a, b, c = (rest[rows, (first + k) % 3] for k in range(3))
        middle = (a + b) / 2.0
        triangles = np.concatenate(
            [np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)]
        )
    return np.concatenate(done)


def _flat(triangles: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return triangles, triangles


def _ball(
    radius: float, octants: NDArray[np.float64], height: float, finest: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cut a ball's surface into spherical triangles, each between two parallel flat ones."""
    pieces = octants
    while np.linalg.norm(pieces[:, 0] - pieces[:, 1], axis=-1).max() * radius > finest:
        a, b, c = (pieces[:, k] for k in range(3))
        ab, bc, ca = (a + b), (b + c), (c + a)
        quarters = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        pieces = np.concatenate([np.stack(quarter, axis=1) for quarter in quarters])
        pieces /= np.linalg.norm(pieces, axis=-1, keepdims=True)
        if len(pieces) > PATCHES:
            break
    normals = np.cross(pieces[:, 1] - pieces[:, 0], pieces[:, 2] - pieces[:, 0])
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    gaps = np.abs(np.einsum("ni,ni->n", normals, pieces[:, 0]))[:, None, None]
    up = np.array([0.0, 0.0, height])
    points = pieces * radius + up
    return np.concatenate([points, pieces * (radius / gaps) + up], axis=1), points


def _side(
    radius: float, length: float, finest: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cut a cylinder's side into bent rectangles, each inside a prism of three sides."""
    around, up = (int(np.ceil(size / finest)) for size in (2.0 * np.pi * radius, length))
    around, up = min(max(around, 16), 1000), min(max(up, 1), 1000)
    rim, tips = _rim(radius, around)
    ends = np.linspace(-length / 2.0, length / 2.0, up + 1)
    outline = np.stack([rim, np.roll(rim, -1, axis=0), tips], axis=1)  # (around, 3, 2)

    def at(z: NDArray[np.float64]) -> NDArray[np.float64]:
        flat = np.broadcast_to(outline[None], (up, *outline.shape))
        high = np.broadcast_to(z[:, None, None, None], (*flat.shape[:3], 1))
        return np.concatenate([flat, high], axis=-1).reshape(-1, 3, 3)

    low, high = at(ends[:-1]), at(ends[1:])
    points = np.stack([low[:, 0], low[:, 1], high[:, 0]], axis=1)
    return np.concatenate([low, high], axis=1), points


def _disc(
    radius: float, z: float, finest: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cut a disc into triangles, of which the outermost contain the pieces of the rim."""
    around = min(max(int(np.ceil(2.0 * np.pi * radius / finest)), 16), 1000)
    rim, tips = (np.pad(p, ((0, 0), (0, 1)), constant_values=z) for p in _rim(radius, around))
    following = np.roll(rim, -1, axis=0)
    middle = np.broadcast_to([0.0, 0.0, z], rim.shape)
    inside = subdivided(np.stack([middle, rim, following], axis=1), finest)
    rims = np.stack([rim, following, tips], axis=1)
    chords = np.stack([rim, following, (rim + following) / 2.0], axis=1)
    corners, points = _flat(inside)
    return (
        np.concatenate([corners, rims]),
        np.concatenate([points, chords]),
    )


def _rim(radius: float, around: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return points on a circle, and where the tangents at neighbours meet, (around, 2) each."""
    angles = 2.0 * np.pi * np.arange(around) / around
    half = np.pi / around
    rim = radius * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    middle = np.stack([np.cos(angles + half), np.sin(angles + half)], axis=-1)
    return rim, radius / np.cos(half) * middle
