"""Verified candidate solutions of one query, generated in batches, and the first acceptable."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.moveit.query import Query
from generative_ik_ros.moveit.results import ErrorCode, IKResult
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.select.verify import GoalVerifier, Verifier

if TYPE_CHECKING:
    from generative_ik_ros.collision.scene import Scene


SolutionCallback = Callable[[Any, Floats], "ErrorCode | int | bool"]
"""Takes the pose and a candidate (G,); SUCCESS, 1 or True accepts it, anything else rejects it."""
CostFunction = Callable[[Any, Floats], float]
"""Takes the pose and a candidate (G,); the cheapest that is accepted is returned, NaN last."""


@dataclass(frozen=True)
class CandidateTuning:
    """How candidates are gathered."""

    batches: tuple[int, int, int] = (16, 128, 1024)
    """Solutions per batch. The first is small, because the first candidate is usually accepted."""
    gathering: float = 0.5
    """Share of the time in which candidates are gathered where the cheapest is wanted; the rest is
    left for testing them."""


TUNING = CandidateTuning()


_WHAT_TO_FREE = (
    "instead of a pose give position and orientation constraints with tolerances, or set the "
    "node's parameter orientation_tolerance to .inf (docs/few-joints.md)"
)


class Batch(NamedTuple):
    """K configurations (K, n) [rad or m] with their position [m] and orientation errors [rad]."""

    positions: Floats
    distance: Floats
    angle: Floats

    def at(self, rows: Ints | Bools | slice) -> "Batch":
        """Return the configurations at some rows."""
        return Batch(*(column[rows] for column in self))


class Candidates:
    """Distinct solutions for one goal, until there are no more or the deadline passes.

    A seed state that solves a pose comes first, without calling the solver. The others come in
    batches, each sorted by distance from the seed state, or most diverse first without one.

    Args:
        solver: The solver of the chain.
        verifier: Independent kinematics of the same chain.
        query: The query.
        batches: Number of solutions to ask for in each call of the solver.
        scene: Obstacles that solutions must be clear of, if the solver checks collisions.

    Attributes:
        timed_out: Whether the deadline passed before the search was exhausted.
        best_effort: The closest configuration found; None before the first call of the solver.
        blocked_by: Names of two things that collide in that configuration, if collisions are all
            that is wrong with it.
    """

    def __init__(
        self,
        solver: IKSolver,
        verifier: Verifier | GoalVerifier,
        query: Query,
        batches: tuple[int, ...] = TUNING.batches,
        scene: "Scene | None" = None,
    ):
        self._scene = scene
        self._solver, self._verifier = solver, verifier
        self._target, self._seed, self._box = query.target, query.seed, query.box
        self._region = query.region
        self._deadline, self._sizes = query.deadline, batches
        self._limit = query.deadline
        self._seen = np.empty((0, solver.chain.num_joints))
        self.timed_out = False
        self.best_effort: Batch | None = None
        self.blocked_by: tuple[str, str] | None = None
        self.too_few_joints = ""

    def batches(self) -> Iterator[Batch]:
        """Yield the solutions in batches, without duplicates."""
        if self._box.empty.any():
            return
        seed = self._seed_solution()
        if seed is not None:
            yield self._new(seed)
        for size in self._sizes:
            if self.expired():
                return
            found, exhausted = self._solve(size)
            yield self._new(found)
            if exhausted:
                return

    def gathered(self) -> Iterator[Batch]:
        """Yield as one batch what is found in half of the time, and then what else there is.

        The cheapest solution can only be chosen among all.
        """
        start = time.perf_counter()
        half = start + TUNING.gathering * (self._deadline - start)
        batches, together = self.batches(), []
        self._limit = half
        for batch in batches:
            together.append(batch)
            if time.perf_counter() >= half:
                break
        self._limit = self._deadline
        if together:
            yield Batch(*map(np.concatenate, zip(*together, strict=True)))
        yield from batches

    def expired(self) -> bool:
        """Whether the deadline has passed; sets `timed_out`."""
        if time.perf_counter() >= self._deadline:
            self.timed_out = True
        return self.timed_out

    def _seed_solution(self) -> Batch | None:
        """Return the seed state if it solves the pose."""
        solver, chain, seed = self._solver, self._solver.chain, self._seed
        if seed is None or self._region is not None or not self._box.contains(seed):
            return None
        if (seed < chain.lower).any() or (seed > chain.upper).any():
            return None
        errors = self._verifier.errors(seed[None], self._target[None], np.zeros(1, np.int64))
        batch = Batch(seed[None], *errors.T)
        reached = batch.distance[0] <= solver.position_tolerance
        if not reached or batch.angle[0] > solver.orientation_tolerance:
            return None
        return None if solver.colliding_pair(seed, self._scene) else batch

    def _solve(self, size: int) -> tuple[Batch, bool]:
        """Return up to `size` solutions, and whether the search is exhausted."""
        box = self._box
        # The timeout must be positive even if the deadline has passed meanwhile.
        timeout = max(self._limit - time.perf_counter(), 1e-6)
        solutions = self._solver.solve(
            self._target, size, box.seed_state, box.consistency_limits, timeout,
            scene=self._scene, region=self._region,
        )  # fmt: skip
        self.best_effort = Batch(
            solutions.best_effort,
            solutions.best_effort_position_error,
            solutions.best_effort_orientation_error,
        )
        count = solutions.counts[0]
        exhausted = count < size
        if exhausted:
            late = self.expired() or time.perf_counter() < self._limit
            exhausted = late or self._limit == self._deadline
        self.blocked_by = solutions.blocked_by[0] if solutions.blocked_by else None
        self.too_few_joints = solutions.too_few_joints(_WHAT_TO_FREE)
        found = Batch(
            solutions.of(),
            solutions.position_error[0, :count],
            solutions.orientation_error[0, :count],
        )
        return found.at(box.contains(found.positions)), exhausted

    def _new(self, batch: Batch) -> Batch:
        """Sort a batch by distance from the seed and drop solutions of earlier batches."""
        if self._seed is not None:
            # The sum over the joints, as in MoveIt's own checks.
            distance = np.abs(batch.positions - self._seed).sum(axis=1)
            batch = batch.at(np.argsort(distance, kind="stable"))
        gap = np.full(len(batch.positions), np.inf)
        for seen in self._seen:
            gap = np.minimum(gap, np.abs(batch.positions - seen).max(axis=1, initial=0.0))
        batch = batch.at(gap >= self._solver.distinct_distance)
        self._seen = np.concatenate([self._seen, batch.positions])
        return batch


def first_accepted(
    candidates: Candidates,
    to_group: Callable[[Floats], Floats],
    accept: Callable[[Floats], bool],
    cost: Callable[[Floats], float] | None,
    approximate: bool,
) -> IKResult:
    """Test candidates, one at a time on this thread, until one is accepted.

    Args:
        candidates: The candidates.
        to_group: Converts (K, n) positions of the chain to (K, G) of the group [rad or m].
        accept: Returns whether a solution (G,) is acceptable.
        cost: Returns the cost of a solution (G,); candidates are gathered first, and tested by
            increasing cost, NaN last. None: as they come.
        approximate: Whether to test the closest configuration if there is no solution.
    """
    tried = 0

    def success(batch: Batch, row: int, solution: Floats) -> IKResult:
        return IKResult(
            ErrorCode.SUCCESS,
            solution,
            float(batch.distance[row]),
            float(batch.angle[row]),
            batch is candidates.best_effort,
            tried,
            "",
        )

    for batch in candidates.batches() if cost is None else candidates.gathered():
        solutions = to_group(batch.positions)
        order = range(len(solutions))
        if cost is not None:
            order = np.argsort([cost(one) for one in solutions], kind="stable").tolist()
        for row in order:
            # The first is tested even after the deadline: it was found in time.
            if tried and candidates.expired():
                break
            tried += 1
            if accept(solutions[row]):
                return success(batch, row, solutions[row])
    closest = candidates.best_effort
    if approximate and not tried and closest is not None:
        tried = 1
        (solution,) = to_group(closest.positions)
        if accept(solution):
            return success(closest, 0, solution)
    code, message = failure(candidates, tried)
    return IKResult(code, None, math.nan, math.nan, False, tried, message)


def failure(candidates: Candidates, tried: int) -> tuple[ErrorCode, str]:
    """Return the error code and message of a query without an accepted solution."""
    summary = f"all {tried} solutions tested were rejected" if tried else "no solution"
    if candidates.timed_out:
        return ErrorCode.TIMED_OUT, f"timed out: {summary}"
    closest = candidates.best_effort
    if tried:
        return ErrorCode.NO_IK_SOLUTION, summary
    if candidates.blocked_by is not None:
        one, other = candidates.blocked_by
        return ErrorCode.NO_IK_SOLUTION, f"reached in collision only: {one} with {other}"
    if closest is None:
        return ErrorCode.NO_IK_SOLUTION, f"{summary}: the bounds exclude every joint position"
    return ErrorCode.NO_IK_SOLUTION, (
        f"{summary} within the limits; the closest configuration is {closest.distance[0]:.3g} m "
        f"and {closest.angle[0]:.3g} rad off{candidates.too_few_joints}"
    )
