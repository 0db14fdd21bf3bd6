"""Protocol B: success, time and errors of batches of poses.

Batches of 1 to 2000 random reachable poses, one solution each, as cuRobo and PyRoki report them.
In every round each solver gets the same poses, and who goes first changes from round to round;
medians over the rounds. Compiling and a first batch of each size are not measured. Errors are
pinocchio's; for an unsolved pose those of the closest configuration.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import checker_of, in_turns
from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.options import RunOptions, option, sampler_option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.trac_ik import TracIK
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol
from generative_ik_benchmarks.published import BATCH_TIMES, BatchTime
from generative_ik_benchmarks.solver import if_available
from generative_ik_benchmarks.text import Quartiles, number, percent, spread
from generative_ik_benchmarks.verification import Checker, Violations, violations_of
from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.random_poses import random_reachable_poses

_OURS = "ours"
_Solve = Callable[[Floats], tuple[Floats, Bools]]
"""Solves poses (B, 4, 4); returns a configuration (B, n) for each, and whether it claims to be a
solution."""


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    sizes: tuple[int, ...] = option(
        (1, 10, 100, 1000, 2000),
        "Poses a batch, may be given again.",
        quick=(1, 10),
        flag="--size",
        min=1,
    )
    rounds: int = option(5, "Batches of a size; small sizes get more.", quick=2, min=1)
    sampler: str = sampler_option()


@dataclass(frozen=True)
class BatchFigures:
    """What one solver did with batches of one size."""

    solver: str = figure("Its name.")
    size: int = figure("Poses in a batch.")
    rounds: int = figure("Batches measured.")
    solved: float = figure("Share of the poses with a right solution.")
    seconds: Quartiles = figure("Time of a batch [s].")
    ratio: Quartiles = figure("Its time over ours, round by round.")
    position_p90: float = figure("90th percentile of the distance from the pose [m].")
    orientation_p90: float = figure("90th percentile of the angle from it [rad].")
    violations: Violations = figure("Claims that are not true.")


@dataclass(frozen=True, kw_only=True)
class BatchTable(ChainTable):
    """One chain."""

    rows: tuple[BatchFigures, ...] = figure("By size, ours first.")
    published: tuple[BatchTime, ...] = figure("What others report for this robot.")

    violations = violations_of(lambda table: (row for row in table.rows if row.solver == _OURS))


def measure(case: ChainCase, options: Options, on_round: OnStep) -> BatchTable:
    """Measure one chain."""
    chain, oracle, seed = case.chain, Oracle.of(case), options.random_seed
    solver = IKSolver(chain, sampler=options.sampler)
    solvers = {_OURS: (_ours(solver, seed), checker_of(solver, case, oracle))}
    absent: dict[str, str] = {}
    peer = if_available("trac-ik", lambda: TracIK(case, "mid"), absent)
    if peer:
        one_by_one = _one_by_one(peer, chain.num_joints)
        solvers["TRAC-IK, one by one"] = one_by_one, checker_of(peer, case, oracle)
    sizes = _sizes(options)
    poses = random_reachable_poses(chain, max(sizes), seed, oracle.forward)
    rows = []
    for size in sizes:
        rng = np.random.default_rng((seed, size))
        rounds = _rounds(size, options)
        batches = [poses[rng.choice(len(poses), size, replace=False)] for _ in range(rounds)]
        for solve, _ in solvers.values():
            solve(poses[:size])
        rows += _of_size(solvers, batches, oracle, on_round)
    published = BATCH_TIMES.get((case.stem, chain.num_joints), ())
    return BatchTable(
        chain=case.label,
        dof=chain.num_joints,
        rows=tuple(rows),
        published=tuple(one for one in published if one.poses in sizes),
        absent=absent,
    )


def _sizes(options: Options) -> list[int]:
    return sorted(set(options.sizes))


def _rounds(size: int, options: Options) -> int:
    """Return how many batches of a size are measured: single poses vary more than thousands."""
    return min(100, max(options.rounds, options.rounds * 100 // size))


def _ours(solver: IKSolver, seed: int) -> _Solve:
    def solve(poses: Floats) -> tuple[Floats, Bools]:
        found = solver.solve(poses, num_solutions=1, random_seed=seed)
        return found.best_effort, found.counts > 0

    return solve


def _one_by_one(peer: TracIK, joints: int) -> _Solve:
    def solve(poses: Floats) -> tuple[Floats, Bools]:
        found = [peer.solve(pose) for pose in poses]
        claimed = np.array([len(one) > 0 for one in found])
        return np.array([one[0] if len(one) else np.zeros(joints) for one in found]), claimed

    return solve


def _of_size(
    solvers: Mapping[str, tuple[_Solve, Checker]],
    batches: Sequence[Floats],
    oracle: Oracle,
    on_round: OnStep,
) -> list[BatchFigures]:
    """Give the poses (B, 4, 4) of every round to every solver in turn."""
    count, rounds, size = len(solvers), len(batches), len(batches[0])
    seconds, errors = np.empty((count, rounds)), np.empty((count, rounds, 2, size))
    solved, violations = np.zeros(count), [Violations() for _ in solvers]
    for turn, batch in enumerate(batches):
        calls = [partial(solve, batch) for solve, _ in solvers.values()]
        for i, ((positions, claimed), spent) in enumerate(in_turns(calls, turn)):
            _, checker = list(solvers.values())[i]
            distance, angle = pose_errors(oracle.forward, positions, batch)
            inside = checker.within_limits(positions)
            right = checker.within_tolerances(distance, angle)
            seconds[i, turn], errors[i, turn] = spent, (distance, angle)
            solved[i] += (claimed & right & inside).sum()
            wrong, outside = int((claimed & ~right).sum()), int((claimed & ~inside).sum())
            violations[i] += Violations(wrong, outside)
        on_round()
    p90 = np.percentile(errors, 90, axis=(1, 3))
    return [
        BatchFigures(
            solver=name,
            size=size,
            rounds=rounds,
            solved=float(solved[i] / (rounds * size)),
            seconds=Quartiles.of(seconds[i]),
            ratio=Quartiles.of(seconds[i] / seconds[0]),
            position_p90=float(p90[i, 0]),
            orientation_p90=float(p90[i, 1]),
            violations=violations[i],
        )
        for i, name in enumerate(solvers)
    ]


def listings(tables: Sequence[BatchTable]) -> Iterator[Listing]:
    """Show a row a solver and size, and behind them what others published for that size."""
    rows = []
    for table in tables:
        for size in dict.fromkeys(row.size for row in table.rows):
            rows += [(table, row) for row in table.rows if row.size == size]
            rows += [(table, one) for one in table.published if one.poses == size]
    columns = (
        ("chain", lambda table, _: table.chain),
        (
            "solver",
            _cell(lambda row: row.solver, lambda one: f"published: {one.solver}, {one.hardware}"),
        ),
        ("poses", _cell(lambda row: str(row.size), lambda one: str(one.poses))),
        ("solved %", _cell(lambda row: percent(row.solved), _published_share)),
        (
            "ms a batch",
            _cell(lambda row: spread(row.seconds, 1e3), lambda one: f"{one.milliseconds:.2f}"),
        ),
        (
            "us a pose",
            _cell(
                lambda row: number(1e6 * row.seconds.median / row.size),
                lambda one: number(1e3 * one.milliseconds / one.poses),
            ),
        ),
        ("times ours", _cell(lambda row: spread(row.ratio, digits=2))),
        ("p90 um", _cell(lambda row: f"{1e6 * row.position_p90:.2g}")),
        ("p90 urad", _cell(lambda row: f"{1e6 * row.orientation_p90:.2g}")),
        ("false", _cell(lambda row: row.violations.text)),
    )
    heading = (
        "One solution a pose; medians (quartiles) over batches, the same poses for all, in turns. "
        "p90: of the error, for unsolved poses of the closest configuration. published: by the "
        "solvers' authors on their GPUs, tolerances hundreds of times looser."
    )
    yield Listing(heading, columns, rows)


def _cell(
    measured: Callable[[BatchFigures], str],
    published: Callable[[BatchTime], str] = lambda _: "-",
) -> Callable[[BatchTable, BatchFigures | BatchTime], str]:
    """Return the function of a cell, for rows that were measured and rows that were published."""
    return lambda _, row: measured(row) if isinstance(row, BatchFigures) else published(row)


def _published_share(time: BatchTime) -> str:
    return "-" if math.isnan(time.solved) else f"{100 * time.solved:g}"


PROTOCOL = Protocol(
    Options,
    BatchTable,
    measure,
    listings,
    steps=lambda options: sum(_rounds(size, options) for size in _sizes(options)),
)
