"""Verified configurations in, the distinct ones of each target out."""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

# ruff: noqa: ANN001, ANN202  (types inside compiled code are numba's, not Python's)


class Acceptance(NamedTuple):
    """What a configuration must fulfil to be a solution.

    Attributes:
        position_tolerance: Largest distance from the target [m].
        orientation_tolerance: Largest angle from the target [rad].
        lower: (n,) bounds [rad or m].
        upper: (n,) likewise.
    """

    position_tolerance: float
    orientation_tolerance: float
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


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
        hits: (T, capacity) how often each solution was found.
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
        self.hits = np.zeros((num_targets, capacity), np.int64)
        self.counts = np.zeros(num_targets, np.int64)
        self._circular = circular
        self._distinct_distance = distinct_distance

    def add(
        self,
        positions: NDArray[np.float64],
        position_error: NDArray[np.float64],
        orientation_error: NDArray[np.float64],
        target_of_row: NDArray[np.int64],
        accept: Acceptance,
    ) -> None:
        """Keep those of the (S, n) verified configurations that are true, allowed and new.

        Args:
            positions: (S, n) configurations [rad or m].
            position_error: (S,) their verified distances from the target [m].
            orientation_error: (S,) their verified angles from the target [rad].
            target_of_row: (S,) index of the target that each is meant for.
            accept: What is true and allowed.
        """
        _add(
            self.positions, self.errors, self.hits, self.counts,
            self._circular, self._distinct_distance,
            positions, position_error, orientation_error, target_of_row, accept,
        )  # fmt: skip

    def saturated(self, targets: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say for which targets further search is unlikely to find anything new.

        The chance that the next solution is a new one is about the share of solutions that were
        found exactly once (I. J. Good, The population frequencies of species, Biometrika 1953).
        """
        hits = self.hits[targets, : self.counts[targets].max(initial=0)]
        total = hits.sum(axis=1)
        return (total >= 64) & ((hits == 1).sum(axis=1) <= 0.005 * total)


@njit(nogil=True, cache=True)
def _add(
    kept, kept_errors, hits, counts, circular, distinct_distance,
    positions, position_error, orientation_error, target_of_row, accept,
):  # fmt: skip
    turn = 2.0 * math.pi
    for s in range(len(positions)):
        t = target_of_row[s]
        usable = (
            position_error[s] <= accept.position_tolerance
            and orientation_error[s] <= accept.orientation_tolerance
        )
        for v in range(positions.shape[1]):
            usable &= accept.lower[v] <= positions[s, v] <= accept.upper[v]
        if not usable:
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
                hits[t, k] += 1
                break
        if not known and counts[t] < kept.shape[1]:
            kept[t, counts[t]] = positions[s]
            kept_errors[t, counts[t], 0] = position_error[s]
            kept_errors[t, counts[t], 1] = orientation_error[s]
            hits[t, counts[t]] = 1
            counts[t] += 1
