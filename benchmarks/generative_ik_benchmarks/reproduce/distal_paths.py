"""Experiment e: jumps along paths that have a continuous solution, solver by solver."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, RotationSpline

from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.metrics.space import LARGEST, JointSpace
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.reproduce.distal_mechanisms import Mechanism
from generative_ik_benchmarks.reproduce.distal_solvers import (
    DISTAL,
    TRAC_IK,
    closed_form,
    net_name,
    trac_ik,
)
from generative_ik_benchmarks.reproduce.distal_training import NetFolder, by_size
from generative_ik_benchmarks.solver import Solver
from generative_ik_ros.array_types import Floats
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain

OUR_PATH, OUR_NEAREST = "ours, solve_path", "ours, solve with seed_state"
_PATIENCE = 1.0
"""Deadline of TRAC-IK and of ours for a pose [s]; long, so that nothing fails because the machine
has other work."""


JUMP = 0.2
"""A joint that changes by more than this between two poses has jumped [rad]."""
JOINT, SPACE = "joint path", "drawn in space"
_ATTEMPTS = 20
"""Paths drawn in space for each one that is wanted before it is given up."""
_KNOTS = 4


@dataclass(frozen=True)
class Path:
    """Poses that have a continuous solution.

    Attributes:
        targets: (W, 4, 4) tip in base [m].
        start: (n,) configuration before the first pose [rad].
    """

    targets: Floats
    start: Floats


def joint_paths(mechanism: Mechanism, count: int, poses: int, seed: int) -> list[Path]:
    """Return paths of so many poses along smooth joint paths, their continuous solutions."""
    rng, chain = np.random.default_rng((seed, 7)), mechanism.chain
    paths = []
    while len(paths) < count:
        positions = smooth_joint_path(chain, poses, rng)
        if np.abs(np.diff(positions, axis=0)).max() < JUMP / 2.0:
            paths.append(Path(chain.forward(positions), positions[0]))
    return paths


def space_paths(mechanism: Mechanism, count: int, poses: int, seed: int) -> list[Path]:
    """Return paths drawn in space for which a dense search finds a continuous solution.

    There is none for a mechanism without a closed form.
    """
    exact, chain = closed_form(mechanism.chain), mechanism.chain
    if exact is None:
        return []
    rng = np.random.default_rng((seed, 8))
    paths = []
    for _ in range(_ATTEMPTS * count):
        if len(paths) == count:
            break
        targets, start = _smooth_pose_path(chain, poses, rng)
        if continuous_path_exists(exact, targets, start, JUMP):
            paths.append(Path(targets, start))
    return paths


PATH_KINDS = {"joint": (JOINT, joint_paths), "space": (SPACE, space_paths)}
"""How tables name the kinds of paths, and what makes them."""


def continuous_path_exists(exact: Solver, targets: Floats, start: Floats, max_step: float) -> bool:
    """Return whether the closed-form branches of the poses connect to a path from a start.

    A search that shares nothing with the product's: the closed form of a non-redundant arm has
    every solution of a pose, so a continuous joint path is a path through the graph of them. Where
    branches meet (a singularity) the closed form has one configuration of infinitely many, so a
    path may exist that this does not see; what it sees exists.

    Args:
        exact: Returns all branches of a pose, each at one turn of each joint.
        targets: (W, 4, 4) tip in base [m].
        start: (n,) configuration that the first pose is reached from within a step [rad].
        max_step: Largest change of a joint from pose to pose [rad].
    """
    alive = start[None]
    for target in targets:
        branches = exact.solve(target)
        near = np.abs(branches[:, None] - alive[None]).max(axis=2, initial=0.0) <= max_step
        alive = branches[near.any(axis=1)]
        if not len(alive):
            return False
    return True


def smooth_joint_path(chain: KinematicChain, count: int, rng: np.random.Generator) -> Floats:
    """Return configurations (count, n) along a smooth path within the limits [rad or m].

    A sum of three sine waves for each joint, bent into the limits by a logistic curve: it comes
    near the limits but never reaches them.
    """
    time = np.linspace(0.0, np.pi, count)[:, None]
    phase = rng.uniform(0.0, 2.0 * np.pi, (3, chain.num_joints))
    height = rng.uniform(0.0, 1.4, (3, chain.num_joints))
    wave = rng.uniform(-1.2, 1.2, chain.num_joints) + sum(
        height[k] / (k + 1) * np.sin((k + 1) * time + phase[k]) for k in range(3)
    )
    return chain.lower + (chain.upper - chain.lower) / (1.0 + np.exp(-wave))


def _smooth_pose_path(
    chain: KinematicChain, count: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return a path drawn in space, poses (count, 4, 4), and a configuration of its first pose.

    A spline through the poses of four configurations that lie along a line of random length in
    the joint box. The poses between them need not be reachable.
    """
    ends = rng.uniform(chain.lower, chain.upper, (2, chain.num_joints))
    share = rng.uniform(0.2, 1.0)
    knots = np.linspace(0.0, 1.0, _KNOTS)
    q = ends[0] + share * knots[:, None] * (ends[1] - ends[0])
    poses = chain.forward(q)
    time = np.linspace(0.0, 1.0, count)
    targets = np.tile(np.eye(4), (count, 1, 1))
    targets[:, :3, 3] = CubicSpline(knots, poses[:, :3, 3])(time)
    rotations = RotationSpline(knots, Rotation.from_matrix(poses[:, :3, :3]))(time)
    targets[:, :3, :3] = rotations.as_matrix()
    return targets, q[0]


