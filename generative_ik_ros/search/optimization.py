"""Optimisation of solutions: the best ones move along their self-motions to a better score."""

import time
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.refine.goal_refiner import GoalLevenbergMarquardt
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.region_rows import SIZE, held_coordinates, without_room
from generative_ik_ros.robot.rigid import wrapped
from generative_ik_ros.search.optimized import Found, Reached
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.own_score import own_scores

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck


@dataclass(frozen=True)
class OptimizationOptions:
    """Which solutions of a target are optimised, and with which steps.

    Distances are those of the joint that differs most [rad or m], steps are in joint units (rad).
    """

    apart_on_curves: float = 0.8
    """How far apart the solutions are that are optimised, the best, where they form curves."""
    most_on_curves: int = 32
    """At most how many."""
    apart_on_surfaces: float = 0.5
    """The same where they form more than curves."""
    most_on_surfaces: int = 64
    """Likewise."""
    around: float = 0.4
    """Of solutions that lie evenly those are optimised that have nothing better as near as this,
    with coarse steps from the start."""
    apart_at_last: float = 0.2
    """The best so far apart go on to the optimum, as many as are wanted, within the next two."""
    least_at_last: int = 4
    """At least so many."""
    most_at_last: int = 16
    """At most so many."""
    first: float = 0.25
    """Length of the first step."""
    coarse: float = 0.1
    """All are optimised until their steps are shorter than this."""
    fine: float = 0.05
    """From steps of this length on only the best is moved, or as many as are wanted, where the
    score is the distance between shapes. Until then it is that between spheres, which is
    quicker."""
    least: float = 2e-3
    """Steps shorter than this are at the optimum."""


OPTIONS = OptimizationOptions()


class Score(IntEnum):
    """What is made large, as the core names it."""

    MANIPULABILITY = 0
    LIMIT_MARGIN = 1
    NEAREST = 2
    """The negative weighted distance from the seed state."""
    CLEARANCE = 3
    GIVEN = 4
    """The caller computes it."""


