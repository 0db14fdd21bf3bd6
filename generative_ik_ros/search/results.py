"""What a search has found: solutions in order, and closest configurations."""

import time

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.outcome import DONE, UNDONE, Closest, Outcome
from generative_ik_ros.search.plan import FirstInPool
from generative_ik_ros.search.ranking import Ranked, Ranking
from generative_ik_ros.search.search import Search
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.search.timing import FINISH

_NO_ONE = np.zeros(0, np.int64)


def find(
    stages: Stages,
    request: SolveRequest,
    start: float,
    first: FirstInPool = FirstInPool.NOTHING,
) -> Outcome:
    """Return what a search finds, for a call that began at `start` [s].

    Args:
        stages: Sampler, refiner and verifier.
        request: What is wanted.
        start: Reading of `time.perf_counter` [s].
        first: What the pool begins with.
    """
    search = Search(stages, request, start, first)
    results = Results(stages, request, search)
    search.run()
    return results.collect(start)


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
            self._positions = np.empty(pool.positions.shape)
            self._errors = np.empty((*pool.errors.shape[:2], 2))
            self._counts = np.empty(num_targets, np.int64)
        else:
            size = num_targets, request.num_solutions
            self._positions = _nans(*size, stages.chain.num_joints)
            self._errors = _nans(*size, 2)
            self._counts = np.zeros(num_targets, np.int64)
        self._scores = None
        if request.preferences.scored:
            self._scores = _nans(*self._positions.shape[:2])

    def collect(self, start: float) -> Outcome:
        """Put the solutions of each target in order, of a call that began at `start` [s]."""
        begin, search, request = time.perf_counter(), self._search, self._request
        nearest = self._stages.preference is not None
        chooses = request.check is not None and request.takes_any and not nearest
        if self._in_order or chooses:
            self._take_first_free()
        else:
            left = start + request.timeout - begin - search.finish
            self._order(max(left, 0.0))
        closest, notes = self._closest(), np.zeros((len(self._counts), 5), np.int64)
        notes[:, 0], notes[:, 1] = self._counts, DONE
        if self._stages.branches is not None:
            notes[:, 2] = self._complete()
        colliding = _NO_ONE
        if closest is not None:
            none = self._counts == 0
            notes[none, 1] = np.where(search.timed_out[none], UNDONE, DONE)
            if request.check is not None:
                colliding = (none & (search.pool.counts > 0)).nonzero()[0]
        work = search.timings(time.perf_counter() - begin, 0.0)
        return Outcome(
            notes, self._positions, self._errors, work, self._scores, closest, colliding
        )

    def _complete(self) -> Bools:
        """Say for which targets all solutions are returned, and known to be all, (B,)."""
        complete = self._search.complete
        for t in complete.nonzero()[0].tolist():
            complete[t] = self._counts[t] >= self._ranking.number_of(t)
        return complete

    def _take_first_free(self) -> None:
        """Choose the first free solution of every target: its only one, or one of many."""
        memory = self._search.pool.memory
        memory.take_first_free(self._positions, self._errors, self._counts)

    def _order(self, left: float) -> None:
        """Put the solutions of all targets in order, with some time left for it [s]."""
        counts, deadline = self._counts, time.perf_counter() + left
        work = int(min(_core.ORDER_WORK, left / (FINISH.compare * max(len(counts), 1))))
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

    def _closest(self) -> Closest | None:
        """Return how close the search has come; None if all targets have solutions."""
        if np.count_nonzero(self._counts) == len(self._counts):
            return None
        rows, later = np.flatnonzero(self._counts == 0), np.zeros(len(self._counts), np.bool_)
        later[self._search.unapproached] = True
        if getattr(self._stages.chain, "closures", ()) and not self._request.alternatives:
            later[rows] = True  # loops are closed then
        self._positions[rows], self._errors[rows] = np.nan, np.nan
        best, best_errors = self._positions[:, 0].copy(), self._errors[:, 0].copy()
        closest = best[rows] = self._search.best_effort(rows)
        if self._request.alternatives:
            best_errors[rows] = self._stages.nearest_of(self._request.targets)(closest)[0]
        else:
            errors = self._stages.verifier.errors(closest, self._request.targets, rows)
            best_errors[rows] = errors
        return Closest(best, best_errors, later)


def _nans(*shape: int) -> Floats:
    """Return an array of NaN, in a third of the time of `np.full`, as each call needs some."""
    array = np.empty(shape)
    numbers, piece = array.reshape(-1), 1 << 19
    for i in range(0, numbers.size, piece):  # between which Ctrl-C may come
        numbers[i : i + piece].fill(np.nan)
    return array
