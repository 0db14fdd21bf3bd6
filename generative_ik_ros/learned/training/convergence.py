"""The share of a model's seeds that the local solver makes exact in a few iterations."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.refine.base import RefineTask
from generative_ik_ros.refine.registry import refiner_class
from generative_ik_ros.robot.chain import KinematicChain

_ITERATIONS = 10
_TOLERANCE = 1e-5


def converged_in_10(
    chain: KinematicChain,
    seeds: NDArray[np.float64],
    poses: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
) -> float:
    """Return the share of seeds that become exact (1e-5 m, 1e-5 rad) within 10 iterations.

    Args:
        chain: The chain.
        seeds: (T, K, n) configurations [rad or m].
        poses: (T, 4, 4) canonical poses, exact rotations [m].
        lower: (n,) bounds; those of continuous joints are not used [rad or m].
        upper: (n,) likewise.
    """
    canonical = chain.canonical
    refined = refiner_class("levenberg_marquardt")(chain, _TOLERANCE, _TOLERANCE).refine(
        RefineTask(
            canonical.first_joint_in_base @ poses @ canonical.tip_in_last_joint,
            np.ascontiguousarray(seeds.reshape(-1, chain.num_joints)),
            np.repeat(np.arange(len(poses)), seeds.shape[1]),
            np.where(chain.continuous, -np.inf, lower),
            np.where(chain.continuous, np.inf, upper),
            np.full(len(poses), np.iinfo(np.int64).max),
        )
    )
    return float((refined.converged & (refined.iterations <= _ITERATIONS)).mean())
