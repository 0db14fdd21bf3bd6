"""Times of GGIK's samples: figure 8."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import one_by_one
from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_ros.learned.ggik.sampler import GGIK
from generative_ik_ros.robot.random_poses import random_reachable_poses


@dataclass(frozen=True)
class SamplingTime:
    """Time of a number of samples of one problem."""

    robot: str = figure("The chain's label.")
    way: str = figure('"core", or "PyTorch"; a model with latent variables has only the latter.')
    samples: int = figure("How many.")
    mean: float = figure("Mean over problems [ms].")
    deviation: float = figure("Standard deviation [ms].")


def sampling_times(
    case: ChainCase,
    path: Path,
    *,
    sizes: Sequence[int] = (1, 10, 100, 1000),
    problems: int = 10,
    device: str = "cpu",
    seed: int = 1,
) -> list[SamplingTime]:
    """Time samples of one problem, as the sampler draws them, and in PyTorch."""
    box = SearchBox.of(case.chain)
    targets = random_reachable_poses(case.chain, problems, seed)
    rows = []
    for plain in (False, True):
        sampler = GGIK(case.chain, device, weights=path)
        if plain and sampler.native is None:
            break
        sampler.native = None if plain else sampler.native
        way = "PyTorch" if sampler.native is None else "core"
        for size in sizes:
            sampler.propose(box.seed_request(targets[:1], size, seed))
            requests = [box.seed_request(target, size, seed) for target in targets[:, None]]
            times = 1e3 * one_by_one(sampler.propose, requests)[1]
            mean, deviation = float(np.mean(times)), float(np.std(times))
            rows.append(SamplingTime(case.label, way, size, mean, deviation))
    return rows
