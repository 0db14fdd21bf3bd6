"""Chains and models in, the raw figures of GGIK's tables and figures 4 to 8 for them out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.metrics.clusters import cluster_count
from generative_ik_benchmarks.metrics.pose_error import Summary, pose_errors
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.reproduce.ggik_published import (
    MANY_ROBOTS,
    NETWORKS,
    ONE_ROBOT,
    UNSEEN_ROBOTS,
)
from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.learned.checkpoint import package_weights, user_weights
from generative_ik_ros.learned.ggik.problems import ArmProblems
from generative_ik_ros.learned.ggik.sampler import GGIK
from generative_ik_ros.learned.ggik.steps import seen_and_told
from generative_ik_ros.learned.ggik.walk import Walk
from generative_ik_ros.learned.ggik.weights import TrainedModel, load_model
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.robot.random_poses import random_reachable_poses

SAMPLES = 32
"""Samples a problem in the T-RO tables; the CoRL version's table 1 has 50."""
COUNTS = (1, 2, 4, 8, 16, 32, 64, 128)
"""Numbers of samples of figure 4."""
RADII = (0.2, 0.6, 1.2)
"""DBSCAN's radii for figure 7; the paper's are in its figure only [rad, chordal]."""
_NEAR, _TURNED = 1e-2, np.deg2rad(1.0)


@dataclass(frozen=True)
class Accuracy:
    """Raw samples of one model for one robot: a row of tables I to III.

    Attributes:
        robot: The chain's label.
        model: Name of the file of weights.
        purpose: Which tables it belongs to.
        network: "walk", or the graph network of a model with latents.
        problems: Random reachable poses.
        samples: Samples of each.
        position: Distances [m].
        orientation: Angles [rad].
        success: Share of problems with a sample within 1 cm and 1 degree.
        elbo: Lower bound, nats a node, on new problems; of a walk the likelihood itself, nats a
            joint.
        best: (C, 2) mean over problems of the least distance [m] and of its angle [rad] among the
            first `COUNTS` samples (figure 4).
    """

    robot: str
    model: str
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
class Modes:
    """How samples of single problems spread (figures 5 to 7).

    Attributes:
        robot: The chain's label.
        model: Name of the file of weights.
        positions: (K, n) samples of one problem [rad or m].
        position_error: (K,) their distances [m].
        clusters: (R, T) clusters that 32 samples of each of T problems form, a row a radius.
    """

    robot: str
    model: str
    positions: NDArray[np.float64]
    position_error: NDArray[np.float64]
    clusters: NDArray[np.int64]


def models_at_hand(more: Sequence[Path] = ()) -> dict[Path, TrainedModel]:
    """Load the models of the user's and the package's folder, and more of them.

    Raises:
        CheckpointError: A file is unusable.
        GenerativeIKError: There are none.
    """
    folders = [folder / "ggik" for folder in (user_weights(), package_weights())]
    paths = [path for folder in folders for path in sorted(folder.glob("*-robo*.safetensors"))]
    paths = [path for path in paths if not path.stem.endswith(".training")]
    models = {path: load_model(path) for path in dict.fromkeys([*paths, *more])}
    if not models:
        raise GenerativeIKError(
            "there are no weights of GGIK; train some: generative-ik train ggik --help"
        )
    return models


def network_of(trained: TrainedModel) -> str:
    """Say what a model is."""
    model = trained.model
    return "walk" if isinstance(model, Walk) else model.config.network


def purpose_of(trained: TrainedModel) -> str:
    """Say which tables a model belongs to."""
    if network_of(trained) not in ("walk", "egnn"):
        return NETWORKS
    return {0: UNSEEN_ROBOTS, 1: ONE_ROBOT}.get(len(trained.robots), MANY_ROBOTS)


def takes_part(trained: TrainedModel, case: ChainCase) -> bool:
    """Say whether a model is to be measured on a chain: one it knows, or one for any."""
    return not trained.robots or trained.knows(case.chain)


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
        pair = (np.take_along_axis(e, nearest, 1).mean() for e in (distance, angle))
        best.append(tuple(pair))
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
        float(((distance < _NEAR) & (angle < _TURNED)).any(axis=1).mean()),
        _elbo(case, trained, device, seed),
        np.array(best),
    )


@torch.inference_mode()
def _elbo(case: ChainCase, trained: TrainedModel, device: str, seed: int) -> float:
    model = trained.model
    arm = ArmGraph.of(case.chain).to(device, torch.float32)
    lines = arm.lines
    generator = torch.Generator().manual_seed(seed)
    unit = torch.rand((1024, lines.num_variables), generator=generator).to(device)
    q = lines.middle + lines.half * (2.0 * unit - 1.0)
    if isinstance(model, Walk):
        left = model.arms_left(arm.links)
        asked = seen_and_told(arm.links, q)
        each = [model(left[joint], seen).log_prob(angle).mean() for joint, seen, angle in asked]
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
    """Sample one problem often, and many 32 times each, and count clusters on the torus.

    Raises:
        MissingDependencyError: scikit-learn is not installed.
    """
    sampler, oracle = GGIK(case.chain, device, weights=path), Oracle.of(case)
    box, space = SearchBox.of(case.chain), JointSpace.torus(case.chain)
    targets = random_reachable_poses(case.chain, problems, seed, oracle.forward)
    one = sampler.propose(box.seed_request(targets[:1], samples, seed))[0]
    distance, _ = pose_errors(oracle.forward, one[None], targets[:1, None])
    several = sampler.propose(box.seed_request(targets, SAMPLES, seed))
    counts = [[cluster_count(space, some, radius) for some in several] for radius in RADII]
    return Modes(case.label, path.name, one, distance[0], np.array(counts))
