"""Robot and obstacles packed into arrays, as the native core takes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.body import Body
from generative_ik_ros.collision.frames import MovingFrames
from generative_ik_ros.collision.packed_shapes import PackedPrimitives


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
    pose: Floats


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
    ints, trees, extremes = _core.pack_bodies(
        [placed.body.packed for placed in bodies],
        np.array([placed.frame for placed in bodies], np.int64),
        poses_of([placed.pose for placed in bodies]),
    )
    lane_of = {int(k): lane for lane, k in enumerate(primitives.order) if k >= 0}
    spared = [(b, lane_of[k]) for b, k in allowed if k in lane_of]
    return (
        frames.num_variables, frames.floats, frames.ints, ints, num_moving, trees, extremes,
        np.array([pair[:2] for pair in pairs], np.int64).reshape(-1, 2),
        np.array([distance for _, _, distance in pairs], np.float64),
        primitives.rows, primitives.kinds, primitives.corners,
        np.array(spared, np.int64).reshape(-1, 2), margin,
    )  # fmt: skip


def poses_of(poses: Sequence[Floats]) -> Floats:
    """Return (K, 4, 4) poses, as the core takes them."""
    return np.array(poses, np.float64).reshape(-1, 4, 4)
