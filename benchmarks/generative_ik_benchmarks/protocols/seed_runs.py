"""Runs of a sampler and the local solver on one pose: what its seeds became, and when."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.interleaved import timed
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt, Refinement
from generative_ik_ros.samplers.base import Sampler
from generative_ik_ros.select.pool import SolutionPool
from generative_ik_ros.select.verify import Verifier
from generative_ik_ros.space import SearchSpace

TOLERANCE = 1e-5
DISTINCT = 0.05
_CAPACITY = 4096
"""Distinct solutions kept of a run: more would only cost the checks time."""
_MOST_ROUNDS = 64
_CHECKED = 16
"""Solutions of a run that pinocchio looks at; all are verified by our independent kinematics."""


@dataclass(frozen=True)
class Run:
    """One sampler's rounds on one pose.

    Attributes:
        target: (4, 4) the pose.
        positions: (D, n) distinct exact solutions in the order found [rad or m].
        ends: (R,) reading of the clock at the end of each round [s].
        seeds_after: (R,) seeds refined by then.
        exact_after: (R,) exact solutions by then, repeats included.
        distinct_after: (R,) distinct ones by then.
        iterations_after: (R,) iterations by then, of all seeds.
        iterations_exact_after: (R,) iterations of those that converged.
        propose_time: Time spent in the sampler [s].
    """

    target: Floats
    positions: Floats
    ends: Floats
    seeds_after: Ints
    exact_after: Ints
    distinct_after: Ints
    iterations_after: Ints
    iterations_exact_after: Ints
    propose_time: float

    @classmethod
    def median(cls, runs: Sequence["Run"]) -> "Run":
        """Return a run with the median clock of several that differ in nothing else.

        Samplers and local solvers are deterministic, so such runs differ in time only. Each round
        takes the median of its times, so that a disturbance in one round of one run does not make
        all later rounds late. A round that a slow run did not come to counts as late, not as
        missing.
        """
        fullest = max(runs, key=lambda run: len(run.ends))
        rounds = np.full((len(runs), len(fullest.ends)), np.inf)
        for times, run in zip(rounds, runs, strict=True):
            times[: len(run.ends)] = np.diff(run.ends, prepend=0.0)
        clock = np.sort(rounds, axis=0)[len(runs) // 2].cumsum()
        proposing = float(np.median([run.propose_time / run.time for run in runs]))
        spent = float(clock[np.isfinite(clock)][-1])
        return replace(fullest, ends=clock, propose_time=proposing * spent)

    @property
    def time(self) -> float:
        """Time of all rounds [s]."""
        return float(self.ends[np.isfinite(self.ends)][-1])

    def distinct_by(self, budget: float) -> int:
        """Distinct solutions of the rounds that were over within a budget [s]."""
        rounds = int(np.searchsorted(self.ends, budget, side="right"))
        return int(self.distinct_after[rounds - 1]) if rounds else 0

    def reached_at(self, space: JointSpace, reference: Floats, near: float) -> Floats:
        """Return when each configuration of a reference set (m, n) had a solution near [rad] it.

        Returns:
            (m,) readings of the clock [s]; inf where there never was one.
        """
        times = np.full(len(reference), np.inf)
        before = 0
        for end, count in zip(self.ends, self.distinct_after, strict=True):
            open_rows = np.flatnonzero(np.isinf(times))
            if count > before and len(open_rows):
                new = self.positions[before:count]
                distance = space.nearest(reference[open_rows], new, within=near)
                times[open_rows[distance <= near]] = end
            before = count
        return times


class SeedRunner:
    """Runs samplers on poses of one chain, all with one local solver and one time."""

    def __init__(self, case: ChainCase, oracle: Oracle, seed: int):
        """Prepare the solver and the checks."""
        chain = case.chain
        self._box, self._seed = SearchBox.of(chain), seed
        self._refiner = LevenbergMarquardt(chain, TOLERANCE, TOLERANCE)
        self._verifier = Verifier(chain)
        self._grid = SearchSpace.of(chain, DISTINCT).grid
        self._checker = Checker(oracle, chain, TOLERANCE, TOLERANCE)

    def warm_up(
        self, sampler: Sampler, target: Floats, sizes: Sequence[int], longest: float
    ) -> list[int]:
        """Load and compile whatever rounds of these sizes need.

        Returns:
            The sizes worth running: the first, and those whose rounds end within twice the
            longest time [s], because a round that is not over has bought nothing.
        """
        worth = []
        for size in sizes:
            self._round(sampler, target[None], size, 0)
            _, proposing, refining = self._round(sampler, target[None], size, size)
            if not worth or proposing + refining < 2.0 * longest:
                worth.append(size)
        return worth

    def _round(
        self, sampler: Sampler, pose: Floats, size: int, first: int
    ) -> tuple[Refinement, float, float]:
        """Propose and refine seeds of a pose (1, 4, 4); return also the times of both [s]."""
        request = self._box.seed_request(pose, size, self._seed, first)
        seeds, proposing = timed(partial(sampler.propose, request))
        refinement, refining = timed(
            lambda: self._refiner.refine(self._box.refine_task(pose, seeds))
        )
        return refinement, proposing, refining

    def run(self, sampler: Sampler, target: Floats, size: int, longest: float) -> Run:
        """Propose and refine rounds of a size for a pose (4, 4) until a time [s] is up.

        After 64 rounds it is over too: by then larger rounds have long found more.
        """
        pose = np.ascontiguousarray(target[None])
        pool = SolutionPool(1, _CAPACITY, self._grid, self._box.lower)
        ends, distinct_after, rounds = [], [], []
        clock = proposing = 0.0
        while clock < longest and len(ends) < _MOST_ROUNDS:
            first = len(ends) * size
            refinement, proposed, refined = self._round(sampler, pose, size, first)
            clock += proposed + refined
            proposing += proposed
            found = self._right(pose, refinement.positions[refinement.converged])
            iterations = refinement.iterations
            rounds.append(
                (size, len(found), iterations.sum(), iterations[refinement.converged].sum())
            )
            pool.add(found, np.zeros(len(found), np.int64))
            ends.append(clock)
            distinct_after.append(int(pool.counts[0]))
        seeds, exact, iterations_after, iterations_exact_after = np.cumsum(rounds, axis=0).T
        return Run(
            target,
            pool.positions[0, : pool.counts[0]].copy(),
            np.array(ends),
            seeds,
            exact,
            np.array(distinct_after),
            iterations_after,
            iterations_exact_after,
            proposing,
        )

    def _right(self, pose: Floats, positions: Floats) -> Floats:
        """Return what of the configurations (N, n) is exact and inside the limits."""
        found = self._box.into_box(positions)
        rows = np.zeros(len(found), np.int64)
        errors = self._verifier.errors(found, pose, rows)
        inside = ((found >= self._box.lower) & (found <= self._box.upper)).all(axis=1)
        return found[(errors <= TOLERANCE).all(axis=1) & inside]

    def check(self, runs: Sequence[Run]) -> Violations:
        """Let pinocchio check some solutions of every run."""
        violations = Violations()
        for run in runs:
            some = run.positions[:: max(1, len(run.positions) // _CHECKED)][:_CHECKED]
            violations += self._checker.wrong_or_outside(run.target, some)
        return violations
