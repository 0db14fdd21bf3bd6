"""Exact collision checks of solutions that spheres cannot decide, as far as they are wanted."""

import time
from typing import TYPE_CHECKING

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.order import nearest_first
from generative_ik_ros.select.pool import SolutionPool
from generative_ik_ros.select.preferences import SCORES

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck

_PROGRESS = ("towards_seed", "towards_seed_begun", "towards_seed_ended", "moved")
"""What the refinement towards the seed state has to begin again with."""


class Decisions:
    """Decides on undecided solutions in the order in which they are going to be returned.

    Args:
        stages: Of the solver.
        check: The robot among its obstacles.
        request: What is wanted.
        pool: The solutions found, and what the search knows of targets.
        looked_for: Solutions after which the search for a target ends.
        deadline: Reading of `time.perf_counter` after which nothing is decided any more [s].
    """

    def __init__(
        self,
        stages: Stages,
        check: "SceneCheck",
        request: SolveRequest,
        pool: SolutionPool,
        looked_for: int,
        deadline: float,
    ):
        """Remember what to decide on."""
        self._check, self._request, self._pool = check, request, pool
        self._records, self._looked_for, self._deadline = pool.records, looked_for, deadline
        self._stages, order = stages, request.preferences.order
        chosen = not request.preferences.optimize
        # Of approximations, the one with the least error comes first, of all that are free.
        self._by_error = request.preferences.diverse and stages.preference is not None
        self._score = order if chosen and isinstance(order, str) and order in SCORES else ""
        # Which of them a score of the caller's own prefers is not known before the end.
        self._all_of_them = chosen and callable(order)

    def settle(self, first: int, last: int) -> bool:
        """Decide on solutions of targets whose search is over, from `first` to before `last`.

        Returns:
            Whether some of them are to be searched on: too many solutions collide.
        """
        some, wanted = self._records[first:last], self._request.num_solutions
        lacking = some["usable"] > some["free"]
        in_order = self._score or self._all_of_them or self._by_error
        if self._request.seed_state is None and not in_order:
            lacking &= some["free"] < wanted
        if not lacking.any():
            return False
        again = [self._settle_one(t) for t in (first + np.flatnonzero(lacking)).tolist()]
        return any(again)

    def free(self, target: int) -> Ints:
        """Return the indices of a target's solutions that are free of collisions."""
        verdicts = self._pool.errors[target, : self._pool.counts[target], 2]
        return (verdicts == Verdict.FREE).nonzero()[0]

    def _settle_one(self, target: int) -> bool:
        pool, record = self._pool, self._records[target]
        count = pool.counts[target]
        positions, verdicts = pool.positions[target, :count], pool.errors[target, :count, 2]
        # Otherwise there is nothing left to find.
        enough = _core.has_enough(record["free"], record["usable"], self._looked_for)
        enough = enough and not record["complete"]
        free = 0
        for k in self._exact_first(self._order(target), target).tolist():
            if free == self._request.num_solutions and not self._all_of_them:
                break
            if verdicts[k] == Verdict.COLLIDING:  # by now
                continue
            if verdicts[k] != Verdict.FREE:
                if time.perf_counter() >= self._deadline:
                    record["closed"] = False
                    return False
                hit = self._check.collides(positions[k])
                verdicts[k] = Verdict.COLLIDING if hit else Verdict.FREE
                record["usable"] -= hit
                record["free"] += not hit
            if verdicts[k] == Verdict.FREE:
                free += 1
                if record["doubled"]:
                    self._drop_same(record, positions, verdicts, k)
        if free >= self._request.num_solutions or not enough:
            return False
        record["closed"] = False
        for name in _PROGRESS:
            record[name] = 0
        # Null-space steps that were under way when the target closed have not been counted, and
        # the round would wait for them for ever.
        record["round_left"], record["round_size"] = 0, record["round_ended"]
        return True

    def _drop_same(self, record: np.void, positions: Floats, verdicts: Floats, kept: int) -> None:
        """Take back what is the same as a solution that is returned, see `lane.keep_solution`."""
        gaps = np.abs(positions - positions[kept])
        turns = np.where(self._request.space.circular, TURN, np.inf)
        gaps = np.minimum(gaps, np.abs(gaps - turns))
        same = (gaps < self._stages.distinct_distance).all(axis=1)
        same &= verdicts != Verdict.COLLIDING
        same[kept] = False
        record["usable"] -= np.count_nonzero(same)
        record["free"] -= np.count_nonzero(verdicts[same] == Verdict.FREE)
        verdicts[same] = Verdict.COLLIDING

    def _exact_first(self, order: Ints, target: int) -> Ints:
        """Return the same with exact solutions before approximations."""
        if self._stages.preference is None:
            return order
        exact = self._stages.preference.exact(self._pool.errors[target, order, :2])
        return np.concatenate([order[exact], order[~exact]])

    def _order(self, target: int) -> Ints:
        """Return the order in which solutions are returned, without those that collide."""
        count = self._pool.counts[target]
        positions = self._pool.positions[target, :count]
        errors, verdicts = self._pool.errors[target, :count], self._pool.errors[target, :count, 2]
        usable = np.flatnonzero(verdicts != Verdict.COLLIDING)
        if self._score:
            scores = SCORES[self._score](self._stages.chain, positions[usable])
            return usable[np.argsort(-scores, kind="stable")]
        preference = self._stages.preference
        if self._by_error and preference is not None:
            return usable[np.argsort(errors[usable, preference.other], kind="stable")]
        if self._request.seed_state is None:
            return usable[np.argsort(verdicts[usable], kind="stable")]
        seed, weights = self._request.seed_state, self._request.preferences.joint_weights
        return usable[nearest_first(positions[usable], seed, len(usable), weights)]
