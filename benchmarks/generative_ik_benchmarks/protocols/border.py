"""Poses at the border of what a chain reaches: how many are lost, and what saying no costs.

A search without any solution is given up after some restarts. Given up too early, poses that the
chain does reach are called unreachable; so those that are hard to find are over-represented here.
Given up too late, a pose out of reach costs a thousand times what another one does.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.interleaved import checker_of, least_time
from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.options import RunOptions, option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.protocols.border_poses import (
    KINDS,
    border_configurations,
    poses_about,
)
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.solutions import IKSolutions

_TURNS = 5
"""Times that a batch is measured."""
_ALONE = 200
"""Most poses that are asked for one by one."""
_BATCHES = 40
"""Batches of poses in which those out of reach are looked for."""


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    poses: int = option(4000, "Poses of each kind a chain.", quick=50, min=1)
    seeds: int = option(1, "Random seeds, from --random-seed on, with poses of their own.", min=1)


@dataclass(frozen=True)
class KindFigures:
    """Reachable poses of one kind.

    Attributes:
        kind: How their configurations were drawn.
        poses: How many.
        lost: Those for which no solution was found.
    """

    kind: str
    poses: int
    lost: int


@dataclass(frozen=True, kw_only=True)
class BorderTable(ChainTable):
    """One chain.

    Attributes:
        rows: By kind.
        wrong: Solutions that are none by independent kinematics, or outside the limits.
        reached: Share of poses of any orientation about the robot that it reaches.
        rejected: Poses out of reach that were measured.
        restarts: Restarts for each of them.
        batch: Time of one in a batch [us].
        alone: Time of one in a call of its own, one solution wanted, median [us].
        many: The same with a hundred wanted [us].
        solved: Time of a pose within reach in a batch [us].
    """

    rows: tuple[KindFigures, ...]
    wrong: int
    reached: float
    rejected: int
    restarts: float
    batch: float
    alone: float
    many: float
    solved: float

    @property
    def violations(self) -> Violations:
        """Everything untrue in our own results."""
        return Violations(wrong=self.wrong)


def measure(case: ChainCase, options: Options, on_pose: OnStep) -> BorderTable:
    """Measure one chain."""
    chain, first = case.chain, options.random_seed
    seeds = range(first, first + options.seeds)
    solver, oracle = IKSolver(chain), Oracle.of(case)
    checker = checker_of(solver, case, oracle)
    rows, wrong = [], 0
    for kind in KINDS:
        lost = 0
        for seed in seeds:
            targets = chain.forward(border_configurations(chain, kind, options.poses, seed))
            found = solver.solve(targets, 1, random_seed=seed)
            lost += int((found.counts == 0).sum())
            wrong += _wrong(checker, found, targets)
            on_pose()
        rows.append(KindFigures(kind, options.poses * options.seeds, lost))
    out, within, share = _sorted(solver, options)
    calls = [_alone(solver, out, wanted) for wanted in (1, 100)]
    on_pose()
    batch, found = _batch(solver, out)
    return BorderTable(
        chain=case.label,
        dof=chain.num_joints,
        absent={},
        rows=tuple(rows),
        wrong=wrong,
        reached=share,
        rejected=len(out),
        restarts=found.timings.seeds / max(len(out), 1),
        batch=batch,
        alone=calls[0],
        many=calls[1],
        solved=_batch(solver, within)[0],
    )


def _wrong(checker: Checker, found: IKSolutions, targets: NDArray[np.float64]) -> int:
    """Count the solutions, one a pose at most, that are none."""
    solved = found.counts > 0
    positions = found.positions[solved, 0]
    errors = pose_errors(checker.oracle.forward, positions, targets[solved])
    right = checker.within_tolerances(*errors) & checker.within_limits(positions)
    return int((~right).sum())


def _sorted(
    solver: IKSolver, options: Options
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return poses about the robot: those out of reach, those within, and the latter's share."""
    out, within = [], []
    for _, targets in zip(
        range(_BATCHES),
        poses_about(solver.chain, options.poses, options.random_seed),
        strict=False,
    ):
        reached = solver.solve(targets, 1).counts > 0
        out.append(targets[~reached])
        within.append(targets[reached])
        if sum(map(len, out)) >= options.poses:
            break
    both = np.concatenate(out)[: options.poses], np.concatenate(within)[: options.poses]
    counts = sum(map(len, out)), sum(map(len, within))
    return *both, counts[1] / max(sum(counts), 1)


def _batch(solver: IKSolver, targets: NDArray[np.float64]) -> tuple[float, IKSolutions]:
    """Return the least time of a pose in a batch [us], and what was found."""
    found = solver.solve(targets, 1)
    least = least_time(lambda: solver.solve(targets, 1), _TURNS)
    return 1e6 * least / max(len(targets), 1), found


def _alone(solver: IKSolver, targets: NDArray[np.float64], wanted: int) -> float:
    """Return the median time of calls for one pose each [us]."""
    seconds = []
    for target in targets[:_ALONE]:
        start = time.perf_counter()
        solver.solve(target, wanted)
        seconds.append(time.perf_counter() - start)
    return 1e6 * float(np.median(seconds)) if seconds else float("nan")


def listings(tables: Sequence[BorderTable]) -> Iterator[Listing]:
    """Show what is lost, then what it costs."""
    by_kind = [{row.kind: row for row in table.rows} for table in tables]
    columns = [
        ("chain", lambda table, _: table.chain),
        ("DOF", lambda table, _: str(table.dof)),
        *(
            (
                f"{kind}: lost",
                lambda _, rows, kind=kind: f"{rows[kind].lost} of {rows[kind].poses}",
            )
            for kind in KINDS
        ),
        ("false", lambda table, _: str(table.wrong)),
    ]
    lost = sum(row.lost for _, row in each_row(tables))
    total = sum(row.poses for _, row in each_row(tables))
    yield Listing(
        f"Reachable poses for which no solution was found, {lost} of {total}.",
        columns,
        list(zip(tables, by_kind, strict=True)),
    )
    cost = (
        ("chain", lambda table: table.chain),
        ("reached %", lambda table: f"{100 * table.reached:.0f}"),
        ("out of reach", lambda table: str(table.rejected)),
        ("restarts", lambda table: f"{table.restarts:.0f}"),
        ("batch: us", lambda table: f"{table.batch:.1f}"),
        ("alone: us", lambda table: f"{table.alone:.0f}"),
        ("100 wanted: us", lambda table: f"{table.many:.0f}"),
        ("within reach, batch: us", lambda table: f"{table.solved:.2f}"),
    )
    heading = (
        "Poses of any orientation in the box that the tip reaches: restarts and time until one is "
        "called out of reach. batch: least of five. alone: median of calls for one pose."
    )
    yield Listing(heading, cost, [(table,) for table in tables])


PROTOCOL = Protocol(
    Options,
    BorderTable,
    measure,
    listings,
    steps=lambda options: len(KINDS) * options.seeds + 1,
    robots=("all",),
)
