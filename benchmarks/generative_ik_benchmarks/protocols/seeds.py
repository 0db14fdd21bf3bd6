"""What seeds are worth in whole calls, and the most that any seeds could be worth.

Protocol D follows seeds without the search around them. Here it is the call that users make,
`IKSolver.solve` for many solutions of a pose, once with each sampler, in turns on the same poses:
distinct exact solutions a millisecond, over those with quasi-random seeds, and coverage of the
reference sets.

Two of the solvers know the answer. One is given solutions of the pose as seeds, the other seeds
0.01 rad beside them; neither pays for them, and each seed is another solution as long as there are
any. What they gain is an upper bound for any seeds in this call, see `KnownSolutions`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import checker_of, in_rotation, median_times
from generative_ik_benchmarks.known_solutions import KnownSolutions
from generative_ik_benchmarks.metrics.coverage import coverage
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.options import RunOptions, option, reference_setting, samplers_option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.plots.seed_value import Gain, gains_figure
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.protocols.references import Reference, reference_of
from generative_ik_benchmarks.reference.saturation import ExhaustiveSettings
from generative_ik_benchmarks.seeding import available_samplers
from generative_ik_benchmarks.text import Quartiles, number, percent, spread
from generative_ik_benchmarks.verification import Violations, violations_of
from generative_ik_ros.array_types import Floats
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.solutions import IKSolutions

PLAIN = "quasi_random"
"""What all others are compared with."""
KNOWN, BESIDE = "known solutions", "beside known solutions"
KNOWN_SEEDS = {KNOWN: 0.0, BESIDE: 0.01}
"""Distance of seeds from known solutions, each joint [rad or m]."""
TIMEOUT = 1.0
"""Deadline of a call, far beyond what it takes [s]."""
_EVERYTHING = 10_000
"""So many solutions are asked for to see how many there are."""
TWICE = 2.0
"""What good seeds should be worth."""
_LESS_COVERED = 0.005
"""By so much coverage may differ and still count as equal."""


_Calls = list[list[tuple[IKSolutions, float]]]
"""The calls with each pose: what they found, always the same, and their times [s]."""


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    poses: int = option(10, "Random reachable poses a chain.", quick=2, min=1)
    repeats: int = option(9, "Calls of each sampler on each pose.", quick=1, min=1)
    solutions: int = option(100, "Solutions wanted a pose.", min=2)
    samplers: tuple[str, ...] = samplers_option("capability_map", "retrieval", "ikflow")
    device: str = option("cpu", "Where models run.")
    reference: ExhaustiveSettings | None = reference_setting()


@dataclass(frozen=True)
class SeedCallFigures:
    """Calls with the seeds of one sampler; means over the poses unless said otherwise."""

    sampler: str = figure("Its name, or one of `KNOWN_SEEDS`.")
    seconds: Quartiles = figure("Time of a call [s], each pose by the median of its calls.")
    solutions: float = figure("Returned a pose.")
    per_ms: Quartiles = figure("Distinct exact solutions a millisecond.")
    ratio: Quartiles = figure("That rate over the one with quasi-random seeds, pose by pose.")
    coverage: float = figure("Share of the reference set with a returned solution nearby.")
    seeds: float = figure("Seeds tried, those beside known solutions included.")
    null_space: float = figure("Share of them that the search made itself, by null-space steps.")
    exact: float = figure("Share of the seeds that became exact.")
    iterations: float = figure("Iterations a seed.")
    repeats: float = figure("Share of the exact ones whose solution was known already.")
    proposing: float = figure("Share of the time that the sampler took.")
    selecting: float = figure("Share of the time that putting solutions in order took.")
    violations: Violations = figure("What was returned that is not true.")


@dataclass(frozen=True, kw_only=True)
class SeedTable(ChainTable):
    """One chain."""

    poses: int = figure("Random reachable poses.")
    repeats: int = figure("Calls that count, each sampler and pose.")
    wanted: int = figure("Solutions wanted for each.")
    there_are: float = figure(
        "Distinct solutions a pose that a call for 10,000 finds, the median."
    )
    auto: str = figure('Which sampler "auto" takes in these calls.')
    reference: Reference = figure("What coverage is measured against.")
    rows: tuple[SeedCallFigures, ...] = figure("A row a sampler, quasi-random seeds first.")

    violations = violations_of(lambda table: table.rows)

    def row(self, sampler: str) -> SeedCallFigures | None:
        """Return the row of a sampler, if it took part."""
        return next((row for row in self.rows if row.sampler == sampler), None)

    @property
    def bound(self) -> float:
        """The most that any seeds can gain: with what is known in advance."""
        return max(row.ratio.median for row in self.rows if row.sampler in KNOWN_SEEDS)

    @property
    def best(self) -> SeedCallFigures | None:
        """The sampler whose seeds gain most at equal coverage, else that gain most."""
        real = [row for row in self.rows if row.sampler not in (PLAIN, *KNOWN_SEEDS)]
        plain = self.rows[0].coverage
        equal = [row for row in real if not row.coverage < plain - _LESS_COVERED]
        return max(equal or real, key=lambda row: row.ratio.median, default=None)

    @property
    def verdict(self) -> str:
        """Whether some seeds are worth twice quasi-random ones in a call, and if not, why."""
        best, plain = self.best, self.rows[0]
        if best is None:
            return "no sampler for this chain"
        covers = best.coverage >= plain.coverage - _LESS_COVERED
        if covers and best.ratio.median >= TWICE:
            return f"yes, {best.sampler}"
        if self.bound < TWICE:
            return "no: not even the solutions themselves as seeds"
        if not covers:
            return "no: none covers as much"
        free = best.ratio.median / max(1.0 - best.proposing, 1e-9)
        if free >= TWICE:
            return f"no: proposing takes the time, without it {free:.1f} times"
        known = f"{100.0 * best.repeats:.0f} % of its finds are repeats"
        return f"no: {known}, without the time to propose {free:.1f} times"


def measure(case: ChainCase, options: Options, on_step: OnStep) -> SeedTable:
    """Measure one chain."""
    chain, oracle, seed = case.chain, Oracle.of(case), options.random_seed
    wanted = options.solutions
    names = [name for name in options.samplers if name != PLAIN]
    samplers, absent = available_samplers(chain, [PLAIN, *names], options.device)
    targets = random_reachable_poses(chain, options.poses, seed, oracle.forward)
    sets, quality = reference_of(chain, targets, options.reference, on_step)
    solvers = {name: IKSolver(chain, sampler) for name, sampler in samplers.items()}
    plain = solvers[PLAIN]
    # The most diverse come first, so that what is known first covers the most.
    everything = [plain.solve(t, _EVERYTHING, timeout=TIMEOUT).of(0) for t in targets]
    for name, aside in KNOWN_SEEDS.items():
        sampler = KnownSolutions(chain, aside, plain.distinct_distance)
        for target, solutions in zip(targets, everything, strict=True):
            sampler.know(target, solutions, 2 * wanted, seed)
        solvers[name] = IKSolver(chain, sampler)
    calls: dict[str, _Calls] = {name: [] for name in solvers}
    for turn, target in enumerate(targets):
        ask, other = (
            partial(_solve, one, wanted, seed)
            for one in (target, targets[turn + 1 - len(targets)])
        )
        found = in_rotation(solvers, ask, turn, options.repeats, warm_up=other)
        for name, mine in found.items():
            calls[name].append(mine)
        on_step()
    space, near = JointSpace.of(chain), quality.near
    checker = checker_of(plain, case, oracle)
    rows = []
    for name, mine in calls.items():
        violations, covered = Violations(), []
        for target, known, ((found, _), *_) in zip(targets, sets, mine, strict=True):
            violations += checker.violations(target, found.of(0))
            covered.append(coverage(space, found.of(0), known.thinned, near))
        rows.append(_figures(name, mine, calls[PLAIN], float(np.mean(covered)), violations))
    return SeedTable(
        chain=case.label,
        dof=chain.num_joints,
        poses=options.poses,
        repeats=options.repeats,
        wanted=wanted,
        there_are=float(np.median([len(solutions) for solutions in everything])),
        auto=IKSolver(chain, device=options.device).solve(targets[0], wanted).sampler,
        reference=quality,
        rows=tuple(rows),
        absent=absent,
    )


def _solve(target: Floats, wanted: int, seed: int, solver: IKSolver, _: int) -> IKSolutions:
    return solver.solve(target, wanted, timeout=TIMEOUT, random_seed=seed)


def _figures(
    name: str, calls: _Calls, plain: _Calls, covered: float, violations: Violations
) -> SeedCallFigures:
    """Sum up the calls of one solver, beside those with quasi-random seeds."""
    found = [same for (same, _), *_ in calls]
    timings, rates = [one.timings for one in found], _rates(calls)
    seeds, exact = sum(t.seeds for t in timings), sum(t.exact for t in timings)
    shares = [
        [(t.propose / t.total, t.select / t.total) for t in (one.timings for one, _ in pose)]
        for pose in calls
    ]
    proposing, selecting = np.median(shares, axis=1).mean(axis=0).tolist()
    return SeedCallFigures(
        sampler=name,
        seconds=Quartiles.of(median_times(calls)),
        solutions=float(np.mean([one.counts[0] for one in found])),
        per_ms=Quartiles.of(rates),
        ratio=Quartiles.of(rates / np.maximum(_rates(plain), 1e-9)),
        coverage=covered,
        seeds=seeds / len(timings),
        null_space=sum(t.null_space_steps for t in timings) / seeds,
        exact=exact / seeds,
        iterations=sum(t.iterations for t in timings) / seeds,
        repeats=1.0 - sum(t.distinct for t in timings) / max(exact, 1),
        proposing=proposing,
        selecting=selecting,
        violations=violations,
    )


def _rates(calls: _Calls) -> Floats:
    """Return the solutions of each pose a millisecond, (P,)."""
    return np.array([same.counts[0] for (same, _), *_ in calls]) / (1e3 * median_times(calls))


def listings(tables: Sequence[SeedTable]) -> Iterator[Listing]:
    """Show the verdict on each chain, and the calls behind it."""
    names = list(dict.fromkeys(row.sampler for table in tables for row in table.rows))
    sizes = sorted(
        {f"{t.wanted} solutions wanted of {t.poses} poses, {t.repeats} calls" for t in tables}
    )
    columns = (
        ("chain", lambda table: table.chain),
        ("DOF", lambda table: str(table.dof)),
        ("there are", lambda table: f"{table.there_are:,.0f}"),
        ("auto takes", lambda table: table.auto),
        *(_gain_column(name) for name in names),
        ("twice?", lambda table: table.verdict),
    )
    heading = (
        f"{'; '.join(sizes)} each. Times as many distinct exact solutions a millisecond as with "
        "quasi-random seeds: median (quartiles) over the poses, behind it coverage in %. "
        f"{KNOWN}, {BESIDE}: an upper bound for any seeds. there are: solutions that a call for "
        "10,000 finds."
    )
    yield Listing(heading, columns, [(table,) for table in tables])
    columns = (
        ("chain", lambda table, _: table.chain),
        ("seeds of", lambda _, row: row.sampler),
        ("ms", lambda _, row: spread(row.seconds, 1e3)),
        ("found", lambda _, row: f"{row.solutions:.1f}"),
        ("seeds", lambda _, row: f"{row.seeds:.0f}"),
        ("null space %", lambda _, row: percent(row.null_space)),
        ("exact %", lambda _, row: percent(row.exact)),
        ("iterations a seed", lambda _, row: f"{row.iterations:.1f}"),
        ("repeats %", lambda _, row: percent(row.repeats)),
        ("proposing %", lambda _, row: percent(row.proposing)),
        ("ordering %", lambda _, row: percent(row.selecting)),
        ("false", lambda _, row: row.violations.text),
    )
    heading = (
        "The calls. found: solutions returned. null space: seeds that the search makes itself, by "
        "null-space steps from solutions found before. exact: seeds that become so. repeats: "
        "exact ones whose solution was known. proposing, ordering: of the time."
    )
    yield Listing(heading, columns, each_row(tables))


def _gain_column(name: str) -> tuple[str, Callable[[SeedTable], str]]:
    def cell(table: SeedTable) -> str:
        row = table.row(name)
        if row is None:
            return "-"
        gain = number(row.per_ms.median) if name == PLAIN else spread(row.ratio)
        return f"{gain}, {percent(row.coverage)}"

    return f"{name}: a ms" if name == PLAIN else name, cell


def plot(tables: Sequence[SeedTable], folder: Path) -> Iterator[Path]:
    """Draw what seeds gain on all chains."""
    gains = [
        Gain(table.chain, row.sampler, row.ratio)
        for table, row in each_row(tables)
        if row.sampler != PLAIN
    ]
    file = folder / "seeds-gains.png"
    gains_figure(gains).savefig(file, dpi=110)
    yield file


PROTOCOL = Protocol(
    Options, SeedTable, measure, listings, steps=lambda options: 2 * options.poses, plot=plot
)
