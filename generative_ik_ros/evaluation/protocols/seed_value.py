"""A chain and its samplers come in, what their seeds are worth goes out: the decisive test.

Protocol D: the same local solver, tolerance and time budgets for every sampler. A run proposes and
refines round after round until the longest budget is spent; the clock runs while seeds are
proposed (a model's inference included) and refined, and stands still while results are checked.
What a budget buys is what had come out by then, in rounds that were over. Samplers take turns,
several times on each pose, and who goes first rotates; the clock is the median of these times.

How many seeds to ask for in a round is a matter of speed only, because samplers give the same
sequence of seeds whatever the rounds; a sampler with a cost a call wants large rounds, a short
budget small ones. So each sampler and budget gets the size that finds most distinct solutions on
poses that do not count.

Distinct solutions alone reward finding many in one place, coverage alone the first 50: both count.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.evaluation.chains import ChainCase
from generative_ik_ros.evaluation.metrics.space import JointSpace
from generative_ik_ros.evaluation.oracle import Oracle
from generative_ik_ros.evaluation.poses import random_reachable_poses
from generative_ik_ros.evaluation.protocols.references import Reference, reference_of
from generative_ik_ros.evaluation.protocols.seed_runs import Run, SeedRunner
from generative_ik_ros.evaluation.race import Quartiles
from generative_ik_ros.evaluation.reference.saturation import ExhaustiveSettings
from generative_ik_ros.evaluation.seeding import willing_samplers
from generative_ik_ros.evaluation.verification import Faults
from generative_ik_ros.samplers.base import Sampler

_Runs = defaultdict[tuple[str, int], list[Run]]
"""Runs by sampler and round size."""

BUDGETS = (0.5e-3, 1e-3, 2e-3, 5e-3, 10e-3, 50e-3)
ROUND_SIZES = (32, 128, 512, 2048)
NEAR = 0.5
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
        converged: Share of the seeds that became exact.
        iterations: Mean iterations of those.
        iterations_all: Mean iterations of all seeds, those that were given up too.
        propose_share: Share of the time that went into proposing, at the longest budget.
        budgets: Figures for each budget.
        times: (M,) of the curves [s].
        distinct_curve: (M,) distinct solutions by then.
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


@dataclass(frozen=True)
class SeedValue:
    """One chain's table.

    Attributes:
        chain: Its label.
        slug: A name for files.
        dof: Joints to choose.
        poses: Random reachable poses that count.
        tuning_poses: Poses on which round sizes were chosen.
        repeats: Runs of each sampler on each pose.
        refiner: The local solver.
        reference: What coverage is measured against.
        samplers: A row a sampler.
        absent: Why a sampler did not take part.
    """

    chain: str
    slug: str
    dof: int
    poses: int
    tuning_poses: int
    repeats: int
    refiner: str
    reference: Reference
    samplers: tuple[SamplerWorth, ...]
    absent: dict[str, str]

    @property
    def faults(self) -> Faults:
        """Everything untrue in our own results."""
        return sum((one.faults for one in self.samplers), Faults())


def seed_value(
    case: ChainCase,
    *,
    poses: int = 40,
    tuning_poses: int = 6,
    repeats: int = 3,
    samplers: Sequence[str] = (),
    budgets: Sequence[float] = BUDGETS,
    refiner: str = "levenberg_marquardt",
    reference: ExhaustiveSettings | None = None,
    device: str = "cpu",
    seed: int = 1,
    on_step: Callable[[], None] = lambda: None,
) -> SeedValue:
    """Measure the samplers on one chain.

    Args:
        case: The chain.
        poses: How many random reachable poses count.
        tuning_poses: How many more are for choosing round sizes.
        repeats: How often each sampler runs on each pose.
        samplers: Which; all that are registered if empty.
        budgets: Times a pose [s].
        refiner: The local solver.
        reference: How hard all solutions are looked for.
        device: Where models run.
        seed: Of poses and samplers.
        on_step: Called after each pose of the reference, each tuning pose and each pose.

    Raises:
        GenerativeIKError: The chain is refused, or a sampler does not exist.
    """
    chain, oracle = case.chain, Oracle.of(case)
    budgets = tuple(sorted(budgets))
    ready, absent = willing_samplers(chain, samplers, device)
    targets = random_reachable_poses(chain, poses + tuning_poses, seed, oracle.forward)
    sets, quality = reference_of(chain, targets[:poses], reference, on_step)
    runner = SeedRunner(case, oracle, refiner, seed)
    for sampler in ready.values():
        runner.warm_up(sampler, targets[-1], ROUND_SIZES)
    chosen = _round_sizes(runner, ready, targets[poses:], budgets, repeats, on_step)
    names, runs = list(ready), _Runs(list)
    for turn in range(poses):
        repeated = _Runs(list)
        for i in range(repeats * len(names)):
            name = names[(turn + i) % len(names)]
            for size, longest in _longest(chosen[name], budgets).items():
                run = runner.run(ready[name], targets[turn], size, longest)
                repeated[name, size].append(run)
        for key, some in repeated.items():
            runs[key].append(Run.median(some))
        on_step()
    space, references = JointSpace.of(chain), [one.thinned for one in sets]
    first: NDArray[np.float64] | None = None
    worth = []
    for name in names:
        mine = {size: runs[name, size] for size in set(chosen[name])}
        reached = {
            size: [
                run.reached_at(space, reference, NEAR)
                for run, reference in zip(some, references, strict=True)
            ]
            for size, some in mine.items()
        }
        distinct = _distinct(mine, chosen[name], budgets)
        first = distinct if first is None else first
        worth.append(_worth(name, mine, reached, chosen[name], budgets, distinct, first, runner))
    return SeedValue(
        case.label,
        case.wish.replace(":", "-").replace("/", "_"),
        chain.num_joints,
        poses,
        tuning_poses,
        repeats,
        refiner,
        quality,
        tuple(worth),
        absent,
    )


def _longest(chosen: Sequence[int], budgets: Sequence[float]) -> dict[int, float]:
    """Return the longest budget of each round size that was chosen for any."""
    return dict(zip(chosen, budgets, strict=True))


def _round_sizes(
    runner: SeedRunner,
    samplers: dict[str, Sampler],
    targets: NDArray[np.float64],
    budgets: Sequence[float],
    repeats: int,
    on_step: Callable[[], None],
) -> dict[str, list[int]]:
    """Return, for each sampler and budget, the round size that finds most; small ones first."""
    totals = {name: np.zeros((len(ROUND_SIZES), len(budgets))) for name in samplers}
    for target in targets:
        for name, sampler in samplers.items():
            for s, size in enumerate(ROUND_SIZES):
                repeated = [runner.run(sampler, target, size, budgets[-1]) for _ in range(repeats)]
                run = Run.median(repeated)
                totals[name][s] += [run.distinct_by(budget) for budget in budgets]
        on_step()
    return {
        name: [ROUND_SIZES[best] for best in total.argmax(axis=0)]
        for name, total in totals.items()
    }


def _distinct(
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


def _worth(
    name: str,
    runs: dict[int, list[Run]],
    reached: dict[int, list[NDArray[np.float64]]],
    chosen: Sequence[int],
    budgets: Sequence[float],
    distinct: NDArray[np.float64],
    first: NDArray[np.float64],
    runner: SeedRunner,
) -> SamplerWorth:
    """Sum up one sampler's runs."""
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
    # A curve at each time is the best round size's at the first budget that is not shorter.
    which = [chosen[int(np.searchsorted(budgets, t))] for t in times]
    longest = runs[chosen[-1]]
    return SamplerWorth(
        name,
        exact / max(seeds, 1),
        sum(run.iterations_exact for run in everything) / max(exact, 1),
        sum(run.iterations for run in everything) / max(seeds, 1),
        sum(run.propose_time for run in longest) / sum(run.time for run in longest),
        tuple(figures),
        times,
        np.array(
            [
                np.mean([run.distinct_by(t) for run in runs[size]])
                for t, size in zip(times, which, strict=True)
            ]
        ),
        np.array([_coverage(reached[size], t) for t, size in zip(times, which, strict=True)]),
        *runner.judged(everything),
    )


def _coverage(reached: Sequence[NDArray[np.float64]], time: float) -> float:
    """Return the mean share of the references that was reached by a time."""
    shares = [float((each <= time).mean()) for each in reached if len(each)]
    return float(np.mean(shares)) if shares else float("nan")
