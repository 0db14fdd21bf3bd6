"""Samples of a flow: errors, what becomes of them at several temperatures, and times.

These are IKFlow's table II and figure 4.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import one_by_one
from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocol import OnStep
from generative_ik_benchmarks.protocols.sample_quality import TOLERANCE, SampleOptions, SampleTrial
from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_ros.array_types import Floats
from generative_ik_ros.learned.ikflow.sampler import IKFlow
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.samplers.base import Sampler
from generative_ik_ros.samplers.quasi_random import QuasiRandom

_SAMPLES = 100
"""Samples a pose of the errors and the time in table II."""
_TIMED_POSES = 50


@dataclass(frozen=True)
class RawErrors:
    """Samples as the flow gives them."""

    position_mm: float = figure("Mean distance [mm].")
    position_median_mm: float = figure("Median distance [mm].")
    orientation_deg: float = figure("Mean angle [deg].")
    orientation_median_deg: float = figure("Median angle [deg].")
    milliseconds: float = figure("Median time of 100 samples of one pose [ms].")


@dataclass(frozen=True)
class AtTemperature:
    """Samples from a base whose spread is scaled, raw and refined; means over poses."""

    temperature: float = figure("The scale.")
    position_mm: float = figure("Mean distance of the raw samples [mm].")
    orientation_deg: float = figure("Mean angle [deg].")
    converged: float = figure("Share of the samples that became exact.")
    distinct: float = figure("Exact distinct solutions a pose.")
    coverage: float = figure("Share of the solution set with one of them nearby.")


def raw_errors(case: ChainCase, flow: Sampler, poses: int, seed: int) -> RawErrors:
    """Measure what table II says of samples of a flow."""
    box, oracle = SearchBox.of(case.chain), Oracle.of(case)
    targets = random_reachable_poses(case.chain, poses, seed, oracle.forward)
    samples = flow.propose(box.seed_request(targets, _SAMPLES, seed))
    distance, angle = pose_errors(oracle.forward, samples, targets[:, None])
    timed = targets[:_TIMED_POSES, None]
    requests = [box.seed_request(target, _SAMPLES, seed) for target in timed]
    times = one_by_one(flow.propose, requests)[1]
    return RawErrors(
        1e3 * float(distance.mean()),
        1e3 * float(np.median(distance)),
        float(np.rad2deg(angle.mean())),
        float(np.rad2deg(np.median(angle))),
        1e3 * float(np.median(times)),
    )


def at_temperatures(
    case: ChainCase,
    kind: type[IKFlow],
    device: str,
    temperatures: Sequence[float],
    options: SampleOptions,
    on_step: OnStep,
) -> tuple[AtTemperature, ...]:
    """Measure what the spread of the base does, by 100 samples a pose."""
    trial, rows = SampleTrial(case, replace(options, samples=_SAMPLES), lambda: None), []
    for temperature in temperatures:
        flow = kind(case.chain, device, temperature=temperature)
        quality = trial.of(kind.name, flow)
        raw, refined = quality.raw, quality.refined
        rows.append(
            AtTemperature(
                temperature,
                1e3 * raw.position.mean,
                float(np.rad2deg(raw.orientation.mean)),
                refined.converged,
                refined.distinct,
                refined.coverage,
            )
        )
        on_step()
    return tuple(rows)


_TRIAL = 256
"""Seeds that tell what share of a sampler's converge, and so how many a search begins with."""
_MOST_SEEDS = 100
"""Seeds for each solution wanted after which a search ends."""


@dataclass(frozen=True)
class RunTime:
    """Time of so many samples of a pose; mean and standard deviation over poses [ms]."""

    solver: str = figure('"ikflow, raw", or who proposed the seeds of exact solutions.')
    samples: int = figure("How many.")
    mean: float = figure("Mean.")
    deviation: float = figure("Standard deviation.")
    found: float = figure("Solutions, on average; fewer than asked for where seeds ran out.")


def run_times(
    case: ChainCase, flow: Sampler, sizes: Sequence[int], seed: int, on_step: OnStep
) -> tuple[RunTime, ...]:
    """Time the flow's samples as they are, and exact solutions from its and from other seeds."""
    chain = case.chain
    box = SearchBox.of(chain)
    targets = random_reachable_poses(chain, 10, seed)
    refiner = LevenbergMarquardt(chain, TOLERANCE, TOLERANCE)

    def raw(target: Floats, count: int) -> int:
        return len(flow.propose(box.seed_request(target, count, seed))[0])

    def converged(sampler: Sampler, target: Floats, count: int, first: int) -> int:
        seeds = sampler.propose(box.seed_request(target, count, seed, first))
        return int(refiner.refine(box.refine_task(target, seeds)).converged.sum())

    def exact(sampler: Sampler) -> Callable[[Floats, int], int]:
        total = sum(converged(sampler, target[None], _TRIAL, 0) for target in targets)
        a_solution = _TRIAL * len(targets) / max(total, 1)

        def search(target: Floats, count: int) -> int:
            found = tried = 0
            while found < count and tried < _MOST_SEEDS * count:
                size = max(8, math.ceil(a_solution * (count - found)))
                found += converged(sampler, target, size, tried)
                tried += size
            return min(found, count)

        return search

    solvers = {
        "ikflow, raw": raw,
        "ikflow, exact": exact(flow),
        "quasi-random, exact": exact(QuasiRandom(chain)),
    }
    rows = []
    for size in sizes:
        for name, call in solvers.items():
            call(targets[:1], size)
            found, seconds = one_by_one(
                lambda one, call=call, size=size: call(one, size), targets[:, None]
            )
            times = 1e3 * seconds
            figures = (float(value) for value in (np.mean(times), np.std(times), np.mean(found)))
            rows.append(RunTime(name, size, *figures))
        on_step()
    return tuple(rows)
