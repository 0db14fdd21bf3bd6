"""What an optimization begins with, and what it comes to."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import _core


class Found(NamedTuple):
    """The solutions of one target.

    Attributes:
        positions: (M, n) configurations [rad or m].
        errors: (M, 2) their distance [m] and angle [rad] from the target.
        scores: (M,) the better, the greater.
        free: (M,) whether they are known to be free of collisions.
    """

    positions: NDArray[np.float64]
    errors: NDArray[np.float64]
    scores: NDArray[np.float64]
    free: NDArray[np.bool_]

    def at(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> "Found":
        """Return some of them."""
        return Found(self.positions[rows], self.errors[rows], self.scores[rows], self.free[rows])


class Reached(NamedTuple):
    """Where solutions have come to that were optimised.

    Attributes:
        targets: (S,) the poses that they reach.
        positions: (S, n) where they are [rad or m].
        values: (S,) their scores.
        are_free: (S,) whether they are known to be free of collisions.
        free: (S, n) the best of where they were that is known to be free.
        free_values: (S,) their scores.
    """

    targets: NDArray[np.int64]
    positions: NDArray[np.float64]
    values: NDArray[np.float64]
    are_free: NDArray[np.bool_]
    free: NDArray[np.float64]
    free_values: NDArray[np.float64]

    @classmethod
    def of(cls, optimizer: _core.NullSpaceOptimizer) -> "Reached":
        """Return those of all targets."""
        return cls(
            optimizer.targets, optimizer.positions, optimizer.values, optimizer.free,
            optimizer.free_positions, optimizer.free_values,
        )  # fmt: skip

    def at(self, rows: NDArray[np.int64]) -> "Reached":
        """Return some of them."""
        return Reached(
            self.targets[rows], self.positions[rows], self.values[rows], self.are_free[rows],
            self.free[rows], self.free_values[rows],
        )  # fmt: skip
