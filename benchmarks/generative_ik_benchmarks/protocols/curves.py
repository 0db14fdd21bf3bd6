"""Solutions on curves beside a search and `ssik`: coverage, distinct solutions, time.

A pose leaves an arm of seven joints curves. Where it has a closed form with a joint locked, ours
takes solutions from there; it can search for them as well, and `ssik` solves at angles of a joint.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from generative_ik_benchmarks.chains import ChainCase, cases_with
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import checker_of, in_warm_turns
from generative_ik_benchmarks.metrics.coverage import mean_coverage
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.options import RunOptions, option, reference_setting
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.registry import available_peers
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.protocols.references import Reference, reference_of
from generative_ik_benchmarks.reference.saturation import ExhaustiveSettings
from generative_ik_benchmarks.solver import PackageSolver, Solver
from generative_ik_benchmarks.text import number, percent
from generative_ik_benchmarks.verification import Violations, violations_of
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.closed_form import find_locked
from generative_ik_ros.robot.random_poses import random_reachable_poses

_OURS, _SEARCH, _PEER = "ours", "our search", "ssik"


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    poses: int = option(30, "Random reachable poses a chain.", quick=3, min=1)
    solutions: tuple[int, ...] = option(
        (100, 30, 15), "Solutions wanted a pose, may be given again.", min=1
    )
    rounds: int = option(10, "Times that each call is measured.", quick=2, min=1)
    reference: ExhaustiveSettings | None = reference_setting()


@dataclass(frozen=True)
class CurveFigures:
    """What one solver did."""

    solver: str = figure("Which.")
    wanted: int = figure("Solutions asked for a pose; `ssik` has as many as it has.")
    coverage: float = figure("Share of the solution set that it reached.")
    distinct: float = figure("Distinct solutions a pose, full turns aside.")
    call: float = figure(
        "Time of a call for one pose, the least of all rounds; median of the poses [us]."
    )
    batch: float = figure(
        "Time of a pose in a call for all of them, or one call after the other where the "
        "solver takes no more than one; the least of all rounds [us]."
    )
    processor: float = figure("Processor time of all cores of a pose, likewise [us].")
    violations: Violations = figure("What it returned that is not true.")


@dataclass(frozen=True, kw_only=True)
class CurvesTable(ChainTable):
    """One chain."""

    poses: int = figure("How many.")
    reference: Reference = figure("What coverage is measured against.")
    rows: tuple[CurveFigures, ...] = figure(
        "For each number of solutions ours, our search, and `ssik` where it takes the chain."
    )

    violations = violations_of(lambda table: (row for row in table.rows if row.solver != _PEER))


def measure(case: ChainCase, options: Options, on_pose: OnStep) -> CurvesTable:
    """Measure one chain."""
    chain, seed, oracle = case.chain, options.random_seed, Oracle.of(case)
    targets = random_reachable_poses(chain, options.poses, seed, oracle.forward)
    sets, quality = reference_of(chain, targets, options.reference)
    references, space = [one.thinned for one in sets], JointSpace.of(chain)
    peers, absent = available_peers([_PEER], case)
    rows: list[CurveFigures] = []
    for wanted in options.solutions:
        ours: list[Solver] = [
            PackageSolver(chain, wanted, None, sampler, seed)
            for sampler in ("auto", "quasi_random")
        ]
        solvers = [*ours, *peers]
        found, calls = _alone(solvers, targets, options.rounds, on_pose)
        together = [partial(solver.solve_many, targets) for solver in solvers]
        batches = [[_times_of(call) for call in together] for _ in range(1 + options.rounds)]
        per_pose = 1e6 * np.min(batches, axis=0) / len(targets)
        for i, solver in enumerate(solvers):
            checker = checker_of(solver, case, oracle)
            rows.append(
                CurveFigures(
                    solver=(_OURS, _SEARCH, _PEER)[i],
                    wanted=wanted,
                    coverage=mean_coverage(space, found[i], references, quality.near),
                    distinct=float(np.mean([space.count_distinct(q, 0.05) for q in found[i]])),
                    call=1e6 * float(np.median(calls[i])),
                    batch=float(per_pose[i, 0]),
                    processor=float(per_pose[i, 1]),
                    violations=sum(map(checker.violations, targets, found[i]), Violations()),
                )
            )
    return CurvesTable(
        chain=case.label,
        dof=chain.num_joints,
        absent=absent,
        poses=len(targets),
        reference=quality,
        rows=tuple(rows),
    )


def _alone(
    solvers: Sequence[Solver], targets: Floats, rounds: int, on_pose: OnStep
) -> tuple[list[list[Floats]], Floats]:
    """Return what each solver finds for each pose, and the least times of these calls [s]."""
    found, least = [], []
    for target in targets:
        calls = [partial(solver.solve, target) for solver in solvers]
        answers, times = zip(*in_warm_turns(calls, 0, rounds, np.min), strict=True)
        found.append(answers)
        least.append(times)
        on_pose()
    return [list(each) for each in zip(*found, strict=True)], np.transpose(least)


def _times_of(call: Callable[[], object]) -> tuple[float, float]:
    """Return the time of a call, and its time on all cores together [s]."""
    start, busy = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - start, time.process_time() - busy


def _of_ours(table: CurvesTable, row: CurveFigures, what: str) -> str:
    """Return a time of a solver over ours, to two digits."""
    (ours,) = (one for one in table.rows if (one.solver, one.wanted) == (_OURS, row.wanted))
    return number(getattr(row, what) / getattr(ours, what), 2)


def listings(tables: Sequence[CurvesTable]) -> Iterator[Listing]:
    """Show a row a solver and number of solutions."""
    poses = ", ".join(str(count) for count in sorted({table.poses for table in tables}))
    yield Listing(
        f"{poses} random reachable poses. call: for one, the least of several in turns, median of "
        "the poses. batch: of a pose where all are solved together, `ssik` one after the other, "
        "by the clock and of the processor on all cores; the least of several. false: wrong "
        "pose/outside limits/duplicates.",
        [
            ("chain", lambda table, _: table.chain),
            ("wanted", lambda _, row: str(row.wanted)),
            ("solver", lambda _, row: row.solver),
            ("coverage %", lambda _, row: percent(row.coverage)),
            ("distinct", lambda _, row: f"{row.distinct:.1f}"),
            ("call: us", lambda _, row: number(row.call)),
            ("times ours", lambda table, row: _of_ours(table, row, "call")),
            ("batch: us", lambda _, row: number(row.batch)),
            ("times ours", lambda table, row: _of_ours(table, row, "batch")),
            ("processor: us", lambda _, row: number(row.processor)),
            ("times ours", lambda table, row: _of_ours(table, row, "processor")),
            ("false", lambda _, row: row.violations.text),
        ],
        each_row(tables),
    )


PROTOCOL = Protocol(
    Options,
    CurvesTable,
    measure,
    listings,
    steps=lambda options: options.poses * len(options.solutions),
    robots=("all",),
    items=lambda cases, _: cases_with(find_locked, cases),
)
