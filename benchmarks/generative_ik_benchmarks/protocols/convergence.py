"""Chains come in, how fast seeds become exact goes out: iterations, and the time of one.

Every seed is followed by the compiled kernel on one thread, without a look at what other seeds
found, so that this is the local solver alone: no search, no verification, nothing kept.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.quartiles import Quartiles
from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.refine.kernel_chain import pose_rows
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.refine.lm_kernel import refine_kernel
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.samplers.registry import sampler_class

TOLERANCE = 1e-5
AFTER = (4, 6, 8, 12, 20, 40)
"""Iterations after which the share of exact seeds is given."""
_REPEATS = 7


@dataclass(frozen=True)
class Convergence:
    """What became of one sampler's seeds on one chain.

    Attributes:
        chain: The chain's label.
        joints: Number of joints.
        sampler: Where the seeds come from.
        seeds: How many, all poses together.
        iterations: Mean number until a seed is exact or given up.
        exact_after: Share of the seeds that are exact after each of `AFTER` iterations.
        ns_an_iteration: Time of one iteration of one seed on one core [ns], several runs.
        us_an_exact: Time of all seeds by the number of exact ones, on one core [us].
        faults: Seeds called exact that are not, by pinocchio.
    """

    chain: str
    joints: int
    sampler: str
    seeds: int
    iterations: float
    exact_after: tuple[float, ...]
    ns_an_iteration: Quartiles
    us_an_exact: float
    faults: Violations


@dataclass(frozen=True)
class ConvergenceTable:
    """One chain, a row a sampler.

    Attributes:
        chain: The chain's label.
        rows: The rows.
    """

    chain: str
    rows: tuple[Convergence, ...]

    @property
    def faults(self) -> Violations:
        """Everything untrue."""
        return sum((row.faults for row in self.rows), Violations())


def convergence(
    case: ChainCase,
    *,
    poses: int = 50,
    seeds: int = 200,
    samplers: tuple[str, ...] = ("quasi_random", "capability_map"),
    seed: int = 1,
    on_sampler: Callable[[], None] = lambda: None,
) -> ConvergenceTable:
    """Measure one chain.

    Args:
        case: The chain.
        poses: Random reachable poses.
        seeds: Seeds a pose.
        samplers: Where seeds come from.
        seed: Of poses and samplers.
        on_sampler: Called after each sampler, for a progress bar.

    Raises:
        MissingDependencyError: pinocchio is not installed.
        UnknownNameError: There is no such sampler.
    """
    oracle = Oracle.of(case)
    targets = random_reachable_poses(case.chain, poses, seed, oracle.forward)
    rows = []
    for name in samplers:
        box = SearchBox.of(case.chain)
        proposed = sampler_class(name)(case.chain).propose(
            box.seed_request(targets, seeds, seed, 0)
        )
        rows.append(_row(case, oracle, targets, name, np.array(proposed), box))
        on_sampler()
    return ConvergenceTable(case.label, tuple(rows))


def _row(
    case: ChainCase,
    oracle: Oracle,
    targets: NDArray[np.float64],
    sampler: str,
    proposed: NDArray[np.float64],
    box: SearchBox,
) -> Convergence:
    chain = case.chain
    task = box.refine_task(targets, proposed)
    solver = LevenbergMarquardt(chain, TOLERANCE, TOLERANCE)
    size, joints = task.seeds.shape
    found = np.empty((size, joints))
    errors, angles = np.empty(size), np.empty(size)
    exact, iterations = np.zeros(size, np.bool_), np.zeros(size, np.int64)
    rows, start = pose_rows(task.targets), np.array(task.seeds)
    times = []
    for _ in range(1 + _REPEATS):
        begin = time.perf_counter()
        refine_kernel(
            solver.kernel_chain, solver.options, False,
            np.array(task.lower), np.array(task.upper), rows, task.target_of_seed, task.wanted,
            start, found, errors, angles, exact, iterations,
        )  # fmt: skip
        times.append(time.perf_counter() - begin)
    steps = int(iterations.sum())
    checker = Checker(oracle, chain, TOLERANCE, TOLERANCE)
    # Repeats of a solution are no fault of a local solver: what counts here is whether it is true.
    faults = Violations()
    inside = box.into_box(found)
    for t, target in enumerate(targets):
        of_target = exact & (task.target_of_seed == t)
        faults += checker.wrong_or_outside(target, inside[of_target])
    return Convergence(
        chain=case.label,
        joints=joints,
        sampler=sampler,
        seeds=size,
        iterations=steps / size,
        exact_after=tuple(float((exact & (iterations <= most)).mean()) for most in AFTER),
        ns_an_iteration=Quartiles.of(1e9 * np.array(times[1:]) / steps),
        us_an_exact=1e6 * float(np.median(times[1:])) / max(int(exact.sum()), 1),
        faults=faults,
    )
