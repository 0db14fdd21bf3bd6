"""Key points of a hand retargeted to the fingers of a robot's, beside dex-retargeting.

The fingertips of a robot's hand follow key points at 60 Hz, frame after frame: those of a motion
of the same hand, which it can follow exactly, and those of a larger hand with noise, which it
cannot. Where its fingertips are, pinocchio says. Nothing but the places of fingertips is given.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
from scipy.optimize import least_squares

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.file_oracle import FileOracle
from generative_ik_benchmarks.interleaved import one_by_one
from generative_ik_benchmarks.limb_figures import Limb
from generative_ik_benchmarks.limbs import HAND, limbs_of
from generative_ik_benchmarks.options import RunOptions, names_option, option
from generative_ik_benchmarks.peers.retargeting import (
    PERIOD,
    RETARGETERS,
    fingers_are_apart,
)
from generative_ik_benchmarks.peers.tracking import Tracker
from generative_ik_benchmarks.protocol import (
    ChainTable,
    Listing,
    OnStep,
    Protocol,
    each_row,
    in_percent,
    percent_steps,
)
from generative_ik_benchmarks.robot_files import check_folders, files_at_hand
from generative_ik_benchmarks.solver import if_available
from generative_ik_benchmarks.text import Quartiles, number, percent, spread
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import GenerativeIKError, InvalidArgumentError
from generative_ik_ros.robot.kinematic_tree import Kinematics, KinematicTree

_ON_POINT = 1e-5
"""Distance at which a fingertip is on its key point [m]."""
COURSES = {"its own": (1.0, 0.0), "5 % larger, noise": (1.05, 5e-4)}
"""Size of the hand that is seen, over the robot's, and noise of each key point [m]."""
_SWING, _RATES = 0.35, (0.15, 0.5)


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    seconds: int = option(10, "Length of a course in seconds.", quick=1, min=1)
    folder: tuple[str, ...] = option(
        (), "URDFs of hands in this folder instead of those of installed packages, may be given "
        "again.", check=check_folders, metavar="DIR",
    )  # fmt: skip
    only: tuple[str, ...] = option(
        (), "Only hands with this in their name or package, may be given again."
    )
    solver: tuple[str, ...] = names_option("solver", tuple(RETARGETERS), "this solver")
    exhaustive: int = option(
        10, "Restarts of the search for the least distance, on every 60th frame.", quick=2, min=1
    )


@dataclass(frozen=True)
class HandFigures:
    """What one solver did on one course."""

    course: str = figure("Whose key points.")
    solver: str = figure("Its name.")
    error: Quartiles = figure("Distances of all fingertips from their key points [m].")
    on_point: float = figure("Share of them within 1e-5 m.")
    excess: float = figure(
        "What the mean distance is more than the least that exhaustive search finds, on every "
        "60th frame [m]."
    )
    microseconds: Quartiles = figure("Time of a frame [us].")
    largest_step: float = figure("Greatest change of a joint in a frame [rad].")
    unrest: float = figure("Mean change of a joint's step from frame to frame [rad].")
    beyond: float = figure("Greatest excess over a joint limit [rad].")


@dataclass(frozen=True, kw_only=True)
class HandTable(ChainTable):
    """One hand."""

    tips: int = figure("How many fingertips.")
    rows: tuple[HandFigures, ...] = figure("For each course, each solver.")
    violations: Violations = figure("Frames of ours outside the joint limits.")


def items(_: Sequence[ChainCase], options: Options) -> list[Limb]:
    """Return the hands, one of each kind.

    Raises:
        InvalidArgumentError: There are none.
    """
    found: dict[str, Limb] = {}
    for file in files_at_hand(options.folder):
        if not file.has_in_name(options.only):
            continue
        try:
            limbs = limbs_of(file.description) if file.format == "URDF" else None
        except GenerativeIKError:
            continue
        if limbs is not None and limbs.kind == HAND:
            hand = Limb(file, limbs.ends[0][0], tuple(tip for _, tip in limbs.ends))
            found.setdefault(hand.kinematics().fingerprint, hand)
    if not found:
        raise InvalidArgumentError("no URDF of a hand: --folder DIR says where there are some")
    return list(found.values())


def measure(hand: Limb, options: Options, on_step: OnStep) -> HandTable:
    """Measure one hand."""
    tree = hand.kinematics()
    assert isinstance(tree, KinematicTree)  # noqa: S101 (a hand has several tips)
    oracle, on_share = hand.oracle(tree.joint_names), in_percent(on_step)
    motion = finger_motion(tree, PERIOD * np.arange(options.seconds / PERIOD), options.random_seed)
    urdf = hand.file.text if isinstance(hand.file.text, str) else hand.file.text.decode()
    absent: dict[str, str] = {}
    rows, outside, done = [], 0, 0
    for course in COURSES:
        points = key_points(oracle.forward(motion), course, options.random_seed)
        least = _least(tree, points, options.exhaustive, options.random_seed)
        for name in options.solver or RETARGETERS:
            make = partial(RETARGETERS[name], tree, urdf, motion[0])
            solver = if_available(name, make, absent)
            if solver is not None:
                frames, seconds = one_by_one(solver.step, points)
                q = np.array(frames)
                rows.append(_figures(course, solver, q, seconds, points, least, tree, oracle))
                ours = name != "dex-retargeting"
                outside += int(ours and rows[-1].beyond > solver.limit_slack)
            done += 1
            on_share(done / (len(COURSES) * len(options.solver or RETARGETERS)))
    return HandTable(
        chain=hand.file.name, dof=tree.num_joints, absent=absent, tips=tree.num_tips,
        rows=tuple(rows), violations=Violations(outside=outside),
    )  # fmt: skip


