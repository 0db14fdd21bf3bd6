"""Trackers on courses of a target at 1 kHz: time of a step, limits, tip error, flips.

Ours and Pink, where it is installed, get the same targets and the same limits of positions,
velocities and accelerations. Steps are taken from Python, one tracker after the other on each
course. Limits are checked from the positions alone, tips by pinocchio.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.options import RunOptions, option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.tracking_pink import PinkTracker
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.tracking_courses import COURSES, start_of
from generative_ik_benchmarks.verification import Violations, violations_of
from generative_ik_ros.errors import MissingDependencyError
from generative_ik_ros.pipeline import IKSolver

_SPEED_UP = 0.25
"""Time in which joints may reach their velocity limits [s]."""
_SHARE = 1e-6
"""Excess over a limit that is rounding, as a share of it."""


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    seconds: int = option(10, "Length of a course in seconds.", quick=2, min=1)
    rate: int = option(1000, "Steps a second.", min=50)


@dataclass(frozen=True)
class TrackingFigures:
    """What one tracker did on one course.

    Attributes:
        course: Which.
        solver: Which tracker.
        median: Time of a step [us].
        p99: 99th percentile of it.
        p999: 99.9th percentile of it.
        velocity: Greatest velocity of a joint, over its limit.
        acceleration: Likewise of the change of a velocity, over the period.
        position: Greatest excess over a position limit [rad or m].
        mean_error: Of the distances of the tip from its targets [m].
        median_error: Likewise.
        last_error: In the last step [m].
        flips: Steps in which a joint moved by more than twice what its velocity limit allows.
        violations: Steps that violate a limit; of others they are not counted.
    """

    course: str
    solver: str
    median: float
    p99: float
    p999: float
    velocity: float
    acceleration: float
    position: float
    mean_error: float
    median_error: float
    last_error: float
    flips: int
    violations: Violations


@dataclass(frozen=True, kw_only=True)
class TrackingTable(ChainTable):
    """One chain.

    Attributes:
        seconds: Length of each course [s].
        rows: For each course ours, and Pink.
    """

    seconds: int
    rows: tuple[TrackingFigures, ...]

    violations = violations_of(lambda table: (row for row in table.rows if row.solver == "ours"))


def measure(case: ChainCase, options: Options, on_step: OnStep) -> TrackingTable:
    """Measure one chain."""
    chain, period, oracle = case.chain, 1.0 / options.rate, Oracle.of(case)
    start, velocity = start_of(chain), chain.velocity_limits
    velocity = np.where(np.isfinite(velocity), velocity, 2.0).astype(np.float64)
    acceleration = velocity / _SPEED_UP
    absent: dict[str, str] = {}
    rows: list[TrackingFigures] = []
    times = np.arange(options.seconds * options.rate, dtype=np.float64) / options.rate
    for name, course in COURSES.items():
        targets = course(chain, start, times)
        trackers: list[tuple[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]]] = []
        ours = IKSolver(chain).track(
            start, period, velocity_limits=velocity, acceleration_limits=acceleration
        )
        trackers.append(("ours", lambda target, ours=ours: ours.step(target).positions))
        try:
            trackers.append(
                ("Pink", PinkTracker(case, start, period, velocity, acceleration).step)
            )
        except MissingDependencyError as error:
            absent["Pink"] = str(error)
        for solver, step in trackers:
            positions, spent = _followed(step, targets)
            errors = np.linalg.norm(
                oracle.forward(positions)[:, :3, 3] - targets[:, :3, 3], axis=1
            )
            path, bounds = np.vstack([start, positions]), (velocity, acceleration, period)
            rows.append(_figures((name, solver), chain, path, spent, errors, bounds))
        on_step()
    return TrackingTable(
        chain=case.label, dof=chain.num_joints, absent=absent, seconds=options.seconds,
        rows=tuple(rows),
    )  # fmt: skip


def _followed(
    step: Callable[[NDArray[np.float64]], NDArray[np.float64]], targets: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the positions (N, n) of all steps, and the times that they took (N,) [us]."""
    positions, spent = [], np.empty(len(targets))
    for i, target in enumerate(targets):
        begin = time.perf_counter()
        positions.append(step(target))
        spent[i] = 1e6 * (time.perf_counter() - begin)
    return np.array(positions), spent


def _figures(
    names: tuple[str, str],
    chain: Any,  # noqa: ANN401 (a chain)
    path: NDArray[np.float64],
    spent: NDArray[np.float64],
    errors: NDArray[np.float64],
    limits: tuple[NDArray[np.float64], NDArray[np.float64], float],
) -> TrackingFigures:
    velocity, acceleration, period = limits
    speeds = np.diff(path, axis=0) / period
    changes = np.diff(np.vstack([np.zeros(path.shape[1]), speeds]), axis=0) / period
    # Positions are rounded, by some 1e-16.
    fast = np.abs(speeds) / velocity - 1e-15 / period / velocity
    hard = np.abs(changes) / acceleration - 4e-15 / period**2 / acceleration
    beyond = np.maximum(chain.lower - path, path - chain.upper)[1:]
    wrong = (np.maximum(fast, hard) > 1.0 + _SHARE).any(axis=1)
    median, p99, p999 = map(float, np.percentile(spent, [50, 99, 99.9]))
    return TrackingFigures(
        course=names[0],
        solver=names[1],
        median=median,
        p99=p99,
        p999=p999,
        velocity=float(fast.max()),
        acceleration=float(hard.max()),
        position=float(max(beyond.max(), 0.0)),
        mean_error=float(errors.mean()),
        median_error=float(np.median(errors)),
        last_error=float(errors[-1]),
        flips=int((fast > 2.0).any(axis=1).sum()),
        violations=Violations(
            wrong=int(wrong.sum()), outside=int((beyond > 0.0).any(axis=1).sum())
        ),
    )


def listings(tables: Sequence[TrackingTable]) -> Iterator[Listing]:
    """Show a row for each tracker on each course."""
    columns: list[tuple[str, Callable[..., str]]] = [
        ("chain", lambda table, _: table.chain),
        ("course", lambda _, row: row.course),
        ("tracker", lambda _, row: row.solver),
        ("us", lambda _, row: f"{row.median:.1f}"),
        ("99 %", lambda _, row: f"{row.p99:.1f}"),
        ("99.9 %", lambda _, row: f"{row.p999:.1f}"),
        ("velocity", lambda _, row: f"{row.velocity:.3f}"),
        ("acceleration", lambda _, row: f"{row.acceleration:.3f}"),
        ("violations", lambda _, row: str(row.violations.total)),
        ("flips", lambda _, row: str(row.flips)),
        ("mean error mm", lambda _, row: f"{1e3 * row.mean_error:.3g}"),
        ("median mm", lambda _, row: f"{1e3 * row.median_error:.2g}"),
        ("last mm", lambda _, row: f"{1e3 * row.last_error:.2g}"),
    ]
    heading = (
        "Targets at 1 kHz. us: median time of a step from Python, and percentiles. velocity and "
        "acceleration: greatest of a joint over its limit. violations: steps beyond a limit."
    )
    yield Listing(heading, columns, each_row(tables))


PROTOCOL = Protocol(
    Options, TrackingTable, measure, listings, steps=lambda _: len(COURSES),
    robots=("panda", "iiwa", "ur10"),
)  # fmt: skip