class Optimization:
    """Moves solutions of a redundant arm to a local optimum of the score that a call asks for.

    Args:
        stages: Chain, tolerances and verifier.
        request: What is wanted.
    """

    def __init__(self, stages: Stages, request: SolveRequest):
        """Find the directions in which solutions can move."""
        self._stages, self._request = stages, request
        chain, refiner = stages.chain, stages.refiner
        self._held, position, orientation = np.empty((0, 0, SIZE)), np.array([3]), np.array([3])
        if isinstance(refiner, GoalLevenbergMarquardt):
            self._held = without_room(refiner.regions)
            position, orientation = held_coordinates(self._held)
        held = (refiner.position_weight > 0.0) * position
        held = held + (refiner.orientation_weight > 0.0) * orientation
        free = chain.num_joints
        if isinstance(chain, KinematicTree):
            held, free = held[..., : chain.num_tips], chain.mobility
        self._dimension = max(0, int(free - held.sum(axis=-1).min()))
        self._joints = np.stack([chain.lower, chain.upper, request.joint_weights])
        order = request.preferences.order
        self._score = Score.GIVEN if callable(order) else Score[order.upper()]

    @property
    def possible(self) -> bool:
        """Whether the arm is redundant: others have nothing to move along."""
        return self._dimension > 0

    def scores(self, positions: Floats) -> Floats:
        """Return a named score (N,) of configurations (N, n); of clearance that by spheres."""
        return self._optimizer().score(np.ascontiguousarray(positions))

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
            return [self._best_by_shapes(one) for one in free] if by_shapes else free
        wanted = min(max(self._request.num_solutions, OPTIONS.least_at_last), OPTIONS.most_at_last)
        optimizer, starts, parts, begin = self._optimizer(), [], [], 0
        for one, target, near in zip(found, targets, even, strict=True):
            some = self._starts(one, wanted, even=near)
            optimizer.add(
                one.positions[some], self._poses_of(one.positions[some], target),
                one.scores[some], one.free[some], OPTIONS.coarse if near else OPTIONS.first,
            )  # fmt: skip
            starts.append(some)
            parts.append(np.arange(begin, begin + len(some)))
            begin += len(some)
        if not all(even):
            self._optimize(optimizer, OPTIONS.coarse, deadline)
        chosen = self._choose(optimizer, parts, wanted)
        parts = [own[best] for own, best in zip(parts, chosen, strict=True)]
        starts = [some[best] for some, best in zip(starts, chosen, strict=True)]
        if by_shapes:
            self._optimize(optimizer, OPTIONS.fine, deadline)
            found, starts, parts = self._measure_shapes(optimizer, found, starts, parts)
        self._optimize(optimizer, OPTIONS.least, deadline)
        reached = Reached.of(optimizer)
        return [
            self._merged(one, some, reached.at(own), deadline)
            for one, some, own in zip(found, starts, parts, strict=True)
        ]

    @property
    def _check(self) -> "SceneCheck":
        assert self._request.check is not None  # noqa: S101
        return self._request.check

    def _optimizer(self) -> _core.NullSpaceOptimizer:
        stages, request = self._stages, self._request
        return _core.NullSpaceOptimizer(
            stages.problem, request.space.box, request.targets, self._held, self._dimension,
            self._score, self._joints, request.world,
        )  # fmt: skip

    def _optimize(
        self, optimizer: _core.NullSpaceOptimizer, least: float, deadline: float
    ) -> None:
        """Optimise until steps are shorter than the least, or the deadline."""
        order = self._request.preferences.order
        if not callable(order):
            optimizer.optimize(least, deadline - time.perf_counter())
            return
        while time.perf_counter() < deadline and optimizer.propose(least):
            trials = optimizer.trials()
            optimizer.judge(own_scores(order, trials) if len(trials) else np.empty(0))

    def _choose(
        self, optimizer: _core.NullSpaceOptimizer, parts: list[Ints], wanted: int
    ) -> list[Ints]:
        """Return which solutions of each target are optimised further; the others stay."""
        if all(len(own) <= wanted for own in parts):
            return [np.arange(len(own)) for own in parts]
        values, positions, chosen = optimizer.values, optimizer.positions, []
        for own in parts:
            best = np.arange(len(own))
            if len(own) > wanted:
                order = np.argsort(-values[own], kind="stable")
                best = self._apart(positions[own], order, OPTIONS.apart_at_last, wanted)
                optimizer.end(np.delete(own, best))
            chosen.append(best)
        return chosen

    def _starts(self, found: Found, wanted: int, *, even: bool) -> Ints:
        """Return the solutions of a target that are optimised."""
        order = np.argsort(-found.scores, kind="stable")
        if even:
            return self._apart(found.positions, order, OPTIONS.around, wanted, from_all=True)
        bounds = OPTIONS.apart_on_surfaces, OPTIONS.most_on_surfaces
        if self._dimension == 1:
            bounds = OPTIONS.apart_on_curves, OPTIONS.most_on_curves
        return self._apart(found.positions, order, *bounds)

    def _apart(
        self, positions: Floats, order: Ints, distance: float, most: int, *, from_all: bool = False
    ) -> Ints:
        """Return the first of an order that are apart from those taken, or all, before them."""
        around = np.array(self._stages.chain.continuous)
        rows = np.ascontiguousarray(positions)
        return _core.apart(rows, order, around, distance, most, from_all)

    def _best_by_shapes(self, found: Found) -> Found:
        """Return the best of some solutions by spheres, with their distances between shapes."""
        order = np.argsort(-found.scores, kind="stable")
        best = found.at(order[: self._request.num_solutions])
        return best._replace(scores=self._check.distances(best.positions))

    def _measure_shapes(
        self,
        optimizer: _core.NullSpaceOptimizer,
        found: list[Found],
        starts: list[Ints],
        parts: list[Ints],
    ) -> tuple[list[Found], list[Ints], list[Ints]]:
        """Go on with distances between shapes, of as many solutions of each target as are wanted.

        Those known to be free come before others, which may be inside of something. What they
        started from, and the best of the others, are measured as well.
        """
        optimizer.measure_shapes(self._check.shapes)
        wanted, positions, are_free = (
            self._request.num_solutions,
            optimizer.positions,
            optimizer.free,
        )
        results = []
        for one, some, own in zip(found, starts, parts, strict=True):
            values = self._check.distances(positions[own])
            for row, value in zip(own.tolist(), values.tolist(), strict=True):
                optimizer.restart(row, value, OPTIONS.fine)
            order = np.lexsort((-values, ~are_free[own]))
            optimizer.end(own[order[wanted:]])
            # Where one is wanted it is the best.
            best = order[:1] if wanted == 1 else order
            others = np.argsort(-np.where(one.free, one.scores, -np.inf), kind="stable")
            rows = dict.fromkeys([*some[best].tolist(), *others[:wanted].tolist()])
            kept = one.at(np.array(list(rows)))
            kept = kept._replace(scores=self._check.distances(kept.positions))
            results.append((kept, np.arange(len(best)), own[best]))
        self._measure_free(optimizer, np.concatenate([own for _, _, own in results]))
        found, starts, parts = map(list, zip(*results, strict=True))
        return found, starts, parts

    def _measure_free(self, optimizer: _core.NullSpaceOptimizer, some: Ints) -> None:
        """Measure the free configurations that some came through last."""
        values, are_free, free_values = optimizer.values, optimizer.free, optimizer.free_values
        was_free = some[~are_free[some] & np.isfinite(free_values[some])]
        if len(was_free):
            values[was_free] = self._check.distances(optimizer.free_positions[was_free])
        for row in (*some[are_free[some]].tolist(), *was_free.tolist()):
            optimizer.set_free_value(row, values[row].item())

    def _merged(self, found: Found, starts: Ints, reached: Reached, deadline: float) -> Found:
        """Put what was reached in the place of the solutions (S,) that it started from.

        What is the same as something better stays where it started. Solutions that were not moved
        and are now the same as one that was are left out, and those not known to be free.
        """
        positions, errors, scores, free = (column.copy() for column in found)
        scores[~free] = -np.inf
        alive, settled = np.ones(len(scores), np.bool_), np.zeros(len(scores), np.bool_)
        to_check = self._request.num_solutions
        for k in np.argsort(-reached.values, kind="stable").tolist():
            start, value, q = starts[k], reached.values[k], reached.positions[k]
            if not reached.are_free[k]:
                to_check -= 1
                if to_check < 0 or self._collides(q, deadline):
                    value, q = reached.free_values[k], reached.free[k]
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
        pose_of[starts] = reached.targets
        errors[settled] = self._stages.verifier.errors(
            positions[settled], self._request.targets, pose_of[settled]
        )
        return Found(positions, errors, scores, free).at(alive & free)

    def _poses_of(self, positions: Floats, target: int) -> Ints:
        """Return the poses that solutions of a target reach: of a goal set the nearest ones."""
        if not self._request.alternatives:
            return np.full(len(positions), target)
        return self._stages.nearest_of(self._request.targets)(positions)[1]

    def _collides(self, q: Floats, deadline: float) -> bool:
        """Say whether a configuration collides, or there is no time to tell."""
        check = self._request.check
        if check is None or time.perf_counter() >= deadline:
            return check is not None
        return check.collides(q)

    def _same(self, positions: Floats, q: Floats) -> Bools:
        """Say which (M, n) solutions are the same as q; full turns of limited joints are not."""
        gaps, around = positions - q, self._stages.chain.continuous
        if around.any():
            gaps = np.where(around, wrapped(gaps), gaps)
        return np.abs(gaps).max(axis=1) < self._stages.distinct_distance
