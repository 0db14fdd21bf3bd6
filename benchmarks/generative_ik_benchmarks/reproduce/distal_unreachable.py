"""A mechanism and its nets in, experiment d out: poses that no configuration reaches."""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocols.unreachable import UnreachableTable, unreachable
from generative_ik_benchmarks.quartiles import Quartiles
from generative_ik_benchmarks.reproduce.distal_contestants import (
    OURS,
    TEACHING,
    Errors,
    Spread,
)
from generative_ik_benchmarks.reproduce.distal_lessons import Teach, with_far_poses
from generative_ik_benchmarks.reproduce.distal_mechanisms import (
    Mechanism,
    far_poses,
    poses_at,
)
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.solutions import SolveStatus

_LEAST_EXCESS, _MOST_EXCESS = 1e-4, 3.0
"""Unreachable poses lie beyond the sum of the links by these shares of it, log-uniform."""
_SLAB = 256


@dataclass(frozen=True)
class FarRow:
    """One row of table IV.

    Attributes:
        mechanism: Which.
        contestant: Its name.
        samples: Training poses; None without training.
        swapped: Unreachable ones of these.
        distance: Mean distance of the poses from the base [m].
        position: Error [m].
        orientation: Error [rad].
    """

    mechanism: str
    contestant: str
    samples: int | None
    swapped: int
    distance: float
    position: Spread
    orientation: Spread


def far_away(mechanism: Mechanism, teach: Teach, poses: int, seed: int) -> list[FarRow]:
    """Measure table IV for one mechanism; arguments as for `accuracy`."""
    chain, oracle = mechanism.chain, Oracle.of(mechanism.case)
    targets = far_poses(mechanism, poses, seed)
    distance = float(np.linalg.norm(targets[:, :3, 3], axis=1).mean())
    solver = IKSolver(chain)
    best = solver.solve(targets, 1, random_seed=seed).best_effort
    answers: list[tuple[str, int | None, int, NDArray[np.float64]]] = [(OURS, None, 0, best)]
    for lesson in with_far_poses(mechanism):
        positions = teach(lesson).configurations(targets)[:, 0]
        answers.append((TEACHING, lesson.samples, lesson.swapped, positions))
    rows = []
    for name, samples, swapped, positions in answers:
        errors = Errors.of(oracle, targets, positions)
        rows.append(
            FarRow(
                mechanism.name,
                name,
                samples,
                swapped,
                distance,
                Spread.of(errors.position),
                Spread.of(errors.orientation),
            )
        )
    return rows


@dataclass(frozen=True)
class Rejections:
    """What ours says to many poses that are provably unreachable.

    Attributes:
        mechanism: Which.
        poses: How many.
        false_successes: For how many it claims a solution.
        undecided: For how many the answer was not NO_SOLUTION.
        milliseconds: Time of an answer, asked one by one [ms].
        p99: Time within which 99 % of these were there [ms].
    """

    mechanism: str
    poses: int
    false_successes: int
    undecided: int
    milliseconds: Quartiles
    p99: float


def rejections(mechanism: Mechanism, poses: int, timed: int, seed: int) -> Rejections:
    """Ask ours for poses beyond the sum of the links.

    Args:
        mechanism: Which.
        poses: How many, in batches.
        timed: How many of them are asked again one by one, with a clock.
        seed: Of poses and solver.
    """
    chain = mechanism.chain
    solver = IKSolver(chain)
    solver.warm_up()
    targets = beyond_reach(mechanism, poses, seed)
    seconds = np.empty(min(timed, poses))
    for i in range(len(seconds)):
        start = time.perf_counter()
        solver.solve(targets[i], 1, random_seed=seed)
        seconds[i] = time.perf_counter() - start
    false = undecided = 0
    for i in range(0, poses, _SLAB):
        found = solver.solve(targets[i : i + _SLAB], 1, random_seed=seed)
        false += int((found.counts > 0).sum())
        undecided += sum(status is not SolveStatus.NO_SOLUTION for status in found.status)
    return Rejections(
        mechanism.name,
        poses,
        false,
        undecided,
        Quartiles.of(1e3 * seconds),
        float(np.percentile(1e3 * seconds, 99)),
    )


def beyond_reach(mechanism: Mechanism, count: int, seed: int) -> NDArray[np.float64]:
    """Return poses (count, 4, 4) that lie outside the ball of the links' summed lengths.

    The ball is about the first joint; from a hair's breadth outside it to four times its radius.
    No search is needed to know that there is no solution.
    """
    rng, chain = np.random.default_rng((seed, 6)), mechanism.chain
    excess = np.exp(rng.uniform(np.log(_LEAST_EXCESS), np.log(_MOST_EXCESS), count))
    targets = poses_at(mechanism, (1.0 + excess) * chain.reach, rng)
    targets[:, :3, 3] += chain.joint_origins[0, :3, 3]
    return targets


def closest_approach(mechanism: Mechanism, poses: int, seed: int) -> UnreachableTable:
    """Run protocol F: how near the best effort is to what an exhaustive search finds."""
    return unreachable(mechanism.case, poses=poses, seed=seed)
