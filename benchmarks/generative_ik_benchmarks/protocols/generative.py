"""A chain and its samplers come in, what their samples are worth as samples goes out.

Protocol C: N samples a pose, judged raw and after the local solver has made them exact. Raw:
errors of the tip, limits, duplicates, discrepancy (MMD) from the solution set. Refined: how many
converge, in how many iterations, how many distinct solutions remain, what share of the solution
set and, for six joints, of the analytic branches they reach. The solution set is exhaustive
multi-start's. Seeds that do not converge are left out of the refined figures.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.metrics.branches import AnalyticBranches, branch_recall
from generative_ik_benchmarks.metrics.coverage import coverages
from generative_ik_benchmarks.metrics.pose_error import (
    Success,
    Summary,
    pose_errors,
    successes,
)
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.metrics.validity import (
    distinct_count,
    duplicate_share,
    limit_violations,
)
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocols.references import Reference, reference_of
from generative_ik_benchmarks.published import LearnedRow, learned_rows
from generative_ik_benchmarks.reference.saturation import ExhaustiveSet, ExhaustiveSettings
from generative_ik_benchmarks.seeding import SearchBox, willing_samplers
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.learned.training.mmd import expected_of_equals, squared_mmd
from generative_ik_ros.refine.base import Refinement, Refiner
from generative_ik_ros.refine.registry import refiner_class
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.samplers.base import Sampler

TOLERANCE = 1e-5
DISTINCT = 0.05
_REPEATS = 3
"""Refining all samples is timed so often after a first time, which would pay for waking
the cores up; not if it takes over a second."""


@dataclass(frozen=True)
class RawFigures:
    """Samples as the sampler gives them.

    Attributes:
        position: Distances of the tip from the pose [m].
        orientation: Angles [rad].
        successes: Share of the samples, and of the poses, within stated thresholds.
        violations: Share of the samples with a joint outside its limits.
        duplicates: Share that repeats another of the pose, no joint further than 0.05.
        mmd: Squared discrepancy from the solution set; see `metrics.mmd`.
        milliseconds: Time of a pose's samples, asked for pose by pose [ms].
    """

    position: Summary
    orientation: Summary
    successes: tuple[Success, ...]
    violations: float
    duplicates: float
    mmd: float
    milliseconds: float


@dataclass(frozen=True)
class RefinedFigures:
    """The same samples after the local solver.

    Attributes:
        converged: Share of the samples that became exact.
        iterations: Mean iterations of all samples, those that were given up too.
        iterations_deviation: Their standard deviation.
        distinct: Distinct solutions a pose.
        duplicates: Share of the exact ones that repeats another.
        distinct_per_second: Distinct solutions in a second of sampling and refining.
        coverage: Share of the solution set with a solution nearby.
        branch_recall: Share of the analytic branches found; NaN where there is no such solution.
        mmd: Squared discrepancy of the exact ones from the solution set.
        faults: What is claimed to be exact and is not.
    """

    converged: float
    iterations: float
    iterations_deviation: float
    distinct: float
    duplicates: float
    distinct_per_second: float
    coverage: float
    branch_recall: float
    mmd: float
    faults: Violations


@dataclass(frozen=True)
class SamplerQuality:
    """One sampler's row.

    Attributes:
        sampler: Its name.
        raw: Its samples.
        refined: What they become.
    """

    sampler: str
    raw: RawFigures
    refined: RefinedFigures


@dataclass(frozen=True)
class GenerativeTable:
    """One chain's table.

    Attributes:
        chain: Its label.
        dof: Joints to choose.
        poses: Random reachable poses.
        samples: Samples a pose.
        refiner: The local solver.
        reference: What coverage and discrepancy are measured against.
        mmd_floor: Discrepancy of so many samples from the solution set itself, on average.
        rows: A row a sampler.
        published: What others report for this robot.
        absent: Why a sampler, or the analytic branches, did not take part.
    """

    chain: str
    dof: int
    poses: int
    samples: int
    refiner: str
    reference: Reference
    mmd_floor: float
    rows: tuple[SamplerQuality, ...]
    published: tuple[LearnedRow, ...]
    absent: dict[str, str]

    @property
    def faults(self) -> Violations:
        """Everything untrue in our own results."""
        return sum((row.refined.faults for row in self.rows), Violations())


def generative(
    case: ChainCase,
    *,
    poses: int = 50,
    samples: int = 250,
    samplers: Sequence[str] | Mapping[str, Sampler] = (),
    refiner: str = "levenberg_marquardt",
    reference: ExhaustiveSettings | None = None,
    seed: int = 1,
    on_step: Callable[[], None] = lambda: None,
) -> GenerativeTable:
    """Measure the samplers on one chain.

    Args:
        case: The chain.
        poses: How many random reachable poses; IKFlow's table has 1000, GGIK's 2000.
        samples: Samples a pose; IKFlow's discrepancy is of 250, GGIK's errors are of 32.
        samplers: Which, by name or made; all that are registered if empty.
        refiner: The local solver; "slsqp" is that of GGIK's table IV.
        reference: How hard all solutions are looked for.
        seed: Of poses and samplers.
        on_step: Called after each pose of the reference and after each sampler.

    Raises:
        GenerativeIKError: The chain is refused, or a sampler does not exist.
    """
    chain, oracle = case.chain, Oracle.of(case)
    if isinstance(samplers, Mapping):
        ready, absent = dict(samplers), {}
    else:
        ready, absent = willing_samplers(chain, samplers)
    targets = random_reachable_poses(chain, poses, seed, oracle.forward)
    sets, quality = reference_of(chain, targets, reference, on_step)
    branches = _branches(case, targets, absent)
    local = refiner_class(refiner)(chain, TOLERANCE, TOLERANCE)
    trial = _Trial(case, oracle, targets, sets, branches, local, samples, quality.near, seed)
    rows = []
    for name, sampler in ready.items():
        rows.append(trial.of(name, sampler))
        on_step()
    floor = np.mean([expected_of_equals(one.dense, samples) for one in sets if len(one.dense) > 1])
    return GenerativeTable(
        case.label,
        chain.num_joints,
        poses,
        samples,
        refiner,
        quality,
        float(floor),
        tuple(rows),
        learned_rows(case.stem, chain.num_joints),
        absent,
    )


def _branches(
    case: ChainCase, targets: NDArray[np.float64], absent: dict[str, str]
) -> list[NDArray[np.float64]] | None:
    """Return the analytic branches of each target, or say why there are none."""
    if case.chain.num_joints != 6:
        return None
    try:
        solver = AnalyticBranches(case.chain)
        return [solver.solve(target) for target in targets]
    except (GenerativeIKError, UnsupportedChainError) as reason:
        absent["branches"] = str(reason)
        return None


class _Trial:
    """The same poses for every sampler."""

    def __init__(
        self,
        case: ChainCase,
        oracle: Oracle,
        targets: NDArray[np.float64],
        sets: Sequence[ExhaustiveSet],
        branches: list[NDArray[np.float64]] | None,
        refiner: Refiner,
        samples: int,
        near: float,
        seed: int,
    ):
        self._chain, self._oracle, self._targets = case.chain, oracle, targets
        self._sets, self._branches, self._refiner = sets, branches, refiner
        self._samples, self._near, self._seed = samples, near, seed
        self._box, self._space = SearchBox.of(case.chain), JointSpace.of(case.chain)
        self._checker = Checker(oracle, case.chain, TOLERANCE, TOLERANCE)

    def of(self, name: str, sampler: Sampler) -> SamplerQuality:
        """Sample, refine and measure."""
        # The first call loads or compiles; it and the refiner's are not measured.
        warm = sampler.propose(self._box.seed_request(self._targets[:1], self._samples, 0))
        self._refiner.refine(self._box.refine_task(self._targets[:1], warm))
        seeds, seconds = [], []
        for target in self._targets:
            request = self._box.seed_request(target[None], self._samples, self._seed)
            start = time.perf_counter()
            seeds.append(sampler.propose(request)[0])
            seconds.append(time.perf_counter() - start)
        positions = np.array(seeds, np.float64)
        raw = self._raw(positions, float(np.median(seconds)))
        return SamplerQuality(name, raw, self._refined(positions, sum(seconds)))

    def _raw(self, positions: NDArray[np.float64], seconds: float) -> RawFigures:
        distance, angle = pose_errors(self._oracle.forward, positions, self._targets[:, None])
        joints = positions.shape[-1]
        duplicates = [duplicate_share(self._space, one, DISTINCT) for one in positions]
        return RawFigures(
            Summary.of(distance),
            Summary.of(angle),
            successes(distance, angle),
            limit_violations(self._chain, positions.reshape(-1, joints), 1e-9).share,
            float(np.mean(duplicates)),
            self._mmd(list(positions)),
            1e3 * seconds,
        )

    def _refined(self, positions: NDArray[np.float64], sampling: float) -> RefinedFigures:
        task = self._box.refine_task(self._targets, positions)
        refinement, seconds = _timed(lambda: self._refiner.refine(task))
        seconds += sampling
        shape = positions.shape[:2]
        converged = refinement.converged.reshape(shape)
        ended = self._box.into_box(refinement.positions).reshape(positions.shape)
        exact = [ended[t, converged[t]] for t in range(len(ended))]
        distinct = sum(distinct_count(self._space, one, DISTINCT) for one in exact)
        faults = Violations()
        for target, found in zip(self._targets, exact, strict=True):
            faults += self._checker.wrong_or_outside(target, found)
        recall = float("nan")
        if self._branches is not None:
            recall = float(
                np.nanmean(
                    [
                        branch_recall(self._space, found, branches)
                        for found, branches in zip(exact, self._branches, strict=True)
                    ]
                )
            )
        total = int(converged.sum())
        return RefinedFigures(
            float(converged.mean()),
            float(refinement.iterations.mean()),
            float(refinement.iterations.std()),
            distinct / len(ended),
            1.0 - distinct / total if total else 0.0,
            distinct / seconds,
            coverages(self._space, exact, [one.thinned for one in self._sets], self._near).mean,
            recall,
            self._mmd(exact),
            faults,
        )

    def _mmd(self, samples: Sequence[NDArray[np.float64]]) -> float:
        """Return the mean squared discrepancy from as many draws of the solution set."""
        values = [
            squared_mmd(self._box.into_box(one), reference.draw(self._samples, self._seed))
            for one, reference in zip(samples, self._sets, strict=True)
            if len(one) and len(reference.dense)
        ]
        return float(np.mean(values)) if values else float("nan")


def _timed(call: Callable[[], Refinement]) -> tuple[Refinement, float]:
    """Return what a call returns and its time [s], the median of some calls if they are short."""
    times = []
    while True:
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
        if len(times) > _REPEATS or times[-1] > 1.0:
            return result, float(np.median(times[1:] or times))