Follow = Callable[[Floats, Floats], Floats]
"""Takes poses (W, 4, 4) and a start (n,), returns configurations (W, n), NaN for none."""


@dataclass(frozen=True)
class PathRow:
    """What one solver did along all paths of a kind."""

    mechanism: str = figure("Name of the mechanism.")
    kind: str = figure("How the paths were made, `JOINT` or `SPACE`.")
    solver: str = figure("Name of the solver.")
    paths: int = figure("Number of paths.")
    poses: int = figure("Poses of each.")
    with_jumps: int = figure("Paths with at least one jump.")
    jumps: int = figure("Jumps in all.")
    unsolved: int = figure("Poses without an answer.")
    worst_position: float = figure("Greatest error of its answers [m].")
    worst_orientation: float = figure("Likewise [rad].")
    milliseconds: float = figure("Mean time of a path [ms].")
    first: int | None = figure("Number of the first path with a jump; None without any.")


def followers(mechanism: Mechanism, nets: NetFolder, seed: int) -> dict[str, Follow]:
    """Return everything that can follow a path, by name."""
    solver = IKSolver(mechanism.chain)

    def nearest(target: Floats, state: Floats) -> Floats:
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

    A step takes a pose (4, 4) and a configuration (n,), and returns solutions (k, n).
    """

    def follow(targets: Floats, start: Floats) -> Floats:
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
    """Count jumps along paths of a kind, solver by solver.

    The answers of distal teaching ignore limits, so that a full turn is no jump for them; the
    other solvers keep the limits, and for them it is.
    """
    return [_path_row(mechanism, kind, paths, name, run) for name, run in follow.items()]


def _path_row(
    mechanism: Mechanism, kind: str, paths: Sequence[Path], name: str, run: Follow
) -> PathRow:
    forward = Oracle.of(mechanism.case).forward
    circular = mechanism.chain.continuous | name.startswith(DISTAL)
    space = JointSpace(circular, np.ones(len(circular)))
    jumps, unsolved, worst, seconds = [], 0, np.zeros(2), 0.0
    for path in paths:
        begin = time.perf_counter()
        positions = run(path.targets, path.start)
        seconds += time.perf_counter() - begin
        there = np.isfinite(positions).all(axis=1)
        steps = space.distances(positions[there][1:], positions[there][:-1], LARGEST)
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
