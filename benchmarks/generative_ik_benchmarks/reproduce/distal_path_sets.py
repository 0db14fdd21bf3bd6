"""Paths of poses for experiment e that have a continuous solution in joint space."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, RotationSpline

from generative_ik_benchmarks.reproduce.distal_mechanisms import Mechanism
from generative_ik_benchmarks.reproduce.distal_solvers import closed_form
from generative_ik_benchmarks.solver import Solver
from generative_ik_ros.robot.chain import KinematicChain

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

    targets: NDArray[np.float64]
    start: NDArray[np.float64]


def joint_paths(mechanism: Mechanism, count: int, poses: int, seed: int) -> list[Path]:
    """Return the poses along smooth joint paths, which are their continuous solutions.

    Args:
        mechanism: The mechanism.
        count: Number of paths.
        poses: Poses of each.
        seed: Of the paths.
    """
    rng, chain = np.random.default_rng((seed, 7)), mechanism.chain
    paths = []
    while len(paths) < count:
        positions = smooth_joint_path(chain, poses, rng)
        if np.abs(np.diff(positions, axis=0)).max() < JUMP / 2.0:
            paths.append(Path(chain.forward(positions), positions[0]))
    return paths


def space_paths(mechanism: Mechanism, count: int, poses: int, seed: int) -> list[Path]:
    """Return paths drawn in space for which a dense search finds a continuous solution.

    Arguments as for `joint_paths`. There is none for a mechanism without a closed form.
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


def continuous_path_exists(
    exact: Solver, targets: NDArray[np.float64], start: NDArray[np.float64], max_step: float
) -> bool:
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


def smooth_joint_path(
    chain: KinematicChain, count: int, rng: np.random.Generator
) -> NDArray[np.float64]:
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
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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
