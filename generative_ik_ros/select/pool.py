"""The pool of distinct solutions of each target, whose arrays the core reads and writes."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints

NUMBERS = 4
"""What is noted of a solution, see `SolutionPool.errors`."""

PoolNumbers = tuple[
    Floats, Ints, Floats, Floats,
    Ints, Ints, NDArray[np.int32], NDArray[np.int32],
]  # fmt: skip
"""Arrays of a `SolutionPool`."""
NewArray = Callable[[tuple[int, ...], type], NDArray[Any]]


class SolutionPool:
    """The distinct solutions found so far for each of T targets.

    Two configurations are the same solution when every joint differs by less than the grid's
    distance, circular joints up to full turns.

    Args:
        num_targets: T.
        capacity: Most solutions C kept for a target.
        num_joints: n.
        grid: (floats, ints) of a `SearchSpace`.
        looked_for: Solutions of a target that are looked for; None: as many as there is room for.
        new: Returns an array of a shape and a type.

    Attributes:
        grid: What makes them distinct, as above.
        positions: (T, C, n) solutions in the order in which they were found [rad or m].
        errors: (T, C, 4) their distance [m] and angle [rad] from the target, the `Verdict` of the
            collision check, 0 without one, and the index of the pose. What has given way to a
            nearer duplicate counts as colliding.
        visits: (T, C) how often each solution was found.
        counts: (T,) number of solutions.
    """

    def __init__(
        self,
        num_targets: int,
        capacity: int,
        num_joints: int,
        grid: tuple[Floats, Ints],
        looked_for: int | None = None,
        new: NewArray = np.empty,
    ):
        """Make an empty pool."""
        self.positions = new((num_targets, capacity, num_joints), np.float64)
        self.errors = new((num_targets, capacity, NUMBERS), np.float64)
        self.visits = new((num_targets, capacity), np.int64)
        self.counts = new((num_targets,), np.int64)
        self.counts.fill(0)
        self.grid = grid
        buckets = _core.count_buckets(capacity, capacity if looked_for is None else looked_for)
        self._heads = new((num_targets, buckets), np.int32)
        _core.clear_buckets(self._heads)
        self._before = new((num_targets, capacity), np.int32)

    @property
    def arrays(self) -> PoolNumbers:
        """The grid's two arrays, the attributes, and how solutions are found again.

        That is the last one of each bucket of cells (T, H), or -1, where H is a power of two, and
        the one before each in its bucket (T, C), or -1.
        """
        return (
            *self.grid, self.positions, self.errors, self.visits, self.counts, self._heads,
            self._before,
        )  # fmt: skip

    def add(self, positions: Floats, target_of_row: Ints) -> None:
        """Keep what is new of (S, n) configurations for targets (S,), while there is room."""
        _core.pool_add(self.arrays, positions, target_of_row)
