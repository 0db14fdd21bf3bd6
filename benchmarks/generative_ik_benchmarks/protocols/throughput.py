"""A chain comes in, exact distinct solutions per second of ours and of TRAC-IK go out.

Protocol: blocks of poses; in each block our solver gets the poses one by one, then all in one
call, and TRAC-IK one call for each solution wanted, from the same quasi-random sequence. Who goes
first changes from block to block. Every solution is checked by pinocchio, and only those count
that are right, within the limits and, whole turns aside, farther than the solver's stated distance
from all others of the pose. A block gives one ratio; the median of the ratios is the result,
because neighbours on the machine slow down all sides of a block alike.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.trac_ik import TracIK
from generative_ik_benchmarks.quartiles import Quartiles
from generative_ik_benchmarks.solver import PackageSolver, UnsupportedChainError
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.errors import MissingDependencyError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.random_poses import finite_limits, random_reachable_poses
from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom

_Found = list[NDArray[np.float64]]
_Turn = Callable[[NDArray[np.float64]], _Found]
_OURS, _PEER = 2, "TRAC-IK"


@dataclass(frozen=True)
class Rate:
    """One contestant's speed.

    Attributes:
        contestant: Its name.
        per_second: Right, distinct solutions a second; median over the blocks.
        solutions: Right, distinct solutions a pose.
        ratio: How many times TRAC-IK's rate that is; None without TRAC-IK.
        exact_per_second: Right ones a second, twins counted; ours never returns twins.
        exact_ratio: How many times TRAC-IK's rate that is; None without TRAC-IK.
        faults: What it returned that is not true.
    """

    contestant: str
    per_second: float
    solutions: float
    ratio: Quartiles | None
    exact_per_second: float
    exact_ratio: Quartiles | None
    faults: Violations


@dataclass(frozen=True)
class Throughput:
    """The table.

    Attributes:
        chain: The chain's label.
        blocks: How often each contestant had its turn.
        poses: Poses in a block.
        solutions: Solutions wanted a pose.
        distinct_distance: How far apart solutions have to be in some joint, whole turns aside
            [rad or m].
        rates: Ours one by one, ours in one call, then TRAC-IK.
        absent: Why TRAC-IK did not take part, else empty.
    """

    chain: str
    blocks: int
    poses: int
    solutions: int
    distinct_distance: float
    rates: tuple[Rate, ...]
    absent: dict[str, str]

    @property
    def faults(self) -> Violations:
        """Everything untrue in our own results."""
        return sum((rate.faults for rate in self.rates[:_OURS]), Violations())


def throughput(
    case: ChainCase,
    *,
    blocks: int = 20,
    poses: int = 10,
    solutions: int = 100,
    sampler: str = "quasi_random",
    seed: int = 1,
    on_block: Callable[[], None] = lambda: None,
) -> Throughput:
    """Measure one chain.

    Args:
        case: The chain.
        blocks: How often each contestant has its turn.
        poses: Random reachable poses in a block.
        solutions: Distinct solutions wanted a pose, and calls that TRAC-IK gets for them.
        sampler: What proposes our seeds.
        seed: Of poses, seeds and solvers.
        on_block: Called after each block, for a progress bar.

    Raises:
        MissingDependencyError: pinocchio is not installed.
        UnknownNameError: There is no such sampler.
    """
    chain, oracle = case.chain, Oracle.of(case)
    ours = PackageSolver(chain, solutions, None, sampler, seed)
    ours.warm_up()
    turns = _our_turns(ours, poses, solutions, seed)
    checker = Checker(oracle, chain, ours.position_tolerance, ours.orientation_tolerance)
    checkers = [checker] * _OURS
    absent: dict[str, str] = {}
    try:
        peer = TracIK(case, seed=seed)
        turns[_PEER] = _peer_turn(peer, chain, solutions)
        checkers.append(
            Checker(
                oracle,
                chain,
                peer.position_tolerance,
                peer.orientation_tolerance,
                limit_slack=peer.limit_slack,
            )
        )
    except (MissingDependencyError, UnsupportedChainError) as reason:
        absent["trac-ik"] = str(reason)
    distance = ours.solver.distinct_distance
    counts = np.zeros((2, len(turns), blocks))  # distinct, exact
    seconds = np.zeros((len(turns), blocks))
    faults = [Violations() for _ in turns]
    targets = random_reachable_poses(chain, (blocks + 1) * poses, seed, oracle.forward)
    targets = targets.reshape(blocks + 1, poses, 4, 4)
    run = list(turns.values())
    for turn in run:
        turn(targets[-1])
    for block in range(blocks):
        for which in np.roll(np.arange(len(run)), block):
            start = time.perf_counter()
            found = run[which](targets[block])
            seconds[which, block] = time.perf_counter() - start
            for target, positions in zip(targets[block], found, strict=True):
                counts[:, which, block] += _counts(checkers[which], target, positions, distance)
                if which < _OURS:
                    faults[which] += checkers[which].violations(target, positions)
        on_block()
    rates = tuple(
        Rate(
            name,
            float(np.median(counts[0, i] / seconds[i])),
            float(counts[0, i].sum() / (blocks * poses)),
            _ratio(counts[0] / seconds, i),
            float(np.median(counts[1, i] / seconds[i])),
            _ratio(counts[1] / seconds, i),
            faults[i],
        )
        for i, name in enumerate(turns)
    )
    return Throughput(case.label, blocks, poses, solutions, distance, rates, absent)


def _our_turns(ours: PackageSolver, poses: int, solutions: int, seed: int) -> dict[str, _Turn]:
    """Return our ways to solve a block: pose by pose, and all poses in one call."""

    def in_one_call(targets: NDArray[np.float64]) -> _Found:
        found = ours.solver.solve(targets, num_solutions=solutions, random_seed=seed)
        return [found.of(i) for i in range(len(targets))]

    return {
        "ours, a pose a call": lambda targets: [ours.solve(target) for target in targets],
        f"ours, {poses} poses a call": in_one_call,
    }


def _peer_turn(peer: TracIK, chain: KinematicChain, solutions: int) -> _Turn:
    """Return TRAC-IK's way: one call from each of our quasi-random seeds, as many as wanted."""
    request = SeedRequest(np.eye(4)[None], solutions, *finite_limits(chain), random_seed=0)
    seeds = QuasiRandom(chain).propose(request)[0]
    return lambda targets: [peer.solve_from(target, seeds) for target in targets]


def _counts(
    checker: Checker,
    target: NDArray[np.float64],
    positions: NDArray[np.float64],
    distance: float,
) -> tuple[int, int]:
    """Count the distinct and the right among configurations (N, n) of a pose."""
    if not len(positions):
        return 0, 0
    positions = positions[checker.reached(target, positions) & checker.within_limits(positions)]
    return int(checker.distinct(positions, distance, whole_turns=False).sum()), len(positions)


def _ratio(rates: NDArray[np.float64], which: int) -> Quartiles | None:
    """Divide a contestant's rates by TRAC-IK's (contestants, blocks), if it took part."""
    if len(rates) == _OURS:
        return None
    ratios = rates[which] / np.maximum(rates[_OURS], 1e-9)
    return Quartiles.of(ratios)
