"""A mechanism and its nets in, experiment e out: jumps along paths, solver by solver."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.trac_ik import TracIK
from generative_ik_benchmarks.reproduce.distal_branches import (
    continuous_way_exists,
    smooth_joint_path,
    smooth_pose_path,
)
from generative_ik_benchmarks.reproduce.distal_contestants import (
    TEACHING,
    TRAC_IK,
    closed_form,
    trac_ik,
)
from generative_ik_benchmarks.reproduce.distal_lessons import Teach, sizes
from generative_ik_benchmarks.reproduce.distal_mechanisms import Mechanism
from generative_ik_benchmarks.verification import joint_distance
from generative_ik_ros.pipeline import IKSolver

JUMP = 0.2
"""A joint that changes by more than this between two poses has jumped [rad]."""
OUR_PATH, OUR_NEAREST = "ours, solve_path", "ours, solve with seed_state"
JOINT, SPACE = "joint path", "drawn in space"
_PATIENCE = 1.0
"""Deadline of TRAC-IK and of ours for a pose [s]; long, so that nothing fails because the machine
has other work."""
_ATTEMPTS = 20
"""Paths drawn in space for each one that is wanted before it is given up."""

Follow = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
"""Takes poses (W, 4, 4) and a start (n,), returns configurations (W, n), NaN for none."""


@dataclass(frozen=True)
class Path:
    """Poses that have a continuous solution.

    Attributes:
        targets: (W, 4, 4) tip in base [m].
        start: (n,) where the arm is before the first pose [rad].
    """

    targets: NDArray[np.float64]
    start: NDArray[np.float64]


@dataclass(frozen=True)
class PathRow:
    """What one contestant did along all paths of a kind.

    Attributes:
        mechanism: Which.
        kind: How the paths were made, `JOINT` or `SPACE`.
        contestant: Its name.
        paths: How many.
        poses: Of each.
        with_jumps: Paths with at least one jump.
        jumps: Jumps in all.
        unsolved: Poses without an answer.
        worst_position: Greatest error of its answers [m].
        worst_orientation: Likewise [rad].
        milliseconds: Mean time of a path [ms].
        first: Number of the first path with a jump; None without any.
    """

    mechanism: str
    kind: str
    contestant: str
    paths: int
    poses: int
    with_jumps: int
    jumps: int
    unsolved: int
    worst_position: float
    worst_orientation: float
    milliseconds: float
    first: int | None


def joint_paths(mechanism: Mechanism, count: int, poses: int, seed: int) -> list[Path]:
    """Return paths that a smooth joint path reaches: a continuous solution exists."""
    rng, chain = np.random.default_rng((seed, 7)), mechanism.chain
    paths = []
    while len(paths) < count:
        positions = smooth_joint_path(chain, poses, rng)
        if np.abs(np.diff(positions, axis=0)).max() < JUMP / 2.0:
            paths.append(Path(chain.forward(positions), positions[0]))
    return paths


def space_paths(mechanism: Mechanism, count: int, poses: int, seed: int) -> list[Path]:
    """Return paths drawn in space for which a dense search finds a continuous solution.

    None for a mechanism without a closed form.
    """
    exact, chain = closed_form(mechanism.chain), mechanism.chain
    if exact is None:
        return []
    rng = np.random.default_rng((seed, 8))
    paths = []
    for _ in range(_ATTEMPTS * count):
        if len(paths) == count:
            break
        targets, start = smooth_pose_path(chain, poses, rng)
        if continuous_way_exists(exact, targets, start, JUMP):
            paths.append(Path(targets, start))
    return paths


def followers(mechanism: Mechanism, teach: Teach, seed: int) -> dict[str, Follow]:
    """Return everything that can follow a path, by name."""
    chain = mechanism.chain
    solver = IKSolver(chain)
    solver.warm_up()

    def whole(targets: NDArray[np.float64], start: NDArray[np.float64]) -> NDArray[np.float64]:
        return solver.solve_path(targets, start, max_step=JUMP).positions

    def nearest(targets: NDArray[np.float64], start: NDArray[np.float64]) -> NDArray[np.float64]:
        def step(target: NDArray[np.float64], state: NDArray[np.float64]) -> NDArray[np.float64]:
            return solver.solve(
                target, 1, seed_state=state, timeout=_PATIENCE, random_seed=seed
            ).of(0)

        return _one_by_one(step, targets, start)

    lesson = sizes(mechanism)[-1]
    net = teach(lesson)
    every: dict[str, Follow] = {OUR_PATH: whole, OUR_NEAREST: nearest}
    peer = trac_ik(mechanism, _PATIENCE)
    if peer is not None:
        every[TRAC_IK] = _with_trac_ik(peer)
    every[f"{TEACHING} ({lesson.samples})"] = lambda targets, _: net.configurations(targets)[:, 0]
    return every


def consistency(
    mechanism: Mechanism,
    kind: str,
    paths: Sequence[Path],
    follow: dict[str, Follow],
) -> list[PathRow]:
    """Count jumps along paths.

    The answers of distal teaching know no limits, so a whole turn is no jump for them; the other
    contestants have to keep the limits, and for them it is.

    Args:
        mechanism: Which.
        kind: What the paths are called.
        paths: Poses and starts.
        follow: Contestants by name.
    """
    oracle = Oracle.of(mechanism.case)
    rows = []
    for name, run in follow.items():
        circular = np.full(mechanism.chain.num_joints, name.startswith(TEACHING))
        circular |= mechanism.chain.continuous
        jumps, unsolved, worst, seconds = [], 0, np.zeros(2), 0.0
        for path in paths:
            begin = time.perf_counter()
            positions = run(path.targets, path.start)
            seconds += time.perf_counter() - begin
            there = np.isfinite(positions).all(axis=1)
            steps = joint_distance(positions[there][1:], positions[there][:-1], circular)
            jumps.append(int((steps > JUMP + 1e-9).sum()))
            unsolved += int((~there).sum())
            if there.any():
                errors = pose_errors(oracle.forward, positions[there], path.targets[there])
                worst = np.maximum(worst, [error.max() for error in errors])
        rows.append(
            PathRow(
                mechanism.name,
                kind,
                name,
                len(paths),
                len(paths[0].targets) if paths else 0,
                sum(count > 0 for count in jumps),
                sum(jumps),
                unsolved,
                float(worst[0]),
                float(worst[1]),
                1e3 * seconds / max(len(paths), 1),
                next((i for i, count in enumerate(jumps) if count), None),
            )
        )
    return rows


def _one_by_one(
    step: Follow, targets: NDArray[np.float64], start: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return answers (W, n), each asked for from the one before."""
    positions, state = np.full((len(targets), len(start)), np.nan), start
    for row, target in zip(positions, targets, strict=True):
        found = step(target, state)
        if len(found):
            row[:] = state = found[0]
    return positions


def _with_trac_ik(peer: TracIK) -> Follow:
    """Return TRAC-IK from the answer before, as in the paper."""

    def step(target: NDArray[np.float64], state: NDArray[np.float64]) -> NDArray[np.float64]:
        return peer.solve_from(target, state[None])

    return lambda targets, start: _one_by_one(step, targets, start)
