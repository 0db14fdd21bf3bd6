"""Whole calls with the seeds of different samplers, in turns."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.interleaved import in_rotation
from generative_ik_benchmarks.text import Quartiles
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.solutions import IKSolutions

TIMEOUT = 1.0
"""Deadline of a call, far beyond what it takes [s]."""


@dataclass(frozen=True)
class SeedCallFigures:
    """Calls with the seeds of one sampler; means over the poses unless said otherwise.

    Attributes:
        sampler: Its name, or one of `KNOWN_SEEDS`.
        seconds: Time of a call [s], each pose by the median of its calls.
        solutions: Returned a pose.
        per_ms: Distinct exact solutions a millisecond.
        ratio: That rate over the one with quasi-random seeds, pose by pose.
        coverage: Share of the reference set with a returned solution nearby.
        seeds: Seeds tried, those beside known solutions included.
        null_space: Share of them that the search made itself, by null-space steps.
        exact: Share of the seeds that became exact.
        iterations: Iterations a seed.
        repeats: Share of the exact ones whose solution was known already.
        proposing: Share of the time that the sampler took.
        selecting: Share of the time that putting solutions in order took.
        violations: What was returned that is not true.
    """

    sampler: str
    seconds: Quartiles
    solutions: float
    per_ms: Quartiles
    ratio: Quartiles
    coverage: float
    seeds: float
    null_space: float
    exact: float
    iterations: float
    repeats: float
    proposing: float
    selecting: float
    violations: Violations


@dataclass(frozen=True)
class SeedCalls:
    """The calls of one solver.

    Attributes:
        seconds: For each of P poses the times of the calls [s].
        proposing: For each the shares of these times that the sampler took.
        selecting: For each those that putting solutions in order took.
        found: For each what it found; the same in every call.
    """

    seconds: list[list[float]]
    proposing: list[list[float]]
    selecting: list[list[float]]
    found: list[IKSolutions]

    @property
    def medians(self) -> NDArray[np.float64]:
        """The (P,) times of a call [s]."""
        return np.array([np.median(times) for times in self.seconds])

    @property
    def rates(self) -> NDArray[np.float64]:
        """The (P,) solutions a millisecond."""
        return np.array([one.counts[0] for one in self.found]) / (1e3 * self.medians)

    def add(self, turn: int, seconds: float, found: IKSolutions) -> None:
        """Take note of a call with a pose."""
        timings = found.timings
        parts = (seconds, timings.propose / timings.total, timings.select / timings.total)
        for kept, part in zip((self.seconds, self.proposing, self.selecting), parts, strict=True):
            if len(kept) == turn:
                kept.append([])
            kept[turn].append(part)
        if len(self.found) == turn:
            self.found.append(found)

    def figures(
        self, name: str, plain: "SeedCalls", covered: float, violations: Violations
    ) -> SeedCallFigures:
        """Sum up, beside the calls with quasi-random seeds."""
        timings = [one.timings for one in self.found]
        seeds, exact = sum(t.seeds for t in timings), sum(t.exact for t in timings)
        return SeedCallFigures(
            sampler=name,
            seconds=Quartiles.of(self.medians),
            solutions=float(np.mean([one.counts[0] for one in self.found])),
            per_ms=Quartiles.of(self.rates),
            ratio=Quartiles.of(self.rates / np.maximum(plain.rates, 1e-9)),
            coverage=covered,
            seeds=seeds / len(timings),
            null_space=sum(t.null_space_steps for t in timings) / seeds,
            exact=exact / seeds,
            iterations=sum(t.iterations for t in timings) / seeds,
            repeats=1.0 - sum(t.distinct for t in timings) / max(exact, 1),
            proposing=float(np.median(self.proposing, axis=1).mean()),
            selecting=float(np.median(self.selecting, axis=1).mean()),
            violations=violations,
        )


def calls_in_turns(
    solvers: Mapping[str, IKSolver],
    targets: NDArray[np.float64],
    repeats: int,
    wanted: int,
    seed: int,
    on_pose: Callable[[], None],
) -> dict[str, SeedCalls]:
    """Let solvers solve poses (P, 4, 4), several times each; who goes first rotates.

    Before each call that counts the same solver solves another pose, so that its code and tables
    are as warm as in a row of calls.
    """
    calls, names = {name: SeedCalls([], [], [], []) for name in solvers}, list(solvers)
    for turn, target in enumerate(targets):
        other = targets[(turn + 1) % len(targets)]
        for _, name in in_rotation(names, turn, repeats):
            solvers[name].solve(other, wanted, timeout=TIMEOUT, random_seed=seed)
            start = time.perf_counter()
            found = solvers[name].solve(target, wanted, timeout=TIMEOUT, random_seed=seed)
            calls[name].add(turn, time.perf_counter() - start, found)
        on_pose()
    return calls
