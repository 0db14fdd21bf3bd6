"""Shapes as coal's geometries, made once for each shape."""

import weakref
from collections.abc import Callable
from functools import cached_property, partial
from threading import Lock
from typing import Any

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from generative_ik_ros.errors import importing


def _spread_directions(count: int) -> Floats:
    """Return unit vectors (count, 3), along a spiral with golden angles between them."""
    up = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    angle = np.pi * (1.0 + np.sqrt(5.0)) * np.arange(count)
    flat = np.sqrt(1.0 - up**2)
    return np.stack([flat * np.cos(angle), flat * np.sin(angle), up], axis=-1)


class Polytope:
    """Planes around points (V, 3) [m], close to their convex hull."""

    normals = np.concatenate([np.eye(3), -np.eye(3), _spread_directions(128)])

    def __init__(self, points: Floats) -> None:
        self.low, self.high = points.min(axis=0), points.max(axis=0)
        x, y, z = points.T
        # No matrix product: on busy machines, the threads of BLAS wait for each other.
        self.offsets = np.array([(a * x + b * y + c * z).max() for a, b, c in self.normals])

    def near(self, points: Floats, reach: float) -> tuple[Floats, Floats]:
        """Return the points that may be within reach, and how deep inside they are.

        Args:
            points: (K, 3) [m].
            reach: [m].

        Returns:
            (N, 3) points; (N,) how far they are inside of all planes, below 0 outside [m].
        """
        inside = (points >= self.low - reach) & (points <= self.high + reach)
        points = points[inside[:, 0] & inside[:, 1] & inside[:, 2]]
        x, y, z = self.normals.T
        heights = points[:, :1] * x + points[:, 1:2] * y + points[:, 2:] * z - self.offsets
        depth = -heights.max(axis=1, initial=-np.inf)
        kept = depth > -reach
        return points[kept], depth[kept]


_BOX_CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_BOX_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
    + [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)


class Surface:
    """The surface of a mesh as coal sees it, wherever the mesh is placed.

    Args:
        vertices: (V, 3) [m].
        faces: (F, 3) indices of vertices.

    Attributes:
        arrays: Both of them.
        geometry: coal's geometry.
        vertices: Those in use.
        points: (C, 3) a point of each connected part [m].
        closed: (T, 3, 3) corners of the triangles that enclose something [m]; None: there are
            none.
    """

    def __init__(self, vertices: Floats, faces: Ints) -> None:
        self.arrays = vertices, faces
        # Of triangles without area coal finds some to touch that do not.
        flat = _core.degenerate_faces(vertices, faces)
        kept = faces[~flat] if not flat.all() else faces
        self.geometry = _tree_of_triangles(import_coal(), vertices, kept)
        used = np.zeros(len(vertices), np.bool_)
        used[faces] = True
        self.vertices = vertices[used]
        self.points, closed = _core.mesh_parts(vertices, faces)
        self.closed: Floats | None = closed if len(closed) else None

    @cached_property
    def polytope(self) -> Polytope:
        """Planes around it."""
        return Polytope(self.vertices)


_surfaces: weakref.WeakValueDictionary[tuple[int, int], Surface] = weakref.WeakValueDictionary()


def _surface_of(mesh: Mesh) -> Surface:
    """Return a mesh's surface; meshes of the same arrays have one, as motors of one kind."""
    # It has the arrays: as long as it is there, no others are in their place.
    key = id(mesh.vertices), id(mesh.faces)
    found = _surfaces.get(key)
    if found is None:
        found = _surfaces[key] = Surface(mesh.vertices, mesh.faces)
    return found


