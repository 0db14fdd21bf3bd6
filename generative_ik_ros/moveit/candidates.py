"""A query in, verified candidates out, batch after batch, each nearest first."""

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.moveit.query import Query
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.select.verify import Verifier
from generative_ik_ros.solutions import SolveStatus

BATCHES = (16, 128, 1024)
"""Solutions asked for in one go. Mostly the first candidate is taken, so it starts small."""


class Batch(NamedTuple):
    """K configurations, (K, n) [rad or m], their distances [m] and angles [rad] from the pose."""

    positions: NDArray[np.float64]
    distance: NDArray[np.float64]
    angle: NDArray[np.float64]

    def at(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> "Batch":
        """Return some of the configurations."""
        return Batch(*(column[rows] for column in self))


class Candidates:
    """Solutions for one pose, each offered once, until there are no more or time is up.

    A seed that solves the pose is the first, at no cost. The others come in batches, each in the
    order of their distance from the seed.

    Args:
        solver: The solver of the chain.
        verifier: Independent kinematics of the same chain.
        query: What is asked for. Without a seed the most diverse come first.
        batches: How many solutions to ask for, one call of the solver after another.

    Attributes:
        timed_out: Whether time was up before all was seen.
        best_effort: The closest approach, None before the first call of the solver.
    """

    def __init__(
        self,
        solver: IKSolver,
        verifier: Verifier,
        query: Query,
        batches: tuple[int, ...] = BATCHES,
    ):
        """Prepare a search; it begins when the first batch is asked for."""
        self._solver, self._verifier = solver, verifier
        self._target, self._seed, self._box = query.target, query.seed, query.box
        self._deadline, self._sizes = query.deadline, batches
        self._seen = np.empty((0, solver.chain.num_joints))
        self.timed_out = False
        self.best_effort: Batch | None = None

    def batches(self) -> Iterator[Batch]:
        """Yield what was not offered before, a batch at a time."""
        if self._box.empty.any():
            return
        itself = self._seed_itself()
        if itself is not None:
            yield self._new(itself)
        for size in self._sizes:
            if self.late():
                return
            found, exhausted = self._solve(size)
            yield self._new(found)
            if exhausted:
                return

    def late(self) -> bool:
        """Say whether time is up, and remember it."""
        if time.perf_counter() >= self._deadline:
            self.timed_out = True
        return self.timed_out

    def _seed_itself(self) -> Batch | None:
        """Return the seed where it is a solution already."""
        solver, chain, seed = self._solver, self._solver.chain, self._seed
        if seed is None or not self._box.holds(seed):
            return None
        if (seed < chain.lower).any() or (seed > chain.upper).any():
            return None
        batch = Batch(seed[None], *self._errors(seed))
        true = batch.distance[0] <= solver.position_tolerance
        return batch if true and batch.angle[0] <= solver.orientation_tolerance else None

    def _solve(self, size: int) -> tuple[Batch, bool]:
        """Ask for `size` solutions; also say whether there is no point in asking for more."""
        box = self._box
        # The deadline may have passed since it was looked at: the least time, then, not none.
        left = max(self._deadline - time.perf_counter(), 1e-6)
        solutions = self._solver.solve(self._target, size, box.start, box.reach, left)
        (status,) = solutions.status
        exhausted = status is not SolveStatus.SOLVED
        if exhausted:
            self.late()
        self.best_effort = Batch(
            solutions.best_effort,
            solutions.best_effort_position_error,
            solutions.best_effort_orientation_error,
        )
        count = solutions.counts[0]
        found = Batch(
            solutions.of(),
            solutions.position_error[0, :count],
            solutions.orientation_error[0, :count],
        )
        return found.at(box.holds(found.positions)), exhausted

    def _new(self, batch: Batch) -> Batch:
        """Drop what was offered before, and put the rest in order."""
        if self._seed is not None:
            # By the sum over the joints, the distance that MoveIt's own checks measure.
            apart = np.abs(batch.positions - self._seed).sum(axis=1)
            batch = batch.at(np.argsort(apart, kind="stable"))
        gap = np.full(len(batch.positions), np.inf)
        for seen in self._seen:
            gap = np.minimum(gap, np.abs(batch.positions - seen).max(axis=1, initial=0.0))
        batch = batch.at(gap >= self._solver.distinct_distance)
        self._seen = np.concatenate([self._seen, batch.positions])
        return batch

    def _errors(
        self, positions: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self._verifier.errors(positions[None], self._target[None], np.zeros(1, np.int64))
