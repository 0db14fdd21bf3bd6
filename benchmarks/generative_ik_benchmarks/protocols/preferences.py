"""What optimised solutions are worth: one call beside the best of many solutions of the same pose.

`IKSolver.solve(pose, 1, order_by=..., optimize=True)` moves a few solutions along self-motions to
where a score is best. Beside it stand the best of those found without that, and the best of a
dense sample of the pose's whole solution set, which takes a thousand times as long.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.interleaved import checker_of
from generative_ik_benchmarks.options import RunOptions, option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.quartiles import Quartiles
from generative_ik_benchmarks.solver import PackageSolver
from generative_ik_benchmarks.text import percent
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.select.preferences import CLEARANCE, SCORES

_NEAR = 0.99
"""A score is as good as the best of the sample from this share of it on."""
_DENSE = 1e-3
"""Solutions of the sample are no further apart [rad or m]."""
_REPEATS = 5
"""The least of so many times is a call's."""
Score = Callable[[NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    poses: int = option(200, "Poses a chain.", quick=5, min=1)
    samples: int = option(10_000, "Solutions of each pose to compare with.", quick=1000, min=1)


@dataclass(frozen=True)
class PreferenceFigures:
    """One score.

    Attributes:
        score: Its name.
        poses: Poses with a solution whose best score is not 0.
        near: Share of them whose optimised score is at least 99 % of the sample's best.
        plain_near: The same without optimisation.
        worst: The least share of the sample's best.
        milliseconds: Time of a call with optimisation [ms].
        plain_milliseconds: Time of one without [ms].
    """

    score: str
    poses: int
    near: float
    plain_near: float
    worst: float
    milliseconds: Quartiles
    plain_milliseconds: Quartiles


@dataclass(frozen=True, kw_only=True)
class PreferenceTable(ChainTable):
    """One chain.

    Attributes:
        rows: By score.
        violations: Everything untrue in our results.
    """

    rows: tuple[PreferenceFigures, ...]
    violations: Violations


def measure(case: ChainCase, options: Options, on_pose: OnStep) -> PreferenceTable:
    """Measure one chain."""
    chain, absent = case.chain, {}
    checker = checker_of(PackageSolver(chain, 1, None), case, Oracle.of(case))
    solvers = [IKSolver(chain, distinct_distance=distance) for distance in (0.05, _DENSE)]
    checked = []
    if chain.description.collisions:
        model = CollisionModel.from_urdf(chain.description)
        checked = [one.with_collision(model) for one in solvers]
    else:
        absent[CLEARANCE] = "the robot has no collision shapes"
    targets = random_reachable_poses(chain, options.poses, options.random_seed)
    rows, violations = [], Violations()
    for name in (*SCORES, CLEARANCE):
        if name == CLEARANCE and not checked:
            continue
        ours, dense = checked if name == CLEARANCE else solvers
        score = ours.clearance if name == CLEARANCE else partial(SCORES[name], chain)
        figures, untrue = _of_score(name, score, ours, dense, targets, options.samples, checker)
        rows.append(figures)
        violations += untrue
        on_pose()
    return PreferenceTable(
        chain=case.label,
        dof=chain.num_joints,
        rows=tuple(rows),
        violations=violations,
        absent=absent,
    )


def _of_score(
    name: str,
    score: Score,
    ours: IKSolver,
    dense: IKSolver,
    targets: NDArray[np.float64],
    samples: int,
    checker: Checker,
) -> tuple[PreferenceFigures, Violations]:
    """Compare the best solutions by one score."""
    ours.warm_up(optimize=True)
    shares, times, violations = [], [], Violations()
    for target in targets:
        sample = dense.solve(target, samples).of(0)
        best = float(score(sample).max()) if len(sample) else 0.0
        answers, spent = [], []
        for optimize in (True, False):
            found, least = _timed(partial(ours.solve, target, 1, order_by=name, optimize=optimize))
            answers.append(float(score(found).max(initial=0.0)))
            spent.append(least)
            violations += checker.wrong_or_outside(target, found)
        times.append(spent)
        if best > 0.0:
            shares.append([answer / best for answer in answers])
    optimized, plain = np.array(shares).reshape(-1, 2).T
    milliseconds = 1e3 * np.array(times)
    return PreferenceFigures(
        score=name,
        poses=len(shares),
        near=float((optimized >= _NEAR).mean()) if len(shares) else 0.0,
        plain_near=float((plain >= _NEAR).mean()) if len(shares) else 0.0,
        worst=float(optimized.min(initial=1.0)),
        milliseconds=Quartiles.of(milliseconds[:, 0]),
        plain_milliseconds=Quartiles.of(milliseconds[:, 1]),
    ), violations


def _timed(solve: Callable) -> tuple[NDArray[np.float64], float]:
    """Return the solutions (k, n) of a call, and its least time [s]."""
    found, least = None, np.inf
    for _ in range(_REPEATS):
        start = time.perf_counter()
        found = solve()
        least = min(least, time.perf_counter() - start)
    assert found is not None  # noqa: S101
    return found.of(0), least


def listings(tables: Sequence[PreferenceTable]) -> Iterator[Listing]:
    """Show a row a score."""
    columns = (
        ("chain", lambda table, _: table.chain),
        ("order_by", lambda _, row: row.score),
        ("poses", lambda _, row: str(row.poses)),
        ("within 1 %", lambda _, row: percent(row.near)),
        ("without optimize", lambda _, row: percent(row.plain_near)),
        ("worst", lambda _, row: percent(row.worst)),
        ("ms", lambda _, row: f"{row.milliseconds.median:.2f}"),
        ("without optimize, ms", lambda _, row: f"{row.plain_milliseconds.median:.2f}"),
    )
    heading = (
        "One solution, with and without optimize=True: share of poses whose score is at least 99 "
        "% of the best of the sampled solutions of the same pose, the least share of it, and the "
        f"median time of a call, of {_REPEATS} the least."
    )
    yield Listing(heading, columns, each_row(tables))


PROTOCOL = Protocol(
    Options,
    PreferenceTable,
    measure,
    listings,
    steps=lambda _: len(SCORES) + 1,
    robots=("panda", "iiwa"),
)
