"""The quality of a sampler's samples: as they come, and after the local solver.

Raw: errors of the tip, limits, duplicates, discrepancy (MMD) from the solution set. Refined: how
many converge, in how many iterations, how many distinct solutions remain, what share of the
solution set and, for six joints, of the analytic branches they reach. Seeds that do not converge
are left out of the refined figures.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import one_by_one, timed
from generative_ik_benchmarks.metrics.coverage import coverage, mean_coverage
from generative_ik_benchmarks.metrics.mmd import expected_of_equals
from generative_ik_benchmarks.metrics.pose_error import NEAR, Summary, pose_errors, successes
from generative_ik_benchmarks.metrics.space import LARGEST, JointSpace
from generative_ik_benchmarks.options import RunOptions, option, reference_setting, samplers_option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.ssik import analytic_branches
from generative_ik_benchmarks.protocol import ChainTable, OnStep
from generative_ik_benchmarks.protocols.references import reference_of
from generative_ik_benchmarks.reference.saturation import ExhaustiveSettings
from generative_ik_benchmarks.seeding import SearchBox, count_samplers
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_benchmarks.verification import Checker, Violations, violations_of
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.learned.training.mmd import squared_mmd
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt, Refinement
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.samplers.base import Sampler

TOLERANCE = 1e-5
DISTINCT = 0.05
"""Solutions whose joints are all nearer are merged, and reach the same branch [rad or m]."""
_REPEATS = 3
"""Refining all samples is timed so often after a first time, which would pay for waking
the cores up; not if it takes over a second."""


@dataclass(frozen=True, kw_only=True)
class SampleOptions(RunOptions):
    """What can be set where samples are measured."""

    poses: int = option(50, "Random reachable poses a chain.", quick=4, min=1)
    samples: int = option(250, "Samples a pose.", quick=32, min=2)
    samplers: tuple[str, ...] = samplers_option()
    reference: ExhaustiveSettings | None = reference_setting()

    @property
    def steps(self) -> int:
        """How often progress is reported."""
        return self.poses + count_samplers(self.samplers)


@dataclass(frozen=True)
class RawFigures:
    """Samples as the sampler gives them."""

    position: Summary = figure("Distances of the tip from the pose [m].")
    orientation: Summary = figure("Angles [rad].")
    success: float = figure("Share of the poses with a sample within 1 cm and 1 degree.")
    outside: float = figure("Share of the samples with a joint outside its limits.")
    duplicates: float = figure(
        "Share that repeats another of the pose, no joint further than 0.05."
    )
    mmd: float = figure(
        "Squared discrepancy from the solution set; the maximum mean discrepancy (MMD)."
    )
    milliseconds: float = figure("Time of a pose's samples, asked for pose by pose [ms].")


@dataclass(frozen=True)
class RefinedFigures:
    """The same samples after the local solver."""

    converged: float = figure("Share of the samples that became exact.")
    iterations: float = figure("Mean iterations of all samples, those that were given up too.")
    iterations_deviation: float = figure("Their standard deviation.")
    distinct: float = figure("Distinct solutions a pose.")
    duplicates: float = figure("Share of the exact ones that repeats another.")
    distinct_per_second: float = figure("Distinct solutions in a second of sampling and refining.")
    coverage: float = figure("Share of the solution set with a solution nearby.")
    branch_recall: float = figure(
        "Share of the analytic branches found; NaN where there is no such solution."
    )
    mmd: float = figure("Squared discrepancy of the exact ones from the solution set.")
    violations: Violations = figure("What is claimed to be exact and is not.")


@dataclass(frozen=True)
class SamplerQuality:
    """One sampler's row."""

    sampler: str = figure("Its name.")
    raw: RawFigures = figure("Its samples.")
    refined: RefinedFigures = figure("What they become.")


@dataclass(frozen=True, kw_only=True)
class SampleTable(ChainTable):
    """The samplers of one chain."""

    poses: int = figure("Random reachable poses.")
    samples: int = figure("Samples a pose.")
    rows: tuple[SamplerQuality, ...] = figure("A row a sampler.")

    violations = violations_of(lambda table: (row.refined for row in table.rows))


