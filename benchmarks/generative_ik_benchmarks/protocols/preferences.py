"""Preferences: the best solution that a call finds, beside the best of many sampled ones.

Random reachable poses, by manipulability, by the margin from the joint limits and, for robots
with collision geometry, by clearance among random obstacles. A call for one solution with
`optimize=True` goes in turns with the same call without, which takes the best of what it found:
once after other work, and then several times one after the other.
They are compared with the best of thousands of solutions of the same pose that independent seeds
lead to. Scores are pinocchio's, numpy's and coal's, not the package's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import checker_of, in_turns, in_warm_turns
from generative_ik_benchmarks.options import RunOptions, names_option, option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.preference_tasks import PREFERENCES, Task, greatest
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.reference.exhaustive import sampled_solutions
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_benchmarks.text import Quartiles, percent, spread
from generative_ik_benchmarks.verification import Violations, violations_of
from generative_ik_ros.array_types import Floats

_CLOSE = 0.99
"""Shares of the best score from here on are as good."""
_BETTER = 1.0001
"""From here on a score is better, not only otherwise rounded."""
_ROUNDS = 5
"""How often a call is measured; see `in_warm_turns`."""
_OPTIMIZED, _PLAIN = 0, 1


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    poses: int = option(100, "Random reachable poses a chain.", quick=3, min=1)
    samples: int = option(10_000, "Sampled solutions a pose.", quick=300, min=1)
    preference: tuple[str, ...] = names_option("preference", PREFERENCES)


@dataclass(frozen=True)
class CallFigures:
    """One kind of call."""

    close: float = figure("Share at which its score is at least 99 % of the best sampled one.")
    better: float = figure("Share at which it is above that one by 0.01 % or more.")
    share: Quartiles = figure(
        "Its score over the best sampled one, pose by pose; 0 where it found none."
    )
    worst: float = figure("The smallest of these.")
    first: float = figure("Median time of the first call for a pose, after other work [s].")
    median: float = figure("Median time of further calls for it [s].")
    p99: float = figure("99th percentile of their time [s].")
    violations: Violations = figure("Everything untrue in what it returned.")


@dataclass(frozen=True)
class PreferenceFigures:
    """One preference on one chain."""

    preference: str = figure("Which.")
    poses: int = figure("How many.")
    samples: float = figure("Sampled solutions a pose, on average.")
    optimized: CallFigures = figure("The call that optimizes.")
    plain: CallFigures = figure("The call that takes the best of what it found.")


@dataclass(frozen=True, kw_only=True)
class PreferenceTable(ChainTable):
    """One chain."""

    rows: tuple[PreferenceFigures, ...] = figure("Figures by preference.")

    violations = violations_of(
        lambda table: (call for row in table.rows for call in (row.optimized, row.plain))
    )


def measure(case: ChainCase, options: Options, on_step: OnStep) -> PreferenceTable:
    """Measure one chain."""
    absent: dict[str, str] = {}
    rows = []
    for name in options.preference or PREFERENCES:
        try:
            task = Task.of(name, case, options.random_seed)
        except UnsupportedChainError as reason:
            absent[name] = str(reason)
            for _ in range(options.poses):
                on_step()
            continue
        rows.append(_figures(task, options, on_step))
    return PreferenceTable(
        chain=case.label, dof=case.chain.num_joints, absent=absent, rows=tuple(rows)
    )


def _figures(task: Task, options: Options, on_step: OnStep) -> PreferenceFigures:
    """Measure one preference."""
    solver, chain = task.solver, task.case.chain
    checker = checker_of(solver, task.case, Oracle.of(task.case))
    targets = task.targets(options.poses, options.random_seed)
    task.solve(targets[0], False)  # takes the scene in
    shares, first, seconds, counts = [], [], [], []
    violations = [Violations(), Violations()]
    for turn, target in enumerate(targets):
        sampled = sampled_solutions(chain, target, options.samples)
        calls = [partial(task.solve, target, optimize) for optimize in (True, False)]
        first.append([spent for _, spent in in_turns(calls, turn)])
        answers = in_warm_turns(calls, turn, _ROUNDS)
        for k, (found, _) in enumerate(answers):
            violations[k] += checker.violations(target, found)
        seconds.append([spent for _, spent in answers])
        counts.append(len(sampled))
        best = task.best(sampled)
        scores = [greatest(task.score, found) for found, _ in answers]
        # What sampling does not find a good solution of says nothing.
        shares.append([score / best if best > 0.0 else 1.0 for score in scores])
        on_step()
    share, times = np.array(shares), np.stack([first, seconds])
    return PreferenceFigures(
        task.name,
        len(targets),
        float(np.mean(counts)),
        *(_call_figures(share[:, k], times[:, :, k], violations[k]) for k in (_OPTIMIZED, _PLAIN)),
    )


def _call_figures(share: Floats, seconds: Floats, violations: Violations) -> CallFigures:
    """Sum up (P,) shares of the best score and (2, P) times of first and of further calls [s]."""
    return CallFigures(
        close=float((share >= _CLOSE).mean()),
        better=float((share > _BETTER).mean()),
        share=Quartiles.of(share),
        worst=float(share.min()),
        first=float(np.median(seconds[0])),
        median=float(np.median(seconds[1])),
        p99=float(np.percentile(seconds[1], 99)),
        violations=violations,
    )


def listings(tables: Sequence[PreferenceTable]) -> Iterator[Listing]:
    """Show a row a preference."""
    columns = (
        ("chain", lambda table, _: table.chain),
        ("by", lambda _, row: row.preference),
        ("poses", lambda _, row: str(row.poses)),
        ("sampled", lambda _, row: f"{row.samples:,.0f}"),
        ("optimized: within 1 %", lambda _, row: percent(row.optimized.close)),
        ("better %", lambda _, row: percent(row.optimized.better)),
        ("of the best %", lambda _, row: spread(row.optimized.share, 100.0)),
        ("worst", lambda _, row: percent(row.optimized.worst)),
        ("ms", lambda _, row: _times(row.optimized)),
        ("first", lambda _, row: f"{1e3 * row.optimized.first:.3g}"),
        ("chosen: within 1 %", lambda _, row: percent(row.plain.close)),
        ("of the best %", lambda _, row: spread(row.plain.share, 100.0)),
        ("ms", lambda _, row: _times(row.plain)),
        ("false", lambda _, row: (row.optimized.violations + row.plain.violations).text),
    )
    heading = (
        "The score of one solution over the best of so many sampled solutions of the same pose. "
        "optimized: optimize=True; chosen: the best of what the same call finds without. within "
        "1 %: poses at which the score is 99 % of the best sampled one or more, better: above. "
        "of the best: median (quartiles). ms: median (99th percentile) of the poses, each time "
        f"the median of {_ROUNDS} warm calls in strict turns; first: the median of a pose's first "
        "calls, after other work of the measurement. false: wrong pose/outside limits/duplicates."
    )
    yield Listing(heading, columns, each_row(tables))


def _times(call: CallFigures) -> str:
    return f"{1e3 * call.median:.3g} ({1e3 * call.p99:.3g})"


PROTOCOL = Protocol(
    Options,
    PreferenceTable,
    measure,
    listings,
    steps=lambda options: options.poses * len(options.preference or PREFERENCES),
    robots=("panda", "iiwa", "lwa4d", "xarm7", "tiago", "ur10"),
)
