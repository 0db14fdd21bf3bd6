"""A chain in, poses with their solution sets for the evaluations during a training out."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.evaluation.metrics.mmd import squared_mmd
from generative_ik_ros.evaluation.poses import random_reachable_poses
from generative_ik_ros.evaluation.reference.exhaustive import exhaustive_sets
from generative_ik_ros.evaluation.reference.saturation import ExhaustiveSettings
from generative_ik_ros.robot.chain import KinematicChain

SAMPLES = 250
"""As in IKFlow's table II."""
_SETTINGS = ExhaustiveSettings(first_seeds=2**12, max_seeds=2**14, max_thinned=500, max_dense=2000)
_SEED = 11


def solution_probe(
    chain: KinematicChain, poses: int = 16
) -> tuple[NDArray[np.float64], Callable[[NDArray[np.float64]], float]]:
    """Return poses (T, 4, 4) and a function that judges samples of them.

    The function takes (T, K, n) configurations and returns the squared maximum mean discrepancy
    from as many draws of each pose's solution set, averaged over the poses; kernel as in
    `metrics.mmd`. A few poses and a short search: for the course of a training, not for tables.

    Args:
        chain: The chain.
        poses: How many random reachable poses.
    """
    targets = random_reachable_poses(chain, poses, _SEED)
    sets = exhaustive_sets(chain, targets, _SETTINGS)
    solved = [i for i, one in enumerate(sets) if len(one.dense)]

    def discrepancy(positions: NDArray[np.float64]) -> float:
        values = [
            squared_mmd(samples, sets[i].draw(len(samples), _SEED))
            for i, samples in zip(solved, positions, strict=True)
        ]
        return float(np.mean(values))

    return targets[solved], discrepancy
