"""Poses along a path and all closed-form branches of each in, whether a continuous way exists out.

A dense search that shares nothing with the product's: for arms without joints to spare the closed
form has every solution of a pose, so a continuous joint path is a way through the graph of them.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, RotationSpline

from generative_ik_benchmarks.solver import Solver
from generative_ik_ros.robot.chain import KinematicChain

_KNOTS = 4


def continuous_way_exists(
    closed_form: Solver,
    targets: NDArray[np.float64],
    start: NDArray[np.float64],
    max_step: float,
) -> bool:
    """Say whether the branches of the poses can be strung together from a start.

    Where branches meet (a singularity) the closed form has one configuration of infinitely many,
    so a way may exist that this does not see; what it sees exists.

    Args:
        closed_form: Returns all branches of a pose, each at one turn of each joint.
        targets: (W, 4, 4) tip in base [m].
        start: (n,) configuration that the first pose is reached from within a step [rad].
        max_step: Largest change of a joint from pose to pose [rad].
    """
    alive = start[None]
    for target in targets:
        branches = closed_form.solve(target)
        near = np.abs(branches[:, None] - alive[None]).max(axis=2, initial=0.0) <= max_step
        alive = branches[near.any(axis=1)]
        if not len(alive):
            return False
    return True


def smooth_joint_path(
    chain: KinematicChain, count: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return configurations (count, n) that swing smoothly within the limits [rad or m].

    A sum of three waves a joint, bent into the limits by a logistic curve: it comes near the
    limits but never to them. The poses that it reaches have a continuous solution, namely it.
    """
    time = np.linspace(0.0, np.pi, count)[:, None]
    phase = rng.uniform(0.0, 2.0 * np.pi, (3, chain.num_joints))
    height = rng.uniform(0.0, 1.4, (3, chain.num_joints))
    swing = rng.uniform(-1.2, 1.2, chain.num_joints) + sum(
        height[k] / (k + 1) * np.sin((k + 1) * time + phase[k]) for k in range(3)
    )
    return chain.lower + (chain.upper - chain.lower) / (1.0 + np.exp(-swing))


def smooth_pose_path(
    chain: KinematicChain, count: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a path drawn in space, poses (count, 4, 4), and a configuration of its first pose.

    A spline through the poses of four configurations that lie along a line of random length in
    the joint box. Nothing says that the poses between them can be reached.
    """
    ends = rng.uniform(chain.lower, chain.upper, (2, chain.num_joints))
    share = rng.uniform(0.2, 1.0)
    knots = np.linspace(0.0, 1.0, _KNOTS)
    q = ends[0] + share * knots[:, None] * (ends[1] - ends[0])
    poses = chain.forward(q)
    time = np.linspace(0.0, 1.0, count)
    targets = np.tile(np.eye(4), (count, 1, 1))
    targets[:, :3, 3] = CubicSpline(knots, poses[:, :3, 3])(time)
    turns = RotationSpline(knots, Rotation.from_matrix(poses[:, :3, :3]))(time)
    targets[:, :3, :3] = turns.as_matrix()
    return targets, q[0]
