"""Exact collision checks of few pairs, by coal: what spheres leave undecided."""

import threading
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.coal_shapes import Solid, Solids, import_coal
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Shape, Sphere


def primitive_distance(shape: Shape, points: Floats) -> Floats:
    """Return (K,) distances of points (K, 3) in the shape's frame to it; negative inside [m].

    Raises:
        TypeError: The shape is a mesh.
    """
    if isinstance(shape, Sphere):
        return np.linalg.norm(points, axis=1) - shape.radius
    if isinstance(shape, Capsule):
        half = shape.length / 2.0
        beyond = points[:, 2] - np.clip(points[:, 2], -half, half)
        return np.sqrt(points[:, 0] ** 2 + points[:, 1] ** 2 + beyond**2) - shape.radius
    if isinstance(shape, Box):
        excess = np.abs(points) - shape.size / 2.0
    elif isinstance(shape, Cylinder):
        around = np.hypot(points[:, 0], points[:, 1]) - shape.radius
        excess = np.stack([around, np.abs(points[:, 2]) - shape.length / 2.0], axis=1)
    else:
        raise TypeError(f"{type(shape).__name__} is no primitive")
    outside = np.linalg.norm(np.maximum(excess, 0.0), axis=1)
    return outside + np.minimum(excess.max(axis=1), 0.0)


TOLERANCE = 1e-6
"""Shapes that are closer than the margin and this count as too close [m].

It is how exact coal's distances are. With a margin of exactly 0 coal also misses some collisions
of a mesh with a box whose faces are parallel."""

_Placed = list[tuple[Solid, Any]]


class ExactChecker:
    """Decides whether bodies collide, by their shapes themselves; meshes are not made convex.

    Bodies are sequences of shapes with a pose (4, 4) in a common frame [m]. What coal needs for a
    shape is made at the first call that has it, and kept as long as the shape. Several threads may
    call at once.

    Raises:
        MissingDependencyError: By all methods but `available`: coal is not installed.
    """

    def __init__(self) -> None:
        self._solids = Solids()
        self._own = threading.local()

    @staticmethod
    def available() -> bool:
        """Say whether coal is installed."""
        return find_spec("coal") is not None

    def prepare(self, shapes: Sequence[Shape]) -> None:
        """Make what coal needs for shapes, so that the first check need not."""
        for shape in shapes:
            self._solids.of(shape)

    def collide(
        self,
        shapes_a: Sequence[Shape],
        pose_a: Floats,
        shapes_b: Sequence[Shape],
        pose_b: Floats,
        margin: float = 0.0,
    ) -> bool:
        """Say whether two bodies are closer than a margin.

        Args:
            shapes_a: One body.
            pose_a: (4, 4) its pose [m].
            shapes_b: The other one.
            pose_b: (4, 4) its pose [m].
            margin: At least 0 [m].
        """
        coal, request, result = self._tools()
        request.security_margin = request.distance_upper_bound = margin + TOLERANCE
        bodies_a, bodies_b = self._placed(shapes_a, pose_a), self._placed(shapes_b, pose_b)
        for a, at_a in bodies_a:
            for b, at_b in bodies_b:
                result.clear()
                coal.collide(*_facing(a, at_a, b, at_b), request, result)
                if result.isCollision():
                    return True
        return _one_in_the_other(bodies_a, bodies_b)

    def collide_points(
        self,
        shapes: Sequence[Shape],
        pose: Floats,
        points: Floats,
        radius: float,
        margin: float = 0.0,
    ) -> bool:
        """Say whether a body is closer than a margin to any of many equal balls.

        Args:
            shapes: The body.
            pose: (4, 4) its pose in the frame of the points [m].
            points: (K, 3) centres [m].
            radius: Of every ball [m].
            margin: At least 0 [m].
        """
        for shape in shapes:
            solid = self._solids.of(shape)
            placed = pose @ shape.pose
            local = (points - placed[:3, 3]) @ placed[:3, :3]
            if solid.vertices is None:
                hit = (primitive_distance(shape, local) < radius + margin + TOLERANCE).any()
            else:
                hit = self._balls_hit(solid, local, radius, margin)
            if hit:
                return True
        return False

    def _balls_hit(self, mesh: Solid, points: Floats, radius: float, margin: float) -> bool:
        """Say whether a mesh is closer than a margin to balls at points (K, 3) in its frame."""
        points, depth = mesh.polytope.near(points, radius + margin + TOLERANCE)
        if not len(points):
            return False
        coal, request, result = self._tools()
        request.security_margin = request.distance_upper_bound = margin + TOLERANCE
        at_mesh, at_ball = coal.Transform3s(), coal.Transform3s()
        at_mesh.setIdentity()
        at_ball.setIdentity()
        ball = coal.Sphere(radius)
        order = np.argsort(-depth)
        points, depth = points[order], depth[order]
        for point in points:
            at_ball.setTranslation(point)
            result.clear()
            coal.collide(mesh.geometry, at_mesh, ball, at_ball, request, result)
            if result.isCollision():
                return True
        return mesh.contains_any(points[depth > 0.0])

    def _placed(self, shapes: Sequence[Shape], pose: Floats) -> _Placed:
        """Return the solids of a body with their poses."""
        body = import_coal().Transform3s(pose[:3, :3], pose[:3, 3])
        solids = self._solids
        return [(solid, body * solid.placed) for solid in map(solids.of, shapes)]

    def _tools(self) -> tuple[Any, Any, Any]:
        """Return coal, and this thread's request and result."""
        own = self._own
        try:
            return own.tools
        except AttributeError:
            coal = import_coal()
            request = coal.CollisionRequest()
            request.num_max_contacts = 1
            request.enable_contact = False
            own.tools = coal, request, coal.CollisionResult()
            return own.tools


EXACT_CHECKER = ExactChecker()
"""That of all models: what coal needs for a shape is made once."""


def _facing(a: Solid, at_a: Any, b: Solid, at_b: Any) -> tuple[Any, Any, Any, Any]:  # noqa: ANN401
    """Return the geometries and poses of two solids as they are best checked."""
    return (
        a.geometry if b.vertices is None else a.against_meshes,
        at_a,
        b.geometry if a.vertices is None else b.against_meshes,
        at_b,
    )


def _one_in_the_other(bodies_a: _Placed, bodies_b: _Placed) -> bool:
    """Say whether a part of one body lies in a solid of the other one, without touching it."""
    for a, at_a in bodies_a:
        for b, at_b in bodies_b:
            if a.encloses(at_a, b, at_b) or b.encloses(at_b, a, at_a):
                return True
    return False
