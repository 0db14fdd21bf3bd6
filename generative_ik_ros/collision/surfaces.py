"""Robot and obstacles in convex pieces, as the native core reads them."""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.body import Body
from generative_ik_ros.collision.patches import areas, box_corners, subdivided
from generative_ik_ros.collision.placement import Part, Parts
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from generative_ik_ros.collision.sphere_tree import CHILDREN, ROOT, SphereTree
from generative_ik_ros.collision.split import halved, slots_of, tree_over
from generative_ik_ros.collision.world import moved_tree

_HEAD = CHILDREN
"""Numbers of a piece before its points: how many these are, how far what is near enough reaches
around their hull [m], the radius of a cylinder [m], how many triangles the hull is that of, where
the first of these pieces is, and a point inside the piece. Without triangles it is the piece
itself. Pieces begin at multiples of eight, and eight and more points come in groups of eight."""
_TRIANGLE = _HEAD + 2 * CHILDREN
"""Numbers of a triangle."""


@dataclass(frozen=True)
class PieceTuning:
    """How meshes are cut into pieces."""

    long: float = 0.2
    """Triangles longer than this share of a mesh are cut, for what is around them is large."""
    together: int = 16
    """Triangles in a hull, or a few more or less."""


TUNING = PieceTuning()


_NONE = np.empty((0, 3, 3))
_made: "WeakKeyDictionary[Body, Surface]" = WeakKeyDictionary()


