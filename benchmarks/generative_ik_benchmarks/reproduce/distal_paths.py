"""Experiment e: jumps along paths, solver by solver."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.reproduce.distal_mechanisms import Mechanism
from generative_ik_benchmarks.reproduce.distal_path_sets import JUMP, Path
from generative_ik_benchmarks.reproduce.distal_solvers import DISTAL, TRAC_IK, net_name, trac_ik
from generative_ik_benchmarks.reproduce.distal_training import NetFolder, by_size
from generative_ik_benchmarks.verification import joint_distance
from generative_ik_ros.pipeline import IKSolver

OUR_PATH, OUR_NEAREST = "ours, solve_path", "ours, solve with seed_state"
_PATIENCE = 1.0
"""Deadline of TRAC-IK and of ours for a pose [s]; long, so that nothing fails because the machine
has other work."""

Follow = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
"""Takes poses (W, 4, 4) and a start (n,), returns configurations (W, n), NaN for none."""


@dataclass(frozen=True)
class PathRow:
    """What one solver did along all paths of a kind.

    Attributes:
        mechanism: Name of the mechanism.
        kind: How the paths were made, `JOINT` or `SPACE`.
        solver: Name of the solver.
        paths: Number of paths.
        poses: Poses of each.
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
    solver: str
    paths: int
    poses: int
    with_jumps: int
    jumps: int
    unsolved: int
    worst_position: float
    worst_orientation: float
    milliseconds: float
    first: int | None


def followers(mechanism: Mechanism, nets: NetFolder, seed: int) -> dict[str, Follow]:
    """Return everything that can follow a path, by name."""
    solver = IKSolver(mechanism.chain)

    def nearest(target: NDArray[np.float64], state: NDArray[np.float64]) -> NDArray[np.float64]:
        return solver.solve(target, 1, seed_state=state, timeout=_PATIENCE, random_seed=seed).of(0)

    every: dict[str, Follow] = {
        OUR_PATH: lambda targets, start: (
            solver.solve_path(targets, start, max_step=JUMP).positions
        ),
        OUR_NEAREST: _one_by_one(nearest),
    }
    peer = trac_ik(mechanism, _PATIENCE)
    if peer is not None:
        # From the answer before, as in the paper.
        every[TRAC_IK] = _one_by_one(lambda target, state: peer.solve_from(target, state[None]))
    largest = by_size(mechanism)[-1]
    net = nets.net(largest)
    every[net_name(largest.samples)] = lambda targets, _: net.configurations(targets)[:, 0]
    return every


def _one_by_one(step: Follow) -> Follow:
    """Return what asks for one pose after the other, each from the answer before.

    Args:
        step: Takes a pose (4, 4) and a configuration (n,), returns solutions (k, n).
    """

    def follow(targets: NDArray[np.float64], start: NDArray[np.float64]) -> NDArray[np.float64]:
        positions, state = np.full((len(targets), len(start)), np.nan), start
        for row, target in zip(positions, targets, strict=True):
            found = step(target, state)
            if len(found):
                row[:] = state = found[0]
        return positions

    return follow


def consistency(
    mechanism: Mechanism, kind: str, paths: Sequence[Path], follow: Mapping[str, Follow]
) -> list[PathRow]:
    """Count jumps along paths.

    The answers of distal teaching ignore limits, so that a full turn is no jump for them; the
    other solvers keep the limits, and for them it is.

    Args:
        mechanism: The mechanism.
        kind: What the paths are called.
        paths: Poses and starts.
        follow: Solvers by name.
    """
    return [_path_row(mechanism, kind, paths, name, run) for name, run in follow.items()]


def _path_row(
    mechanism: Mechanism, kind: str, paths: Sequence[Path], name: str, run: Follow
) -> PathRow:
    forward = Oracle.of(mechanism.case).forward
    circular = mechanism.chain.continuous | name.startswith(DISTAL)
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
            errors = pose_errors(forward, positions[there], path.targets[there])
            worst = np.maximum(worst, [error.max() for error in errors])
    return PathRow(
        mechanism=mechanism.name,
        kind=kind,
        solver=name,
        paths=len(paths),
        poses=len(paths[0].targets) if paths else 0,
        with_jumps=sum(count > 0 for count in jumps),
        jumps=sum(jumps),
        unsolved=unsolved,
        worst_position=float(worst[0]),
        worst_orientation=float(worst[1]),
        milliseconds=1e3 * seconds / max(len(paths), 1),
        first=next((i for i, count in enumerate(jumps) if count), None),
    )
