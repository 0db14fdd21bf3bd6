"""Single calls of the C++ library beside those of Python, on the same poses in turns.

Poses are those of random walks, each with the configuration before as its seed state. One of both
gets the poses of a whole walk, a call each, after a first call that does not count; then the other
one, and who goes first rotates. The calls of C++ are measured in a process of their own, which
waits meanwhile.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.cpp_program import Call, CppProgram
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import checker_of, timed
from generative_ik_benchmarks.options import RunOptions, folder_option, option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.protocols.seeded_walks import in_walks, walks
from generative_ik_benchmarks.text import Quartiles, number, spread
from generative_ik_benchmarks.verification import Checker, Violations, violations_of
from generative_ik_ros.array_types import Floats
from generative_ik_ros.pipeline import IKSolver

ASKED = {
    "any": (1, False),
    "nearest to a seed": (1, True),
    "10": (10, False),
    "100": (100, False),
    "10 near a seed": (10, True),
}
"""How many solutions a call asks for, and whether near a seed state."""


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    poses: int = option(200, "Poses, in walks of 5.", quick=20, min=1)
    prefix: Path | None = folder_option(
        "Where the C++ library is installed; as `make build` built it where none is given."
    )


@dataclass(frozen=True)
class LanguageFigures:
    """The calls from one language."""

    median: float = figure("Of their times [us].")
    p99: float = figure("99th percentile of their times [us].")
    solutions: float = figure("Right solutions a pose, on average.")
    violations: Violations = figure("What was returned that is not true.")


@dataclass(frozen=True)
class CallFigures:
    """Calls of one kind."""

    asked: str = figure("One of `ASKED`.")
    poses: int = figure("How many calls.")
    python: LanguageFigures = figure("From Python.")
    cpp: LanguageFigures = figure("From C++.")
    ratio: Quartiles = figure("The time of C++ over that of Python, pose by pose.")


@dataclass(frozen=True, kw_only=True)
class CppTable(ChainTable):
    """One chain."""

    rows: tuple[CallFigures, ...] = figure("A row a kind of call.")

    violations = violations_of(
        lambda table: (one for row in table.rows for one in (row.python, row.cpp))
    )


def measure(case: ChainCase, options: Options, on_pose: OnStep) -> CppTable:
    """Measure one chain."""
    oracle, solver = Oracle.of(case), IKSolver(case.chain)
    goals = walks(case.chain, "walk", options.poses, options.random_seed, oracle.forward)
    checker = checker_of(solver, case, oracle)
    rows: list[CallFigures] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        CppProgram(case.chain, Path(folder), options.prefix) as program,
    ):
        for asked, (wanted, seeded) in ASKED.items():
            asking = (partial(_from_python, solver), program.solve)
            both = [partial(_asked, ask, wanted, seeded) for ask in asking]
            python, cpp = in_walks(both, goals, on_pose)
            rows.append(_row(asked, goals.targets, python, cpp, checker))
    return CppTable(chain=case.label, dof=case.chain.num_joints, absent={}, rows=tuple(rows))


def _asked(
    ask: Callable[[Floats, int, Floats | None], list[Call]],
    wanted: int,
    seeded: bool,
    targets: Floats,
    seed_states: Floats,
) -> list[Call]:
    return ask(targets, wanted, seed_states if seeded else None)


def _from_python(
    solver: IKSolver, targets: Floats, num_solutions: int, seed_states: Floats | None
) -> list[Call]:
    """Solve poses (N, 4, 4) as `CppProgram.solve` does."""
    seeds = [None] * len(targets) if seed_states is None else list(seed_states)
    solver.solve(targets[-1], num_solutions, seeds[-1])
    calls = []
    for target, seed_state in zip(targets, seeds, strict=True):
        found, seconds = timed(partial(solver.solve, target, num_solutions, seed_state))
        calls.append(Call(seconds, found.of(0)))
    return calls


def _row(
    asked: str, targets: Floats, python: Sequence[Call], cpp: Sequence[Call], checker: Checker
) -> CallFigures:
    times = [np.array([call.seconds for call in calls]) for calls in (python, cpp)]
    return CallFigures(
        asked,
        len(targets),
        _language_figures(targets, python, checker),
        _language_figures(targets, cpp, checker),
        Quartiles.of(times[1] / times[0]),
    )


def _language_figures(targets: Floats, calls: Sequence[Call], checker: Checker) -> LanguageFigures:
    violations = [
        checker.violations(target, call.found) for target, call in zip(targets, calls, strict=True)
    ]
    right = [len(call.found) - one.wrong for call, one in zip(calls, violations, strict=True)]
    microseconds = 1e6 * np.array([call.seconds for call in calls])
    return LanguageFigures(
        float(np.median(microseconds)),
        float(np.percentile(microseconds, 99)),
        float(np.mean(right)),
        sum(violations, Violations()),
    )


def listings(tables: Sequence[CppTable]) -> Iterator[Listing]:
    """Show a row a kind of call."""

    def times(one: LanguageFigures) -> str:
        return f"{number(one.median)} ({number(one.p99)})"

    columns = [
        ("chain", lambda table, _: table.chain),
        ("solutions asked for", lambda _, row: row.asked),
        ("Python: us", lambda _, row: times(row.python)),
        ("C++: us", lambda _, row: times(row.cpp)),
        ("times Python", lambda _, row: spread(row.ratio, digits=2)),
        ("Python: solutions", lambda _, row: number(row.python.solutions)),
        ("C++: solutions", lambda _, row: number(row.cpp.solutions)),
        (
            "false",
            lambda _, row: (row.python.violations + row.cpp.violations).text,
        ),
    ]
    counts = ", ".join(str(count) for count in sorted({row.poses for _, row in each_row(tables)}))
    heading = (
        f"Calls from Python and from C++, {counts} poses of each kind, a call a pose on one "
        "thread, in turns walk by walk. us: median (99th percentile) of a call. times Python: "
        "pose by pose, median (quartiles). solutions: right ones a pose. false: wrong "
        "pose/outside limits/duplicates, of both."
    )
    yield Listing(heading, columns, each_row(tables))


PROTOCOL = Protocol(
    Options,
    CppTable,
    measure,
    listings,
    steps=lambda options: len(ASKED) * options.poses,
    robots=("panda", "ur10"),
)
