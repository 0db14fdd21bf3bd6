"""Optimisation of solutions: the best ones climb along their self-motions to a better score."""

import math
import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.refine.goals.refiner import GoalLevenbergMarquardt
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.robot.region_rows import SIZE
from generative_ik_ros.robot.rigid import wrapped
from generative_ik_ros.search.ascent_goals import held_coordinates, opened
from generative_ik_ros.search.ascent_kernel import ascend
from generative_ik_ros.search.ascent_moves import FIRST_RADIUS, LEAST_RADIUS
from generative_ik_ros.search.ascent_records import CLIMB, CLIMBER, Mode, Move, Score
from generative_ik_ros.search.ascent_shapes import FINE, Found, Shapes
from generative_ik_ros.search.nearest_pose import nearest_of
from generative_ik_ros.search.records import new_records
from generative_ik_ros.search.scores import WEIGHTS
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.apart import best_apart, highest
from generative_ik_ros.select.own_score import own_scores

if TYPE_CHECKING:
    from generative_ik_ros._core import AddressedCheck

# Arguments of compiled code come as tuples, whose length a type checker does not see.
# pyright: reportCallIssue=false

_ON_CURVES, _ON_SURFACES = (0.8, 32), (0.5, 64)
"""How far apart solutions of a target are that climb [rad or m], and at most how many, the best:
where they form curves, and where they form more."""
_COARSE, _POLISHED, _POLISHED_APART = 0.1, (4, 16), 0.2
"""They climb until their radius is below this [rad]. Then as many as are wanted, within bounds,
climb on to the optimum, the best of those that are so far apart [rad or m]."""
_AROUND = 0.4
"""Of solutions that lie evenly only so many climb, from the same radius: those with nothing better
as near as this [rad or m]."""
_ROUNDS_AT_A_TIME, _MOST_ROUNDS = 2, 1000
"""Rounds of trials before the clock is read, if there is a deadline."""


class Climbed(NamedTuple):
    """Where the climbers of one target have come to.

    Attributes:
        starts: (S,) the solutions that they started from.
        positions: (S, n) where they are [rad or m].
        free: (S, n) the best of where they were that is known to be free of collisions.
        climbers: (S,) CLIMBER records.
    """

    starts: NDArray[np.int64]
    positions: NDArray[np.float64]
    free: NDArray[np.float64]
    climbers: NDArray[np.void]


