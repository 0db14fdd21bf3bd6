"""Shapes as coal's geometries, made once for each shape."""

import weakref
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from generative_ik_ros.collision.closed_mesh import mesh_parts
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from generative_ik_ros.errors import MissingDependencyError


class Solid:
    """A shape as coal sees it.

    Attributes:
        geometry: coal's geometry.
        placed: Its pose in the body, a coal.Transform3s.
        points: (C, 3) a point of each connected part, in the shape's frame [m].
        enclosing: (T, 3, 3) triangles of the parts of a mesh that are closed, in its frame [m];
            None if there are none. coal knows of a mesh's surface only.
        low: Smallest coordinates of those triangles.
        high: Largest ones.
    """

    def __init__(self, shape: Shape) -> None:
        coal = import_coal()
        self.owner = weakref.ref(shape)
        self.shape_pose = shape.pose
        self.placed = coal.Transform3s(shape.pose[:3, :3], shape.pose[:3, 3])
        self.points = np.zeros((1, 3))
        self.enclosing: NDArray[np.float64] | None = None
        self.low: list[float] = []
        self.high: list[float] = []
        self.vertices: NDArray[np.float64] | None = None
        self._planes: NDArray[np.float64] | None = None
        if isinstance(shape, Box):
            self.geometry = coal.Box(*shape.size.tolist())
        elif isinstance(shape, Sphere):
            self.geometry = coal.Sphere(shape.radius)
        elif isinstance(shape, Cylinder):
            self.geometry = coal.Cylinder(shape.radius, shape.length)
        elif isinstance(shape, Capsule):
            self.geometry = coal.Capsule(shape.radius, shape.length)
        elif isinstance(shape, Mesh):
            self.geometry = _surface(coal, shape)
            parts = mesh_parts(shape.vertices, shape.faces)
            self.points = parts.points
            self.vertices = shape.vertices[np.unique(shape.faces)]
            if len(parts.enclosing):
                self.enclosing = parts.enclosing
                self.low = parts.enclosing.min(axis=(0, 1)).tolist()
                self.high = parts.enclosing.max(axis=(0, 1)).tolist()
        else:
            raise TypeError(f"no geometry for {type(shape).__name__}")

    @property
    def planes(self) -> NDArray[np.float64]:
        """(H, 4) planes around a mesh: unit normals outwards and offsets; made when needed."""
        if self._planes is None:
            assert self.vertices is not None
            try:
                self._planes = ConvexHull(self.vertices).equations
            except QhullError:  # a flat one
                low, high = self.vertices.min(axis=0), self.vertices.max(axis=0)
                axes = np.concatenate([np.eye(3), -np.eye(3)])
                self._planes = np.column_stack([axes, np.concatenate([-high, low])])
        return self._planes


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
                kept = Solid(shape)
                self._kept[id(shape)] = kept
                weakref.finalize(shape, self._forget, id(shape), kept)
        return kept

    def __len__(self) -> int:
        return len(self._kept)

    def _forget(self, key: int, solid: Solid) -> None:
        # No lock: it may be held by the very thread in which the shape is collected.
        if self._kept.get(key) is solid:
            self._kept.pop(key, None)


def import_coal() -> Any:  # noqa: ANN401 (a module)
    """Return coal.

    Raises:
        MissingDependencyError: It is not installed.
    """
    try:
        import coal
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            "exact collision checks need coal, which is not installed: "
            "pip install 'generative_ik_ros[collision]'"
        ) from error
    return coal


def _surface(coal: Any, mesh: Mesh) -> Any:  # noqa: ANN401
    """Return the surface of a mesh as a tree of its triangles."""
    surface = coal.BVHModelOBBRSS()
    surface.beginModel(len(mesh.faces), len(mesh.vertices))
    surface.addVertices(np.ascontiguousarray(mesh.vertices))
    surface.addTriangles(np.ascontiguousarray(mesh.faces))
    surface.endModel()
    surface.computeLocalAABB()
    return surface
