"""Trackers on courses of targets at 1 kHz: time of a step, limits, tip error, flips.

All trackers get the same targets and the same limits of positions and velocities, and of
accelerations if they take them. Steps are taken from Python, one tracker after the other on each
course. Ours is measured among random boxes, too. Limits are checked from the positions alone,
tips by pinocchio, collisions by coal.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import one_by_one
from generative_ik_benchmarks.options import RunOptions, names_option, option
from generative_ik_benchmarks.oracle import oracle_of
from generative_ik_benchmarks.peers.tracking import (
    TRACKERS,
    Case,
    Motion,
    Ours,
    Tracker,
    available_trackers,
)
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.robots import example_robot_urdf
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_benchmarks.text import number
from generative_ik_benchmarks.tracking_courses import COURSES, start_of
from generative_ik_benchmarks.tracking_scenes import BoxedRobot
from generative_ik_benchmarks.tree_cases import TreeCase, example_trees
from generative_ik_benchmarks.verification import Violations, violations_of
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import check_names
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.kinematic_tree import Kinematics

_SPEED_UP = 0.25
"""Time in which joints may reach their velocity limits [s]."""
_SHARE = 1e-6
"""Excess over a limit that is rounding, as a share of it."""
_CHECKED = 10
"""Of so many steps one is checked for collisions."""
_G1 = "g1_arms"
_TREES = ("baxter", _G1)


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    seconds: int = option(10, "Length of a course in seconds.", quick=2, min=1)
    rate: int = option(1000, "Steps a second.", min=50)
    boxes: int = option(20, "Boxes around the arm in a second run of ours; 0: none.", min=0)
    tree: tuple[str, ...] = option(
        (),
        f"This robot with two arms, too: {', '.join(_TREES)}.",
        check=partial(check_names, "tree", choices=_TREES),
    )
    peer: tuple[str, ...] = names_option("peer", TRACKERS, "this tracker beside ours")


def items(cases: Sequence[ChainCase], options: Options) -> list[Case]:
    """Return the chains, then the trees."""
    return [*cases, *(_tree(name) for name in options.tree)]


def _tree(name: str) -> TreeCase:
    if name == _G1:
        hands = ("left_rubber_hand", "right_rubber_hand")
        return TreeCase(name, example_robot_urdf("g1_arm"), "pelvis", hands)
    (case,) = example_trees((name,))
    return case


@dataclass(frozen=True)
class TrackingFigures:
    """What one tracker did on one course."""

    course: str = figure("Which.")
    solver: str = figure("Which tracker.")
    median: float = figure("Time of a step [us].")
    p99: float = figure("99th percentile of it.")
    p999: float = figure("99.9th percentile of it.")
    velocity: float = figure("Greatest velocity of a joint, over its limit.")
    acceleration: float = figure("Likewise of the change of a velocity, over the period.")
    mean_error: float = figure(
        "Of the distances of the tip from its targets [m]; of two tips the larger."
    )
    median_error: float = figure("Likewise.")
    last_error: float = figure("In the last step [m].")
    flips: int = figure(
        "Steps in which a joint moved by more than twice what its velocity limit allows."
    )
    violations: Violations = figure("Steps that violate a limit, or of every tenth collide.")


@dataclass(frozen=True, kw_only=True)
class TrackingTable(ChainTable):
    """One chain."""

    seconds: int = figure("Length of each course [s].")
    rows: tuple[TrackingFigures, ...] = figure(
        "For each course ours, the others, and ours among boxes."
    )

    violations = violations_of(
        lambda table: (row for row in table.rows if row.solver.startswith(Ours.name))
    )


def measure(case: Case, options: Options, on_step: OnStep) -> TrackingTable:
    """Measure one chain or tree."""
    chain, period = case.chain, 1.0 / options.rate
    start, velocity = start_of(chain), chain.velocity_limits
    velocity = np.where(np.isfinite(velocity), velocity, 2.0).astype(np.float64)
    motion = Motion(start, period, velocity, velocity / _SPEED_UP)
    absent: dict[str, str] = {}
    boxed = None
    if options.boxes:
        try:
            boxed = BoxedRobot.of(case, start, options.boxes, options.random_seed)
        except UnsupportedChainError as reason:
            absent["ours, boxes"] = str(reason)
    rows: list[TrackingFigures] = []
    times = np.arange(options.seconds * options.rate, dtype=np.float64) / options.rate
    for name, course in COURSES.items():
        targets = course(chain, start, times)
        peers, missing = available_trackers(options.peer or tuple(TRACKERS), case, motion)
        absent |= missing
        trackers: list[Tracker] = [Ours(IKSolver(chain), motion), *peers]
        if boxed is not None:
            trackers.append(Ours(boxed.solver, motion, boxed.scene))
        for tracker in trackers:
            steps, seconds = one_by_one(tracker.step, targets)
            positions = np.array(steps)
            errors = _errors(case, positions, targets)
            collisions = 0
            if boxed is not None and tracker is trackers[-1]:
                collisions = sum(map(boxed.oracle.collides, positions[::_CHECKED]))
            path, names = np.vstack([start, positions]), (name, tracker.name)
            rows.append(_figures(names, chain, path, 1e6 * seconds, errors, motion, collisions))
        on_step()
    return TrackingTable(
        chain=case.label, dof=chain.num_joints, absent=absent, seconds=options.seconds,
        rows=tuple(rows),
    )  # fmt: skip


def _errors(case: Case, positions: Floats, targets: Floats) -> Floats:
    """Return the largest distance of a tip from its target (N,), step by step [m]."""
    tips = oracle_of(case).forward(positions).reshape(targets.shape)
    return np.linalg.norm(tips[..., :3, 3] - targets[..., :3, 3], axis=2).max(axis=1)


def _figures(
    names: tuple[str, str],
    chain: Kinematics,
    path: Floats,
    spent: Floats,
    errors: Floats,
    motion: Motion,
    collisions: int,
) -> TrackingFigures:
    velocity, acceleration, period = motion.velocity, motion.acceleration, motion.period
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
        mean_error=float(errors.mean()),
        median_error=float(np.median(errors)),
        last_error=float(errors[-1]),
        flips=int((fast > 2.0).any(axis=1).sum()),
        violations=Violations(
            wrong=int(wrong.sum()) + collisions, outside=int((beyond > 0.0).any(axis=1).sum())
        ),
    )


def listings(tables: Sequence[TrackingTable]) -> Iterator[Listing]:
    """Show a row for each tracker on each course."""
    columns: list[tuple[str, Callable[..., str]]] = [
        ("chain", lambda table, _: table.chain),
        ("course", lambda _, row: row.course),
        ("tracker", lambda _, row: row.solver),
        ("us", lambda _, row: number(row.median)),
        ("99 %", lambda _, row: number(row.p99)),
        ("99.9 %", lambda _, row: number(row.p999)),
        ("velocity", lambda _, row: number(row.velocity)),
        ("acceleration", lambda _, row: number(row.acceleration)),
        ("violations", lambda _, row: str(row.violations.total)),
        ("flips", lambda _, row: str(row.flips)),
        ("mean error mm", lambda _, row: f"{1e3 * row.mean_error:.3g}"),
        ("median mm", lambda _, row: f"{1e3 * row.median_error:.2g}"),
        ("last mm", lambda _, row: f"{1e3 * row.last_error:.2g}"),
    ]
    seconds = ", ".join(str(n) for n in sorted({table.seconds for table in tables}))
    heading = (
        f"Courses of {seconds} s. us: median time of a step from Python, and percentiles. "
        "velocity and acceleration: greatest of a joint over its limit. violations: steps beyond "
        "a limit, and of ours among boxes every tenth step that collides. flips: steps in which a "
        "joint moves more than twice as fast as it may. Errors: distance of the tip from its "
        "target, of two tips the larger; among boxes, which are in the way of some courses, and "
        "out of reach it cannot be 0."
    )
    yield Listing(heading, columns, each_row(tables))


PROTOCOL = Protocol(
    Options, TrackingTable, measure, listings, steps=lambda _: len(COURSES),
    robots=("panda", "iiwa", "ur10", "so101"), items=items,
)  # fmt: skip
