"""The pool of distinct solutions of each target, which the core reads and writes."""

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints


class SolutionPool:
    """The distinct solutions found so far for each of T targets, and what a search knows of these.

    Two configurations are the same solution when every joint differs by less than the grid's
    distance, circular joints up to full turns.

    Args:
        num_targets: T.
        capacity: Most solutions C kept for a target.
        grid: (floats, ints) of a `SearchSpace`.
        closest: (n,) configuration that each target begins with as the closest [rad or m].
        looked_for: Solutions of a target that are looked for; None: as many as there is room for.
        steps: Null-space steps of a target that there is room for.
        restarts: Seeds that each target gets first.

    Attributes:
        memory: All of it, for the core; arrays are part of it.
        positions: (T, C, n) solutions in the order in which they were found [rad or m].
        errors: (T, C, 4) their distance [m] and angle [rad] from the target, the `Verdict` of the
            collision check, 0 without one, and the index of the pose. What has given way to a
            nearer duplicate counts as colliding.
        visits: (T, C) how often each solution was found.
        counts: (T,) number of solutions.
        records: (T,) what is known of each target: `Target` of core/src/search/records.hpp.
        closest: (T, n) configuration closest to it while there is no solution [rad or m].
    """

    def __init__(
        self,
        num_targets: int,
        capacity: int,
        grid: tuple[Floats, Ints],
        closest: Floats,
        looked_for: int | None = None,
        steps: int = 0,
        restarts: int = 0,
    ):
        """Make an empty pool."""
        looked_for = capacity if looked_for is None else looked_for
        self.memory = _core.SearchMemory(
            num_targets, capacity, looked_for, steps, restarts, grid, closest
        )
        (
            self.positions, self.errors, self.visits, self.counts, self.records, self.closest,
        ) = self.memory.arrays()  # fmt: skip

    def add(self, positions: Floats, target_of_row: Ints) -> None:
        """Keep what is new of (S, n) configurations for targets (S,), while there is room."""
        self.memory.add(positions, target_of_row)
