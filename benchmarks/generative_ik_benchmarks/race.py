"""Contestants and poses come in, what each did goes out: in turns, so that noise hits all alike.

Every contestant gets every pose, and who goes first rotates from pose to pose, so that a busy
machine is busy for all of them. Compiling, loading and the first calls are not measured. Every
configuration is checked by pinocchio.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.contestant import Contestant
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.verification import Faults, Judge
from generative_ik_ros.robot.random_poses import random_reachable_poses

_REHEARSALS = 3


@dataclass(frozen=True)
class Quartiles:
    """Spread of a figure that each pose, block or round gives one of.

    Attributes:
        low: Lower quartile.
        median: Median.
        high: Upper quartile.
    """

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> "Quartiles":
        """Return the quartiles of (N,) values, N > 0."""
        return cls(*(float(np.percentile(values, part)) for part in (25, 50, 75)))


@dataclass(frozen=True)
class Figures:
    """What one contestant did on one chain's poses.

    Attributes:
        contestant: Its name.
        poses: How many poses it got; slow ones may get fewer.
        solved: Share of them with a right solution.
        solutions: Right solutions a pose, on average.
        mean: Mean time of a call, failures included [s].
        median: Median time of a call [s].
        p99: Time within which 99 % of the calls were back [s].
        worst: Longest call [s].
        ratio: How many times the first contestant's time it took, pose by pose.
        position_tolerance: What it promises, and is judged by [m].
        orientation_tolerance: Likewise [rad].
        faults: What it returned that is not true.
    """

    contestant: str
    poses: int
    solved: float
    solutions: float
    mean: float
    median: float
    p99: float
    worst: float
    ratio: Quartiles
    position_tolerance: float
    orientation_tolerance: float
    faults: Faults


@dataclass(frozen=True)
class Result:
    """What a contestant's calls gave.

    Attributes:
        seconds: (P,) time of each call [s].
        found: For each pose its configurations (k, n).
    """

    seconds: list[float]
    found: list[NDArray[np.float64]]


def race(
    case: ChainCase,
    contestants: Sequence[Contestant],
    targets: NDArray[np.float64],
    seed: int,
    *,
    slow: float = np.inf,
    few: int = 0,
    on_pose: Callable[[], None] = lambda: None,
) -> tuple[list[Figures], list[Result]]:
    """Let contestants solve the poses (P, 4, 4) of a chain in turns.

    Args:
        case: The chain.
        contestants: The first is the one that times are compared with.
        targets: The poses, tip in base.
        seed: Of the rehearsal's poses.
        slow: Contestants whose rehearsal took longer a call than this get fewer poses [s].
        few: How many those get.
        on_pose: Called after each pose, for a progress bar.
    """
    oracle = Oracle.of(case)
    rehearsal = random_reachable_poses(case.chain, _REHEARSALS, seed + 1, oracle.forward)
    limits = [len(targets)] * len(contestants)
    for i, contestant in enumerate(contestants):
        contestant.warm_up()
        contestant.solve(rehearsal[0])
        start = time.perf_counter()
        for target in rehearsal[1:]:
            contestant.solve(target)
        if (time.perf_counter() - start) / (_REHEARSALS - 1) > slow:
            limits[i] = min(few, len(targets))
    results = [Result([], []) for _ in contestants]
    for turn, target in enumerate(targets):
        for i in range(len(contestants)):
            which = (turn + i) % len(contestants)
            if turn < limits[which]:
                start = time.perf_counter()
                found = contestants[which].solve(target)
                results[which].seconds.append(time.perf_counter() - start)
                results[which].found.append(found)
        on_pose()
    figures = [
        _figures(contestant, result, results[0], targets, judge_of(contestant, case, oracle))
        for contestant, result in zip(contestants, results, strict=True)
    ]
    return figures, results


def judge_of(contestant: Contestant, case: ChainCase, oracle: Oracle) -> Judge:
    """Return the judge of what a contestant promises."""
    return Judge(
        oracle,
        case.chain,
        contestant.position_tolerance,
        contestant.orientation_tolerance,
        limit_slack=contestant.limit_slack,
    )


def _figures(
    contestant: Contestant,
    result: Result,
    first: Result,
    targets: NDArray[np.float64],
    judge: Judge,
) -> Figures:
    """Judge every configuration and sum up."""
    faults, right = Faults(), []
    for target, found in zip(targets, result.found, strict=False):
        found_faults = judge.faults(target, found)
        faults += found_faults
        right.append(len(found) - found_faults.wrong)
    seconds = np.array(result.seconds)
    return Figures(
        contestant.name,
        len(seconds),
        float(np.mean(np.array(right) > 0)),
        float(np.mean(right)),
        float(seconds.mean()),
        float(np.median(seconds)),
        float(np.percentile(seconds, 99)),
        float(seconds.max()),
        Quartiles.of(seconds / np.array(first.seconds[: len(seconds)])),
        contestant.position_tolerance,
        contestant.orientation_tolerance,
        faults,
    )
