"""Poses that an arm cannot meet: the position exactly, the orientation as nearly as possible.

Positions are those of random configurations, orientations any. Every solver is asked for one
configuration; those of others, which have no search of their own, begin at random configurations,
the same for all. Whether the position is reached, and how far the orientation is, pinocchio says.
The least angle that any of them finds, a hundred restarts of SLSQP as exhaustive search among
them, is what their angles are compared with.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import checker_of, in_turns
from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.options import RunOptions, names_option, option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.nearest import EXACT, NEAREST, SlsqpNearest
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.solver import taking_part
from generative_ik_benchmarks.text import Quartiles, percent, spread
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.array_types import Floats
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.solutions import SolveStatus

_BEST = 1e-3
"""What an angle may be more than the least one [rad]."""


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    poses: int = option(50, "Poses a chain.", quick=3, min=1)
    restarts: int = option(
        10, "Random configurations that other solvers begin at.", quick=2, min=1
    )
    exhaustive: int = option(100, "Restarts of the exhaustive search.", quick=10, min=1)
    peer: tuple[str, ...] = names_option("peer", tuple(NEAREST), "this solver beside ours")


@dataclass(frozen=True)
class NearestFigures:
    """What one solver did."""

    solver: str = figure("Its name.")
    poses: int = figure("How many.")
    reached: float = figure("Share of them whose position it reached.")
    best: float = figure("Share of them in which it also came within 1e-3 rad of the least angle.")
    position_error: Quartiles = figure("Its distances from the positions [m].")
    excess: Quartiles | None = figure(
        "What its angles were more than the least, where it reached the position [rad]."
    )
    milliseconds: Quartiles = figure("Time of a call [ms].")


@dataclass(frozen=True, kw_only=True)
class NearestTable(ChainTable):
    """One chain."""

    rows: tuple[NearestFigures, ...] = figure("Ours, ours without a preference, others.")
    violations: Violations = figure(
        "Of ours. Wrong are approximations whose errors are not those that pinocchio finds, or "
        "whose position is not reached."
    )


def measure(case: ChainCase, options: Options, on_pose: OnStep) -> NearestTable:
    """Measure one chain."""
    chain, seed = case.chain, options.random_seed
    ours, plain = IKSolver(chain, prefer="position"), IKSolver(chain)
    others, absent = taking_part(
        options.peer or NEAREST, lambda name: [NEAREST[name](case, options.restarts, seed)]
    )
    exhaustive = SlsqpNearest(case, options.exhaustive, seed + 1)
    asks = [
        lambda target: ours.solve(target, 1).best_effort,
        lambda target: plain.solve(target, 1).best_effort,
        *(one.solve for one in others),
    ]
    more = [f"{one.name}, {options.restarts} restarts" for one in others]
    names = ["ours", "ours, best effort", *more]
    targets = _targets(case, options.poses, seed)
    for ask in asks:
        ask(targets[0])
    turns, least = [], []
    for turn, target in enumerate(targets):
        turns.append(in_turns([partial(ask, target) for ask in asks], turn))
        least.append(exhaustive.solve(target)[0])
        on_pose()
    oracle = Oracle.of(case)
    checker = checker_of(ours, case, oracle)
    answers = list(zip(*turns, strict=True))
    errors = np.array([
        pose_errors(oracle.forward, np.array(found), targets)
        for found in (*([q[0] for q, _ in one] for one in answers), least)
    ])  # fmt: skip
    there = errors[:, 0] <= EXACT + 1e-9
    best = np.where(there, errors[:, 1], np.inf).min(axis=0)
    rows = [
        _figures(name, errors[i], best, 1e3 * np.array([seconds for _, seconds in answers[i]]))
        for i, name in enumerate(names)
    ]
    return NearestTable(
        chain=case.label, dof=chain.num_joints, rows=tuple(rows), absent=absent,
        violations=_untrue(ours, checker, targets),
    )  # fmt: skip


def _targets(case: ChainCase, count: int, seed: int) -> Floats:
    """Return poses (count, 4, 4) whose position is reached, with any orientation."""
    targets = random_reachable_poses(case.chain, count, seed)
    targets[:, :3, :3] = Rotation.random(count, np.random.default_rng(seed)).as_matrix()
    return targets


def _untrue(ours: IKSolver, checker: Checker, targets: Floats) -> Violations:
    """Check all approximations of ours."""
    found, untrue = ours.solve(targets, 100), Violations()
    for t, target in enumerate(targets):
        q = found.of(t)
        if not len(q):
            continue
        distance, angle = checker.errors(target, q)
        told = found.position_error[t, : len(q)], found.orientation_error[t, : len(q)]
        false = (np.abs(distance - told[0]) > 1e-8) | (np.abs(angle - told[1]) > 1e-6)
        exact = found.status[t] is not SolveStatus.APPROXIMATE
        false |= (distance > EXACT + 1e-9) | (exact & (angle > EXACT + 1e-6))
        untrue += Violations(int(false.sum()), int((~checker.within_limits(q)).sum()))
    return untrue


def _figures(name: str, errors: Floats, best: Floats, milliseconds: Floats) -> NearestFigures:
    """Sum up errors (2, P) [m and rad] and times (P,) beside the least angles (P,)."""
    there = errors[0] <= EXACT + 1e-9
    excess = errors[1][there] - best[there]
    return NearestFigures(
        solver=name,
        poses=len(best),
        reached=float(there.mean()),
        best=float((excess <= _BEST).sum() / len(best)),
        position_error=Quartiles.of(errors[0]),
        excess=Quartiles.of(excess) if len(excess) else None,
        milliseconds=Quartiles.of(milliseconds),
    )


def listings(tables: Sequence[NearestTable]) -> Iterator[Listing]:
    """Show a row a solver."""
    columns = (
        ("chain", lambda table, _: table.chain),
        ("solver", lambda _, row: row.solver),
        ("poses", lambda _, row: str(row.poses)),
        ("position %", lambda _, row: percent(row.reached)),
        ("and nearest %", lambda _, row: percent(row.best)),
        ("mm", lambda _, row: spread(row.position_error, 1e3)),
        ("more rad", lambda _, row: spread(row.excess)),
        ("ms", lambda _, row: spread(row.milliseconds)),
    )
    heading = (
        "Reachable positions, any orientation. position %: reached within 1e-5 m. and nearest %: "
        "also within 1e-3 rad of the least angle that any solver, or exhaustive search, finds. "
        "mm: distance from the position. more rad: than that angle, where the position is "
        "reached. Medians (quartiles)."
    )
    yield Listing(heading, columns, each_row(tables))


PROTOCOL = Protocol(Options, NearestTable, measure, listings, robots=("so101", "so100"))
