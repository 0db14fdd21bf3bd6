"""The search of one call: runs the core's search on its targets and keeps the solutions."""

import math
import time
from functools import partial

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.samplers.quasi_random import recurrence
from generative_ik_ros.search.begin import TAKE, First
from generative_ik_ros.search.budget import budget_of, room_on_curves
from generative_ik_ros.search.plan import FirstInPool
from generative_ik_ros.search.seeding import Seeding
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.search.timing import finish_time, search_deadline, work_done
from generative_ik_ros.select.pool import SolutionPool
from generative_ik_ros.select.preferences import SCORES
from generative_ik_ros.solutions import Timings

_Numbers = Floats
_IN_MEMORY = 65536
"""Most seeds of a sampler, of all targets, that are in memory at a time."""


class Search:
    """The state of one call of IKSolver.solve for T targets.

    Args:
        stages: Sampler, refiner and verifier.
        request: What is wanted.
        start: Reading of `time.perf_counter` when the call began [s].
        first: What the pool begins with.

    Attributes:
        pool: The solutions found.
        timed_out: (T,) whether the deadline came before the search for a target was over.
        unapproached: (A,) targets without a solution whose closest approach is only what restarts
            came across.
        finish: What it takes to finish after the search, besides ranking solutions [s].
    """

    def __init__(
        self,
        stages: Stages,
        request: SolveRequest,
        start: float,
        first: FirstInPool = FirstInPool.NOTHING,
    ):
        """Prepare an empty pool."""
        self._stages, self._request, self._space = stages, request, request.space
        num_targets, num_joints = request.num_targets, stages.chain.num_joints
        self.finish = finish_time(request)
        self._deadline = search_deadline(request, start, num_joints)
        self._seeding = Seeding(stages, request)
        self._first = first
        self._budget = budget = budget_of(stages, request)
        looked_for, capacity = budget.looked_for, budget.capacity
        if first in (FirstInPool.CURVES, FirstInPool.ROWS):
            capacity = max(capacity, room_on_curves(request))
        elif first in (FirstInPool.BRANCHES, FirstInPool.LIMBS) and stages.branches is not None:
            capacity = max(capacity, stages.branches.most)
        self.pool = pool = SolutionPool(
            num_targets, capacity, self._space.grid, self._space.reference, looked_for,
            budget.steps_each * looked_for, budget.first_batch,
        )  # fmt: skip
        self._records = pool.records
        points = recurrence(request.random_seed, num_joints)
        self._task = stages.problem, self._space.box, points, request.targets
        self.timed_out = np.zeros(num_targets, np.bool_)
        self.unapproached = np.empty(0, np.int64)
        self._decisions = _decisions(stages, request, looked_for)
        self._kernel_time = 0.0

    def timings(self, select: float, total: float) -> Timings:
        """Return how much was done and how long it took; the caller measures two of the times."""
        return Timings(
            propose=self._seeding.propose_time,
            refine=self._kernel_time,
            select=select,
            total=total,
            rounds=self._seeding.rounds,
            **work_done(self.pool),
        )

    def run(self) -> None:
        """Search until every target is solved, exhausted or out of time."""
        num_targets, seeding = len(self._records), self._seeding
        if self._first is not FirstInPool.NOTHING:
            self._take_first()
        size = _IN_MEMORY // self._budget.first_batch if seeding.asks_first else num_targets
        size = max(size, 1)
        for i in range(0, num_targets, size):
            if self._late():
                break
            self._search(i, min(i + size, num_targets))
        if self._deadline < math.inf:
            self.timed_out[~self._records["closed"]] = True
        if np.count_nonzero(self.pool.counts) < num_targets:
            self._approach_unsolved()

    def _take_first(self) -> None:
        """Begin with what a closed form has, which is often the end, too."""
        run = self._new_run(0, len(self._records))
        first = First(
            self._stages, self._request, self.pool, run, self._budget.looked_for,
            self._check_rows, self._deadline,
        )  # fmt: skip
        TAKE[self._first](first)
        if self._decisions:
            left = self._deadline - time.perf_counter()
            _core.decide(self.pool.memory, self._space.box, self._decisions, left)

    def _check_rows(self, rows: Floats, targets: list[int]) -> None:
        """Put what is a solution among rows (T, K, n) into the pools of some targets.

        No target is closed yet.
        """
        given, closed = self._given(rows, np.arange(len(rows))), self._records["closed"]
        others = np.ones(len(rows), np.bool_)
        others[targets] = False
        closed[others] = True
        run = self._new_run(0, len(rows), checks=True)
        self._search_pieces(given, run, 1)
        closed[others] = False

    @property
    def complete(self) -> Bools:
        """Whether all solutions of a target are known, full turns aside, (T,)."""
        return self._records["complete"] & self._records["closed"]

    def even(self, target: int) -> bool:
        """Say whether the solutions of a target lie evenly all over their curves."""
        on_curves = self._first in (FirstInPool.CURVES, FirstInPool.ROWS)
        return on_curves and not self._records["restarts"][target]

    def best_effort(self, targets: Ints) -> Floats:
        """Return the configuration closest to each of some targets among all that were seen.

        For targets that are reached in collision only, that is the solution found first.
        """
        space, reached = self._space, self.pool.counts[targets] > 0
        if reached.any():
            self.pool.closest[targets[reached]] = self.pool.positions[targets[reached], 0]
        return _core.nearest_turn(
            self.pool.closest[targets], space.reference, space.lower, space.upper, space.circular
        )

    def _late(self) -> bool:
        return time.perf_counter() >= self._deadline

    def _search(self, first: int, last: int) -> None:
        """Search for solutions of the targets from `first` to before `last`."""
        known = self._first is not FirstInPool.NOTHING
        if known and self._records["closed"][first:last].all():
            return
        # A thread looks for so many solutions at a time. That does not depend on the number of
        # threads, so neither do the results.
        size = max(1, _core.SIDE_BY_SIDE // self._request.num_solutions)
        targets, before, asked = np.arange(first, last), 0, 0
        given = self._given(self._seeding.first(targets, self._budget.first_batch), targets)
        while True:
            begin = time.perf_counter()
            run = self._new_run(first, last, before, endless=self._seeding.endless)
            lacking = self._search_pieces(given, run, size)
            self._kernel_time += time.perf_counter() - begin
            if not lacking or self._late():
                return
            targets = first + np.flatnonzero(self._records["needs_seeds"][first:last])
            self._records["needs_seeds"][targets] = False
            some = self._records[targets]
            ended = some["restarts_ended"].tolist(), some["restarts_converged"].tolist()
            batch, before = max(map(_core.next_batch, *ended)), some["restarts"][0].item()
            asked += 1
            batch = self._seeding.batch(asked, batch)
            given = self._given(self._seeding.more(targets, batch, before), targets)

    def _search_pieces(self, given: _Numbers, run: _core.Run, size: int) -> bool:
        """Run the search on all threads until time is up; say whether open targets lack seeds.

        Each thread takes so many targets at a time, and has Python decide on its solutions.
        """
        return _core.search(
            self._task, self.pool.memory, given, run, size, self._deadline - time.perf_counter(),
            self._request.world, self._decisions,
        )  # fmt: skip

    def _new_run(
        self,
        first: int,
        last: int,
        before: int = 0,
        *,
        endless: bool = False,
        checks: bool = False,
    ) -> _core.Run:
        """Return a search for some targets up to before the last.

        Args:
            first: Of the targets.
            last: One beyond the last.
            before: Seeds that each had before those that are given now.
            endless: Whether the core's own follow.
            checks: Whether seeds are not moved, but kept where they are solutions.
        """
        alternatives = self._request.alternatives
        return _core.Run(self._budget, first, last, before, endless, alternatives, checks)

    def _given(self, seeds: _Numbers, targets: Ints) -> _Numbers:
        """Note which of (A, K, n) seeds are whose; a single row is for all of the targets."""
        if seeds.size:
            self._records["seed_row"][targets] = np.arange(len(targets)) if len(seeds) > 1 else 0
        return np.ascontiguousarray(seeds)

    def _approach_unsolved(self) -> None:
        """Follow more seeds of unsolved targets to their local minima.

        Where restarts came close to a chain's target, these may still reach it. How close others
        come is left to who asks for the best effort.
        """
        stages, begin = self._stages, time.perf_counter()
        if stages.preference is not None:
            self.unapproached = np.flatnonzero((self.pool.counts == 0) & ~self.timed_out)
            return
        self.unapproached = _core.approach_unsolved(
            self._task, self.pool.memory, self._new_run(0, len(self._records)),
            stages.joints[2], stages.deficient, stages.near, self._deadline - begin,
            self._request.world, self._decisions,
        )  # fmt: skip
        self._kernel_time += time.perf_counter() - begin


def _decisions(stages: Stages, request: SolveRequest, looked_for: int) -> _core.Decisions | None:
    """Return what decides on solutions that spheres cannot tell to be free, if they have to be.

    In the order in which they are returned, as far as they are wanted.
    """
    check, preferences, preference = request.check, request.preferences, stages.preference
    if check is None:
        return None
    order, score, least_error, exact = preferences.order, None, None, None
    if isinstance(order, str) and order in SCORES:
        score = partial(SCORES[order], stages.chain)
    if preference is not None:
        exact = preference.tolerances
        # The one with the least error comes first, of all that are free.
        least_error = preference.other if preferences.diverse else None
    # Which of them a score of the caller's own prefers is not known before the end.
    return _core.Decisions(
        request.num_solutions, looked_for, request.seed_state is not None, callable(order), exact,
        least_error, check.collides, score,
    )  # fmt: skip
