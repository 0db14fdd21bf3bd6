"""What the local solver makes of a model's seeds, and solutions to compare samples with."""

from dataclasses import dataclass

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.learned.training.mmd import squared_mmd
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt, Refinement, RefineTask
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.random_poses import random_configurations, random_reachable_poses


@dataclass(frozen=True)
class ProbeTuning:
    """What a network is measured by."""

    samples: int = 250
    """As in IKFlow's table II."""
    seeds: int = 2000
    """Random seeds of the local solver for each pose; a fifth or more of them converge."""
    iterations: int = 10
    """Of the local solver."""
    tolerance: float = 1e-5
    """Of an exact solution [m or rad]."""
    seed: int = 11
    """Of all that is random."""


PROBE = ProbeTuning()


def converged_in_10(
    chain: KinematicChain, seeds: Floats, poses: Floats, lower: Floats, upper: Floats
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
    refined = _refined(
        chain,
        canonical.first_joint_in_base @ poses @ canonical.tip_in_last_joint,
        np.ascontiguousarray(seeds.reshape(-1, chain.num_joints)),
        np.where(chain.continuous, -np.inf, lower),
        np.where(chain.continuous, np.inf, upper),
    )
    return float((refined.converged & (refined.iterations <= PROBE.iterations)).mean())


class Probe:
    """Random reachable poses with known solutions, which samples are compared with.

    As in IKFlow's published code, the solutions are what a numerical solver finds from random
    seeds; kernel as in `mmd`. A few poses: for the course of a training, not for tables.

    Args:
        chain: The chain.
        poses: How many poses.
        samples: How many samples of each are wanted.

    Attributes:
        targets: (T, 4, 4) tip in base, of the poses that have solutions [m].
        samples: As given.
    """

    def __init__(self, chain: KinematicChain, poses: int = 16, samples: int = PROBE.samples):
        targets = random_reachable_poses(chain, poses, PROBE.seed)
        seeds = random_configurations(chain, poses * PROBE.seeds, PROBE.seed)
        refined = _refined(chain, targets, seeds, chain.lower, chain.upper)
        found = refined.positions.reshape(poses, PROBE.seeds, -1)
        converged = refined.converged.reshape(poses, PROBE.seeds)
        self._solutions = {i: found[i, converged[i]] for i in range(poses) if converged[i].any()}
        self.targets, self.samples = targets[list(self._solutions)], samples

    def discrepancy(self, positions: Floats) -> float:
        """Return the squared maximum mean discrepancy from the solutions, averaged over the poses.

        Args:
            positions: (T, K, n) samples [rad or m].
        """
        values = []
        for (i, solutions), drawn in zip(self._solutions.items(), positions, strict=True):
            chosen = np.random.default_rng((PROBE.seed, i)).integers(
                len(solutions), size=len(drawn)
            )
            values.append(squared_mmd(drawn, solutions[chosen]))
        return float(np.mean(values))


def _refined(
    chain: KinematicChain, targets: Floats, seeds: Floats, lower: Floats, upper: Floats
) -> Refinement:
    """Refine all seeds, (T K, n), of targets (T, 4, 4), tip in base."""
    each = len(seeds) // len(targets)
    of_target = np.repeat(np.arange(len(targets)), each)
    wanted = np.full(len(targets), each)
    task = RefineTask(targets, seeds, of_target, lower, upper, wanted)
    return LevenbergMarquardt(chain, PROBE.tolerance, PROBE.tolerance).refine(task)
