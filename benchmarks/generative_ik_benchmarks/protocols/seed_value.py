"""Protocol D: what seeds are worth within time budgets.

The same local solver, tolerance and time budgets for every sampler. A run proposes and
refines round after round until the longest budget is spent; the clock runs while seeds are
proposed (a model's inference included) and refined, and stops while results are checked. Within
a budget counts what rounds found that were over by then. Samplers take turns,
several times on each pose, and who goes first rotates; each round counts with its median time.

How many seeds a round has is a matter of speed only, because samplers give the same
sequence of seeds whatever the rounds; a sampler with a cost a call wants large rounds, a short
budget small ones. So every size runs on every pose, and each sampler and time gets the size that
is best there, see `SamplerRuns`.

Distinct solutions alone reward finding many in one place, coverage alone the first 50: both count.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.options import RunOptions, option, reference_setting, samplers_option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.plots.seed_value import seed_value_figure
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol
from generative_ik_benchmarks.protocols.references import Reference, reference_of
from generative_ik_benchmarks.protocols.seed_budgets import (
    BudgetFigures,
    SamplerBudgets,
    SamplerRuns,
    SeedFigures,
)
from generative_ik_benchmarks.protocols.seed_runs import Run, SeedRunner
from generative_ik_benchmarks.reference.saturation import ExhaustiveSettings
from generative_ik_benchmarks.seeding import seed_samplers
from generative_ik_benchmarks.text import number, percent
from generative_ik_benchmarks.verification import violations_of
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.samplers.base import Sampler

ROUND_SIZES = (32, 128, 512, 2048)


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    poses: int = option(40, "Random reachable poses a chain.", quick=3, min=1)
    repeats: int = option(3, "Runs of each sampler on each pose.", quick=1, min=1)
    budgets: tuple[float, ...] = option(
        (0.5, 1.0, 2.0, 5.0, 10.0, 50.0),
        "Milliseconds a pose, may be given again.",
        quick=(0.5, 1.0, 2.0, 5.0),
        flag="--budget",
        min=1e-2,
    )
    samplers: tuple[str, ...] = samplers_option()
    device: str = option("cpu", "Where models run.")
    reference: ExhaustiveSettings | None = reference_setting()


@dataclass(frozen=True, kw_only=True)
class SeedValueTable(ChainTable):
    """One chain."""

    slug: str = figure("A name for files.")
    poses: int = figure("Random reachable poses that count.")
    repeats: int = figure("Runs of each sampler on each pose.")
    reference: Reference = figure("What coverage is measured against.")
    samplers: tuple[SamplerBudgets, ...] = figure("A row a sampler.")

    violations = violations_of(lambda table: table.samplers)


def measure(case: ChainCase, options: Options, on_step: OnStep) -> SeedValueTable:
    """Measure the samplers on one chain."""
    chain, oracle, seed = case.chain, Oracle.of(case), options.random_seed
    budgets = tuple(sorted(budget / 1e3 for budget in options.budgets))
    samplers, absent = seed_samplers(chain, options.samplers, options.device)
    targets = random_reachable_poses(chain, options.poses, seed, oracle.forward)
    sets, quality = reference_of(chain, targets, options.reference, on_step)
    runner = SeedRunner(case, oracle, seed)
    runs = _runs(samplers, runner, targets, budgets[-1], options.repeats, on_step)
    space, references = JointSpace.of(chain), [one.thinned for one in sets]
    mine = {name: SamplerRuns(runs[name], space, references, quality.near) for name in samplers}
    first = next(iter(mine.values()), None)
    found_first = [first.distinct(budget) for budget in budgets] if first else []
    return SeedValueTable(
        chain=case.label,
        slug=case.selector.replace(":", "-").replace("/", "_"),
        dof=chain.num_joints,
        poses=options.poses,
        repeats=options.repeats,
        reference=quality,
        samplers=tuple(
            one.summary(name, budgets, found_first, runner) for name, one in mine.items()
        ),
        absent=absent,
    )


def _runs(
    samplers: Mapping[str, Sampler],
    runner: SeedRunner,
    targets: Floats,
    longest: float,
    repeats: int,
    on_pose: OnStep,
) -> dict[str, dict[int, list[Run]]]:
    """Let samplers run on poses (P, 4, 4) in turns.

    Returns:
        By sampler and round size a run a pose, with the median clock of the repeats.
    """
    sizes = {
        name: runner.warm_up(sampler, targets[-1], ROUND_SIZES, longest)
        for name, sampler in samplers.items()
    }
    names = list(samplers)
    runs: dict[str, dict[int, list[Run]]] = {n: {s: [] for s in sizes[n]} for n in names}
    for turn, target in enumerate(targets):
        repeated: dict[tuple[str, int], list[Run]] = defaultdict(list)
        for i in range(repeats * len(names)):
            name = names[(turn + i) % len(names)]
            # The first run after another sampler's finds cold caches: not always the same size.
            for size in np.roll(sizes[name], i // len(names)).tolist():
                run = runner.run(samplers[name], target, size, longest)
                repeated[name, size].append(run)
        for (name, size), some in repeated.items():
            runs[name][size].append(Run.median(some))
        on_pose()
    return runs


def listings(tables: Sequence[SeedValueTable]) -> Iterator[Listing]:
    """Show what seeds yield within the budgets, and how good they are."""
    rows = [(table, one) for table in tables for one in table.samplers]
    start = (("chain", lambda table, _: table.chain), ("sampler", lambda _, one: one.sampler))
    budgets = sorted({budget.budget for _, one in rows for budget in one.budgets})
    sizes = sorted({f"{table.poses} poses, {table.repeats} runs each" for table in tables})
    yield Listing(
        f"Distinct exact solutions a pose within a time (in brackets: a millisecond); "
        f"{', '.join(sizes)}, refined to 1e-5 m and 1e-5 rad.",
        (
            *start,
            *_by_budget(budgets, lambda b: f"{b.distinct:.1f} ({number(b.distinct_per_ms)})"),
        ),
        rows,
    )
    yield Listing(
        "Coverage of the solution set by then, %.",
        (*start, *_by_budget(budgets, lambda b: percent(b.coverage))),
        rows,
    )
    yield Listing(
        "The first seeds of a pose, then all by the longest time. iterations: of those that "
        "converge, then of all.",
        (
            *start,
            *_of_seeds("first", lambda one: one.first),
            *_of_seeds("all", lambda one: one.all),
            ("proposing % of time", lambda _, one: percent(one.propose_share)),
        ),
        rows,
    )


def _by_budget(
    budgets: Sequence[float], text: Callable[[BudgetFigures], str]
) -> list[tuple[str, Callable[..., str]]]:
    def cell(one: SamplerBudgets, budget: float) -> str:
        return next((text(b) for b in one.budgets if b.budget == budget), "-")

    return [(f"{1e3 * b:g} ms", lambda _, one, b=b: cell(one, b)) for b in budgets]


def _of_seeds(
    head: str, which: Callable[[SamplerBudgets], SeedFigures]
) -> list[tuple[str, Callable[..., str]]]:
    return [
        (head, lambda _, one: number(which(one).count)),
        ("converged %", lambda _, one: percent(which(one).converged)),
        ("iterations", lambda _, one: f"{which(one).iterations:.1f}"),
        ("of all", lambda _, one: f"{which(one).iterations_all:.1f}"),
    ]


def plot(tables: Sequence[SeedValueTable], folder: Path) -> Iterator[Path]:
    """Draw a picture a chain: solutions and coverage over time."""
    for table in tables:
        file = folder / f"{table.slug}.png"
        title = f"{table.chain}, {table.dof} joints, {table.poses} poses"
        seed_value_figure(table.samplers, title).savefig(file, dpi=100)
        yield file


PROTOCOL = Protocol(
    Options, SeedValueTable, measure, listings, steps=lambda options: 2 * options.poses, plot=plot
)
