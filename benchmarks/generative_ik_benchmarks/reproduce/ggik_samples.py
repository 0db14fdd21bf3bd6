"""Raw samples of a GGIK model.

Their errors (tables I to III and V, figure 4) and their modes; their discrepancy from the solution
set (CoRL table 1); and what a few Gauss-Newton steps make of them.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.metrics.clusters import cluster_count
from generative_ik_benchmarks.metrics.mmd import expected_of_equals
from generative_ik_benchmarks.metrics.pose_error import THRESHOLDS, Summary, pose_errors, successes
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.reference.exhaustive import exhaustive_sets
from generative_ik_benchmarks.reference.saturation import ExhaustiveSettings
from generative_ik_benchmarks.reproduce.ggik_models import network_of, purpose_of
from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.learned.ggik.autoregressive.goal_features import training_pairs
from generative_ik_ros.learned.ggik.autoregressive.model import AutoregressiveModel
from generative_ik_ros.learned.ggik.latent.problems import ArmProblems
from generative_ik_ros.learned.ggik.models import Model, arm_for
from generative_ik_ros.learned.ggik.sampler import GGIK
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.learned.training.mmd import squared_mmd
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
    """What every row of figures begins with."""

    robot: str = figure("The chain's label.")
    model: str = figure("Name of the file of weights.")


@dataclass(frozen=True)
class Accuracy(ModelRow):
    """Raw samples of one model for one robot: a row of tables I to III."""

    purpose: str = figure("Which tables it belongs to.")
    network: str = figure(
        '"autoregressive", or the graph network of a model with latent variables.'
    )
    problems: int = figure("Random reachable poses.")
    samples: int = figure("Samples of each.")
    position: Summary = figure("Distances [m].")
    orientation: Summary = figure("Angles [rad].")
    success: float = figure("Share of problems with a sample within 1 cm and 1 degree.")
    elbo: float = figure(
        "Lower bound on new problems, nats per node; of an autoregressive model the "
        "likelihood itself, nats per joint."
    )
    best: Floats = figure(
        "(C, 2) mean over problems of the least distance [m] and of its angle [rad] among the "
        "first `COUNTS` samples (figure 4)."
    )


@dataclass(frozen=True)
class Modes(ModelRow):
    """How samples of single problems spread (figures 5 to 7)."""

    positions: Floats = figure("(K, n) samples of one problem [rad or m].")
    position_error: Floats = figure("(K,) their distances [m].")
    clusters: Ints = figure(
        "(R, T) clusters that 32 samples of each of T problems form, a row a radius."
    )


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


MMD_SAMPLES = 50
"""As in CoRL's table 1, for as many poses."""
STEPS = (0, 1, 2, 4)
_SETTINGS = ExhaustiveSettings(first_seeds=2**12, max_seeds=2**14, max_thinned=500, max_dense=2000)
_DAMPING, _LONGEST = 1e-4, 0.7


@dataclass(frozen=True)
class Discrepancy(ModelRow):
    """How far samples are from the solution set's distribution, squared MMD."""

    poses: int = figure("Random reachable poses.")
    samples: float = figure("Of the model.")
    uniform: float = figure("Of uniform draws from the joint box, for comparison.")
    floor: float = figure("Of the solution set itself, from so few samples.")


def discrepancy(
    case: ChainCase, path: Path, *, poses: int = 50, device: str = "cpu", seed: int = 1
) -> Discrepancy:
    """Measure 50 samples a pose against draws from the pose's solution set.

    The paper has rejection samples within 8 cm and 8 degrees, each of which takes millions of
    draws; ours are exact solutions.
    """
    box = SearchBox.of(case.chain)
    targets = random_reachable_poses(case.chain, poses, seed)
    sets = exhaustive_sets(case.chain, targets, _SETTINGS)
    samples = GGIK(case.chain, device, weights=path).propose(
        box.seed_request(targets, MMD_SAMPLES, seed)
    )
    draws = np.random.default_rng(seed).uniform(box.lower, box.upper, samples.shape)
    rows = []
    for one, other, solutions in zip(samples, draws, sets, strict=True):
        if len(solutions.dense) < 2:
            continue
        drawn = solutions.draw(MMD_SAMPLES, seed)
        floor = expected_of_equals(solutions.dense, MMD_SAMPLES)
        rows.append((squared_mmd(one, drawn), squared_mmd(other, drawn), floor))
    return Discrepancy(case.label, path.stem, len(rows), *map(float, np.mean(rows, axis=0)))


@dataclass(frozen=True)
class Stepped(ModelRow):
    """Raw errors after Gauss-Newton steps towards the target."""

    position: tuple[float, ...] = figure("Mean distance after each of `STEPS` [m].")
    orientation: tuple[float, ...] = figure("Mean angle likewise [rad].")
    near: tuple[float, ...] = figure("Share of samples within 1 cm and 1 degree likewise.")


def stepped(
    case: ChainCase, path: Path, *, problems: int = 100, device: str = "cpu", seed: int = 1
) -> Stepped:
    """Take bounded Gauss-Newton steps from raw samples, 32 a problem, without limits.

    Links keep their distances in every configuration, so that of the known distances only those
    between base and goal remain to be met: the steps are those of a local solver.
    """
    lines = ArmGraph.of(case.chain).lines
    targets = random_reachable_poses(case.chain, problems, seed)
    request = SearchBox.of(case.chain).seed_request(targets, SAMPLES, seed)
    q = torch.tensor(GGIK(case.chain, device, weights=path).propose(request))
    wanted = torch.tensor(case.chain.canonical_target(targets))[:, None]
    rows, done = [], 0
    for steps in STEPS:
        for _ in range(steps - done):
            q = q + _step(lines.forward, q, wanted)
        done = steps
        distance, angle = pose_errors(case.chain.forward, q.numpy(), targets[:, None])
        near = successes(distance, angle, [NEAR])[0].samples
        rows.append([float(distance.mean()), float(angle.mean()), near])
    return Stepped(case.label, path.stem, *(tuple(column) for column in zip(*rows, strict=True)))


def _step(forward, q: Tensor, wanted: Tensor) -> Tensor:  # noqa: ANN001
    """Return a damped Gauss-Newton step (*S, n), derivatives by central differences."""
    small = 1e-6
    columns = []
    for joint in range(q.shape[-1]):
        moved = torch.zeros(q.shape[-1], dtype=q.dtype)
        moved[joint] = small
        columns.append(
            (forward(q + moved)[..., :3, :] - forward(q - moved)[..., :3, :]).flatten(-2)
        )
    jacobian = torch.stack(columns, dim=-1) / (2.0 * small)
    missing = (wanted - forward(q))[..., :3, :].flatten(-2)
    normal = jacobian.mT @ jacobian + _DAMPING * torch.eye(q.shape[-1], dtype=q.dtype)
    step = torch.linalg.solve(normal, (jacobian.mT @ missing[..., None]))[..., 0]
    length = step.abs().amax(dim=-1, keepdim=True)
    return step * (_LONGEST / length.clamp(min=_LONGEST))
