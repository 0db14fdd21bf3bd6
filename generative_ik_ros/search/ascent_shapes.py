"""The last part of an ascent by clearance: distances between the shapes themselves, for few."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.ascent_records import Move

FINE = 0.05
"""Radius from which on only the best climbs, or as many as are wanted, where the score is the
distance between shapes. Until then it is that between spheres, which is quicker to measure."""


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


class Shapes:
    """Measures solutions that climb by clearance, and what they started from.

    Args:
        request: What is wanted, with a check if it is to climb by clearance.
    """

    def __init__(self, request: SolveRequest):
        """Remember the check and how many solutions are wanted."""
        self._check, self._wanted = request.check, request.num_solutions

    def _distances(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        assert self._check is not None  # noqa: S101
        return self._check.distances(positions)

    def best(self, found: Found) -> Found:
        """Return the best of some solutions by spheres, with their distances between shapes."""
        best = found.at(np.argsort(-found.scores, kind="stable")[: self._wanted])
        return best._replace(scores=self._distances(best.positions))

    def climb_on(
        self, positions: NDArray[np.float64], climbers: NDArray[np.void], own: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Measure climbers of a target; have only the best climb on, as many as are wanted.

        Those known to be free come before others, which may be inside of something.

        Args:
            positions: (S, n) where all climbers are [rad or m].
            climbers: (S,) CLIMBER records.
            own: Those of the target.

        Returns:
            Which of them may become solutions: where one is wanted it is the best.
        """
        values, free = self._distances(positions[own]), climbers["verdict"][own] == Verdict.FREE
        climbers["value"][own], climbers["move"][own] = values, Move.NONE
        order = np.lexsort((-values, ~free))
        best = own[order[: self._wanted]]
        for field in ("move", "rotations", "trials", "ahead", "behind", "vertex"):
            climbers[field][best] = 0
        climbers["lowest"][best], climbers["radius"][best] = math.inf, FINE
        return order[:1] if self._wanted == 1 else order

    def kept(self, found: Found, starts: NDArray[np.int64]) -> Found:
        """Return what climbers of a target started from, then as many of the best as are wanted.

        With distances between the shapes.
        """
        others = np.argsort(-np.where(found.free, found.scores, -np.inf), kind="stable")
        rows = dict.fromkeys([*starts.tolist(), *others[: self._wanted].tolist()])
        found = found.at(np.array(list(rows)))
        return found._replace(scores=self._distances(found.positions))

    def measure_free(
        self,
        positions: NDArray[np.float64],
        climbers: NDArray[np.void],
        some: NDArray[np.int64],
    ) -> None:
        """Measure the free configurations (S, n) that some climbers came through last."""
        is_free = climbers["verdict"][some] == Verdict.FREE
        climbers["free_value"][some[is_free]] = climbers["value"][some[is_free]]
        was_free = some[~is_free & np.isfinite(climbers["free_value"][some])]
        if len(was_free):
            climbers["free_value"][was_free] = self._distances(positions[was_free])
