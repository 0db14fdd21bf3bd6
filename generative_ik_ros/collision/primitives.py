"""Primitive obstacles in groups of eight, as the native core reads them."""

from collections.abc import Sequence
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Shape, Sphere
from generative_ik_ros.collision.sphere_tree import CHILDREN
from generative_ik_ros.collision.split import slots_of


class Primitive(IntEnum):
    """What the core takes a primitive for; its edges may be rounded."""

    BOX = 0
    """Spheres and capsules, too."""
    CYLINDER = 1


def primitive_numbers(shape: Shape) -> tuple[Primitive, tuple[float, float, float], float] | None:
    """Return kind, half lengths and radius of the edges of a primitive; None for other shapes."""
    if isinstance(shape, Box):
        x, y, z = (shape.size / 2.0).tolist()
        return Primitive.BOX, (x, y, z), 0.0
    if isinstance(shape, Sphere):
        return Primitive.BOX, (0.0, 0.0, 0.0), shape.radius
    if isinstance(shape, Capsule):
        return Primitive.BOX, (0.0, 0.0, shape.length / 2.0), shape.radius
    if isinstance(shape, Cylinder):
        return Primitive.CYLINDER, (shape.radius, shape.radius, shape.length / 2.0), 0.0
    return None


class PackedPrimitives:
    """Primitives in groups of eight of one kind.

    Args:
        shapes: Boxes, spheres, capsules and cylinders.
        poses: (K, 4, 4) their frames in frame 0 [m].

    Attributes:
        order: (8 G,) index of the shape in each lane, or -1.
        kinds: (G,) kind of each group.
        rows: (G, 17, 8) numbers of the primitives: position (3), rotation (9), half lengths (3),
            radius of the edges, and radius of a sphere around it.
        corners: (8 G, 8, 3) points of each primitive that are far from each other.
    """

    def __init__(self, shapes: Sequence[Shape], poses: NDArray[np.float64]):
        """Sort the shapes by kind."""
        numbers = [primitive_numbers(shape) for shape in shapes]
        kinds = np.array([n[0] for n in numbers], np.int64)  # pyright: ignore[reportOptionalSubscript]
        table = np.empty((len(shapes), 17))
        table[:, :3], table[:, 3:12] = poses[:, :3, 3], poses[:, :3, :3].reshape(-1, 9)
        table[:, 12:16] = np.array([(*n[1], n[2]) for n in numbers]).reshape(-1, 4)  # pyright: ignore[reportOptionalSubscript]
        # A cylinder's radius is twice among the half lengths.
        halves = (
            np.where(kinds[:, None] == Primitive.CYLINDER, [0.0, 1.0, 1.0], 1.0) * table[:, 12:15]
        )
        table[:, 16] = np.linalg.norm(halves, axis=1) + table[:, 15]
        order, kinds_of_groups = [], []
        for kind in Primitive:
            some = np.flatnonzero(kinds == kind)
            if len(some) > CHILDREN**2:
                # Neighbours share a group, most of which are then passed over at once.
                some = some[np.argsort(slots_of(table[some, :4]), kind="stable")]
            groups = -(-len(some) // CHILDREN)
            order.append(np.concatenate([some, np.full(CHILDREN * groups - len(some), -1)]))
            kinds_of_groups += [kind] * groups
        self.order = np.concatenate(order).astype(np.int64)
        self.kinds = np.array(kinds_of_groups, np.int64)
        # What fills up a group of eight is far away [m].
        nothing = np.zeros(table.shape[1])
        nothing[:3], nothing[[3, 7, 11]] = 1e9, 1.0
        lanes = np.vstack([table, nothing])[self.order]
        self.rows = lanes.reshape(-1, CHILDREN, table.shape[1]).transpose(0, 2, 1)
        signs = np.array(np.meshgrid(*3 * [(-1.0, 1.0)], indexing="ij")).reshape(3, 8).T
        # Rounded edges and cylinders end where half of the length along an axis does.
        halves = lanes[:, None, 12:15] + lanes[:, None, 15:16]
        axes = np.concatenate([np.eye(3), -np.eye(3), np.eye(3)[:2]])
        round_ones = (lanes[:, 15] > 0.0) | np.repeat(self.kinds == Primitive.CYLINDER, CHILDREN)
        local = np.where(round_ones[:, None, None], axes, signs) * halves
        rotations = lanes[:, 3:12].reshape(-1, 3, 3)
        self.corners = np.einsum("kij,kpj->kpi", rotations, local) + lanes[:, None, :3]
