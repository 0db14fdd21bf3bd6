"""Turns what a search has found into IKSolutions: ordered solutions, and closest approaches."""

import math
import time
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import _core
from generative_ik_ros.compiled.solving_time import solving_time
from generative_ik_ros.parallel import for_each
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.approach import ApproachedLater, ClosestApproaches
from generative_ik_ros.search.device.search import DeviceSearch
from generative_ik_ros.search.first_solution import first_solution
from generative_ik_ros.search.nearest_pose import nearest_of
from generative_ik_ros.search.ranking import Ranked, Ranking
from generative_ik_ros.search.search import Search
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.order import COMPARE, WORK
from generative_ik_ros.select.preferences import CLEARANCE, DIVERSE
from generative_ik_ros.solutions import IKSolutions, statuses

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck

_ROWS = 2048
"""Closest approaches that a thread measures at a time; solutions whose clearance is measured
before the clock is read again."""


class Results:
    """The result of one search, in memory that is taken before the search begins.

    Args:
        stages: Verifier and tolerances.
        request: What is wanted.
        search: What will find it.
    """

    def __init__(self, stages: Stages, request: SolveRequest, search: Search):
        """Take the memory, so that none of it is taken after the deadline."""
        self._stages, self._request, self._search = stages, request, search
        self._ranking = Ranking(stages, request, search)
        pool, num_targets = search.pool, request.num_targets
        # A pool of one solution a target is in order as it is.
        self._in_order = pool.positions.shape[1] <= 1
        if self._in_order:
            self._positions, self._counts = pool.positions, pool.counts
            self._errors = pool.errors[..., :2]
        else:
            size = num_targets, request.num_solutions
            self._positions = _nans(*size, stages.chain.num_joints)
            self._errors = _nans(*size, 2)
            self._counts = np.zeros(num_targets, np.int64)
        self._scores = None
        if request.preferences.scored:
            self._scores = _nans(*self._positions.shape[:2])

    def collect(self, start: float) -> IKSolutions:
        """Put the solutions of each target in order, for a call that began at `start` [s]."""
        begin, search = time.perf_counter(), self._search
        request = self._request
        one = request.num_solutions == 1 and request.preferences.order == DIVERSE
        if request.check is not None and one:
            self._take_first_free()
        elif not self._in_order:
            left = start + request.timeout - begin - search.finish
            self._order(max(left, 0.0))
        best_effort, best_errors = self._best_effort()
        clearance, blocked_by = None, None
        if request.check is not None:
            clearance, blocked_by = self._collisions(
                request.check, best_effort, start + request.timeout
            )
        end, complete = time.perf_counter(), self._complete()
        values = {
            "joint_names": self._stages.chain.names,
            "positions": self._positions,
            "counts": self._counts,
            "position_error": self._errors[..., 0],
            "orientation_error": self._errors[..., 1],
            "status": statuses(
                self._counts, self._request.num_solutions, complete, search.timed_out
            ),
            "complete": complete,
            "sampler": self._stages.sampler.name,
            "timings": search.timings(solving_time(begin, end), solving_time(start, end)),
            "clearance": clearance,
            "blocked_by": blocked_by,
            "target_of": self._target_of(),
            "scores": self._scores,
            "held": self._stages.held,
        }
        if not len(search.unapproached):
            return IKSolutions(
                **values, best_effort=best_effort, best_effort_position_error=best_errors[:, 0],
                best_effort_orientation_error=best_errors[:, 1],
            )  # fmt: skip
        approaches = ClosestApproaches(
            self._stages, request, search.unapproached, best_effort, best_errors,
            start + request.timeout - end,
        )  # fmt: skip
        return ApproachedLater.made(values, approaches)

    def _complete(self) -> NDArray[np.bool_]:
        """Say for which targets all solutions are returned, and known to be all, (B,)."""
        if self._stages.branches is None:
            return np.zeros(len(self._counts), np.bool_)
        complete = self._search.complete
        for t in complete.nonzero()[0].tolist():
            complete[t] = self._counts[t] >= self._ranking.number_of(t)
        return complete

    def _target_of(self) -> NDArray[np.int64] | None:
        """Return which pose of a goal set each solution (1, N) reaches; None without one."""
        if not self._request.alternatives:
            return None
        found = np.full(self._positions.shape[:2], -1)
        count = self._counts[0]
        found[0, :count] = nearest_of(self._stages, self._request)(self._positions[0, :count])[1]
        return found

    def _collisions(
        self, check: "SceneCheck", best_effort: NDArray[np.float64], deadline: float
    ) -> tuple[NDArray[np.float64], tuple[tuple[str, str] | None, ...]]:
        """Return the solutions' clearance (B, N), and what collides where all solutions do.

        As far as there is time for it.
        """
        clearance = np.full(self._positions.shape[:2], np.nan)
        if self._scores is not None and self._request.preferences.order == CLEARANCE:
            clearance = self._scores.copy()
        else:
            rows = max(1, _ROWS // clearance.shape[1])
            for t in range(0, len(clearance), rows):
                if t and time.perf_counter() >= deadline:
                    break
                check.measure(self._positions[t : t + rows], clearance[t : t + rows])
        blocked_by: list[tuple[str, str] | None] = [None] * len(clearance)
        if not self._counts.all():
            reached = (self._counts == 0) & (self._search.pool.counts > 0)
            for t in np.flatnonzero(reached).tolist():
                if time.perf_counter() >= deadline:
                    break
                blocked_by[t] = check.colliding_pair(best_effort[t])
        return clearance, tuple(blocked_by)

    def _take_first_free(self) -> None:
        """Choose the first free solution of every target; for batches of many targets."""
        pool = self._search.pool
        _core.take_first_free(
            pool.positions, pool.errors, pool.counts, self._positions, self._errors, self._counts
        )

    def _order(self, left: float) -> None:
        """Put the solutions of all targets in order, with some time left for it [s]."""
        counts, deadline = self._counts, time.perf_counter() + left
        work = int(min(WORK, left / (COMPARE * max(len(counts), 1))))
        targets = self._search.pool.counts.nonzero()[0].tolist()

        def take(t: int, ranked: Ranked) -> None:
            counts[t] = count = len(ranked.ranks)
            # Clipping spares numpy a copy of its own when very many are chosen.
            out = self._positions[t, :count], self._errors[t, :count]
            ranked.positions.take(ranked.ranks, 0, out[0], "clip")
            ranked.errors.take(ranked.ranks, 0, out[1], "clip")
            if self._scores is not None and ranked.scores is not None:
                self._scores[t, :count] = ranked.scores[ranked.ranks]

        self._ranking.rank(targets, work, deadline, take)

    def _best_effort(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return each target's first solution or closest approach, (B, n), and its errors."""
        best, best_errors = self._positions[:, 0].copy(), self._errors[:, 0].copy()
        if np.count_nonzero(self._counts) == len(self._counts):
            return best, best_errors
        rows = np.flatnonzero(self._counts == 0)
        self._positions[rows], self._errors[rows] = np.nan, np.nan
        closest, errors = self._search.best_effort(rows), np.empty((len(rows), 2))
        if self._request.alternatives:
            best[rows] = closest
            best_errors[rows] = nearest_of(self._stages, self._request)(closest)[0]
            return best, best_errors

        def measure(i: int) -> None:
            some = slice(i, i + _ROWS)
            errors[some, 0], errors[some, 1] = self._stages.verifier.errors(
                closest[some], self._request.targets, rows[some]
            )

        for_each(measure, range(0, len(rows), _ROWS), math.inf)
        best[rows], best_errors[rows] = closest, errors
        return best, best_errors


def _nans(*shape: int) -> NDArray[np.float64]:
    """Return an array of NaN, in a third of the time of `np.full`, as each call needs some."""
    array = np.empty(shape)
    array.fill(np.nan)
    return array


def searched(stages: Stages, request: SolveRequest, start: float) -> IKSolutions:
    """Return what a search finds, for a call that began at `start` [s]."""
    if stages.device is None or request.alternatives:
        search = Search(stages, request, start)
    else:
        search = DeviceSearch(stages, request, start, stages.device)
    results = Results(stages, request, search)
    search.run()
    return results.collect(start)


def found_by_search(stages: Stages, request: SolveRequest, start: float) -> IKSolutions:
    """Return the same, in less time where it is one solution of one target, or on a device."""
    if stages.device_calls is not None:
        stages = stages.device_calls.placed(stages, request)
    # Of branches that collide a search of its own would not know.
    known = stages.branches is not None and request.check is not None
    found = None if known else first_solution(stages, request, start)
    return searched(stages, request, start) if found is None else found
