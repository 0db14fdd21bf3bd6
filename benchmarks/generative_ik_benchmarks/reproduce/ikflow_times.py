"""Time of samples of a flow, and of exact solutions from its seeds: IKFlow's figure 4."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.protocols.sample_quality import TOLERANCE
from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_ros.refine.registry import refiner_class
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.samplers.base import Sampler
from generative_ik_ros.samplers.quasi_random import QuasiRandom

_TRIAL = 256
"""Seeds that tell what share of a sampler's converge, and so how many a search begins with."""
_MOST_SEEDS = 100
"""Seeds for each solution wanted after which a search ends."""


@dataclass(frozen=True)
class RunTime:
    """Time of so many samples of a pose; mean and standard deviation over poses [ms].

    Attributes:
        solver: "ikflow, raw", or who proposed the seeds of exact solutions.
        samples: How many.
        mean: Mean.
        deviation: Standard deviation.
        found: Solutions, on average; fewer than asked for where seeds ran out.
    """

    solver: str
    samples: int
    mean: float
    deviation: float
    found: float


def run_times(
    case: ChainCase, flow: Sampler, sizes: Sequence[int], seed: int, on_step: Callable[[], None]
) -> tuple[RunTime, ...]:
    """Time the flow's samples as they are, and exact solutions from its and from other seeds."""
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
        total = sum(converged(sampler, target[None], _TRIAL, 0) for target in targets)
        a_solution = _TRIAL * len(targets) / max(total, 1)

        def search(target: NDArray[np.float64], count: int) -> int:
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
