"""Poses with samples of their solution sets, for the evaluations during a training."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.learned.training.mmd import squared_mmd
from generative_ik_ros.refine.base import RefineTask
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.random_poses import random_configurations, random_reachable_poses

SAMPLES = 250
"""As in IKFlow's table II."""
_SEEDS = 2000
"""Random seeds of the local solver for each pose; a fifth and more of them converge."""
_TOLERANCE = 1e-5
_SEED = 11


def solution_probe(
    chain: KinematicChain, poses: int = 16
) -> tuple[NDArray[np.float64], Callable[[NDArray[np.float64]], float]]:
    """Return poses (T, 4, 4) and a function that compares samples with their solutions.

    The function takes (T, K, n) configurations and returns the squared maximum mean discrepancy
    from as many solutions of each pose, averaged over the poses; kernel as in `mmd`. As in
    IKFlow's published code, the solutions are what a numerical solver finds from random seeds. A
    few poses: for the course of a training, not for tables.

    Args:
        chain: The chain.
        poses: How many random reachable poses.
    """
    targets = random_reachable_poses(chain, poses, _SEED)
    result = LevenbergMarquardt(chain, _TOLERANCE, _TOLERANCE).refine(
        RefineTask(
            targets=targets,
            seeds=random_configurations(chain, poses * _SEEDS, _SEED),
            target_of_seed=np.repeat(np.arange(poses), _SEEDS),
            lower=chain.lower,
            upper=chain.upper,
            wanted=np.full(poses, _SEEDS),
        )
    )
    sets = [
        positions[converged]
        for positions, converged in zip(
            result.positions.reshape(poses, _SEEDS, -1),
            result.converged.reshape(poses, _SEEDS),
            strict=True,
        )
    ]
    solved = [i for i, solutions in enumerate(sets) if len(solutions)]

    def discrepancy(positions: NDArray[np.float64]) -> float:
        values = []
        for i, samples in zip(solved, positions, strict=True):
            rng = np.random.default_rng((_SEED, i))
            draws = sets[i][rng.integers(len(sets[i]), size=len(samples))]
            values.append(squared_mmd(samples, draws))
        return float(np.mean(values))

    return targets[solved], discrepancy
