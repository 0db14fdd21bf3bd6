"""The runs of one sampler come in, what its seeds are worth goes out: budgets and curves."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.evaluation.protocols.seed_runs import Run, SeedRunner
from generative_ik_ros.evaluation.race import Quartiles
from generative_ik_ros.evaluation.verification import Faults

_CURVE_POINTS = 60


@dataclass(frozen=True)
class BudgetFigures:
    """What a sampler's seeds bought within a budget; means over the poses.

    Attributes:
        budget: Time a pose [s].
        round_size: Seeds a round.
        seeds: Seeds refined.
        exact: Exact solutions, repeats included.
        distinct: Exact, distinct solutions.
        distinct_per_ms: The same in a millisecond of the budget.
        coverage: Share of the solution set with a solution within 0.5 rad.
        solved: Share of the poses with a solution.
        ratio: How many times the first sampler's distinct solutions, pose by pose.
    """

    budget: float
    round_size: int
    seeds: float
    exact: float
    distinct: float
    distinct_per_ms: float
    coverage: float
    solved: float
    ratio: Quartiles


@dataclass(frozen=True)
class SamplerWorth:
    """One sampler's seeds.

    Attributes:
        sampler: Its name.
        converged: Share of the seeds that became exact, of all at the longest budget.
        iterations: Mean iterations of those.
        iterations_all: Mean iterations of all seeds, those that were given up too.
        propose_share: Share of the time that went into proposing, at the longest budget.
        budgets: Figures for each budget.
        times: (M,) of the curves [s].
        distinct_curve: (M,) distinct solutions by then, with the best of the round sizes.
        coverage_curve: (M,) coverage by then.
        checked: Solutions that pinocchio checked.
        faults: What it found untrue among them.
    """

    sampler: str
    converged: float
    iterations: float
    iterations_all: float
    propose_share: float
    budgets: tuple[BudgetFigures, ...]
    times: NDArray[np.float64]
    distinct_curve: NDArray[np.float64]
    coverage_curve: NDArray[np.float64]
    checked: int
    faults: Faults


def distinct_within(
    runs: dict[int, list[Run]], chosen: Sequence[int], budgets: Sequence[float]
) -> NDArray[np.float64]:
    """Return distinct solutions (budgets, poses)."""
    return np.array(
        [
            [run.distinct_by(budget) for run in runs[size]]
            for size, budget in zip(chosen, budgets, strict=True)
        ],
        np.float64,
    )


def worth_of(
    name: str,
    runs: dict[int, list[Run]],
    reached: dict[int, list[NDArray[np.float64]]],
    chosen: Sequence[int],
    budgets: Sequence[float],
    distinct: NDArray[np.float64],
    first: NDArray[np.float64],
    runner: SeedRunner,
) -> SamplerWorth:
    """Sum up one sampler's runs.

    Args:
        name: The sampler's name.
        runs: By round size, a run a pose.
        reached: By round size, when each configuration of each pose's reference was reached.
        chosen: The round size of each budget.
        budgets: Ascending [s].
        distinct: (budgets, poses) its distinct solutions.
        first: Likewise, the first sampler's.
        runner: Has pinocchio check some of the solutions.
    """
    figures = []
    for b, (budget, size) in enumerate(zip(budgets, chosen, strict=True)):
        some = runs[size]
        exact = np.array([run.exact_by(budget) for run in some])
        figures.append(
            BudgetFigures(
                budget,
                size,
                float(np.mean([run.seeds_by(budget) for run in some])),
                float(exact.mean()),
                float(distinct[b].mean()),
                float(distinct[b].mean() / (1e3 * budget)),
                _coverage(reached[size], budget),
                float((exact > 0).mean()),
                Quartiles.of(distinct[b] / np.maximum(first[b], 1.0)),
            )
        )
    everything = [run for some in runs.values() for run in some]
    seeds = sum(run.seeds for run in everything)
    exact = sum(run.exact for run in everything)
    times = np.geomspace(budgets[0] / 5, budgets[-1], _CURVE_POINTS)
    sizes = list(runs)
    found = np.array([[np.mean([run.distinct_by(t) for run in runs[s]]) for t in times]
                      for s in sizes])  # fmt: skip
    best = found.argmax(axis=0)
    longest = runs[chosen[-1]]
    return SamplerWorth(
        name,
        exact / max(seeds, 1),
        sum(run.iterations_exact for run in everything) / max(exact, 1),
        sum(run.iterations for run in everything) / max(seeds, 1),
        sum(run.propose_time for run in longest) / sum(run.time for run in longest),
        tuple(figures),
        times,
        found.max(axis=0),
        np.array([_coverage(reached[sizes[i]], t) for t, i in zip(times, best, strict=True)]),
        *runner.judged(everything),
    )


def _coverage(reached: Sequence[NDArray[np.float64]], time: float) -> float:
    """Return the mean share of the references that was reached by a time."""
    shares = [float((each <= time).mean()) for each in reached if len(each)]
    return float(np.mean(shares)) if shares else float("nan")
