"""Converged configurations in, the distinct and true ones of each target out."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

# ruff: noqa: ANN001, ANN202  (types inside compiled code are numba's, not Python's)


class SolutionPool:
    """The distinct solutions found so far for each of T targets.

    Two configurations are the same solution when every joint differs by less than
    `distinct_distance`, circular joints up to full turns.

    Args:
        num_targets: T.
        capacity: Most solutions kept for a target.
        circular: (n,) joints on which a full turn is no difference.
        distinct_distance: [rad or m].

    Attributes:
        positions: (T, capacity, n) solutions in the order in which they were found [rad or m].
        errors: (T, capacity, 2) their distance [m] and angle [rad] from the target.
        visits: (T, capacity) how often each solution was found.
        counts: (T,) number of solutions.
    """

    def __init__(
        self,
        num_targets: int,
        capacity: int,
        circular: NDArray[np.bool_],
        distinct_distance: float,
    ):
        """Make an empty pool."""
        self.positions = np.empty((num_targets, capacity, len(circular)))
        self.errors = np.empty((num_targets, capacity, 2))
        self.visits = np.zeros((num_targets, capacity), np.int64)
        self.counts = np.zeros(num_targets, np.int64)
        self._circular = circular
        self._distinct_distance = distinct_distance

    def add(
        self,
        positions: NDArray[np.float64],
        target_of_row: NDArray[np.int64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """Keep those of the (S, n) configurations that are new and allowed, while there is room.

        Args:
            positions: (S, n) configurations [rad or m].
            target_of_row: (S,) index of the target that each is meant for.
            lower: (n,) bounds [rad or m].
            upper: (n,) likewise.

        Returns:
            (A, 2) target and place in the pool of those that were kept, for `settle`.
        """
        return _add(
            self.positions, self.visits, self.counts,
            self._circular, self._distinct_distance,
            positions, target_of_row, lower, upper,
        )  # fmt: skip

    def settle(
        self,
        kept: NDArray[np.int64],
        position_error: NDArray[np.float64],
        orientation_error: NDArray[np.float64],
        position_tolerance: float,
        orientation_tolerance: float,
    ) -> None:
        """Write down the verified errors of what `add` kept, and drop what is not true after all.

        Args:
            kept: (A, 2) what `add` returned.
            position_error: (A,) verified distances from the target [m].
            orientation_error: (A,) verified angles from the target [rad].
            position_tolerance: [m].
            orientation_tolerance: [rad].
        """
        targets, places = kept[:, 0], kept[:, 1]
        self.errors[targets, places, 0] = position_error
        self.errors[targets, places, 1] = orientation_error
        true = (position_error <= position_tolerance) & (
            orientation_error <= orientation_tolerance
        )
        # From the last to the first, so that what moves into a gap has been looked at.
        for target, place in [] if true.all() else kept[~true][::-1]:
            last = self.counts[target] - 1
            for array in (self.positions, self.errors, self.visits):
                array[target, place] = array[target, last]
            self.visits[target, last] = 0
            self.counts[target] = last


@njit(nogil=True, cache=True)
def _add(
    kept, visits, counts, circular, distinct_distance,
    positions, target_of_row, lower, upper,
):  # fmt: skip
    turn = 2.0 * math.pi
    fresh = np.empty((len(positions), 2), np.int64)
    size = 0
    for s in range(len(positions)):
        t = target_of_row[s]
        allowed = True
        for v in range(positions.shape[1]):
            allowed &= lower[v] <= positions[s, v] <= upper[v]
        if not allowed:
            continue
        known = False
        for k in range(counts[t]):
            known = True
            for v in range(positions.shape[1]):
                gap = abs(positions[s, v] - kept[t, k, v])
                if circular[v]:
                    gap = abs(gap - turn * np.rint(gap / turn))
                if gap >= distinct_distance:
                    known = False
                    break
            if known:
                visits[t, k] += 1
                break
        if not known and counts[t] < kept.shape[1]:
            kept[t, counts[t]] = positions[s]
            visits[t, counts[t]] = 1
            fresh[size, 0], fresh[size, 1] = t, counts[t]
            size += 1
            counts[t] += 1
    return fresh[:size]
