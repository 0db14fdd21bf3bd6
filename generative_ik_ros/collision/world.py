"""Robot and obstacles packed into arrays, as the native core takes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.body import Body
from generative_ik_ros.collision.frames import MovingFrames
from generative_ik_ros.collision.primitives import PackedPrimitives
from generative_ik_ros.collision.sphere_tree import CHILDREN, TREE_ROWS


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
    """Bodies in flat arrays, in the frames that carry them.

    Args:
        bodies: The bodies.

    Attributes:
        ints: (B, 8) frame; first row of trees and groups of the spheres around the body, the same
            of those inside; whether it is exact; first extreme, and how many.
        trees: (R, 8) rows of the packed trees.
        extremes: (E, 3) [m].
    """

    def __init__(self, bodies: Sequence[PlacedBody]):
        """Move the bodies' spheres into their frames."""
        self.ints = np.zeros((len(bodies), 8), np.int64)
        trees, extremes = [np.empty((0, CHILDREN))], [np.empty((0, 3))]
        row = point = 0
        for ints, placed in zip(self.ints, bodies, strict=True):
            body = placed.body
            ints[0], ints[5] = placed.frame, body.exact
            for k, tree in enumerate((body.cover, body.cover if body.exact else body.inner)):
                if k and tree is body.cover:
                    ints[3:5] = ints[1:3]
                elif tree is not None:
                    packed = moved_tree(tree.packed(), placed.pose)
                    ints[1 + 2 * k : 3 + 2 * k] = row, len(packed)
                    trees.append(packed.reshape(-1, CHILDREN))
                    row += TREE_ROWS * len(packed)
            extremes.append(body.extremes @ placed.pose[:3, :3].T + placed.pose[:3, 3])
            ints[6], ints[7] = point, len(extremes[-1])
            point += len(extremes[-1])
        self.trees, self.extremes = np.concatenate(trees), np.concatenate(extremes)


def moved_tree(packed: NDArray[np.float64], pose: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move the centres of a packed tree (G, 4, 8)."""
    made = packed.copy()
    made[:, :3] = np.einsum("ij,gjk->gik", pose[:3, :3], packed[:, :3]) + pose[:3, 3][:, None]
    return made


def world_arrays(
    frames: MovingFrames,
    bodies: Sequence[PlacedBody],
    num_moving: int,
    pairs: Sequence[tuple[int, int, float]],
    primitives: PackedPrimitives,
    allowed: Sequence[tuple[int, int]] = (),
    margin: float = 0.0,
) -> tuple[Any, ...]:
    """Pack everything, as a `CollisionWorld` takes it.

    Args:
        frames: The robot's frames.
        bodies: Those that move first, from base to tip.
        num_moving: How many of them move.
        pairs: Bodies that are checked against each other, and the distance to keep [m].
        primitives: Obstacles.
        allowed: Pairs of a moving body and an obstacle's index that may touch.
        margin: Distance to keep from primitives [m].
    """
    packed = PackedBodies(bodies)
    lane_of = {int(k): lane for lane, k in enumerate(primitives.order) if k >= 0}
    spared = [(b, lane_of[k]) for b, k in allowed if k in lane_of]
    return (
        frames.num_variables, frames.floats, frames.ints, packed.ints, num_moving, packed.trees,
        packed.extremes, np.array([pair[:2] for pair in pairs], np.int64).reshape(-1, 2),
        np.array([distance for _, _, distance in pairs], np.float64),
        np.ascontiguousarray(primitives.rows), primitives.kinds,
        np.ascontiguousarray(primitives.corners),
        np.array(spared, np.int64).reshape(-1, 2), margin,
    )  # fmt: skip