class Ascents:
    """Moves solutions of a redundant arm to a local optimum of the score that a call asks for.

    Args:
        stages: Chain, tolerances and verifier.
        request: What is wanted.
    """

    def __init__(self, stages: Stages, request: SolveRequest):
        """Find the directions in which solutions can move."""
        self._stages, self._request = stages, request
        chain, refiner = stages.chain, stages.refiner
        goals = isinstance(refiner, GoalLevenbergMarquardt)
        self._held = opened(refiner.regions) if goals else np.empty((0, 0, SIZE))
        position, orientation = held_coordinates(self._held) if goals else (3, 3)
        constraints = (refiner.position_weight > 0.0) * position + (
            refiner.orientation_weight > 0.0
        ) * orientation
        size = int(np.max(chain.num_joints - constraints, initial=0)), chain.num_joints
        self._basis = np.empty(size)
        preferences, self._scale = request.preferences, stages.scale
        if preferences.joint_weights is not None:
            self._scale = self._scale.copy()
            self._scale[WEIGHTS] = preferences.joint_weights
        order = preferences.order
        self._shapes = Shapes(request)
        self._score = Score.GIVEN if callable(order) else Score[order.upper()]

    @property
    def possible(self) -> bool:
        """Whether the arm is redundant: others have nothing to move along."""
        return len(self._basis) > 0

    def scores(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a named score (N,) of configurations (N, n), compiled."""
        climbers = new_records(len(positions), CLIMBER)
        self._climb(climbers, positions[None], Mode.SCORE, 0.0, math.inf)
        return climbers["value"]

    def improve(
        self, found: list[Found], targets: list[int], even: list[bool], deadline: float
    ) -> list[Found]:
        """Return free solutions of some targets with the best of them where their score is best.

        `even` says of which targets they lie evenly all over the set of solutions. What is at
        hand at the deadline, a reading of `time.perf_counter` [s], is as good as what went in or
        better.
        """
        by_shapes = self._score == Score.CLEARANCE
        if time.perf_counter() >= deadline:
            free = [one.at(one.free) for one in found]
            return [self._shapes.best(one) for one in free] if by_shapes else free
        wanted = min(max(self._request.num_solutions, _POLISHED[0]), _POLISHED[1])
        starts = [
            self._starts(one, wanted, even=near) for one, near in zip(found, even, strict=True)
        ]
        ends = np.cumsum([len(some) for some in starts]).tolist()
        climbers = new_records(ends[-1], CLIMBER)
        rows = np.zeros((4, len(climbers), self._basis.shape[1]))
        parts = [slice(end - len(some), end) for some, end in zip(starts, ends, strict=True)]
        for one, some, target, near, own in zip(found, starts, targets, even, parts, strict=True):
            rows[:2, own] = one.positions[some]
            climbers["target"][own] = self._poses_of(one.positions[some], target)
            climbers["value"][own] = one.scores[some]
            climbers["free_value"][own] = np.where(one.free, one.scores, -np.inf)[some]
            climbers["verdict"][own] = np.where(one.free, Verdict.FREE, Verdict.UNDECIDED)[some]
            climbers["radius"][own] = _COARSE if near else FIRST_RADIUS
        climbers["lowest"] = math.inf
        if not all(even):
            self._climb(climbers, rows, Mode.ASCEND, _COARSE, deadline)
        chosen = [self._chosen(climbers[own], rows[0, own], wanted) for own in parts]
        parts = [own.start + best for own, best in zip(parts, chosen, strict=True)]
        starts = [some[best] for some, best in zip(starts, chosen, strict=True)]
        if by_shapes:
            self._climb(climbers, rows, Mode.ASCEND, FINE, deadline)
            for k, own in enumerate(parts):
                best = self._shapes.climb_on(rows[0], climbers, own)
                parts[k], found[k] = own[best], self._shapes.kept(found[k], starts[k][best])
                starts[k] = np.arange(len(best))
            self._shapes.measure_free(rows[1], climbers, np.concatenate(parts))
        self._climb(climbers, rows, Mode.ASCEND, LEAST_RADIUS, deadline, shapes=by_shapes)
        return [
            self._merged(one, Climbed(some, rows[0, own], rows[1, own], climbers[own]), deadline)
            for one, some, own in zip(found, starts, parts, strict=True)
        ]

    def _chosen(
        self, climbers: NDArray[np.void], positions: NDArray[np.float64], wanted: int
    ) -> NDArray[np.int64]:
        """Return which climbers of a target climb on to the optimum; the others stop."""
        if len(climbers) <= wanted:
            return np.arange(len(climbers))
        order = np.argsort(-climbers["value"], kind="stable")
        around = self._stages.chain.continuous
        best = best_apart(positions, order, around, _POLISHED_APART, wanted)
        moves = climbers["move"][best]
        climbers["move"] = Move.NONE
        climbers["move"][best] = moves
        return best

    def _starts(self, found: Found, wanted: int, *, even: bool) -> NDArray[np.int64]:
        """Return the solutions of a target that climb."""
        order = np.argsort(-found.scores, kind="stable")
        given = found.positions, order, self._stages.chain.continuous
        if even:
            return highest(*given, _AROUND, wanted)
        return best_apart(*given, *(_ON_CURVES if len(self._basis) == 1 else _ON_SURFACES))

    def _climb(
        self,
        climbers: NDArray[np.void],
        rows: NDArray[np.float64],
        mode: Mode,
        least: float,
        deadline: float,
        *,
        shapes: bool = False,
    ) -> None:
        """Let climbers climb until their radius is below the least, or the deadline.

        `shapes` says whether a clearance is that between the shapes.
        """
        climb, _owner = self._new_climb(shapes=shapes)
        arguments = (
            *self._stages.tracking, self._request.space.box, self._scale, self._request.targets,
            self._held, climbers, rows, climb, self._basis.copy(),
        )  # fmt: skip
        if self._score == Score.GIVEN:
            propose, judge = Mode.PROPOSE.value, Mode.JUDGE.value
            while time.perf_counter() < deadline and ascend(*arguments, propose, least, 1):
                self._score_trials(climbers, rows[2], least)
                ascend(*arguments, judge, least, 1)
        else:
            rounds = _MOST_ROUNDS if deadline == math.inf else _ROUNDS_AT_A_TIME
            # Of an enum's member numba would look up the type in every call, which takes longer.
            how = mode.value, least, rounds
            while time.perf_counter() < deadline and ascend(*arguments, *how):
                pass

    def _new_climb(self, *, shapes: bool) -> "tuple[NDArray[np.void], AddressedCheck | None]":
        """Return a CLIMB record, and what it holds addresses of and does not own."""
        climb, check = new_records(1, CLIMB), self._request.check
        climb["score"] = self._score
        if check is None:
            return climb, None
        own = check.addressed(shapes=shapes)
        climb["check"], climb["check_context"] = own.CHECK, own.context
        if self._score == Score.CLEARANCE:
            climb["clearance"] = own.DISTANCE if shapes else own.CLEARANCE
        return climb, own

    def _score_trials(
        self, climbers: NDArray[np.void], trials: NDArray[np.float64], least: float
    ) -> None:
        """Have the caller's own score judge all trials in one call."""
        going = (climbers["move"] != Move.NONE) & (climbers["radius"] >= least)
        reached = np.flatnonzero(climbers["reached"] & going)
        if not len(reached):
            return
        order, check = self._request.preferences.order, self._request.check
        assert callable(order)  # noqa: S101
        climbers["trial_value"][reached] = own_scores(order, trials[reached])
        better = reached[climbers["trial_value"][reached] > climbers["value"][reached]]
        if check is not None and len(better):
            climbers["trial_verdict"][better] = check.verdicts(trials[better])

    def _merged(self, found: Found, climbed: Climbed, deadline: float) -> Found:
        """Put climbers in the place of the solutions that they started from.

        One that is the same as a better one stays where it started. Solutions that did not climb
        and are now the same as one that did are left out, and those not known to be free.
        """
        positions, errors, scores, free = (column.copy() for column in found)
        scores[~free] = -np.inf
        alive, settled = np.ones(len(scores), np.bool_), np.zeros(len(scores), np.bool_)
        values = climbed.climbers["value"]
        to_check = self._request.num_solutions
        for k in np.argsort(-values, kind="stable").tolist():
            start, value, q = climbed.starts[k], values[k], climbed.positions[k]
            if climbed.climbers["verdict"][k] != Verdict.FREE:
                to_check -= 1
                if to_check < 0 or self._collides(q, deadline):
                    value, q = climbed.climbers["free_value"][k], climbed.free[k]
            if not (alive[start] and value > scores[start]):
                continue
            same = self._same(positions, q) & alive
            same[start] = False
            if (same & (settled | (scores >= value))).any():
                continue
            alive &= ~same
            positions[start], scores[start] = q, value
            free[start] = settled[start] = True
            if settled.sum() == self._request.num_solutions:
                break  # all others are worse
        pose_of = np.empty(len(scores), np.int64)
        pose_of[climbed.starts] = climbed.climbers["target"]
        errors[settled] = np.stack(
            self._stages.verifier.errors(
                positions[settled], self._request.targets, pose_of[settled]
            ),
            axis=1,
        )
        return Found(positions, errors, scores, free).at(alive & free)

    def _poses_of(self, positions: NDArray[np.float64], target: int) -> NDArray[np.int64] | int:
        """Return the poses that solutions of a target reach: of a goal set the nearest ones."""
        if not self._request.alternatives:
            return target
        return nearest_of(self._stages, self._request)(positions)[1]

    def _collides(self, q: NDArray[np.float64], deadline: float) -> bool:
        """Say whether a configuration collides, or there is no time to tell."""
        check = self._request.check
        if check is None or time.perf_counter() >= deadline:
            return check is not None
        return check.collides(q)

    def _same(self, positions: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Say which (M, n) solutions are the same as q; full turns of limited joints are not."""
        gaps, around = positions - q, self._stages.chain.continuous
        if around.any():
            gaps = np.where(around, wrapped(gaps), gaps)
        return np.abs(gaps).max(axis=1) < self._stages.distinct_distance
