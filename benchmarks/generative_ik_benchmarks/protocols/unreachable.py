"""Protocol F: what happens with poses that a chain cannot reach.

Poses far outside, just outside, and inside with an orientation that the arm does not have there,
see `unreachable_poses`. Counted are false successes (results that pinocchio finds wrong or outside
the limits), the time until the answer, and how the closest configuration offered compares with the
closest that an exhaustive search found. TRAC-IK gets the same poses, in turns.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import checker_of, in_turns
from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.options import RunOptions, option, sampler_option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.trac_ik import TracIK
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.protocols.unreachable_poses import (
    KINDS,
    UnreachablePoses,
    unreachable_poses,
)
from generative_ik_benchmarks.solver import PackageSolver, if_available
from generative_ik_benchmarks.text import Quartiles, percent, spread
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.solutions import SolveStatus

_WANTED = 10
"""Solutions that we are asked for."""


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    poses: int = option(50, "Poses of each kind a chain.", quick=3, min=1)
    sampler: str = sampler_option()


@dataclass(frozen=True)
class RejectFigures:
    """What one solver did with one kind of unreachable pose."""

    solver: str = figure("Its name.")
    kind: str = figure("How the poses were made.")
    poses: int = figure("How many.")
    false_successes: int = figure("Poses for which it claims a solution that is none.")
    rejected: float = figure(
        "Share for which it says that there is none; without a deadline, so not by it."
    )
    milliseconds: Quartiles = figure("Time of an answer [ms].")
    p99: float = figure("Time within which 99 % of the answers were there [ms].")
    position_error: Quartiles | None = figure(
        "Distance of its closest configuration from the pose [m]; None if it offers none."
    )
    orientation_error: Quartiles | None = figure("Angle of it [rad].")
    excess: Quartiles | None = figure("Its weighted error over that of the exhaustive search.")
    worst_excess: float | None = figure("The greatest of these.")


@dataclass(frozen=True, kw_only=True)
class UnreachableTable(ChainTable):
    """One chain."""

    rows: tuple[RejectFigures, ...] = figure("By kind, ours first.")
    violations: Violations = figure("False successes of ours, as wrong.")


def measure(case: ChainCase, options: Options, on_pose: OnStep) -> UnreachableTable:
    """Measure one chain."""
    chain, seed = case.chain, options.random_seed
    ours = PackageSolver(chain, _WANTED, None, options.sampler, seed)
    absent: dict[str, str] = {}
    peer = if_available("trac-ik", lambda: TracIK(case, "mid"), absent)
    if peer:
        peer.solve(random_reachable_poses(chain, 1, seed)[0])
    rows, violations = [], Violations()
    for kind in KINDS:
        made = unreachable_poses(chain, kind, options.poses, seed)
        if made.shortage:
            absent[kind] = made.shortage
        if not len(made.targets):
            continue
        # Kinds differ in what the search runs into, so each has its own first call.
        ours.solver.solve(made.targets[0], num_solutions=_WANTED)
        of_kind = _of_kind(case, ours, peer, kind, made, seed, on_pose)
        rows += of_kind
        violations += Violations(of_kind[0].false_successes)
    return UnreachableTable(
        chain=case.label,
        dof=chain.num_joints,
        rows=tuple(rows),
        violations=violations,
        absent=absent,
    )


class _Answer(NamedTuple):
    """The (k, n) configurations that a solver claims to be solutions of a pose [rad or m].

    Also whether it says that there is none, and the closest configuration (n,), if it offers one.
    """

    positions: Floats
    rejected: bool
    closest: Floats | None = None


def _of_kind(
    case: ChainCase,
    ours: PackageSolver,
    peer: TracIK | None,
    kind: str,
    made: UnreachablePoses,
    seed: int,
    on_pose: OnStep,
) -> list[RejectFigures]:
    """Give the poses of a kind to ours and to TRAC-IK in turns."""

    def ask_ours(target: Floats) -> _Answer:
        found = ours.solver.solve(target, num_solutions=_WANTED, random_seed=seed)
        rejected = found.status[0] is SolveStatus.NO_SOLUTION
        return _Answer(found.of(0), rejected, found.best_effort[0])

    def ask_peer(target: Floats) -> _Answer:
        found = peer.solve(target) if peer else np.empty((0, 0))
        return _Answer(found, not len(found))

    asks = [ask_ours, ask_peer] if peer else [ask_ours]
    turns = []
    for turn, target in enumerate(made.targets):
        turns.append(in_turns([partial(ask, target) for ask in asks], turn + 1))
        on_pose()
    oracle = Oracle.of(case)
    solvers = [("ours", ours), (peer.name, peer)] if peer else [("ours", ours)]
    return [
        _figures(name, kind, made, list(answers), checker_of(solver, case, oracle))
        for (name, solver), answers in zip(solvers, zip(*turns, strict=True), strict=True)
    ]


def _figures(
    name: str,
    kind: str,
    made: UnreachablePoses,
    answers: Sequence[tuple[_Answer, float]],
    checker: Checker,
) -> RejectFigures:
    """Check the answers of one solver and sum up."""
    false = [
        checker.wrong_or_outside(target, answer.positions).total > 0
        for target, (answer, _) in zip(made.targets, answers, strict=True)
    ]
    milliseconds = 1e3 * np.array([seconds for _, seconds in answers])
    closest = [answer.closest for answer, _ in answers if answer.closest is not None]
    distance = angle = excess = None
    if closest:
        distance, angle = pose_errors(checker.oracle.forward, np.array(closest), made.targets)
        excess = made.weighted(checker.chain, distance, angle) / made.least
    return RejectFigures(
        solver=name,
        kind=kind,
        poses=len(answers),
        false_successes=sum(false),
        rejected=float(np.mean([answer.rejected for answer, _ in answers])),
        milliseconds=Quartiles.of(milliseconds),
        p99=float(np.percentile(milliseconds, 99)),
        position_error=None if distance is None else Quartiles.of(distance),
        orientation_error=None if angle is None else Quartiles.of(angle),
        excess=None if excess is None else Quartiles.of(excess),
        worst_excess=None if excess is None else float(excess.max()),
    )


def listings(tables: Sequence[UnreachableTable]) -> Iterator[Listing]:
    """Show a row a kind of pose and solver."""
    columns = (
        ("chain", lambda table, _: table.chain),
        ("poses", lambda _, row: row.kind),
        ("solver", lambda _, row: row.solver),
        ("count", lambda _, row: str(row.poses)),
        ("false", lambda _, row: str(row.false_successes)),
        ("rejected %", lambda _, row: percent(row.rejected)),
        ("ms", lambda _, row: f"{row.milliseconds.median:.2f} ({row.p99:.2f})"),
        ("closest: mm", lambda _, row: spread(row.position_error, 1e3)),
        ("deg", lambda _, row: spread(row.orientation_error, np.rad2deg(1.0))),
        ("excess", lambda _, row: _excess(row)),
    )
    heading = (
        f"Unreachable poses, {_WANTED} solutions wanted, no deadline for ours, 5 ms for TRAC-IK. "
        "ms: median (99th percentile). closest: of the configuration offered, median (quartiles). "
        "excess: its error over that of an exhaustive search, median (worst)."
    )
    yield Listing(heading, columns, each_row(tables))


def _excess(row: RejectFigures) -> str:
    if row.excess is None or row.worst_excess is None:
        return "-"
    return f"{row.excess.median:.4f} ({row.worst_excess:.4f})"


PROTOCOL = Protocol(
    Options, UnreachableTable, measure, listings, steps=lambda options: options.poses * len(KINDS)
)
