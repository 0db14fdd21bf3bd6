"""A grid of base poses: upright, on a rectangle or in a box, turned about the vertical."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from generative_ik_ros.arguments import number_array, positive_number
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import TURN

MOST_BASES = 5_000_000
"""Largest size of a grid."""


@dataclass(frozen=True, eq=False)
class BaseGrid:
    """Positions times yaw angles; base i is at position i // len(yaws), with yaw i % len(yaws).

    Attributes:
        lower: (3,) lower corner of the box of positions [m].
        upper: (3,) upper corner.
        step: Largest distance of neighbours along an axis [m].
        positions: (C, 3) [m].
        yaws: (Y,) evenly over a full turn [rad].
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    step: float
    positions: NDArray[np.float64]
    yaws: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        chain: KinematicChain,
        tasks: NDArray[np.float64],
        bounds: ArrayLike | None,
        step: float,
        yaw_step: float,
        mount: NDArray[np.float64],
    ) -> "BaseGrid":
        """Lay a grid; arguments as of `place_base`.

        Raises:
            InvalidArgumentError: Bounds or steps are unusable, or the grid is too large; or there
                are no bounds, and no base reaches two of the tasks.
        """
        step = positive_number("step", step)
        yaw_step = positive_number("yaw_step", yaw_step)
        if math.isinf(step) or math.isinf(yaw_step):
            raise InvalidArgumentError("step and yaw_step must be finite")
        if bounds is None:
            lower, upper = _within_reach(chain, tasks, mount)
        else:
            lower, upper = _bounds(bounds)
        counts = np.floor((upper - lower) / step + 1e-9) + 1
        num_yaws = max(math.ceil(TURN / yaw_step - 1e-9), 1)
        if counts.prod() * num_yaws > MOST_BASES:
            raise InvalidArgumentError(
                f"{counts.prod() * num_yaws:.3g} bases are too many, at most {MOST_BASES}: choose "
                "narrower bounds or a larger step"
            )
        # Centred, so that the grid keeps the symmetry that tasks may have.
        axes = [
            (low + high) / 2.0 + step * (np.arange(count) - (count - 1.0) / 2.0)
            for low, high, count in zip(lower, upper, counts, strict=True)
        ]
        positions = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
        return cls(lower, upper, step, positions, TURN / num_yaws * np.arange(float(num_yaws)))

    def __len__(self) -> int:
        """Return the number of bases."""
        return len(self.positions) * len(self.yaws)

    def bases(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return some bases, (N, 4, 4) in the world [m]."""
        cell, turn = np.divmod(rows, len(self.yaws))
        return upright(np.column_stack([self.positions[cell], self.yaws[turn]]))


def upright(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the frames (N, 4, 4) at x, y, z [m], turned about z by a yaw [rad], (N, 4)."""
    frames = np.zeros((len(places), 4, 4))
    frames[:, :3, 3] = places[:, :3]
    frames[:, 0, 0] = frames[:, 1, 1] = np.cos(places[:, 3])
    frames[:, 1, 0] = np.sin(places[:, 3])
    frames[:, 0, 1] = -frames[:, 1, 0]
    frames[:, 2, 2] = frames[:, 3, 3] = 1.0
    return frames


def _bounds(bounds: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    box = number_array("bounds", bounds)
    if box.shape != (2, 3) or not np.isfinite(box).all() or (box[0] > box[1]).any():
        raise InvalidArgumentError(
            "bounds must be (2, 3), finite lower and upper corners x y z [m]; equal heights for "
            f"bases on a floor; not {box.tolist()}"
        )
    return box[0], box[1]


def _within_reach(
    chain: KinematicChain, tasks: NDArray[np.float64], mount: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the corners of the rectangle at height 0 outside of which no base reaches all."""
    first_in_base = mount @ chain.joint_origins[0]
    radius = chain.reach + float(np.linalg.norm(first_in_base[:2, 3]))
    lower = np.append(tasks[:, :2, 3].max(axis=0) - radius, 0.0)
    upper = np.append(tasks[:, :2, 3].min(axis=0) + radius, 0.0)
    if not math.isfinite(radius) or (lower > upper).any():
        raise InvalidArgumentError(
            "bounds are needed: the tasks are further apart than twice the reach of the arm, "
            f"{radius:.2f} m, so that no base reaches all of them"
        )
    return lower, upper
