"""Robot and obstacles packed into two arrays, as the compiled checks read them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.body import Body
from generative_ik_ros.collision.check import BODY_INTS, PRIMITIVE_ROWS, Header
from generative_ik_ros.collision.frames import MovingFrames
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Shape, Sphere
from generative_ik_ros.collision.signed_distance import BOX, CYLINDER
from generative_ik_ros.collision.traverse import TREE_ROWS
from generative_ik_ros.compiled.lanes import WIDTH

FAR = 1e9
"""Where primitives are that fill up a group of eight [m]."""


@dataclass(frozen=True)
class PlacedBody:
    """A body in a frame of the robot.

    Attributes:
        body: What it looks like.
        frame: Index of the frame that it is fixed to; 0 stands.
        pose: (4, 4) its own frame in that one [m].
    """

    body: Body
    frame: int
    pose: NDArray[np.float64]


class PackedBodies:
    """Bodies in two flat arrays: rows of eight floats of trees and extremes, and their places.

    Args:
        bodies: The bodies.
        row: Rows of floats that come before.

    Attributes:
        ints: (B, 8) as `check.BODY_INTS` says.
        floats: Whole rows of eight.
    """

    def __init__(self, bodies: Sequence[PlacedBody], row: int):
        """Move the bodies' spheres into their frames."""
        self.ints = np.zeros((len(bodies), BODY_INTS), np.int64)
        parts: list[NDArray[np.float64]] = []
        for ints, placed in zip(self.ints, bodies, strict=True):
            body = placed.body
            ints[0], ints[5] = placed.frame, body.exact
            trees = (body.cover, body.cover if body.exact else body.inner)
            for k, tree in enumerate(trees):
                if k and tree is body.cover:
                    ints[3:5] = ints[1:3]
                elif tree is not None:
                    packed = _moved(tree.packed(), placed.pose)
                    ints[1 + 2 * k : 3 + 2 * k] = row, len(packed)
                    parts.append(packed.ravel())
                    row += TREE_ROWS * len(packed)
            points = body.extremes @ placed.pose[:3, :3].T + placed.pose[:3, 3]
            ints[6], ints[7] = WIDTH * row, len(points)
            rows = -(-points.size // WIDTH)
            padded = np.zeros(WIDTH * rows)
            padded[: points.size] = points.ravel()
            parts.append(padded)
            row += rows
        self.floats = np.concatenate(parts) if parts else np.empty(0)


def _moved(packed: NDArray[np.float64], pose: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move the centres of a packed tree (G, 4, 8)."""
    made = packed.copy()
    made[:, :3] = np.einsum("ij,gjk->gik", pose[:3, :3], packed[:, :3]) + pose[:3, 3][:, None]
    return made


def primitive_numbers(shape: Shape) -> tuple[int, tuple[float, float, float], float] | None:
    """Return kind, half lengths and radius of the edges of a primitive; None for other shapes."""
    if isinstance(shape, Box):
        x, y, z = (shape.size / 2.0).tolist()
        return BOX, (x, y, z), 0.0
    if isinstance(shape, Sphere):
        return BOX, (0.0, 0.0, 0.0), shape.radius
    if isinstance(shape, Capsule):
        return BOX, (0.0, 0.0, shape.length / 2.0), shape.radius
    if isinstance(shape, Cylinder):
        return CYLINDER, (shape.radius, shape.radius, shape.length / 2.0), 0.0
    return None


class PackedPrimitives:
    """Primitives in groups of eight of one kind.

    Args:
        shapes: Boxes, spheres, capsules and cylinders.
        poses: (K, 4, 4) their frames in frame 0 [m].

    Attributes:
        order: (8 G,) index of the shape in each lane, or -1.
        kinds: (G,) kind of each group.
        rows: (G, 16, 8) as `signed_distance` takes them.
        corners: (8 G, 8, 3) points of each primitive that are far from each other.
    """

    def __init__(self, shapes: Sequence[Shape], poses: NDArray[np.float64]):
        """Sort the shapes by kind."""
        numbers = [primitive_numbers(shape) for shape in shapes]
        kinds = np.array([n[0] for n in numbers], np.int64)  # pyright: ignore[reportOptionalSubscript]
        table = np.empty((len(shapes), PRIMITIVE_ROWS))
        table[:, :3], table[:, 3:12] = poses[:, :3, 3], poses[:, :3, :3].reshape(-1, 9)
        table[:, 12:] = np.array([(*n[1], n[2]) for n in numbers]).reshape(-1, 4)  # pyright: ignore[reportOptionalSubscript]
        order, kinds_of_groups = [], []
        for kind in (BOX, CYLINDER):
            some = np.flatnonzero(kinds == kind)
            groups = -(-len(some) // WIDTH)
            order.append(np.concatenate([some, np.full(WIDTH * groups - len(some), -1)]))
            kinds_of_groups += [kind] * groups
        self.order = np.concatenate(order).astype(np.int64)
        self.kinds = np.array(kinds_of_groups, np.int64)
        nothing = np.zeros(PRIMITIVE_ROWS)
        nothing[:3], nothing[[3, 7, 11]] = FAR, 1.0
        lanes = np.vstack([table, nothing])[self.order]
        self.rows = lanes.reshape(-1, WIDTH, PRIMITIVE_ROWS).transpose(0, 2, 1)
        signs = np.array(np.meshgrid(*3 * [(-1.0, 1.0)], indexing="ij")).reshape(3, 8).T
        # Rounded edges and cylinders end where half of the length along an axis does.
        halves = lanes[:, None, 12:15] + lanes[:, None, 15:16]
        axes = np.concatenate([np.eye(3), -np.eye(3), np.eye(3)[:2]])
        round_ones = (lanes[:, 15] > 0.0) | np.repeat(self.kinds == CYLINDER, WIDTH)
        local = np.where(round_ones[:, None, None], axes, signs) * halves
        rotations = lanes[:, 3:12].reshape(-1, 3, 3)
        self.corners = np.einsum("kij,kpj->kpi", rotations, local) + lanes[:, None, :3]


@dataclass(frozen=True, eq=False)
class World:
    """A robot among obstacles, packed for the compiled checks.

    Attributes:
        floats: Numbers; the first is the smallest accepted distance from primitives [m].
        ints: Whole numbers; a header of places (see `check.Header`), then the rest.
        scratch: How many numbers the check needs for frames and centres.
        order: Index of the obstacle in each lane of the primitives, or -1.
    """

    floats: NDArray[np.float64]
    ints: NDArray[np.int64]
    scratch: int
    order: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        frames: MovingFrames,
        bodies: Sequence[PlacedBody],
        num_moving: int,
        pairs: Sequence[tuple[int, int, float]],
        primitives: PackedPrimitives,
        allowed: Sequence[tuple[int, int]] = (),
        margin: float = 0.0,
    ) -> "World":
        """Pack everything.

        Args:
            frames: The robot's frames.
            bodies: Those that move first, from base to tip.
            num_moving: How many of them move.
            pairs: Bodies that are checked against each other, and the distance to keep [m].
            primitives: Obstacles.
            allowed: Pairs of a moving body and an obstacle's index that may touch.
            margin: Distance to keep from primitives [m].
        """
        head = WIDTH
        packed = PackedBodies(bodies, 1)
        row = head + len(packed.floats)
        lane_of = {int(k): lane for lane, k in enumerate(primitives.order) if k >= 0}
        spared = [(b, lane_of[k]) for b, k in allowed if k in lane_of]
        floats: list[NDArray[np.float64]] = [np.full(head, margin), packed.floats]
        places = {Header.PRIMITIVE_ROW: row // WIDTH}
        at = row
        for name, part in (
            (None, primitives.rows),
            (Header.FRAME_FLOATS, frames.floats),
            (Header.PAIR_FLOATS, np.array([margin for _, _, margin in pairs])),
            (Header.CORNERS, primitives.corners),
        ):
            if name is not None:
                places[name] = at
            floats.append(part.ravel())
            at += part.size
        header = np.zeros(Header.SIZE, np.int64)
        ints: list[NDArray[np.int64]] = [header]
        at = len(header)
        for name, part in (
            (Header.FRAME_INTS, frames.ints),
            (Header.BODY_INTS, packed.ints),
            (Header.KINDS, primitives.kinds),
            (Header.PAIR_INTS, np.array([(i, j) for i, j, _ in pairs], np.int64)),
            (Header.ALLOWED_INTS, np.array(spared, np.int64)),
        ):
            places[name] = at
            ints.append(part.ravel())
            at += part.size
        for name, place in places.items():
            header[name] = place
        header[Header.FRAMES], header[Header.BODIES] = len(frames.floats), len(bodies)
        header[Header.MOVING], header[Header.GROUPS] = num_moving, len(primitives.kinds)
        header[Header.PAIRS], header[Header.ALLOWED] = len(pairs), len(spared)
        header[Header.SINES] = -(-(12 * (len(frames.floats) + 1) + 4 * len(bodies)) // WIDTH)
        sine_rows = 2 * -(-len(frames.floats) // WIDTH)
        return cls(
            np.concatenate(floats),
            np.concatenate(ints),
            int(WIDTH * (header[Header.SINES] + sine_rows)),
            primitives.order,
        )
