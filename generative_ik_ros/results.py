"""Turns what a search has found into IKSolutions: ordered solutions, and closest approaches."""

import math
import time
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.parallel import for_each
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.first_free import take_first_free
from generative_ik_ros.search.search import Search
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.full_turns import other_turns
from generative_ik_ros.select.order import COMPARE, WORK, most_diverse_first, nearest_first
from generative_ik_ros.select.preferences import CLEARANCE, DIVERSE, NEAREST, SCORES
from generative_ik_ros.solutions import IKSolutions, SolveStatus

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck

_ROWS = 2048
"""Closest approaches that a thread measures at a time; solutions whose clearance is measured
before the clock is read again."""
_SOLVED, _PARTIAL, _NO_SOLUTION, _TIMED_OUT = SolveStatus
_STATUSES = np.array([_NO_SOLUTION, _TIMED_OUT, _PARTIAL, _SOLVED], dtype=object)


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
        pool, num_targets = search.pool, len(request.targets)
        # A pool of one solution a target is in order as it is.
        self._in_order = pool.positions.shape[1] <= 1
        if self._in_order:
            self._positions, self._counts = pool.positions, pool.counts
            self._errors = pool.errors[..., :2]
        else:
            size = num_targets, request.num_solutions
            self._positions = np.full((*size, stages.chain.num_joints), np.nan)
            self._errors = np.full((*size, 2), np.nan)
            self._counts = np.zeros(num_targets, np.int64)

    def collect(self, start: float) -> IKSolutions:
        """Put the solutions of each target in order, for a call that began at `start` [s]."""
        begin, search = time.perf_counter(), self._search
        request = self._request
        one = request.num_solutions == 1 and request.order == DIVERSE
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
        end = time.perf_counter()
        return IKSolutions(
            joint_names=self._stages.chain.names,
            positions=self._positions,
            counts=self._counts,
            position_error=self._errors[..., 0],
            orientation_error=self._errors[..., 1],
            status=_statuses(self._counts, self._request.num_solutions, search.timed_out),
            best_effort=best_effort,
            best_effort_position_error=best_errors[:, 0],
            best_effort_orientation_error=best_errors[:, 1],
            sampler=self._stages.sampler.name,
            timings=search.timings(select=end - begin, total=end - start),
            clearance=clearance,
            blocked_by=blocked_by,
        )

    def _collisions(
        self, check: "SceneCheck", best_effort: NDArray[np.float64], deadline: float
    ) -> tuple[NDArray[np.float64], tuple[tuple[str, str] | None, ...]]:
        """Return the solutions' clearance (B, N), and what collides where all solutions do.

        As far as there is time for it.
        """
        clearance = np.full(self._positions.shape[:2], np.nan)
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
        take_first_free(
            pool.positions, pool.errors, pool.counts, self._positions, self._errors, self._counts
        )

    def _order(self, left: float) -> None:
        """Put the solutions of all targets in order, with some time left for it [s]."""
        pool, counts = self._search.pool, self._counts
        work = int(min(WORK, left / (COMPARE * max(len(counts), 1))))

        def order(t: int) -> None:
            found, errors, ranks = self._ranked(t, work)
            counts[t] = count = len(ranks)
            # Clipping spares numpy a copy of its own when very many are chosen.
            np.take(found, ranks, axis=0, out=self._positions[t, :count], mode="clip")
            np.take(errors, ranks, axis=0, out=self._errors[t, :count], mode="clip")

        for_each(order, np.flatnonzero(pool.counts).tolist(), math.inf)

    def _best_effort(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return each target's first solution or closest approach, (B, n), and its errors."""
        best, best_errors = self._positions[:, 0].copy(), self._errors[:, 0].copy()
        if self._counts.all():
            return best, best_errors
        rows = np.flatnonzero(self._counts == 0)
        self._positions[rows], self._errors[rows] = np.nan, np.nan
        closest, errors = self._search.best_effort(rows), np.empty((len(rows), 2))

        def measure(i: int) -> None:
            some = slice(i, i + _ROWS)
            errors[some, 0], errors[some, 1] = self._stages.verifier.errors(
                closest[some], self._request.targets, rows[some]
            )

        for_each(measure, range(0, len(rows), _ROWS), math.inf)
        best[rows], best_errors[rows] = closest, errors
        return best, best_errors

    def _ranked(
        self, target: int, work: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """Return solutions of one target, their errors, and the order of at most N of them."""
        chain, request, pool = self._stages.chain, self._request, self._search.pool
        count, seed, space = request.num_solutions, request.seed_state, request.space
        found = pool.positions[target, : pool.counts[target]]
        errors = pool.errors[target, : pool.counts[target], :2]
        if self._search.decisions is not None:
            free = self._search.decisions.free(target)
            found, errors = found[free], errors[free]
        ranks = np.arange(min(count, len(found)))
        if not len(found) or (len(found) == 1 and count == 1):
            return found, errors, ranks
        diverse = request.order == DIVERSE
        if diverse:
            ranks = most_diverse_first(
                found,
                chain.lower,
                chain.upper,
                chain.periodic,
                chain.joint_units,
                len(ranks),
                work,
            )
        # Joints with room for several turns reach a solution several times.
        repeated = space.circular & ~chain.continuous
        missing = count - len(found) if diverse else count
        if missing > 0 and repeated.any():
            if diverse:
                found, errors = found[ranks], errors[ranks]
            found, errors = self._with_other_turns(found, errors, target, repeated, missing)
            ranks = np.arange(min(count, len(found)))
        if request.order == NEAREST and seed is not None:
            ranks = nearest_first(found, seed, count)
        elif not diverse:
            ranks = np.argsort(-self._scores(found), kind="stable")
        return found, errors, ranks[:count]

    def _scores(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return scores (N,) of configurations (N, n), the best highest."""
        request = self._request
        if request.order == CLEARANCE and request.check is not None:
            return request.check.clearance(found)
        return SCORES[request.order](self._stages.chain, found)

    def _with_other_turns(
        self,
        found: NDArray[np.float64],
        errors: NDArray[np.float64],
        target: int,
        repeated: NDArray[np.bool_],
        count: int,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Append at most `count` solutions that are full turns of some joints away."""
        space, refiner = self._request.space, self._stages.refiner
        more = other_turns(found, space.reference, space.lower, space.upper, repeated, count)
        targets = self._request.targets, np.full(len(more), target)
        more_errors = np.stack(self._stages.verifier.errors(more, *targets), axis=1)
        tolerances = refiner.position_tolerance, refiner.orientation_tolerance
        true = (more_errors <= tolerances).all(axis=1)
        return np.concatenate([found, more[true]]), np.concatenate([errors, more_errors[true]])


def _statuses(
    counts: NDArray[np.int64], wanted: int, timed_out: NDArray[np.bool_]
) -> tuple[SolveStatus, ...]:
    """Say how the search for each target ended; vectorised, for batches of many thousands."""
    if len(counts) == 1 and counts[0] >= wanted:
        return (_SOLVED,)
    kind = np.where(counts > 0, 2 + (counts >= wanted), timed_out)
    return tuple(_STATUSES[kind].tolist())