class SampleTrial:
    """Measures samplers on the same poses of one chain.

    Attributes:
        reference: How good the reference sets are.
        branchless: Why the poses have no analytic branches; empty if they have, or have not six
            joints.
    """

    def __init__(self, case: ChainCase, options: SampleOptions, on_pose: OnStep):
        """Draw the poses and find their solution sets and analytic branches."""
        chain, oracle = case.chain, Oracle.of(case)
        self._chain, self._oracle = chain, oracle
        self._samples, self._seed = options.samples, options.random_seed
        self._targets = random_reachable_poses(
            chain, options.poses, options.random_seed, oracle.forward
        )
        self._sets, self.reference = reference_of(chain, self._targets, options.reference, on_pose)
        self._branches, self.branchless = self._analytic_branches()
        self._refiner = LevenbergMarquardt(chain, TOLERANCE, TOLERANCE)
        self._box, self._space = SearchBox.of(chain), JointSpace.of(chain)
        self._checker = Checker(oracle, chain, TOLERANCE, TOLERANCE)

    @property
    def mmd_floor(self) -> float:
        """Discrepancy of as many draws of the solution set from that set itself, on average."""
        dense = [one.dense for one in self._sets if len(one.dense) > 1]
        return float(np.mean([expected_of_equals(one, self._samples) for one in dense]))

    def _analytic_branches(self) -> tuple[list[Floats] | None, str]:
        if self._chain.num_joints != 6:
            return None, ""
        try:
            return analytic_branches(self._chain, self._targets), ""
        except (GenerativeIKError, UnsupportedChainError) as reason:
            return None, str(reason)

    def rows(self, samplers: Mapping[str, Sampler], on_step: OnStep) -> tuple[SamplerQuality, ...]:
        """Measure samplers by name, one after the other, with a step for each."""
        found = []
        for name, sampler in samplers.items():
            found.append(self.of(name, sampler))
            on_step()
        return tuple(found)

    def of(self, name: str, sampler: Sampler) -> SamplerQuality:
        """Sample, refine and measure."""
        # The first call loads or compiles; it and the refiner's are not measured.
        warm = sampler.propose(self._box.seed_request(self._targets[:1], self._samples, 0))
        self._refiner.refine(self._box.refine_task(self._targets[:1], warm))
        requests = [
            self._box.seed_request(target, self._samples, self._seed)
            for target in self._targets[:, None]
        ]
        seeds, seconds = one_by_one(sampler.propose, requests)
        positions = np.concatenate(seeds).astype(np.float64)
        raw = self._raw(positions, float(np.median(seconds)))
        return SamplerQuality(name, raw, self._refined(positions, sum(seconds)))

    def _raw(self, positions: Floats, seconds: float) -> RawFigures:
        distance, angle = pose_errors(self._oracle.forward, positions, self._targets[:, None])
        joints = positions.shape[-1]
        distinct = sum(self._space.count_distinct(one, DISTINCT) for one in positions)
        inside = self._checker.within_limits(positions.reshape(-1, joints))
        return RawFigures(
            position=Summary.of(distance),
            orientation=Summary.of(angle),
            success=successes(distance, angle, NEAR)[1],
            outside=1.0 - float(inside.mean()),
            duplicates=1.0 - distinct / (len(positions) * self._samples),
            mmd=self._mmd(list(positions)),
            milliseconds=1e3 * seconds,
        )

    def _refined(self, positions: Floats, sampling: float) -> RefinedFigures:
        task = self._box.refine_task(self._targets, positions)
        refinement, seconds = _timed(lambda: self._refiner.refine(task))
        seconds += sampling
        shape = positions.shape[:2]
        converged = refinement.converged.reshape(shape)
        ended = self._box.into_box(refinement.positions).reshape(positions.shape)
        exact = [ended[t, converged[t]] for t in range(len(ended))]
        distinct = sum(self._space.count_distinct(one, DISTINCT) for one in exact)
        violations = Violations()
        for target, found in zip(self._targets, exact, strict=True):
            violations += self._checker.wrong_or_outside(target, found)
        total = int(converged.sum())
        sets = [one.thinned for one in self._sets]
        return RefinedFigures(
            converged=float(converged.mean()),
            iterations=float(refinement.iterations.mean()),
            iterations_deviation=float(refinement.iterations.std()),
            distinct=distinct / len(ended),
            duplicates=1.0 - distinct / total if total else 0.0,
            distinct_per_second=distinct / seconds,
            coverage=mean_coverage(self._space, exact, sets, self.reference.near),
            branch_recall=self._recall(exact),
            mmd=self._mmd(exact),
            violations=violations,
        )

    def _recall(self, exact: Sequence[Floats]) -> float:
        """Return the mean share of the analytic branches that were found."""
        if self._branches is None:
            return float("nan")
        shares = [
            coverage(self._space, found, branches, DISTINCT, LARGEST)
            for found, branches in zip(exact, self._branches, strict=True)
        ]
        return float(np.nanmean(shares))

    def _mmd(self, samples: Sequence[Floats]) -> float:
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
        result, spent = timed(call)
        times.append(spent)
        if len(times) > _REPEATS or times[-1] > 1.0:
            return result, float(np.median(times[1:] or times))