class Solid:
    """A shape as coal sees it, and what coal does not see.

    Args:
        shape: The shape, which must stay as it is.
        forget: What is called when the shape is gone.

    Attributes:
        owner: A weak reference to the shape.
        placed: Its pose in the body, a coal.Transform3s.
        geometry: coal's geometry.
        against_meshes: What takes its place in checks against meshes: the surface of a box, for
            triangles are checked against triangles ten times faster than against boxes.
        vertices: (V, 3) vertices of a mesh in its frame [m]; None for primitives.
        points: (C, 3) a point of each connected part, in the shape's frame [m].
        middle: (3,) middle of these points [m].
        reach: Largest distance of one of them from there [m].
        bounds: Smallest and largest x y z [m] of what lies behind a surface, whose inside coal
            does not see; None if there is nothing.
    """

    def __init__(
        self, shape: Shape, forget: Callable[[weakref.ref[Shape]], object] | None = None
    ) -> None:
        coal = import_coal()
        self.owner = weakref.ref(shape, forget)
        self.placed = coal.Transform3s(shape.pose[:3, :3], shape.pose[:3, 3])
        self.vertices: Floats | None = None
        self.points = np.zeros((1, 3))
        self.middle, self.reach = np.zeros(3), 0.0
        self.bounds: tuple[list[float], list[float]] | None = None
        self._closed: Floats | None = None
        self._surface: Surface | None = None
        if isinstance(shape, Box):
            self.geometry = coal.Box(*shape.size.tolist())
            self.bounds = (-shape.size / 2.0).tolist(), (shape.size / 2.0).tolist()
            self.against_meshes = _tree_of_triangles(coal, _BOX_CORNERS * shape.size, _BOX_FACES)
            return
        if isinstance(shape, Mesh):
            self._surface = surface = _surface_of(shape)
            self.geometry, self.vertices = surface.geometry, surface.vertices
            self.points, self._closed = surface.points, surface.closed
            self.middle = (self.points.min(axis=0) + self.points.max(axis=0)) / 2.0
            self.reach = float(np.linalg.norm(self.points - self.middle, axis=1).max())
            if self._closed is not None:
                low, high = self._closed.min(axis=(0, 1)), self._closed.max(axis=(0, 1))
                self.bounds = low.tolist(), high.tolist()
        elif isinstance(shape, Sphere):
            self.geometry = coal.Sphere(shape.radius)
        elif isinstance(shape, Cylinder | Capsule):
            kind = coal.Cylinder if isinstance(shape, Cylinder) else coal.Capsule
            self.geometry = kind(shape.radius, shape.length)
        else:
            raise TypeError(f"there is no geometry for {type(shape).__name__}")
        self.against_meshes = self.geometry

    @property
    def polytope(self) -> Polytope:
        """Planes around a mesh."""
        assert self._surface is not None
        return self._surface.polytope

    def encloses(self, at_self: Any, other: "Solid", at_other: Any) -> bool:  # noqa: ANN401
        """Say whether a part of another solid lies in it, where their surfaces do not touch.

        Then one point of each connected part decides.

        Args:
            at_self: The solid's pose, a coal.Transform3s.
            other: Another solid.
            at_other: Its pose.
        """
        if self.bounds is None or (self.vertices is None and other.vertices is None):
            return False
        relative = at_self.inverseTimes(at_other)
        x, y, z = relative.transform(other.middle).tolist()
        (x0, y0, z0), (x1, y1, z1) = self.bounds
        reach = other.reach
        if not (
            x0 - reach <= x <= x1 + reach
            and y0 - reach <= y <= y1 + reach
            and z0 - reach <= z <= z1 + reach
        ):
            return False
        points = other.points @ relative.getRotation().T + relative.getTranslation()
        points = points[((points >= self.bounds[0]) & (points <= self.bounds[1])).all(axis=1)]
        return self.contains_any(points)

    def contains_any(self, points: Floats) -> bool:
        """Say whether one of points (P, 3) within the bounds lies behind its surface."""
        if self._closed is None:
            return self.bounds is not None and len(points) > 0
        points = np.ascontiguousarray(points)
        return bool(len(points)) and bool(_core.winds_around(self._closed, points).any())


class Solids:
    """Solids of shapes, kept as long as the shapes are."""

    def __init__(self) -> None:
        self._kept: dict[int, Solid] = {}
        self._lock = Lock()

    def of(self, shape: Shape) -> Solid:
        """Return the solid of a shape; several threads may ask at once."""
        kept = self._kept.get(id(shape))
        # An id may have passed to another shape.
        if kept is not None and kept.owner() is shape:
            return kept
        with self._lock:
            kept = self._kept.get(id(shape))
            if kept is None or kept.owner() is not shape:
                kept = Solid(shape, partial(_forget, self._kept, id(shape)))
                self._kept[id(shape)] = kept
        return kept

    def __len__(self) -> int:
        return len(self._kept)


def _forget(kept: dict[int, Solid], key: int, owner: weakref.ref[Shape]) -> None:
    """Drop the solid of a shape that is gone."""
    # No lock: it may be held by the very thread in which the shape is collected.
    solid = kept.get(key)
    if solid is not None and solid.owner is owner:
        kept.pop(key, None)


def import_coal() -> Any:  # noqa: ANN401 (a module)
    """Return coal.

    Raises:
        MissingDependencyError: It is not installed.
    """
    with importing("exact collision checks need coal", "'generative_ik_ros[collision]'"):
        import coal
    return coal


def _tree_of_triangles(coal: Any, vertices: Floats, faces: Ints) -> Any:  # noqa: ANN401
    """Return triangles as coal's tree of boxes around them, which is all that checks need."""
    surface = coal.BVHModelOBB()
    surface.beginModel(len(faces), len(vertices))
    surface.addVertices(np.ascontiguousarray(vertices))
    surface.addTriangles(np.ascontiguousarray(faces))
    surface.endModel()
    surface.computeLocalAABB()
    return surface
