"""A chain comes in, how surely and fast its reachable poses are solved goes out.

Protocol: poses reached by configurations uniform in the joint limits; every contestant gets every
pose, in turns and in an order that rotates from pose to pose, so that a busy machine is busy for
all of them. Warm-up (compiling, loading, the first call) is not measured. TRAC-IK's own table is
made this way (https://bitbucket.org/traclabs/trac_ik), with its deadline of 5 ms.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import GenerativeIKError, MissingDependencyError
from generative_ik_ros.evaluation.baselines import peer
from generative_ik_ros.evaluation.chains import ChainCase
from generative_ik_ros.evaluation.contestant import (
    Contestant,
    PackageSolver,
    UnsupportedChainError,
)
from generative_ik_ros.evaluation.oracle import Oracle
from generative_ik_ros.evaluation.poses import random_reachable_poses
from generative_ik_ros.evaluation.verification import Faults, Judge


@dataclass(frozen=True)
class Figures:
    """What one contestant did on one chain's poses.

    Attributes:
        contestant: Its name.
        solved: Share of the poses with a right solution.
        solutions: Right solutions a pose, on average.
        median: Median time of a call [s].
        p99: Time within which 99 % of the calls were back [s].
        worst: Longest call [s].
        faults: What it returned that is not true.
    """

    contestant: str
    solved: float
    solutions: float
    median: float
    p99: float
    worst: float
    faults: Faults


@dataclass(frozen=True)
class ReachabilityRow:
    """One chain's row.

    Attributes:
        chain: Its label.
        dof: Joints to choose; 0 where the chain was refused.
        poses: How many poses were tried.
        ours: Our figures: for many solutions, then for one.
        peers: Figures of the peers that took part.
        absent: Why a peer, or (under "ours") the chain itself, did not.
    """

    chain: str
    dof: int
    poses: int
    ours: tuple[Figures, ...]
    peers: tuple[Figures, ...]
    absent: dict[str, str]

    @property
    def faults(self) -> Faults:
        """Everything untrue in our own results."""
        return sum((figures.faults for figures in self.ours), Faults())


def reachability(
    case: ChainCase,
    *,
    poses: int = 1000,
    solutions: int = 20,
    timeout: float = 0.02,
    sampler: str = "auto",
    peers: Sequence[str] = (),
    seed: int = 1,
    on_pose: Callable[[], None] = lambda: None,
) -> ReachabilityRow:
    """Measure one chain.

    Args:
        case: The chain.
        poses: How many random reachable poses.
        solutions: Distinct solutions wanted a pose; a second contestant of ours wants just one.
        timeout: Our deadline a pose [s].
        sampler: What proposes our seeds.
        peers: Names of peers to run on the same poses.
        seed: Of poses and solvers.
        on_pose: Called after each pose, for a progress bar.

    Raises:
        MissingDependencyError: pinocchio, which checks everything, is not installed.
        UnknownNameError: A peer or sampler of that name does not exist.
    """
    absent: dict[str, str] = {}
    try:
        chain = case.chain
    except GenerativeIKError as error:
        return ReachabilityRow(case.label, 0, 0, (), (), {"ours": f"refused: {error}"})
    oracle = Oracle.of(case)
    ours: list[Contestant] = [
        PackageSolver(chain, wanted, timeout, sampler, seed) for wanted in (solutions, 1)
    ]
    others: list[Contestant] = []
    for name in peers:
        try:
            others += peer(name, case, seed)
        except (MissingDependencyError, UnsupportedChainError) as reason:
            absent[name] = str(reason)
    targets = random_reachable_poses(chain, poses, seed, oracle.forward)
    rehearsal = random_reachable_poses(chain, 3, seed + 1, oracle.forward)
    results = _run([*ours, *others], targets, rehearsal, on_pose)
    figures = [
        _figures(
            c,
            result,
            targets,
            Judge(
                oracle,
                chain,
                c.position_tolerance,
                c.orientation_tolerance,
                limit_slack=c.limit_slack,
            ),
        )
        for c, result in zip([*ours, *others], results, strict=True)
    ]
    split = len(ours)
    return ReachabilityRow(
        case.label, chain.num_joints, poses, tuple(figures[:split]), tuple(figures[split:]), absent
    )


@dataclass
class _Result:
    seconds: list[float]
    found: list[NDArray[np.float64]]


def _run(
    contestants: Sequence[Contestant],
    targets: NDArray[np.float64],
    rehearsal: NDArray[np.float64],
    on_pose: Callable[[], None],
) -> list[_Result]:
    """Give every pose to every contestant, each going first as often as the others."""
    for contestant in contestants:
        contestant.warm_up()
        for target in rehearsal:
            contestant.solve(target)
    results = [_Result([], []) for _ in contestants]
    for turn, target in enumerate(targets):
        for i in range(len(contestants)):
            which = (turn + i) % len(contestants)
            start = time.perf_counter()
            found = contestants[which].solve(target)
            results[which].seconds.append(time.perf_counter() - start)
            results[which].found.append(found)
        on_pose()
    return results


def _figures(
    contestant: Contestant, result: _Result, targets: NDArray[np.float64], judge: Judge
) -> Figures:
    """Judge every configuration and sum up."""
    faults, right = Faults(), []
    for target, found in zip(targets, result.found, strict=True):
        found_faults = judge.faults(target, found)
        faults += found_faults
        right.append(len(found) - found_faults.wrong)
    seconds = np.array(result.seconds)
    return Figures(
        contestant.name,
        float(np.mean(np.array(right) > 0)),
        float(np.mean(right)),
        float(np.median(seconds)),
        float(np.percentile(seconds, 99)),
        float(seconds.max()),
        faults,
    )
