"""A chain comes in, how batches of poses are solved goes out: success, time, errors.

Protocol B: batches of 1 to 2000 random reachable poses, one solution each, as cuRobo and PyRoki
report them. In every round each contestant gets the same poses, and who goes first changes from
round to round; medians over the rounds. Compiling and a first batch of each size are not
measured. Errors are pinocchio's; for an unsolved pose those of the closest configuration.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.trac_ik import TracIK
from generative_ik_benchmarks.quartiles import Quartiles
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.errors import MissingDependencyError
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.random_poses import random_reachable_poses

SIZES = (1, 10, 100, 1000, 2000)
_Batch = Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.bool_]]]
"""Poses (B, 4, 4) in; a configuration (B, n) for each and whether it claims to be a solution."""


@dataclass(frozen=True)
class BatchFigures:
    """What one contestant did with batches of one size.

    Attributes:
        contestant: Its name.
        size: Poses in a batch.
        rounds: Batches measured.
        solved: Share of the poses with a right solution.
        seconds: Time of a batch [s].
        ratio: How many times our first contestant's time it took, round by round.
        position_p90: 90th percentile of the distance from the pose [m].
        orientation_p90: 90th percentile of the angle from it [rad].
        faults: Claims that are not true.
    """

    contestant: str
    size: int
    rounds: int
    solved: float
    seconds: Quartiles
    ratio: Quartiles
    position_p90: float
    orientation_p90: float
    faults: Violations


@dataclass(frozen=True)
class BatchTable:
    """One chain's table.

    Attributes:
        chain: Its label.
        dof: Joints to choose.
        rows: By size, ours first.
        absent: Why TRAC-IK did not take part, else empty.
    """

    chain: str
    dof: int
    rows: tuple[BatchFigures, ...]
    absent: dict[str, str]

    @property
    def faults(self) -> Violations:
        """Everything untrue in our own results."""
        ours = [row.faults for row in self.rows if not row.contestant.startswith("TRAC-IK")]
        return sum(ours, Violations())


def batches(
    case: ChainCase,
    *,
    sizes: Sequence[int] = SIZES,
    rounds: int = 5,
    sampler: str = "auto",
    seed: int = 1,
    on_round: Callable[[], None] = lambda: None,
) -> BatchTable:
    """Measure one chain.

    Args:
        case: The chain.
        sizes: Poses in a batch.
        rounds: Batches of each size; small ones get more, up to 100.
        sampler: What proposes our seeds.
        seed: Of poses and solvers.
        on_round: Called after each round, for a progress bar.

    Raises:
        GenerativeIKError: The chain is refused, or the sampler does not exist.
    """
    chain, oracle = case.chain, Oracle.of(case)
    solver = IKSolver(chain, sampler=sampler)
    solver.warm_up()
    tolerances = solver.position_tolerance, solver.orientation_tolerance
    contestants: dict[str, tuple[_Batch, Checker]] = {
        "ours": (_ours(solver, seed), Checker(oracle, chain, *tolerances))
    }
    absent: dict[str, str] = {}
    try:
        peer = TracIK(case, "mid")
        checker = Checker(
            oracle,
            chain,
            peer.position_tolerance,
            peer.orientation_tolerance,
            limit_slack=peer.limit_slack,
        )
        contestants["TRAC-IK, one by one"] = (_one_by_one(peer, chain.num_joints), checker)
    except (MissingDependencyError, UnsupportedChainError) as reason:
        absent["trac-ik"] = str(reason)
    poses = random_reachable_poses(chain, max(sizes), seed, oracle.forward)
    rows = []
    for size in sizes:
        repeats = rounds_of(size, rounds)
        rows += _of_size(contestants, poses, size, repeats, oracle, seed, on_round)
    return BatchTable(case.label, chain.num_joints, tuple(rows), absent)


def rounds_of(size: int, rounds: int) -> int:
    """Return how many batches of a size are measured: single poses vary more than thousands."""
    return min(100, max(rounds, rounds * 100 // size))


def _of_size(
    contestants: dict[str, tuple[_Batch, Checker]],
    poses: NDArray[np.float64],
    size: int,
    rounds: int,
    oracle: Oracle,
    seed: int,
    on_round: Callable[[], None],
) -> list[BatchFigures]:
    """Give every round's poses to every contestant in turn."""
    rng = np.random.default_rng((seed, size))
    names = list(contestants)
    seconds = np.empty((len(names), rounds))
    errors: list[list[NDArray[np.float64]]] = [[] for _ in names]
    solved = np.zeros(len(names))
    faults = [Violations() for _ in names]
    for call, _ in contestants.values():
        call(poses[:size])
    for turn in range(rounds):
        batch = poses[rng.choice(len(poses), size, replace=False)]
        for i in np.roll(np.arange(len(names)), turn):
            call, checker = contestants[names[i]]
            start = time.perf_counter()
            positions, claimed = call(batch)
            seconds[i, turn] = time.perf_counter() - start
            distance, angle = pose_errors(oracle.forward, positions, batch)
            inside = checker.within_limits(positions)
            right = checker.within_tolerances(distance, angle)
            errors[i].append(np.stack([distance, angle]))
            solved[i] += (claimed & right & inside).sum()
            faults[i] += Violations(int((claimed & ~right).sum()), int((claimed & ~inside).sum()))
        on_round()
    rows = []
    for i, name in enumerate(names):
        p90 = np.percentile(np.concatenate(errors[i], axis=1), 90, axis=1)
        rows.append(
            BatchFigures(
                name,
                size,
                rounds,
                float(solved[i] / (rounds * size)),
                Quartiles.of(seconds[i]),
                Quartiles.of(seconds[i] / seconds[0]),
                float(p90[0]),
                float(p90[1]),
                faults[i],
            )
        )
    return rows


def _ours(solver: IKSolver, seed: int) -> _Batch:
    def call(poses: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        found = solver.solve(poses, num_solutions=1, random_seed=seed)
        return found.best_effort, found.counts > 0

    return call


def _one_by_one(peer: TracIK, joints: int) -> _Batch:
    def call(poses: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        found = [peer.solve(pose) for pose in poses]
        claimed = np.array([len(one) > 0 for one in found])
        return np.array([one[0] if len(one) else np.zeros(joints) for one in found]), claimed

    return call
