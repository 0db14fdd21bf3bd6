"""Poses with known solutions, which a training is evaluated on."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.learned.training.mmd import squared_mmd
from generative_ik_ros.refine.base import RefineTask
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.random_poses import random_configurations, random_reachable_poses

_SAMPLES = 250
"""As in IKFlow's table II."""
_SEEDS = 2000
"""Random seeds of the local solver for each pose; a fifth or more of them converge."""
_TOLERANCE = 1e-5
_SEED = 11


@dataclass(frozen=True)
class Probe:
    """Poses whose solutions are known, for the evaluations during a training.

    Attributes:
        targets: (T, 4, 4) tip in base [m].
        samples: Samples K wanted of each.
        discrepancy: Takes (T, K, n) configurations [rad or m], returns their squared maximum
            mean discrepancy from the solutions, averaged over the poses.
    """

    targets: NDArray[np.float64]
    samples: int
    discrepancy: Callable[[NDArray[np.float64]], float]


def solution_probe(chain: KinematicChain, poses: int = 16, samples: int = _SAMPLES) -> Probe:
    """Return random reachable poses and a measure of how far samples are from their solutions.

    As in IKFlow's published code, the solutions are what a numerical solver finds from random
    seeds; kernel as in `mmd`. A few poses: for the course of a training, not for tables.

    Args:
        chain: The chain.
        poses: How many poses.
        samples: How many samples of each.
    """
    targets = random_reachable_poses(chain, poses, _SEED)
    sets = _solutions(chain, targets)
    solved = [i for i, solutions in enumerate(sets) if len(solutions)]

    def discrepancy(positions: NDArray[np.float64]) -> float:
        values = []
        for i, drawn in zip(solved, positions, strict=True):
            rng = np.random.default_rng((_SEED, i))
            solutions = sets[i][rng.integers(len(sets[i]), size=len(drawn))]
            values.append(squared_mmd(drawn, solutions))
        return float(np.mean(values))

    return Probe(targets[solved], samples, discrepancy)


def _solutions(chain: KinematicChain, targets: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return the solutions (S, n) of each target that the local solver finds [rad or m]."""
    count = len(targets)
    result = LevenbergMarquardt(chain, _TOLERANCE, _TOLERANCE).refine(
        RefineTask(
            targets=targets,
            seeds=random_configurations(chain, count * _SEEDS, _SEED),
            target_of_seed=np.repeat(np.arange(count), _SEEDS),
            lower=chain.lower,
            upper=chain.upper,
            wanted=np.full(count, _SEEDS),
        )
    )
    positions = result.positions.reshape(count, _SEEDS, -1)
    converged = result.converged.reshape(count, _SEEDS)
    return [rows[right] for rows, right in zip(positions, converged, strict=True)]
