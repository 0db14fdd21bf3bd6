"""Errors of a flow's samples, and what becomes of them at several temperatures."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.metrics.coverage import mean_coverage
from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.metrics.validity import distinct_count
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocols.references import reference_of
from generative_ik_benchmarks.protocols.sample_quality import DISTINCT, TOLERANCE
from generative_ik_benchmarks.reference.saturation import ExhaustiveSettings
from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_ros.learned.ikflow.sampler import IKFlow
from generative_ik_ros.refine.registry import refiner_class
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.samplers.base import Sampler

_SAMPLES = 100
"""Samples a pose of the errors and the time in table II."""
_TIMED_POSES = 50


@dataclass(frozen=True)
class RawErrors:
    """Samples as the flow gives them.

    Attributes:
        poses: Random reachable poses.
        position_mm: Mean distance [mm].
        position_median_mm: Median distance [mm].
        orientation_deg: Mean angle [deg].
        orientation_median_deg: Median angle [deg].
        milliseconds: Median time of 100 samples of one pose [ms].
    """

    poses: int
    position_mm: float
    position_median_mm: float
    orientation_deg: float
    orientation_median_deg: float
    milliseconds: float


@dataclass(frozen=True)
class AtTemperature:
    """Samples from a base whose spread is scaled, raw and refined; means over poses.

    Attributes:
        temperature: The scale.
        position_mm: Mean distance of the raw samples [mm].
        orientation_deg: Mean angle [deg].
        converged: Share of the samples that became exact.
        distinct: Exact distinct solutions a pose.
        coverage: Share of the solution set with one of them nearby.
    """

    temperature: float
    position_mm: float
    orientation_deg: float
    converged: float
    distinct: float
    coverage: float


def raw_errors(case: ChainCase, flow: Sampler, poses: int, seed: int) -> RawErrors:
    """Measure what table II says of samples of a flow."""
    box, oracle = SearchBox.of(case.chain), Oracle.of(case)
    targets = random_reachable_poses(case.chain, poses, seed, oracle.forward)
    samples = flow.propose(box.seed_request(targets, _SAMPLES, seed))
    distance, angle = pose_errors(oracle.forward, samples, targets[:, None])
    times = []
    for target in targets[:_TIMED_POSES]:
        request = box.seed_request(target[None], _SAMPLES, seed)
        start = time.perf_counter()
        flow.propose(request)
        times.append(time.perf_counter() - start)
    return RawErrors(
        poses,
        1e3 * float(distance.mean()),
        1e3 * float(np.median(distance)),
        float(np.rad2deg(angle.mean())),
        float(np.rad2deg(np.median(angle))),
        1e3 * float(np.median(times)),
    )


def at_temperatures(
    case: ChainCase,
    kind: type[IKFlow],
    temperatures: Sequence[float],
    poses: int,
    reference: ExhaustiveSettings | None,
    device: str,
    seed: int,
    on_step: Callable[[], None],
) -> tuple[AtTemperature, ...]:
    """Measure what the spread of the base does; for the arguments see `reproduce_ikflow`."""
    chain, oracle = case.chain, Oracle.of(case)
    box, space = SearchBox.of(chain), JointSpace.of(chain)
    targets = random_reachable_poses(chain, poses, seed, oracle.forward)
    sets, known = reference_of(chain, targets, reference)
    refiner = refiner_class("levenberg_marquardt")(chain, TOLERANCE, TOLERANCE)
    rows = []
    for temperature in temperatures:
        flow = kind(chain, device, temperature=temperature)
        samples = flow.propose(box.seed_request(targets, _SAMPLES, seed))
        distance, angle = pose_errors(oracle.forward, samples, targets[:, None])
        refined = refiner.refine(box.refine_task(targets, samples))
        ended = box.into_box(refined.positions).reshape(samples.shape)
        converged = refined.converged.reshape(samples.shape[:2])
        exact = [one[right] for one, right in zip(ended, converged, strict=True)]
        rows.append(
            AtTemperature(
                temperature,
                1e3 * float(distance.mean()),
                float(np.rad2deg(angle.mean())),
                float(converged.mean()),
                float(np.mean([distinct_count(space, one, DISTINCT) for one in exact])),
                mean_coverage(space, exact, [one.thinned for one in sets], known.near),
            )
        )
        on_step()
    return tuple(rows)
