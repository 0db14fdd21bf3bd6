"""Which solutions of a target are returned, and in what order."""

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.budget import TO_OPTIMIZE
from generative_ik_ros.search.density import free_of_turns
from generative_ik_ros.search.optimized import Found
from generative_ik_ros.search.search import Search
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.order import (
    nearest_first,
    seed_distance,
    tip_points,
)
from generative_ik_ros.select.own_score import own_scores
from generative_ik_ros.select.preferences import (
    CLEARANCE,
    DIVERSE_TIP,
    NEAREST,
    SCORES,
)

if TYPE_CHECKING:
    from generative_ik_ros.search.optimization import Optimization


class Ranked(NamedTuple):
    """Solutions (M, n) of a target [rad or m], their errors (M, 2), and which come first (N,).

    With the scores (M,) by which these were chosen, if there are any.
    """

    positions: Floats
    errors: Floats
    ranks: Ints
    scores: Floats | None = None


class Ranking:
    """Puts the solutions that a search has found in the order that a call asks for.

    Args:
        stages: Chain, verifier and tolerances.
        request: What is wanted.
        search: What has found the solutions.
    """

    def __init__(self, stages: Stages, request: SolveRequest, search: Search):
        """Prepare the optimisation, if it is asked for."""
        self._stages, self._request, self._search = stages, request, search
        self._by_score = request.preferences.scored
        self._optimization = (
            _optimization(stages, request) if request.preferences.optimize else None
        )

    def rank(
        self, targets: list[int], work: int, deadline: float, take: Callable[[int, Ranked], None]
    ) -> None:
        """Rank the solutions of each target, and pass them on.

        Args:
            targets: Targets that have solutions.
            work: Most coordinates to compare for each, where diversity is wanted.
            deadline: Reading of `time.perf_counter` after which nothing is optimised [s].
            take: Called once for each target with its solutions.
        """
        if self._by_score:
            # All at once: the core's threads share the work, and a score of the caller's own is
            # called once, for it may not be made for several threads.
            self._rank_by_score(targets, deadline, take)
            return
        # Solutions are copied for threads to rank them, so many at a time.
        size = max(1, (1 << 16) // self._search.pool.positions.shape[1])
        for i in range(0, len(targets), size):
            some = targets[i : i + size]
            for t, ranked in zip(some, self._ranked(some, work), strict=True):
                take(t, ranked)

    def _rank_by_score(
        self, targets: list[int], deadline: float, take: Callable[[int, Ranked], None]
    ) -> None:
        """Score solutions of targets, optimise them if that is asked for, and rank them."""
        gathered = {t: self._gathered(t) for t in targets}
        targets = [t for t, (positions, _) in gathered.items() if len(positions)]
        if not targets:
            return
        free = [len(gathered[t][0]) for t in targets]
        if self._optimization is not None and self._request.preferences.order == CLEARANCE:
            gathered = {t: self._with_undecided(t, *gathered[t]) for t in targets}
        positions = [gathered[t][0] for t in targets]
        scores = np.split(
            self._scores(np.concatenate(positions)), np.cumsum([len(p) for p in positions])[:-1]
        )
        found = [
            Found(*gathered[t], part, np.arange(len(part)) < count)
            for t, part, count in zip(targets, scores, free, strict=True)
        ]
        if self._optimization is not None:
            even = [self._search.even(t) for t in targets]
            found = self._optimization.improve(found, targets, even, deadline)
        for t, (configurations, errors, values, _) in zip(targets, found, strict=True):
            ranks = np.argsort(-values, kind="stable")[: self._request.num_solutions]
            if self._request.preferences.order == CLEARANCE:
                values = np.maximum(values, 0.0)
            take(t, Ranked(configurations, errors, ranks, values))

    def _with_undecided(self, target: int, free: Floats, errors: Floats) -> tuple[Floats, Floats]:
        """Append solutions that are too close to a collision for spheres, if few others are.

        They may move away from it.
        """
        pool, missing = self._search.pool, TO_OPTIMIZE.free_by_clearance - len(free)
        if missing <= 0:
            return free, errors
        verdicts = pool.errors[target, : pool.counts[target], 2]
        some = (verdicts == Verdict.UNDECIDED).nonzero()[0][:missing]
        more = pool.positions[target, some], pool.errors[target, some, :2]
        return np.concatenate([free, more[0]]), np.concatenate([errors, more[1]])

    def _scores(self, found: Floats) -> Floats:
        """Return scores (N,) of configurations (N, n), the best highest."""
        request, preferences = self._request, self._request.preferences
        if callable(preferences.order):
            return own_scores(preferences.order, found)
        if self._optimization is not None:
            return self._optimization.scores(found)
        if preferences.order == CLEARANCE and request.check is not None:
            return request.check.distances(found)
        if preferences.order == NEAREST and request.seed_state is not None:
            return -seed_distance(found, request.seed_state, preferences.joint_weights)
        return SCORES[preferences.order](self._stages.chain, found)

    def _found(self, target: int) -> tuple[Floats, Floats]:
        """Return the solutions of a target and their errors, as the search left them."""
        pool = self._search.pool
        positions = pool.positions[target, : pool.counts[target]]
        errors = pool.errors[target, : pool.counts[target], :2]
        if self._request.check is not None or self._request.seed_state is not None:
            kept = pool.errors[target, : len(positions), 2] == Verdict.FREE
            positions, errors = positions[kept], errors[kept]
        if self._stages.preference is not None:
            exact = self._stages.preference.exact(errors)
            if exact.any():  # beside these, no others count
                positions, errors = positions[exact], errors[exact]
        return positions, errors

    def number_of(self, target: int) -> float:
        """Return how many solutions of a target are known, other turns included."""
        space = self._request.space
        rows = np.ascontiguousarray(self._found(target)[0])
        turned = self._stages.turned_in(space)
        return _core.count_turns(rows, space.lower, space.upper, turned)

    def _gathered(self, target: int) -> tuple[Floats, Floats]:
        """Return the solutions of a target, with other turns where these count, and their errors.

        Where they have the same score, they count where there are not enough solutions.
        """
        found, errors = self._found(target)
        missing = self._request.num_solutions
        if free_of_turns(self._request.preferences.order):
            missing -= len(found)
        return self._with_other_turns(found, errors, target, missing)

    def _ranked(self, targets: list[int], work: int) -> Iterator[Ranked]:
        """Rank the solutions of some targets nearest or most diverse first."""
        found = [self._found(t) for t in targets]
        diverse, preference = self._request.preferences.diverse, self._stages.preference
        if diverse and preference is not None:
            for t, (positions, errors) in zip(targets, found, strict=True):
                yield self._least_error_first(t, positions, errors, preference.other)
            return
        if not diverse:
            for t, (positions, errors) in zip(targets, found, strict=True):
                yield self._nearest_first(t, positions, errors)
            return
        count = self._request.num_solutions
        all_ranks = self._most_diverse_first([positions for positions, _ in found], work)
        for t, (positions, errors), ranks in zip(targets, found, all_ranks, strict=True):
            ranks, missing = ranks[: len(positions)], count - len(positions)
            if missing > 0 and len(positions) and self._stages.turns:
                ordered = positions[ranks], errors[ranks]
                more = self._with_other_turns(*ordered, t, missing)
                yield Ranked(*more, np.arange(min(count, len(more[0]))))
            else:
                yield Ranked(positions, errors, ranks)

    def _least_error_first(self, target: int, found: Floats, errors: Floats, other: int) -> Ranked:
        """Rank approximations of a target by the error that is to be small."""
        found, errors = self._with_other_turns(
            found, errors, target, self._request.num_solutions - len(found)
        )
        ranks = np.argsort(errors[:, other], kind="stable")[: self._request.num_solutions]
        return Ranked(found, errors, ranks)

    def _nearest_first(self, target: int, found: Floats, errors: Floats) -> Ranked:
        """Rank the solutions of a target by their distance from the seed state."""
        count, seed = self._request.num_solutions, self._request.seed_state
        if not len(found) or (len(found) == 1 and count == 1):
            return Ranked(found, errors, np.arange(len(found)))
        found, errors = self._with_other_turns(found, errors, target, count)
        assert seed is not None  # noqa: S101
        ranks = nearest_first(found, seed, count, self._request.preferences.joint_weights)
        return Ranked(found, errors, ranks)

    def _most_diverse_first(self, found: list[Floats], work: int) -> Ints:
        """Rank the solutions of targets by how far apart they are: in joint space, or their tips.

        Returns:
            (A, K) indices of a target's solutions, -1 behind the last.
        """
        chain, lengths = self._stages.chain, [len(positions) for positions in found]
        if not any(lengths):
            return np.empty((len(found), 0), np.int64)
        rows = np.concatenate(found) if len(found) > 1 else np.ascontiguousarray(found[0])
        bounds = self._stages.joints
        if self._request.preferences.order == DIVERSE_TIP:
            rows = tip_points(chain.forward(rows), chain.characteristic_length)
            ones = np.ones(rows.shape[1])
            bounds = -np.inf * ones, np.inf * ones, np.zeros(len(ones), np.bool_), ones
        count = min(self._request.num_solutions, max(lengths))
        ends = np.array(list(accumulate(lengths)))
        return _core.diverse_ranks(rows, ends, bounds, count, work)

    def _with_other_turns(
        self, found: Floats, errors: Floats, target: int, count: int
    ) -> tuple[Floats, Floats]:
        """Append at most `count` solutions that are full turns of some joints away."""
        return with_other_turns(self._stages, self._request, (found, errors), target, count)


def with_other_turns(
    stages: Stages, request: SolveRequest, known: tuple[Floats, Floats], target: int, count: int
) -> tuple[Floats, Floats]:
    """Append to solutions (M, n) of a target [rad or m], and their errors (M, 2), others.

    At most `count`, which are full turns of some joints away.
    """
    (found, errors), space = known, request.space
    turned = stages.turned_in(space)
    if not (len(turned) and len(found) and count > 0):
        return known
    limits, rows = (space.lower, space.upper), np.ascontiguousarray(found)
    more = _core.other_turns(rows, space.reference, *limits, turned, count)
    if request.alternatives:
        more_errors, _ = stages.nearest_of(request.targets)(more)
    else:
        targets = request.targets, np.full(len(more), target)
        more_errors = stages.verifier.errors(more, *targets)
    true = (more_errors <= stages.refiner.tolerances).all(axis=1)
    return np.concatenate([found, more[true]]), np.concatenate([errors, more_errors[true]])


def _optimization(stages: Stages, request: SolveRequest) -> "Optimization | None":
    """Return the optimisation of a call, where there is room for it."""
    from generative_ik_ros.search.optimization import Optimization

    optimization = Optimization(stages, request)
    return optimization if optimization.possible else None
