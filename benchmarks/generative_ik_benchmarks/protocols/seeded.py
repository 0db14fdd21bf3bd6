"""The one solution nearest to a seed state, as loops ask for it, beside other solvers.

Goals are the configurations of random walks, each with the one before as its seed state: small
steps as a loop has them, larger ones, and pairs of any two configurations. A solver gets a whole
walk, a call a goal, as it would in a loop; then the next solver gets it, and who goes first
rotates. Distances are compared with the least that anyone found for the goal, a search for many
solutions that are optimised along their self-motions and the walk's own configuration included.
What was found is made exact for that: near a singularity, what is off by as much as it may be is
nearer than any solution.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import checker_of, least_time, timed
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.options import RunOptions, names_option, option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.seeded import (
    SEEDED_PEERS,
    Ours,
    SeededSolver,
    available_seeded,
)
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.protocols.seeded_walks import STEPS, SeededGoals, in_walks, walks
from generative_ik_benchmarks.text import Quartiles, number, percent, spread
from generative_ik_benchmarks.verification import Checker, Violations, violations_of
from generative_ik_ros.array_types import Floats
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.kinematic_tree import Kinematics

_FURTHER = 1.01
"""Times the least distance from which a solution counts as further than need be."""
_EXACT = 1e-8
"""Tolerance of solutions that least distances are taken from [m and rad]."""
_ROUNDS = 3
"""Times that a batch is measured."""
_Calls = list[tuple[Floats | None, float]]
"""The configuration (n,) that each call of a solver found, if any, and its time [s]."""


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    goals: int = option(200, "Goals of each kind, in walks of 5.", quick=20, min=1)
    batch: int = option(10_000, "Goals of one call.", quick=200, min=1)
    timeout: float = option(0.02, "Of a call in seconds, and ours with one.", min=1e-4)
    solutions: int = option(
        300, "Solutions of the search for the least distance.", quick=30, min=1
    )
    peer: tuple[str, ...] = names_option("peer", SEEDED_PEERS, "this solver beside ours")


@dataclass(frozen=True)
class SeededFigures:
    """What one solver did on goals of one kind."""

    kind: str = figure("How far the goals are from their seed states.")
    solver: str = figure("Which.")
    goals: int = figure("How many.")
    solved: float = figure("Share of them with a right solution.")
    median: float = figure("Of the times of the calls [us].")
    p99: float = figure("99th percentile of these times [us].")
    ratio: Quartiles = figure("Its time over ours, goal by goal.")
    distance: float = figure("From the seed state, mean of the right solutions [rad].")
    further: float = figure(
        "Share of the right solutions that are more than 1 % further than the least known "
        "distance of an exact solution."
    )
    violations: Violations = figure("What it returned that is not true.")


@dataclass(frozen=True)
class SeededBatch:
    """One call of ours for many goals, with a seed state each."""

    kind: str = figure("As above.")
    goals: int = figure("How many.")
    solved: float = figure("Share of them with a right solution.")
    call: float = figure("Time of a goal, the least of several calls [us].")
    processor: float = figure("Processor time of all cores of a goal, likewise [us].")
    violations: Violations = figure("What was returned that is not true.")


@dataclass(frozen=True, kw_only=True)
class SeededTable(ChainTable):
    """One chain."""

    rows: tuple[SeededFigures, ...] = figure("By kind, ours first.")
    batches: tuple[SeededBatch, ...] = figure("By kind.")

    violations = violations_of(
        lambda table: (*(row for row in table.rows if row.solver in Ours.names), *table.batches)
    )


def measure(case: ChainCase, options: Options, on_goal: OnStep) -> SeededTable:
    """Measure one chain."""
    chain, oracle, solver = case.chain, Oracle.of(case), IKSolver(case.chain)
    exact = IKSolver(chain, position_tolerance=_EXACT, orientation_tolerance=_EXACT)
    peers, absent = available_seeded(options.peer or SEEDED_PEERS, case, options.timeout)
    solvers: list[SeededSolver] = [Ours(solver), Ours(solver, options.timeout), *peers]
    rows: list[SeededFigures] = []
    batches = []
    for kind in STEPS:
        goals = walks(chain, kind, options.goals, options.random_seed, oracle.forward)
        calls = calls_in_walks(solvers, goals, on_goal)
        least = _least_distances(exact, goals, calls, options.solutions)
        rows += distance_figures(case, solvers, goals, calls, least)
        many = walks(chain, kind, options.batch, options.random_seed + 1, oracle.forward)
        batches.append(_batch(solver, checker_of(solver, case, oracle), many))
    return SeededTable(
        chain=case.label,
        dof=chain.num_joints,
        absent=absent,
        rows=tuple(rows),
        batches=tuple(batches),
    )


def calls_in_walks(
    solvers: Sequence[SeededSolver], goals: SeededGoals, on_goal: OnStep = lambda: None
) -> list[_Calls]:
    """Let each solver make a walk after the other, each with a first call that does not count."""
    return in_walks([partial(_walked, solver) for solver in solvers], goals, on_goal)


def _walked(solver: SeededSolver, targets: Floats, seed_states: Floats) -> _Calls:
    solver.near(targets[-1], seed_states[-1])
    goals = zip(targets, seed_states, strict=True)
    return [timed(partial(solver.near, *goal)) for goal in goals]


def _distances(chain: Kinematics, positions: Floats, seed_state: Floats) -> Floats:
    """Return how far configurations (N, n) are from a seed state, as the arm moves, (N,) [rad]."""
    return JointSpace(chain.continuous, chain.joint_units).distances(positions, seed_state)


def _least_distances(
    exact: IKSolver, goals: SeededGoals, calls: Sequence[_Calls], solutions: int
) -> Floats:
    """Return the least known distances (N,) of exact solutions from the seed states [rad]."""
    least, chain = [], exact.chain
    for k, (target, seed) in enumerate(zip(goals.targets, goals.seed_states, strict=True)):
        known = [exact.solve(target, solutions, seed_state=seed, optimize=True).of(0)]
        rows = (mine[k][0] for mine in calls)
        known += [exact.solve(target, 1, seed_state=q).of(0) for q in rows if q is not None]
        known.append(goals.reaching[k, None])
        least.append(_distances(chain, np.concatenate(known), seed).min())
    return np.array(least)


def distance_figures(
    case: ChainCase,
    solvers: Sequence[SeededSolver],
    goals: SeededGoals,
    calls: Sequence[_Calls],
    least: Floats,
) -> Iterator[SeededFigures]:
    """Check every configuration and sum up, beside least distances (N,) of exact solutions [rad].

    Times are compared with those of the first solver.
    """
    oracle, seconds = Oracle.of(case), np.array([[spent for _, spent in mine] for mine in calls])
    for solver, mine, spent in zip(solvers, calls, seconds, strict=True):
        checker, violations = checker_of(solver, case, oracle), Violations()
        gaps = np.full(len(least), np.nan)
        for k, (found, _) in enumerate(mine):
            if found is None:
                continue
            untrue = checker.wrong_or_outside(goals.targets[k], found[None])
            violations += untrue
            if not untrue.total:
                gaps[k] = _distances(case.chain, found[None], goals.seed_states[k])[0]
        right = np.isfinite(gaps)
        yield SeededFigures(
            kind=goals.kind,
            solver=solver.name,
            goals=len(mine),
            solved=float(right.mean()),
            median=1e6 * float(np.median(spent)),
            p99=1e6 * float(np.percentile(spent, 99)),
            ratio=Quartiles.of(spent / seconds[0]),
            distance=float(gaps[right].mean()) if right.any() else float("nan"),
            further=float((gaps > _FURTHER * least)[right].mean())
            if right.any()
            else float("nan"),
            violations=violations,
        )


def _batch(solver: IKSolver, checker: Checker, goals: SeededGoals) -> SeededBatch:
    """Measure one call for all goals."""
    call = partial(solver.solve, goals.targets, 1, goals.seed_states)
    found, violations, solved = call(), Violations(), 0
    for k, target in enumerate(goals.targets):
        untrue = checker.wrong_or_outside(target, found.of(k))
        violations += untrue
        solved += len(found.of(k)) > untrue.total
    count, each = len(goals.targets), 1e6 / len(goals.targets)
    return SeededBatch(
        kind=goals.kind,
        goals=count,
        solved=solved / count,
        call=each * least_time(call, _ROUNDS),
        processor=each * least_time(call, _ROUNDS, time.process_time),
        violations=violations,
    )


def listings(tables: Sequence[SeededTable]) -> Iterator[Listing]:
    """Show a row a kind and solver, then the batches."""
    counts = ", ".join(str(n) for n in sorted({row.goals for t in tables for row in t.rows}))
    yield Listing(
        f"One solution near a seed state, {counts} goals of each kind, a call a goal on one "
        "thread, in turns walk by walk. loop: each joint at most 0.02 rad from a configuration "
        "at the goal; walk: 0.25 rad; anywhere: any two configurations. us: median (99th "
        "percentile), failures included. times ours: goal by goal, median (quartiles). "
        "distance: from the seed state, Euclidean, mean of its own solutions. further: share of "
        "these that are more than 1 % further than the nearest exact solution that is known. "
        "false: wrong pose/outside limits/duplicates.",
        [
            ("chain", lambda table, _: table.chain),
            ("goals", lambda _, row: row.kind),
            ("solver", lambda _, row: row.solver),
            ("solved %", lambda _, row: percent(row.solved)),
            ("us", lambda _, row: f"{number(row.median)} ({number(row.p99)})"),
            ("times ours", lambda _, row: spread(row.ratio, digits=2)),
            ("distance: rad", lambda _, row: number(row.distance)),
            ("further %", lambda _, row: percent(row.further)),
            ("false", lambda _, row: row.violations.text),
        ],
        each_row(tables),
    )
    yield Listing(
        "Ours in one call for many such goals, a seed state each, on all cores, by the clock "
        f"and of the processor on all cores, the least of {_ROUNDS}.",
        [
            ("chain", lambda table, _: table.chain),
            ("goals", lambda _, batch: batch.kind),
            ("in one call", lambda _, batch: f"{batch.goals:,}"),
            ("solved %", lambda _, batch: percent(batch.solved)),
            ("us each", lambda _, batch: number(batch.call)),
            ("processor: us each", lambda _, batch: number(batch.processor)),
            ("false", lambda _, batch: batch.violations.text),
        ],
        [(table, batch) for table in tables for batch in table.batches],
    )


PROTOCOL = Protocol(
    Options,
    SeededTable,
    measure,
    listings,
    steps=lambda options: len(STEPS) * options.goals,
    robots=("panda", "iiwa", "ur10"),
)
