"""Experiment d beyond the paper: unreachable poses rejected, and closest configurations."""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.protocols.unreachable import Options, UnreachableTable, measure
from generative_ik_benchmarks.reproduce.distal_mechanisms import Mechanism, poses_at
from generative_ik_benchmarks.text import Quartiles
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.solutions import SolveStatus

_LEAST_EXCESS, _MOST_EXCESS = 1e-4, 3.0
"""Unreachable poses lie beyond the sum of the links by these shares of it, log-uniform."""
_SLAB = 256


@dataclass(frozen=True)
class Rejections:
    """Our answers to many poses that are provably unreachable.

    Attributes:
        mechanism: Name of the mechanism.
        poses: Number of poses.
        false_successes: Poses for which a solution is claimed.
        undecided: Poses with another answer than NO_SOLUTION.
        milliseconds: Time of an answer, poses asked one by one [ms].
        p99: Its 99th percentile [ms].
    """

    mechanism: str
    poses: int
    false_successes: int
    undecided: int
    milliseconds: Quartiles
    p99: float


def rejections(mechanism: Mechanism, poses: int, timed: int, seed: int) -> Rejections:
    """Ask our solver for poses beyond the sum of the links.

    Args:
        mechanism: The mechanism.
        poses: Number of poses, asked in batches.
        timed: How many of them are asked again one by one, with a clock.
        seed: Of poses and solver.
    """
    solver = IKSolver(mechanism.chain)
    targets = beyond_reach(mechanism, poses, seed)
    seconds = []
    for target in targets[:timed]:
        start = time.perf_counter()
        solver.solve(target, 1, random_seed=seed)
        seconds.append(time.perf_counter() - start)
    false = undecided = 0
    for i in range(0, poses, _SLAB):
        found = solver.solve(targets[i : i + _SLAB], 1, random_seed=seed)
        false += int((found.counts > 0).sum())
        undecided += sum(status is not SolveStatus.NO_SOLUTION for status in found.status)
    milliseconds = 1e3 * np.array(seconds)
    return Rejections(
        mechanism.name,
        poses,
        false,
        undecided,
        Quartiles.of(milliseconds),
        float(np.percentile(milliseconds, 99)),
    )


def beyond_reach(mechanism: Mechanism, count: int, seed: int) -> NDArray[np.float64]:
    """Return poses (count, 4, 4) outside the ball about the first joint that the links can reach.

    They lie from just outside the ball to four times its radius. No search is needed to know that
    there is no solution.
    """
    rng, chain = np.random.default_rng((seed, 6)), mechanism.chain
    excess = np.exp(rng.uniform(np.log(_LEAST_EXCESS), np.log(_MOST_EXCESS), count))
    targets = poses_at(mechanism, (1.0 + excess) * chain.reach, rng)
    targets[:, :3, 3] += chain.joint_origins[0, :3, 3]
    return targets


def closest_approach(mechanism: Mechanism, poses: int, seed: int) -> UnreachableTable:
    """Compare our closest configurations with those of an exhaustive search (protocol F)."""
    return measure(mechanism.case, Options(poses=poses, random_seed=seed), lambda: None)