class Pieces(NamedTuple):
    """Convex pieces of one kind.

    Attributes:
        points: (K, P, 3) their points [m].
        around: How far a piece reaches around their hull [m]; (K,), or one number.
        radius: Of cylinders [m]; 0 of other pieces.
        inside: (K, 2) number of triangles that a piece is the hull of, and the first of them.
    """

    points: NDArray[np.float64]
    around: NDArray[np.float64] | float = 0.0
    radius: float = 0.0
    inside: NDArray[np.int64] | None = None

    def spheres(self) -> NDArray[np.float64]:
        """Return spheres (K, 4) that contain the pieces."""
        if self.radius > 0.0:
            middle, end = self.points[:, 0], self.points[:, 1]
            half = np.linalg.norm(end - middle, axis=1)
            return np.column_stack([middle, np.hypot(half, self.radius)])
        middle = (self.points.min(axis=1) + self.points.max(axis=1)) / 2.0
        far = np.linalg.norm(self.points - middle[:, None], axis=2).max(axis=1)
        return np.column_stack([middle, far + self.around])

    def records(self, pose: NDArray[np.float64], triangles: int = 0) -> NDArray[np.float64]:
        """Return what the core reads of the pieces, a row each, moved by a pose (4, 4).

        `triangles` is the place of the first one. A cylinder is said to have no points; it has
        one, the end of its axis, and the point inside is its middle.
        """
        points = self.points @ pose[:3, :3].T + pose[:3, 3]
        cylinder = self.radius > 0.0
        middle, rest = points.mean(axis=1), points
        if cylinder:
            middle, rest = points[:, 0], points[:, 1:]
        elif points.shape[1] >= CHILDREN:
            rest = points.reshape(len(points), -1, CHILDREN, 3).transpose(0, 1, 3, 2)
        numbers = rest.reshape(len(points), math.prod(rest.shape[1:]))
        made = np.zeros((len(points), _HEAD + -(-numbers.shape[1] // CHILDREN) * CHILDREN))
        made[:, 0] = 0 if cylinder else points.shape[1]
        made[:, 1], made[:, 2] = self.around, self.radius
        if self.inside is not None:
            made[:, 3], made[:, 4] = self.inside[:, 0], triangles + _TRIANGLE * self.inside[:, 1]
        made[:, 5:_HEAD], made[:, _HEAD : _HEAD + numbers.shape[1]] = middle, numbers
        return made


class Surface(NamedTuple):
    """A body in its own frame.

    Attributes:
        tree: (G, 4, 8) packed spheres around its pieces.
        slots: (K,) nodes of their leaves, in the order of the pieces.
        nodes: How many nodes there are.
        pieces: The pieces.
        triangles: Those in hulls.
    """

    tree: NDArray[np.float64]
    slots: NDArray[np.int64]
    nodes: int
    pieces: tuple[Pieces, ...]
    triangles: Pieces


def packed_surfaces(parts: Parts) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Pack the pieces of all bodies and primitives.

    Returns:
        Rows of eight of trees, then the pieces; and whole numbers: for each body its tree's row
        and groups, and where its leaves' pieces are listed; the piece of each lane of primitives
        or -1; and these lists, by the leaves' nodes.
    """
    surfaces = [_surface_of(part) for part in parts.bodies]
    trees = [moved_tree(s.tree, p.pose) for s, p in zip(surfaces, parts.bodies, strict=True)]
    row, place = 0, sum(tree.size for tree in trees)
    order = parts.primitive_order
    heads = np.empty((len(surfaces), 3), np.int64)
    ints = [heads.ravel(), np.full(len(order), -1)]
    at = heads.size + len(order)
    floats: list[NDArray[np.float64]] = [tree.ravel() for tree in trees]

    def add(pieces: Pieces, pose: NDArray[np.float64], triangles: int = 0) -> NDArray[np.int64]:
        nonlocal place
        records = pieces.records(pose, triangles)
        floats.append(records.ravel())
        place += records.size
        return place - records.size + records.shape[1] * np.arange(len(records))

    for head, surface, tree, part in zip(heads, surfaces, trees, parts.bodies, strict=True):
        listed = np.full(surface.nodes, -1)
        first = place
        add(surface.triangles, part.pose)
        listed[surface.slots] = np.concatenate(
            [add(some, part.pose, first) for some in surface.pieces]
        )
        head[:] = row, len(tree), at
        ints.append(listed)
        row += tree.size // CHILDREN
        at += len(listed)
    for lane in np.flatnonzero(order >= 0).tolist():
        part = parts.primitives[order[lane]]
        ints[1][lane] = add(_piece_of(part.shapes[0]), part.pose)[0]
    return np.concatenate([np.empty(0), *floats]), np.concatenate(ints)


def _surface_of(part: Part) -> Surface:
    body = part.body
    assert body is not None  # noqa: S101
    made = _made.get(body)
    if made is None:
        made = _made[body] = _of_leaves(body.cover) if body.exact else _of_shapes(part.shapes)
    return made


def _of_leaves(cover: SphereTree) -> Surface:
    """Return the surface of a body that is the leaves of its cover."""
    last = cover.levels[-1]
    there = np.flatnonzero(last[:, 3] > 0.0)
    balls = Pieces(last[there, None, :3], last[there, 3])
    return _built(cover, there, (balls,))


def _of_shapes(shapes: Sequence[Shape]) -> Surface:
    pieces = [_piece_of(shape) for shape in shapes if not isinstance(shape, Mesh)]
    meshes = [_triangles_of(shape) for shape in shapes if isinstance(shape, Mesh)]
    triangles = _NONE
    if meshes:
        triangles, hulls = _hulls_of(np.concatenate(meshes))
        pieces += hulls
    spheres = np.concatenate([some.spheres() for some in pieces])
    return _built(tree_over(spheres), slots_of(spheres), tuple(pieces), triangles)


def _built(
    tree: SphereTree,
    slots: NDArray[np.int64],
    pieces: tuple[Pieces, ...],
    triangles: NDArray[np.float64] = _NONE,
) -> Surface:
    packed = tree.packed()
    starts = [ROOT, CHILDREN]
    for level in range(1, len(tree.levels) - 1):
        starts.append(starts[-1] + CHILDREN**level)
    nodes = starts[len(tree.levels) - 1] + slots
    if all(some.inside is not None for some in pieces):
        # A ball or a cylinder is more than the hull of its points.
        points = [row for some in pieces for row in some.points]
        for level in range(len(tree.levels) - 2, -1, -1):
            slots, points = _hulls_above(slots, points)
            hulls = _alike(points)
            nodes = np.concatenate([nodes, starts[level] + slots[_order(points)]])
            pieces += tuple(hulls)
    return Surface(packed, nodes, CHILDREN * len(packed), pieces, Pieces(triangles))


def _hulls_above(
    slots: NDArray[np.int64], points: Sequence[NDArray[np.float64]]
) -> tuple[NDArray[np.int64], list[NDArray[np.float64]]]:
    """Return the nodes above nodes, and the corners of the hulls of all points below each."""
    from scipy.spatial import ConvexHull, QhullError  # slow to import, and boxes do without

    made, above = [], np.unique(slots // CHILDREN)
    for node in above.tolist():
        below = np.flatnonzero(slots // CHILDREN == node)
        cloud = np.unique(np.concatenate([points[k] for k in below.tolist()]), axis=0)
        with suppress(QhullError):  # They are flat: then all are corners.
            cloud = cloud[ConvexHull(cloud).vertices]
        made.append(cloud)
    return above, made


def _order(points: Sequence[NDArray[np.float64]]) -> NDArray[np.int64]:
    """Return in which order `_alike` puts hulls."""
    return np.argsort([-(-len(some) // CHILDREN) for some in points], kind="stable")


def _alike(
    points: Sequence[NDArray[np.float64]], inside: NDArray[np.int64] | None = None
) -> list[Pieces]:
    """Return hulls of points (P, 3) by their number of groups of eight, the last one filled up."""
    made, order = [], _order(points)
    groups = np.array([-(-len(some) // CHILDREN) for some in points])
    for number in np.unique(groups).tolist():
        those = order[groups[order] == number]
        filled = [
            points[k][np.minimum(np.arange(CHILDREN * number), len(points[k]) - 1)]
            for k in those.tolist()
        ]
        made.append(Pieces(np.array(filled), inside=None if inside is None else inside[those]))
    return made


def _hulls_of(triangles: NDArray[np.float64]) -> tuple[NDArray[np.float64], list[Pieces]]:
    """Return triangles (T, 3, 3) in the order of the hulls that they are in, and these."""
    times = max(0, round(np.log2(len(triangles) / TUNING.together)))
    middles = triangles.mean(axis=1)
    group = halved(middles, areas(triangles) + 1e-12, times)
    order = np.argsort(group, kind="stable")
    triangles = triangles[order]
    _, first, number = np.unique(group[order], return_index=True, return_counts=True)
    points = [
        np.unique(triangles[start : start + size].reshape(-1, 3), axis=0)
        for start, size in zip(first.tolist(), number.tolist(), strict=True)
    ]
    return triangles, _alike(points, np.column_stack([number, first]))


def _triangles_of(mesh: Mesh) -> NDArray[np.float64]:
    longest = TUNING.long * float(np.linalg.norm(np.ptp(mesh.vertices, axis=0)))
    triangles = subdivided(mesh.triangles, longest)
    return triangles @ mesh.pose[:3, :3].T + mesh.pose[:3, 3]


def _piece_of(shape: Shape) -> Pieces:
    """Return the piece that a primitive is, in the frame that it is placed in."""
    pose = shape.pose

    def placed(points: NDArray[np.float64]) -> NDArray[np.float64]:
        return (points @ pose[:3, :3].T + pose[:3, 3])[None]

    match shape:
        case Box(size=size):
            return Pieces(placed(box_corners(size)))
        case Sphere(radius=radius):
            return Pieces(placed(np.zeros((1, 3))), radius)
        case Capsule(radius=radius, length=length):
            ends = np.array([[0.0, 0.0, -length / 2.0], [0.0, 0.0, length / 2.0]])
            return Pieces(placed(ends), radius)
        case Cylinder(radius=radius, length=length):
            axis = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, length / 2.0]])
            return Pieces(placed(axis), radius=radius)
    raise TypeError(f"{type(shape).__name__} is no convex piece")
