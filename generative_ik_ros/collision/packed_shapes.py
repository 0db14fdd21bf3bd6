"""Shapes as the native core takes them, and the bodies that it builds of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.body import Body
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from generative_ik_ros.collision.sphere_tree import SphereTree

_KINDS = {Box: 0, Sphere: 1, Cylinder: 2, Capsule: 3, Mesh: 4}


def shape_numbers(shape: Shape) -> tuple[int, tuple[float, float, float]]:
    """Return kind and sizes of a shape: those of a box, or radius and length."""
    match shape:
        case Box(size=size):
            x, y, z = size.tolist()
            return _KINDS[Box], (x, y, z)
        case Sphere(radius=radius):
            return _KINDS[Sphere], (radius, 0.0, 0.0)
        case Cylinder(radius=radius, length=length) | Capsule(radius=radius, length=length):
            return _KINDS[type(shape)], (radius, length, 0.0)
        case Mesh():
            return _KINDS[Mesh], (0.0, 0.0, 0.0)
    raise TypeError(f"the core knows no {type(shape).__name__}")


def shape_tuples(shapes: Sequence[Shape]) -> list[tuple[Any, ...]]:
    """Return kind, sizes, pose, and vertices and faces of meshes, for each shape."""
    made = []
    for shape in shapes:
        kind, sizes = shape_numbers(shape)
        mesh = (shape.vertices, shape.faces) if isinstance(shape, Mesh) else (None, None)
        made.append((kind, np.array(sizes), shape.pose, *mesh))
    return made


def built_bodies(things: Sequence[Sequence[Shape]]) -> list[Body]:
    """Build the bodies that shapes make, those of each rigid thing together.

    What is clear of the spheres around a body is surely free, what touches those inside surely
    collides.

    Args:
        things: At least one shape of each, placed in the frame of the thing: a link, or a scene.
    """
    made = []
    for cover, inner, exact, extremes in _core.build_bodies(list(map(shape_tuples, things))):
        around = SphereTree(cover)
        made.append(Body(around, around if inner is cover else SphereTree(inner), exact, extremes))
    return made


class PackedPrimitives:
    """Primitives in groups of eight of one kind.

    Args:
        shapes: Boxes, spheres, capsules and cylinders.
        poses: (K, 4, 4) their frames in frame 0 [m].

    Attributes:
        given: Kinds, sizes and poses as the core takes them.
        order: (8 G,) index of the shape in each lane, or -1.
        kinds: (G,) kind of each group.
        rows: (G, 17, 8) numbers of the primitives: position (3), rotation (9), half lengths (3),
            radius of the edges, and radius of a sphere around it.
        corners: (8 G, 8, 3) points of each primitive that are far from each other.
    """

    def __init__(self, shapes: Sequence[Shape], poses: Floats):
        """Sort the shapes by kind."""
        numbers = [shape_numbers(shape) for shape in shapes]
        kinds = np.array([kind for kind, _ in numbers], np.int64)
        sizes = np.array([size for _, size in numbers]).reshape(-1, 3)
        self.given = kinds, sizes, np.ascontiguousarray(poses)
        self.order, self.kinds, self.rows, self.corners = _core.pack_primitives(*self.given)
