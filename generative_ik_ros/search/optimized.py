"""What an optimization begins with, and what it comes to."""

from typing import NamedTuple

from generative_ik_ros import _core
from generative_ik_ros.array_types import Bools, Floats, Ints


class Found(NamedTuple):
    """The solutions of one target.

    Attributes:
        positions: (M, n) configurations [rad or m].
        errors: (M, 2) their distance [m] and angle [rad] from the target.
        scores: (M,) the better, the greater.
        free: (M,) whether they are known to be free of collisions.
    """

    positions: Floats
    errors: Floats
    scores: Floats
    free: Bools

    def at(self, rows: Ints | Bools) -> "Found":
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

    targets: Ints
    positions: Floats
    values: Floats
    are_free: Bools
    free: Floats
    free_values: Floats

    @classmethod
    def of(cls, optimizer: _core.NullSpaceOptimizer) -> "Reached":
        """Return those of all targets."""
        return cls(
            optimizer.targets, optimizer.positions, optimizer.values, optimizer.free,
            optimizer.free_positions, optimizer.free_values,
        )  # fmt: skip

    def at(self, rows: Ints) -> "Reached":
        """Return some of them."""
        return Reached(
            self.targets[rows], self.positions[rows], self.values[rows], self.are_free[rows],
            self.free[rows], self.free_values[rows],
        )  # fmt: skip
