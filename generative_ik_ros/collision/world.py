"""Robot and obstacles packed into two arrays, as the compiled checks read them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.body import Body
from generative_ik_ros.collision.check import BODY_INTS, Header
from generative_ik_ros.collision.frames import MovingFrames
from generative_ik_ros.collision.primitives import PackedPrimitives
from generative_ik_ros.collision.traverse import TREE_ROWS
from generative_ik_ros.compiled import WIDTH


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
                    packed = moved_tree(tree.packed(), placed.pose)
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


def moved_tree(packed: NDArray[np.float64], pose: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move the centres of a packed tree (G, 4, 8)."""
    made = packed.copy()
    made[:, :3] = np.einsum("ij,gjk->gik", pose[:3, :3], packed[:, :3]) + pose[:3, 3][:, None]
    return made


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
        packed = PackedBodies(bodies, row=1)
        lane_of = {int(k): lane for lane, k in enumerate(primitives.order) if k >= 0}
        spared = [(b, lane_of[k]) for b, k in allowed if k in lane_of]
        places: dict[Header, int] = {}
        floats = _joined(
            places,
            (
                # The margin fills the first row of eight, so that trees begin with the second.
                (None, np.full(WIDTH, margin)),
                (None, packed.floats),
                (Header.PRIMITIVE_ROW, primitives.rows),
                (Header.FRAME_FLOATS, frames.floats),
                (Header.PAIR_FLOATS, np.array([distance for _, _, distance in pairs])),
                (Header.CORNERS, primitives.corners),
            ),
        )
        places[Header.PRIMITIVE_ROW] //= WIDTH
        header = np.zeros(Header.SIZE, np.int64)
        ints = _joined(
            places,
            (
                (None, header),
                (Header.FRAME_INTS, frames.ints),
                (Header.BODY_INTS, packed.ints),
                (Header.KINDS, primitives.kinds),
                (Header.PAIR_INTS, np.array([(i, j) for i, j, _ in pairs], np.int64)),
                (Header.ALLOWED_INTS, np.array(spared, np.int64)),
            ),
        )
        sines = -(-(12 * (len(frames.floats) + 1) + 4 * len(bodies)) // WIDTH)
        places |= {
            Header.FRAMES: len(frames.floats), Header.BODIES: len(bodies),
            Header.MOVING: num_moving, Header.GROUPS: len(primitives.kinds),
            Header.PAIRS: len(pairs), Header.ALLOWED: len(spared), Header.SINES: sines,
        }  # fmt: skip
        for name, place in places.items():
            ints[name] = place
        scratch = WIDTH * (sines + 2 * -(-len(frames.floats) // WIDTH))
        return cls(floats, ints, scratch, primitives.order)


def _joined(places: dict[Header, int], parts: Sequence[tuple[Header | None, NDArray]]) -> NDArray:
    """Put arrays one after another, and note where the named ones begin."""
    at = 0
    for name, part in parts:
        if name is not None:
            places[name] = at
        at += part.size
    return np.concatenate([part.ravel() for _, part in parts])
