"""Calls of one size: time, memory, what was found, and how far they run over a deadline.

Some calls of the solver after one that is not counted; the last call is watched for the memory it
takes. Calls with a deadline in the middle of their work tell how far they run over it.
"""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.interleaved import checker_of
from generative_ik_benchmarks.machine import PeakMemory
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.text import Quartiles
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.random_poses import random_reachable_poses

JOINTS, SOLUTIONS, TARGETS, CORES = "joints", "solutions", "targets", "cores"
AXES = (JOINTS, SOLUTIONS, TARGETS, CORES)
_DEADLINES = 5
"""Calls with a deadline."""
_SHORTEST = 2e-3
"""No deadline is shorter than this: a call without any search takes its time too [s]."""
_CHECKED = 2000
"""Most configurations of a call that pinocchio looks at, evenly spread."""


@dataclass(frozen=True)
class ScalePoint:
    """Calls of one size.

    Attributes:
        chain: The chain's label.
        dof: Joints to choose.
        targets: Poses a call.
        wanted: Solutions wanted for each.
        cores: Cores that the process may use.
        rounds: Calls measured.
        solved: Share of the poses with a solution.
        found: Solutions a pose.
        complete: Share of the poses with as many as were wanted.
        seconds: Time of a call [s].
        memory: Most memory that a call took beyond what the process had [bytes].
        result: How much of that is the result itself [bytes].
        overrun: Most time by which a call ran over a deadline in the middle of its work [s];
            NaN where a call is too short for one.
        violations: What was returned that is not true, among the configurations looked at.
    """

    chain: str
    dof: int
    targets: int
    wanted: int
    cores: int
    rounds: int
    solved: float
    found: float
    complete: float
    seconds: Quartiles
    memory: float
    result: float
    overrun: float
    violations: Violations

    def size(self, axis: str) -> int:
        """Return what grows along an axis of `AXES`."""
        return {
            JOINTS: self.dof,
            SOLUTIONS: self.wanted,
            TARGETS: self.targets,
            CORES: self.cores,
        }[axis]

    @property
    def each(self) -> float:
        """Time of a call for each solution found, or each pose where none was [s]."""
        return self.seconds.median / max(self.found * self.targets, 1.0)


def measure_point(
    case: ChainCase, targets: int, wanted: int, cores: int, rounds: int, sampler: str, seed: int
) -> ScalePoint:
    """Measure calls of one size.

    Args:
        case: The chain.
        targets: Poses a call.
        wanted: Solutions wanted for each.
        cores: What the point says about the cores; see `on_cores` for how to limit them.
        rounds: Calls, each with poses of its own.
        sampler: What proposes the seeds.
        seed: Of poses and solver.
    """
    chain, oracle = case.chain, Oracle.of(case)
    solver = IKSolver(chain, sampler=sampler)
    checker = checker_of(solver, case, oracle)
    # Each pose by a seed of its own, so that a longer call has the poses of a shorter one.
    poses = random_reachable_poses(chain, targets * rounds, seed)
    batches = poses.reshape(rounds, targets, 4, 4)
    solver.solve(batches[0][: max(1, targets // 10)], num_solutions=wanted, random_seed=seed)
    seconds, counts, violations = [], [], Violations()
    memory, peak, result = PeakMemory(), float("nan"), float("nan")
    for turn, batch in enumerate(batches):
        if turn == rounds - 1:
            found = None  # Its memory would be used again, unseen.
            memory.start()
        start = time.perf_counter()
        found = solver.solve(batch, num_solutions=wanted, random_seed=seed)
        seconds.append(time.perf_counter() - start)
        if turn == rounds - 1:
            peak = memory.stop()
            arrays = (found.positions, found.position_error, found.orientation_error)
            result = float(sum(one.nbytes for one in arrays))
        counts.append(found.counts)
        violations += _violations(checker, batch, found.positions, found.counts)
    median = float(np.median(seconds))
    found_a_pose = np.concatenate(counts)
    return ScalePoint(
        chain=case.label,
        dof=chain.num_joints,
        targets=targets,
        wanted=wanted,
        cores=cores,
        rounds=rounds,
        solved=float((found_a_pose > 0).mean()),
        found=float(found_a_pose.mean()),
        complete=float((found_a_pose >= wanted).mean()),
        seconds=Quartiles.of(np.array(seconds)),
        memory=peak,
        result=result,
        overrun=_overrun(solver, batches[-1], wanted, median / 2.0, seed),
        violations=violations,
    )


def _overrun(
    solver: IKSolver, batch: NDArray[np.float64], wanted: int, timeout: float, seed: int
) -> float:
    """Return the most time by which some calls ran over a deadline [s]."""
    if timeout < _SHORTEST:
        return float("nan")
    over = []
    for _ in range(_DEADLINES):
        start = time.perf_counter()
        solver.solve(batch, num_solutions=wanted, timeout=timeout, random_seed=seed)
        over.append(time.perf_counter() - start - timeout)
    return max(0.0, *over)


def _violations(
    checker: Checker,
    batch: NDArray[np.float64],
    positions: NDArray[np.float64],
    counts: NDArray[np.int64],
) -> Violations:
    """Check a call's configurations: an even choice of them by pinocchio, all for duplicates."""
    violations = Violations()
    spread = max(1, int(counts.sum()) // _CHECKED)
    if len(batch) >= _CHECKED:
        batch, positions, counts = batch[::spread], positions[::spread], counts[::spread]
        spread = 1
    for target, found, count in zip(batch, positions, counts, strict=True):
        own = found[:count]
        violations += checker.wrong_or_outside(target, own[::spread])
        if count > 1:
            pairs = KDTree(own).query_pairs(checker.duplicate_distance, p=np.inf)
            violations += Violations(duplicates=len(pairs))
    return violations
