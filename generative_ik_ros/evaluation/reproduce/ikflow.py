"""A chain with weights in, IKFlow's table II and figure 4 for it out, and what they leave open.

B. Ames, J. Morgan, G. Konidaris, IKFlow: generating diverse inverse kinematics solutions, RA-L
2022, arXiv 2111.08933. The paper judges samples as they are. Here they are also made exact, which
is what a user gets, and judged by how much of the solution set they reach.
"""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.evaluation.chains import ChainCase
from generative_ik_ros.evaluation.metrics.coverage import coverages
from generative_ik_ros.evaluation.metrics.pose_error import pose_errors
from generative_ik_ros.evaluation.metrics.space import JointSpace
from generative_ik_ros.evaluation.metrics.validity import distinct_count
from generative_ik_ros.evaluation.oracle import Oracle
from generative_ik_ros.evaluation.poses import random_reachable_poses
from generative_ik_ros.evaluation.protocols.generative import (
    DISTINCT,
    TOLERANCE,
    GenerativeTable,
    generative,
)
from generative_ik_ros.evaluation.protocols.references import reference_of
from generative_ik_ros.evaluation.reference.saturation import ExhaustiveSettings
from generative_ik_ros.evaluation.seeding import SearchBox
from generative_ik_ros.refine.registry import refiner_class
from generative_ik_ros.samplers.base import Sampler
from generative_ik_ros.samplers.checkpoint import MissingWeightsError, find_weights
from generative_ik_ros.samplers.ikflow.sampler import IKFlow
from generative_ik_ros.samplers.quasi_random import QuasiRandom

SAMPLES = 100
"""Samples a pose of the errors and the time in table II."""
MMD_SAMPLES = 250
"""Samples a pose of its discrepancy."""
RIVALS = ("uniform", "quasi_random")
"""Samplers without training that stand beside it: what a figure is worth shows only there."""
TEMPERATURES = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
SIZES = (1, 10, 100, 500, 1000, 2000, 4000)
_TIMED_POSES = 50
_REHEARSAL = 256
"""Seeds that tell what share of a sampler's converge, and so how many a search begins with."""
_MOST_SEEDS = 100
"""Seeds for each solution wanted after which a search for figure 4 ends."""


@dataclass(frozen=True)
class TableII:
    """A row of IKFlow's table II: a GPU, nets of up to 51 million parameters, days of training.

    Attributes:
        name: The chain as the paper means it; two rows of the table itself have one name.
        mmd: Squared discrepancy from rejection samples.
        milliseconds: Time of 100 samples [ms].
        position_mm: Mean distance [mm].
        orientation_deg: Mean angle [deg].
    """

    name: str
    mmd: float
    milliseconds: float
    position_mm: float
    orientation_deg: float


_TABLE_II = {
    ("atlas", 9): TableII("ATLAS, arm and waist", 0.0372, 4.79, 2.66, 0.61),
    ("atlas", 6): TableII("ATLAS, arm", 0.0046, 6.4, 1.19, 0.28),
    ("panda", 7): TableII("Panda", 0.0304, 6.64, 7.75, 2.82),
    ("robonaut2", 8): TableII("Robonaut 2, arm and waist", 0.0375, 6.44, 6.33, 1.24),
    ("robonaut2", 7): TableII("Robonaut 2, arm", 0.0325, 6.46, 1.92, 0.46),
    ("valkyrie", 10): TableII("Valkyrie, whole arm and waist", 0.0374, 8.57, 3.5, 0.74),
    ("valkyrie", 4): TableII("Valkyrie, lower arm", 3.25e-6, 4.87, 0.36, 0.15),
    ("valkyrie", 7): TableII("Valkyrie, whole arm", 0.0295, 6.47, 1.62, 0.37),
}
"""By file and number of joints: which model files its authors used is not known."""

FIGURE_4 = {"IKFlow, GPU": (4000, 20.0), "Newton-Raphson": (1000, 1000.0)}
"""What the paper's text says of figure 4 (ATLAS): samples, and their time [ms]."""


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


@dataclass(frozen=True)
class RunTime:
    """Time of so many samples of a pose; mean and standard deviation over poses [ms].

    Attributes:
        contestant: "ikflow, raw", or who proposed the seeds of exact solutions.
        samples: How many.
        mean: Mean.
        deviation: Standard deviation.
        found: Solutions, on average; fewer than asked for where seeds ran out.
    """

    contestant: str
    samples: int
    mean: float
    deviation: float
    found: float


@dataclass(frozen=True)
class IKFlowReport:
    """One chain's part of the paper's results.

    Attributes:
        chain: Its label.
        dof: Joints to choose.
        parameters: Numbers in the weights' file.
        training: What the weights' file says of how they came about.
        published: The paper's row, None for robots that it does not have.
        raw: Errors and time.
        quality: Discrepancy, and what becomes of the samples, beside samplers without training.
        temperatures: Effect of the base's spread.
        run_times: Figure 4.
    """

    chain: str
    dof: int
    parameters: int
    training: dict[str, object]
    published: TableII | None
    raw: RawErrors
    quality: GenerativeTable
    temperatures: tuple[AtTemperature, ...]
    run_times: tuple[RunTime, ...]


def with_weights(cases: Iterable[ChainCase]) -> list[ChainCase]:
    """Return the chains that have weights, each canonical chain once."""
    found: dict[str, ChainCase] = {}
    for case in cases:
        try:
            find_weights("ikflow", case.chain)
        except MissingWeightsError:
            continue
        found.setdefault(case.chain.fingerprint, case)
    return list(found.values())