def finger_motion(tree: KinematicTree, times: Floats, seed: int) -> Floats:
    """Return configurations (N, n) at times (N,) [s]: each joint swings about its middle.

    It takes up to 70 % of its range, at 0.15 to 0.5 Hz.
    """
    rng, n = np.random.default_rng(seed), tree.num_joints
    rates, phases = rng.uniform(*_RATES, n), rng.uniform(0.0, 2.0 * np.pi, n)
    middle, room = (tree.lower + tree.upper) / 2.0, tree.upper - tree.lower
    return middle + _SWING * room * np.sin(2.0 * np.pi * rates * times[:, None] + phases)


def key_points(tips_in_base: Floats, course: str, seed: int) -> Floats:
    """Return what is seen of fingertips (N, K, 4, 4): poses whose rotations do not matter."""
    size, noise = COURSES[course]
    seen = np.tile(np.eye(4), (*tips_in_base.shape[:2], 1, 1))
    places = size * tips_in_base[..., :3, 3]
    seen[..., :3, 3] = places + noise * np.random.default_rng(seed).normal(size=places.shape)
    return seen


def _least(tree: KinematicTree, points: Floats, restarts: int, seed: int) -> Floats:
    """Return the least mean distance of fingertips, of frames once a second (N / 60,) [m].

    SciPy's bounded least squares from random configurations, the fingers by themselves where they
    share no joint.
    """
    rng, least = np.random.default_rng(seed), []
    for frame in points[::60, :, :3, 3]:
        if fingers_are_apart(tree):
            parts = zip(tree.chains, frame[:, None], strict=True)
            least.append(np.mean([_nearest(chain, at, restarts, rng) for chain, at in parts]))
        else:
            least.append(_nearest(tree, frame, restarts, rng))
    return np.array(least)


def _nearest(robot: Kinematics, places: Floats, restarts: int, rng: np.random.Generator) -> float:
    """Return the least mean distance of tips from places (K, 3) [m]."""

    def gaps(q: Floats) -> Floats:
        return (robot.forward(q)[..., :3, 3].reshape(-1, 3) - places).ravel()

    def slopes(q: Floats) -> Floats:
        return robot.jacobian(q)[..., :3, :].reshape(-1, len(q))

    found, jacobian = [], cast(Any, slopes)
    for _ in range(restarts):
        start = rng.uniform(robot.lower, robot.upper)
        end = least_squares(gaps, start, jacobian, bounds=(robot.lower, robot.upper), xtol=1e-10).x
        found.append(np.linalg.norm(gaps(end).reshape(-1, 3), axis=1).mean())
    return float(min(found))


def _figures(
    course: str,
    solver: Tracker,
    q: Floats,
    seconds: Floats,
    points: Floats,
    least: Floats,
    tree: KinematicTree,
    oracle: FileOracle,
) -> HandFigures:
    """Sum up the configurations (N, n) of a course."""
    error = np.linalg.norm(oracle.forward(q)[..., :3, 3] - points[..., :3, 3], axis=-1)
    steps = np.diff(q, axis=0)
    beyond = np.maximum(tree.lower - q, q - tree.upper)
    return HandFigures(
        course=course,
        solver=solver.name,
        error=Quartiles.of(error.ravel()),
        on_point=float((error <= _ON_POINT).mean()),
        excess=float((error[::60].mean(axis=1) - least).mean()),
        microseconds=Quartiles.of(1e6 * seconds),
        largest_step=float(np.abs(steps).max()),
        unrest=float(np.abs(np.diff(steps, axis=0)).mean()),
        beyond=float(max(beyond.max(), 0.0)),
    )


def listings(tables: Sequence[HandTable]) -> Iterator[Listing]:
    """Show a row a course and solver."""
    columns = (
        ("hand", lambda table, _: table.chain),
        ("joints", lambda table, _: str(table.dof)),
        ("tips", lambda table, _: str(table.tips)),
        ("key points", lambda _, row: row.course),
        ("solver", lambda _, row: row.solver),
        ("mm", lambda _, row: spread(row.error, 1e3, 2)),
        ("on point %", lambda _, row: percent(row.on_point)),
        ("more mm", lambda _, row: number(1e3 * row.excess, 2)),
        ("us", lambda _, row: spread(row.microseconds, digits=3)),
        ("largest step", lambda _, row: number(row.largest_step, 2)),
        ("unrest", lambda _, row: number(row.unrest, 2)),
        ("beyond limits", lambda _, row: number(row.beyond, 2)),
    )
    heading = (
        "Fingertips that follow key points at 60 Hz. mm: their distances, median (quartiles). "
        "on point: within 1e-5 m. more mm: mean distance over the least that exhaustive search "
        "finds, once a second. us: of a frame. largest step: of a joint between frames [rad]. "
        "unrest: mean change of a step [rad]. beyond limits: at most [rad]."
    )
    yield Listing(heading, columns, each_row(tables))


PROTOCOL = Protocol(
    Options, HandTable, measure, listings, steps=percent_steps, robots=("panda",), items=items
)
