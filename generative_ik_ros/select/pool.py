"""The pool of distinct solutions of each target, for Python and for compiled code."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import _core
from generative_ik_ros.select.grid import Grid

# Arguments of compiled code come as tuples, whose length a type checker does not see.
# pyright: reportCallIssue=false

NUMBERS = 4
"""What is noted of a solution, see `PoolArrays.errors`."""
_MANY, LARGE = 100, 4096
"""Pools for fewer solutions than the first have fewer buckets than the second; those with more are
large."""
_MOST_BUCKETS = 1 << 20

PoolNumbers = tuple[
    NDArray[np.float64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64],
    NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32],
]  # fmt: skip
"""Arrays of a `SolutionPool`."""


class PoolArrays(NamedTuple):
    """The distinct solutions of T targets, as compiled code reads and writes them.

    Attributes:
        grid: What makes them distinct.
        positions: (T, C, n) solutions in the order in which they were found [rad or m].
        errors: (T, C, 4) their distance [m] and angle [rad] from the target, the `Verdict` of the
            collision check, 0 without one, and the index of the pose. What has given way to a
            nearer duplicate counts as colliding.
        visits: (T, C) how often each solution was found.
        counts: (T,) number of solutions.
        heads: (T, H) last solution of each bucket of cells, or -1; H is a power of two.
        before: (T, C) the solution before it in its bucket, or -1.
    """

    grid: Grid
    positions: NDArray[np.float64]
    errors: NDArray[np.float64]
    visits: NDArray[np.int64]
    counts: NDArray[np.int64]
    heads: NDArray[np.int32]
    before: NDArray[np.int32]


class SolutionPool:
    """The distinct solutions found so far for each of T targets.

    Two configurations are the same solution when every joint differs by less than the grid's
    distance, circular joints up to full turns.

    Its attributes are those of `PoolArrays`, apart from the grid: (floats, ints) of `Grid.packed`.

    Args:
        num_targets: T.
        capacity: Most solutions C kept for a target.
        num_joints: n.
        grid: As above.
    """

    def __init__(
        self,
        num_targets: int,
        capacity: int,
        num_joints: int,
        grid: tuple[NDArray[np.float64], NDArray[np.int64]],
    ):
        """Make an empty pool."""
        # Which of several near solutions is found first depends on it, so where many are wanted
        # it does not depend on how many.
        least = capacity if capacity < _MANY else max(capacity, LARGE)
        buckets = min(1 << (least - 1).bit_length(), _MOST_BUCKETS)
        self.positions = np.empty((num_targets, capacity, num_joints))
        self.errors = np.empty((num_targets, capacity, NUMBERS))
        self.visits = np.empty((num_targets, capacity), np.int64)
        self.counts = np.zeros(num_targets, np.int64)
        self.grid = grid
        self._heads = np.empty((num_targets, buckets), np.int32)
        self._heads.fill(-1)
        self._before = np.empty((num_targets, capacity), np.int32)

    @property
    def arrays(self) -> PoolNumbers:
        """The grid's two arrays, then those of `PoolArrays`, as compiled code takes them."""
        return (
            *self.grid, self.positions, self.errors, self.visits, self.counts, self._heads,
            self._before,
        )  # fmt: skip

    def add(self, positions: NDArray[np.float64], target_of_row: NDArray[np.int64]) -> None:
        """Keep what is new of (S, n) configurations for targets (S,), while there is room."""
        _core.pool_add(*self.arrays, positions, target_of_row)
