"""Raw samples of a GGIK model: their errors (tables I to III and V, figure 4), and their modes."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.metrics.clusters import cluster_count
from generative_ik_benchmarks.metrics.pose_error import (
    THRESHOLDS,
    Summary,
    pose_errors,
    successes,
)
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.reproduce.ggik_models import network_of, purpose_of
from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_ros.learned.ggik.autoregressive.goal_features import training_pairs
from generative_ik_ros.learned.ggik.autoregressive.model import AutoregressiveModel
from generative_ik_ros.learned.ggik.latent.problems import ArmProblems
from generative_ik_ros.learned.ggik.models import Model, arm_for
from generative_ik_ros.learned.ggik.sampler import GGIK
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.robot.random_poses import random_reachable_poses

SAMPLES = 32
"""Samples a problem in the T-RO tables; the CoRL version's table 1 has 50."""
COUNTS = (1, 2, 4, 8, 16, 32, 64, 128)
"""Numbers of samples of figure 4."""
RADII = (0.2, 0.6, 1.2)
"""DBSCAN's radii for figure 7; the paper's are in its figure only [rad, chordal]."""
NEAR = THRESHOLDS[0]
"""Success in the papers' tables: 1 cm and 1 degree."""


@dataclass(frozen=True)
class ModelRow:
    """What every row of figures begins with.

    Attributes:
        robot: The chain's label.
        model: Name of the file of weights.
    """

    robot: str
    model: str


@dataclass(frozen=True)
class Accuracy(ModelRow):
    """Raw samples of one model for one robot: a row of tables I to III.

    Attributes:
        purpose: Which tables it belongs to.
        network: "autoregressive", or the graph network of a model with latent variables.
        problems: Random reachable poses.
        samples: Samples of each.
        position: Distances [m].
        orientation: Angles [rad].
        success: Share of problems with a sample within 1 cm and 1 degree.
        elbo: Lower bound on new problems, nats per node; of an autoregressive model the
            likelihood itself, nats per joint.
        best: (C, 2) mean over problems of the least distance [m] and of its angle [rad] among the
            first `COUNTS` samples (figure 4).
    """

    purpose: str
    network: str
    problems: int
    samples: int
    position: Summary
    orientation: Summary
    success: float
    elbo: float
    best: NDArray[np.float64]


@dataclass(frozen=True)
class Modes(ModelRow):
    """How samples of single problems spread (figures 5 to 7).

    Attributes:
        positions: (K, n) samples of one problem [rad or m].
        position_error: (K,) their distances [m].
        clusters: (R, T) clusters that 32 samples of each of T problems form, a row a radius.
    """

    positions: NDArray[np.float64]
    position_error: NDArray[np.float64]
    clusters: NDArray[np.int64]


def accuracy(
    case: ChainCase,
    path: Path,
    *,
    problems: int = 2000,
    samples: int = SAMPLES,
    device: str = "cpu",
    seed: int = 1,
    purpose: str | None = None,
) -> Accuracy:
    """Measure raw samples; limits are kept, which the papers ignore.

    Args:
        case: The robot.
        path: The model's file.
        problems: Random reachable poses.
        samples: Samples of each.
        device: Where the model runs.
        seed: Of poses and samples.
        purpose: The tables it belongs to; None to see from the model.
    """
    sampler, oracle = GGIK(case.chain, device, weights=path), Oracle.of(case)
    targets = random_reachable_poses(case.chain, problems, seed, oracle.forward)
    count = max(samples, max(COUNTS))
    request = SearchBox.of(case.chain).seed_request(targets, count, seed)
    distance, angle = pose_errors(oracle.forward, sampler.propose(request), targets[:, None])
    best = []
    for first in COUNTS:
        nearest = distance[:, :first].argmin(axis=1)[:, None]
        best.append([np.take_along_axis(e, nearest, 1).mean() for e in (distance, angle)])
    distance, angle = distance[:, :samples], angle[:, :samples]
    trained = sampler.trained
    return Accuracy(
        case.label,
        path.stem,
        purpose or purpose_of(trained),
        network_of(trained),
        problems,
        samples,
        Summary.of(distance),
        Summary.of(angle),
        successes(distance, angle, [NEAR])[0].problems,
        _elbo(case, trained.model, device, seed),
        np.array(best),
    )


@torch.inference_mode()
def _elbo(case: ChainCase, model: Model, device: str, seed: int) -> float:
    arm = arm_for(model.config, ArmGraph.of(case.chain)).to(device, torch.float32)
    lines = arm.lines
    generator = torch.Generator().manual_seed(seed)
    q = lines.uniform(torch.rand((1024, lines.num_variables), generator=generator).to(device))
    if isinstance(model, AutoregressiveModel):
        encodings = model.encode(arm.links)
        each = [
            model(encodings[joint], features).log_prob(angle).mean()
            for joint, features, angle in training_pairs(arm.links, q)
        ]
        return float(torch.stack(each).mean()) if each else float("nan")
    maker = ArmProblems(arm, model.config)
    shape = (len(q), model.num_latents(maker.num_nodes), model.config.latent)
    normal = torch.randn(shape, generator=generator).to(device)
    points = arm.points(q) / maker.scale
    return -float(model.negative_elbo(maker.of_targets(lines.forward(q)), points, normal).mean())


def modes(
    case: ChainCase,
    path: Path,
    *,
    samples: int = 1000,
    problems: int = 200,
    device: str = "cpu",
    seed: int = 1,
) -> Modes:
    """Sample one problem often, and many 32 times each, and count clusters on the torus."""
    sampler, oracle = GGIK(case.chain, device, weights=path), Oracle.of(case)
    box, space = SearchBox.of(case.chain), JointSpace.torus(case.chain)
    targets = random_reachable_poses(case.chain, problems, seed, oracle.forward)
    one = sampler.propose(box.seed_request(targets[:1], samples, seed))[0]
    distance, _ = pose_errors(oracle.forward, one[None], targets[:1, None])
    several = sampler.propose(box.seed_request(targets, SAMPLES, seed))
    counts = [[cluster_count(space, some, radius) for some in several] for radius in RADII]
    return Modes(case.label, path.name, one, distance[0], np.array(counts))
