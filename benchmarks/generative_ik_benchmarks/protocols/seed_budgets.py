"""What one sampler's seeds yield within time budgets, from its runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.protocols.seed_runs import Run, SeedRunner
from generative_ik_benchmarks.text import Quartiles
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros.array_types import Floats

_CURVE_POINTS = 60


@dataclass(frozen=True)
class BudgetFigures:
    """What a sampler's seeds bought within a budget; means over the poses."""

    budget: float = figure("Time a pose [s].")
    distinct: float = figure("Exact, distinct solutions.")
    distinct_per_ms: float = figure("The same in a millisecond of the budget.")
    coverage: float = figure("Share of the solution set with a solution nearby.")
    ratio: Quartiles = figure(
        "How many times the first sampler's distinct solutions, pose by pose."
    )


@dataclass(frozen=True)
class SeedFigures:
    """How good seeds are, whatever they cost."""

    count: float = figure("Seeds a pose.")
    converged: float = figure("Share of them that became exact.")
    iterations: float = figure("Mean iterations of those.")
    iterations_all: float = figure("Mean iterations of all, those that were given up too.")


@dataclass(frozen=True)
class SamplerBudgets:
    """One sampler's seeds."""

    sampler: str = figure("Its name.")
    first: SeedFigures = figure("The seeds of a pose's first round, of the second smallest size.")
    all: SeedFigures = figure("All seeds by the longest budget.")
    propose_share: float = figure(
        "Share of the time that went into proposing, at the longest budget."
    )
    budgets: tuple[BudgetFigures, ...] = figure("Figures for each budget.")
    times: Floats = figure("(M,) of the curves [s].")
    distinct_curve: Floats = figure("(M,) distinct solutions by then.")
    coverage_curve: Floats = figure("(M,) coverage by then.")
    violations: Violations = figure("What pinocchio found untrue among some of the solutions.")


class SamplerRuns:
    """One sampler's runs on the same poses at several round sizes.

    What it finds within a time is what it finds with the round size that is best for that time on
    the average of all poses: rounds that just do not end in time buy nothing, and a caller who
    knows the time would not choose them. Distinct solutions and coverage have each their best
    size, mostly the same one, so that more time never gives less of either.

    Args:
        runs: By round size, ascending, a run a pose.
        space: How distances are measured.
        references: (m, n) each pose's reference set [rad or m].
        near: How near a solution has to be to be counted as one of it [rad].
    """

    def __init__(
        self,
        runs: dict[int, list[Run]],
        space: JointSpace,
        references: Sequence[Floats],
        near: float,
    ):
        """Find out when each configuration of the references was reached."""
        self._runs, self._sizes = runs, list(runs)
        self._reached = {
            size: [
                run.reached_at(space, reference, near)
                for run, reference in zip(some, references, strict=True)
            ]
            for size, some in runs.items()
        }

    def best_size(self, time: float) -> int:
        """Return the round size that finds most within a time [s]; the smallest of equals."""
        found = [sum(run.distinct_by(time) for run in self._runs[size]) for size in self._sizes]
        return self._sizes[int(np.argmax(found))]

    def coverage(self, time: float) -> float:
        """Return the greatest mean share of the references within a time [s]."""
        means = []
        for size in self._sizes:
            shares = [float((each <= time).mean()) for each in self._reached[size] if len(each)]
            means.append(float(np.mean(shares)) if shares else float("nan"))
        return max(means)

    def distinct(self, time: float) -> Floats:
        """Return the distinct solutions (P,) of each pose within a time [s]."""
        some = self._runs[self.best_size(time)]
        return np.array([run.distinct_by(time) for run in some], np.float64)

    def figures(self, budget: float, first: Floats) -> BudgetFigures:
        """Sum up a budget [s], beside the first sampler's distinct solutions (P,)."""
        distinct = self.distinct(budget)
        return BudgetFigures(
            budget,
            float(distinct.mean()),
            float(distinct.mean() / (1e3 * budget)),
            self.coverage(budget),
            Quartiles.of(distinct / np.maximum(first, 1.0)),
        )

    def summary(
        self, name: str, budgets: Sequence[float], first: Sequence[Floats], runner: SeedRunner
    ) -> SamplerBudgets:
        """Sum up budgets [s], beside the first sampler's distinct solutions (P,) of each."""
        times = np.geomspace(budgets[0] / 5, budgets[-1], _CURVE_POINTS)
        longest = self._runs[self.best_size(budgets[-1])]
        everything = [run for some in self._runs.values() for run in some]
        return SamplerBudgets(
            name,
            _seed_figures(self._runs[self._sizes[1 if len(self._sizes) > 1 else 0]], 0),
            _seed_figures(longest, -1),
            sum(run.propose_time for run in longest) / sum(run.time for run in longest),
            tuple(self.figures(*each) for each in zip(budgets, first, strict=True)),
            times,
            np.array([self.distinct(time).mean() for time in times]),
            np.array([self.coverage(time) for time in times]),
            runner.check(everything),
        )


def _seed_figures(runs: Sequence[Run], rounds: int) -> SeedFigures:
    """Count the seeds of runs up to a round, -1 for the last."""
    seeds = sum(int(run.seeds_after[rounds]) for run in runs)
    exact = sum(int(run.exact_after[rounds]) for run in runs)
    return SeedFigures(
        seeds / len(runs),
        exact / seeds,
        sum(int(run.iterations_exact_after[rounds]) for run in runs) / max(exact, 1),
        sum(int(run.iterations_after[rounds]) for run in runs) / seeds,
    )
