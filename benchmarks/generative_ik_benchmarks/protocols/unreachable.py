"""A chain comes in, what happens with poses that it cannot reach goes out.

Protocol F: poses far outside, just outside, and inside with an orientation that the arm does not
have there, see `unreachable_poses`. Counted are false successes (results that pinocchio finds
wrong or outside the limits), time until the answer, and how the closest configuration offered
compares with the closest that an exhaustive search found. TRAC-IK gets the same poses, in turns.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.interleaved import checker_of
from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.trac_ik import TracIK
from generative_ik_benchmarks.protocols.unreachable_poses import (
    KINDS,
    UnreachablePoses,
    unreachable_poses,
)
from generative_ik_benchmarks.quartiles import Quartiles
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_benchmarks.verification import Checker
from generative_ik_ros.errors import MissingDependencyError
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.solutions import SolveStatus


@dataclass(frozen=True)
class RejectFigures:
    """What one contestant did with one kind of unreachable pose.

    Attributes:
        contestant: Its name.
        kind: How the poses were made.
        poses: How many.
        false_successes: Poses for which it claims a solution that is none.
        rejected: Share for which it says that there is none; without a deadline, so not by it.
        milliseconds: Time of an answer [ms].
        p99: Time within which 99 % of the answers were there [ms].
        position_error: Distance of its closest configuration from the pose [m]; None if it
            offers none.
        orientation_error: Angle of it [rad].
        excess: Its weighted error over that of the exhaustive search.
        worst_excess: The greatest of these.
    """

    contestant: str
    kind: str
    poses: int
    false_successes: int
    rejected: float
    milliseconds: Quartiles
    p99: float
    position_error: Quartiles | None
    orientation_error: Quartiles | None
    excess: Quartiles | None
    worst_excess: float | None


@dataclass(frozen=True)
class UnreachableTable:
    """One chain's table.

    Attributes:
        chain: Its label.
        dof: Joints to choose.
        rows: By kind, ours first.
        false_of_ours: False successes of ours.
        absent: Why a kind of pose or TRAC-IK is missing.
    """

    chain: str
    dof: int
    rows: tuple[RejectFigures, ...]
    false_of_ours: int
    absent: dict[str, str]


def unreachable(
    case: ChainCase,
    *,
    poses: int = 50,
    sampler: str = "auto",
    seed: int = 1,
    on_pose: Callable[[], None] = lambda: None,
) -> UnreachableTable:
    """Measure one chain.

    Args:
        case: The chain.
        poses: How many of each kind.
        sampler: What proposes our seeds.
        seed: Of poses and solvers.
        on_pose: Called after each pose, for a progress bar.

    Raises:
        GenerativeIKError: The chain is refused, or the sampler does not exist.
    """
    chain, oracle = case.chain, Oracle.of(case)
    solver = IKSolver(chain, sampler=sampler)
    solver.warm_up()
    absent: dict[str, str] = {}
    peer: TracIK | None = None
    try:
        peer = TracIK(case, "mid")
        peer.solve(random_reachable_poses(chain, 1, seed)[0])
    except (MissingDependencyError, UnsupportedChainError) as reason:
        peer, absent["trac-ik"] = None, str(reason)
    rows, false_of_ours = [], 0
    for kind in KINDS:
        made = unreachable_poses(chain, kind, poses, seed)
        if made.shortage:
            absent[kind] = made.shortage
        if not len(made.targets):
            continue
        # Kinds differ in what the search runs into, so each has its own first call.
        solver.solve(made.targets[0], num_solutions=10)
        row, others = _of_kind(case, oracle, solver, peer, kind, made, seed, on_pose)
        rows += [row, *others]
        false_of_ours += row.false_successes
    return UnreachableTable(case.label, chain.num_joints, tuple(rows), false_of_ours, absent)


def _of_kind(
    case: ChainCase,
    oracle: Oracle,
    solver: IKSolver,
    peer: TracIK | None,
    kind: str,
    made: UnreachablePoses,
    seed: int,
    on_pose: Callable[[], None],
) -> tuple[RejectFigures, list[RejectFigures]]:
    """Give the poses of a kind to ours and to TRAC-IK in turns."""
    chain, checker = case.chain, Checker(oracle, case.chain, 1e-5, 1e-5)
    ours: list[tuple[float, bool, bool]] = []
    theirs: list[tuple[float, bool, bool]] = []
    closest = []

    def ask_ours(target: NDArray[np.float64]) -> None:
        start = time.perf_counter()
        found = solver.solve(target, num_solutions=10, random_seed=seed)
        seconds = time.perf_counter() - start
        false = checker.wrong_or_outside(target, found.of(0)).total > 0
        ours.append((seconds, false, found.status[0] is SolveStatus.NO_SOLUTION))
        closest.append(found.best_effort[0])

    def ask_peer(target: NDArray[np.float64]) -> None:
        if peer is None:
            return
        start = time.perf_counter()
        found = peer.solve(target)
        seconds = time.perf_counter() - start
        false = checker_of(peer, case, oracle).untrue(target, found).total > 0
        theirs.append((seconds, false, not len(found)))

    for turn, target in enumerate(made.targets):
        for ask in (ask_ours, ask_peer) if turn % 2 else (ask_peer, ask_ours):
            ask(target)
        on_pose()
    distance, angle = pose_errors(oracle.forward, np.array(closest), made.targets)
    excess = made.weighted(chain, distance, angle) / made.least
    row = _figures("ours", kind, ours, distance, angle, excess)
    return row, [_figures(peer.name, kind, theirs)] if peer else []


def _figures(
    name: str,
    kind: str,
    answers: Sequence[tuple[float, bool, bool]],
    distance: NDArray[np.float64] | None = None,
    angle: NDArray[np.float64] | None = None,
    excess: NDArray[np.float64] | None = None,
) -> RejectFigures:
    seconds, false, rejected = (np.array(column) for column in zip(*answers, strict=True))
    return RejectFigures(
        name,
        kind,
        len(answers),
        int(false.sum()),
        float(rejected.mean()),
        Quartiles.of(1e3 * seconds),
        float(np.percentile(1e3 * seconds, 99)),
        None if distance is None else Quartiles.of(distance),
        None if angle is None else Quartiles.of(angle),
        None if excess is None else Quartiles.of(excess),
        None if excess is None else float(excess.max()),
    )