def steps_of(poses: int, temperatures: Sequence[float], sizes: Sequence[int]) -> int:
    """Return how often `reproduce_ikflow` reports progress."""
    return poses + 1 + len(RIVALS) + 1 + len(temperatures) + len(sizes)


def reproduce_ikflow(
    case: ChainCase,
    *,
    poses: int = 50,
    error_poses: int = 1000,
    temperatures: Sequence[float] = TEMPERATURES,
    sizes: Sequence[int] = SIZES,
    reference: ExhaustiveSettings | None = None,
    device: str = "cpu",
    seed: int = 1,
    on_step: Callable[[], None] = lambda: None,
) -> IKFlowReport:
    """Measure one chain.

    Args:
        case: The chain.
        poses: Random reachable poses for discrepancy and coverage, whose solutions all have to
            be found first; the paper's discrepancy has 1000.
        error_poses: Random reachable poses for errors.
        temperatures: Scales of the base's spread.
        sizes: Numbers of samples to time.
        reference: How hard all solutions are looked for.
        device: Where the flow runs.
        seed: Of poses and samplers.
        on_step: Called `steps_of` times, for a progress bar.

    Raises:
        GenerativeIKError: The chain is refused, or there are no usable weights for it.
    """
    flow = IKFlow(case.chain, device)
    raw = _raw_errors(case, flow, error_poses, seed)
    on_step()
    quality = generative(
        case,
        poses=poses,
        samples=MMD_SAMPLES,
        samplers=(*RIVALS, "ikflow"),
        reference=reference,
        seed=seed,
        on_step=on_step,
    )
    return IKFlowReport(
        case.label,
        case.chain.num_joints,
        sum(values.size for values in flow.checkpoint.tensors.values()),
        dict(flow.checkpoint.training),
        _TABLE_II.get((case.stem, case.chain.num_joints)),
        raw,
        quality,
        _temperatures(case, temperatures, poses, reference, device, seed, on_step),
        _run_times(case, flow, sizes, seed, on_step),
    )


def _raw_errors(case: ChainCase, flow: Sampler, poses: int, seed: int) -> RawErrors:
    box, oracle = SearchBox.of(case.chain), Oracle.of(case)
    targets = random_reachable_poses(case.chain, poses, seed, oracle.forward)
    samples = flow.propose(box.seed_request(targets, SAMPLES, seed))
    distance, angle = pose_errors(oracle.forward, samples, targets[:, None])
    times = []
    for target in targets[:_TIMED_POSES]:
        request = box.seed_request(target[None], SAMPLES, seed)
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


def _temperatures(
    case: ChainCase,
    temperatures: Sequence[float],
    poses: int,
    reference: ExhaustiveSettings | None,
    device: str,
    seed: int,
    on_step: Callable[[], None],
) -> tuple[AtTemperature, ...]:
    chain, oracle = case.chain, Oracle.of(case)
    box, space = SearchBox.of(chain), JointSpace.of(chain)
    targets = random_reachable_poses(chain, poses, seed, oracle.forward)
    sets, known = reference_of(chain, targets, reference)
    refiner = refiner_class("levenberg_marquardt")(chain, TOLERANCE, TOLERANCE)
    rows = []
    for temperature in temperatures:
        flow = IKFlow(chain, device, temperature=temperature)
        samples = flow.propose(box.seed_request(targets, SAMPLES, seed))
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
                coverages(space, exact, [one.thinned for one in sets], known.near).mean,
            )
        )
        on_step()
    return tuple(rows)


def _run_times(
    case: ChainCase, flow: Sampler, sizes: Sequence[int], seed: int, on_step: Callable[[], None]
) -> tuple[RunTime, ...]:
    chain = case.chain
    box = SearchBox.of(chain)
    targets = random_reachable_poses(chain, 10, seed)
    refiner = refiner_class("levenberg_marquardt")(chain, TOLERANCE, TOLERANCE)

    def raw(target: NDArray[np.float64], count: int) -> int:
        return len(flow.propose(box.seed_request(target, count, seed))[0])

    def converged(sampler: Sampler, target: NDArray[np.float64], count: int, first: int) -> int:
        seeds = sampler.propose(box.seed_request(target, count, seed, first))
        return int(refiner.refine(box.refine_task(target, seeds)).converged.sum())

    def exact(sampler: Sampler) -> Callable[[NDArray[np.float64], int], int]:
        total = sum(converged(sampler, target[None], _REHEARSAL, 0) for target in targets)
        a_solution = _REHEARSAL * len(targets) / max(total, 1)

        def search(target: NDArray[np.float64], count: int) -> int:
            found = tried = 0
            while found < count and tried < _MOST_SEEDS * count:
                size = max(8, math.ceil(a_solution * (count - found)))
                found += converged(sampler, target, size, tried)
                tried += size
            return min(found, count)

        return search

    contestants = {
        "ikflow, raw": raw,
        "ikflow, exact": exact(flow),
        "quasi-random, exact": exact(QuasiRandom(chain)),
    }
    rows = []
    for size in sizes:
        for name, call in contestants.items():
            call(targets[:1], size)
            times, found = [], []
            for target in targets:
                start = time.perf_counter()
                found.append(call(target[None], size))
                times.append(1e3 * (time.perf_counter() - start))
            rows.append(
                RunTime(
                    name,
                    size,
                    float(np.mean(times)),
                    float(np.std(times)),
                    float(np.mean(found)),
                )
            )
        on_step()
    return tuple(rows)
