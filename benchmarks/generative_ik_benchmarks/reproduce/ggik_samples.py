"""Raw samples of a GGIK model.

Their errors (tables I to III and V, figure 4) and their modes; their discrepancy from the solution
set (CoRL table 1); what a few Gauss-Newton steps make of them; and their times (figure 8).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import one_by_one
from generative_ik_benchmarks.metrics.clusters import cluster_count
from generative_ik_benchmarks.metrics.mmd import expected_of_equals
from generative_ik_benchmarks.metrics.pose_error import (
    NEAR,
    Forward,
    Summary,
    pose_errors,
    successes,
)
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
from generative_ik_ros.learned.ggik.models import arm_for
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


@dataclass(frozen=True)
class Subject:
    """A model that is measured on a robot.

    Attributes:
        case: The robot.
        path: The model's file.
        device: Where the model runs.
        seed: Of poses and samples.
    """

    case: ChainCase
    path: Path
    device: str = "cpu"
    seed: int = 1

    def new_sampler(self) -> GGIK:
        """Return a sampler of its own."""
        return GGIK(self.case.chain, self.device, weights=self.path)

    @cached_property
    def sampler(self) -> GGIK:
        """The sampler."""
        return self.new_sampler()

    @cached_property
    def box(self) -> SearchBox:
        """The bounds of its samples: limits are kept, which the papers ignore."""
        return SearchBox.of(self.case.chain)

    def poses(self, count: int) -> Floats:
        """Return random reachable poses (count, 4, 4)."""
        return random_reachable_poses(self.case.chain, count, self.seed, self._forward)

    def samples(self, targets: Floats, count: int) -> Floats:
        """Return raw samples (T, count, n) of poses (T, 4, 4)."""
        return self.sampler.propose(self.box.seed_request(targets, count, self.seed))

    def errors(self, positions: Floats, targets: Floats) -> tuple[Floats, Floats]:
        """Return distances [m] and angles [rad] (T, K) of configurations (T, K, n)."""
        return pose_errors(self._forward, positions, targets[:, None])

    @cached_property
    def _forward(self) -> Forward:
        return Oracle.of(self.case).forward


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


def accuracy(subject: Subject, problems: int, purpose: str | None = None) -> Accuracy:
    """Measure raw samples of random reachable poses, of which the papers have 2000.

    Which tables they belong to is seen from the model where it is not said.
    """
    targets, trained = subject.poses(problems), subject.sampler.trained
    distance, angle = subject.errors(subject.samples(targets, max(COUNTS)), targets)
    best = []
    for first in COUNTS:
        nearest = distance[:, :first].argmin(axis=1)[:, None]
        best.append([np.take_along_axis(e, nearest, 1).mean() for e in (distance, angle)])
    distance, angle = distance[:, :SAMPLES], angle[:, :SAMPLES]
    return Accuracy(
        subject.case.label,
        subject.path.stem,
        purpose or purpose_of(trained),
        network_of(trained),
        Summary.of(distance),
        Summary.of(angle),
        successes(distance, angle, NEAR)[1],
        _elbo(subject),
        np.array(best),
    )


@torch.inference_mode()
def _elbo(subject: Subject) -> float:
    model, device = subject.sampler.trained.model, subject.device
    arm = arm_for(model.config, ArmGraph.of(subject.case.chain)).to(device, torch.float32)
    lines = arm.lines
    generator = torch.Generator().manual_seed(subject.seed)
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


def modes(subject: Subject, samples: int, problems: int) -> Modes:
    """Sample one problem often, and many 32 times each, and count clusters on the torus."""
    targets, space = subject.poses(problems), JointSpace.torus(subject.case.chain)
    one = subject.samples(targets[:1], samples)
    distance, _ = subject.errors(one, targets[:1])
    several = subject.samples(targets, SAMPLES)
    counts = [[cluster_count(space, some, radius) for some in several] for radius in RADII]
    return Modes(subject.case.label, subject.path.name, one[0], distance[0], np.array(counts))


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


def discrepancy(subject: Subject, poses: int) -> Discrepancy:
    """Measure 50 samples a pose against draws from the pose's solution set.

    The paper has rejection samples within 8 cm and 8 degrees, each of which takes millions of
    draws; ours are exact solutions. Poses with a single solution are left out.
    """
    targets, box, seed = subject.poses(poses), subject.box, subject.seed
    sets = exhaustive_sets(subject.case.chain, targets, _SETTINGS)
    samples = subject.samples(targets, MMD_SAMPLES)
    draws = np.random.default_rng(seed).uniform(box.lower, box.upper, samples.shape)
    rows = []
    for one, other, solutions in zip(samples, draws, sets, strict=True):
        if len(solutions.dense) < 2:
            continue
        drawn = solutions.draw(MMD_SAMPLES, seed)
        floor = expected_of_equals(solutions.dense, MMD_SAMPLES)
        rows.append((squared_mmd(one, drawn), squared_mmd(other, drawn), floor))
    means = np.mean(rows, axis=0) if rows else np.full(3, np.nan)
    return Discrepancy(subject.case.label, subject.path.stem, len(rows), *map(float, means))


@dataclass(frozen=True)
class Stepped(ModelRow):
    """Raw errors after Gauss-Newton steps towards the target."""

    position: tuple[float, ...] = figure("Mean distance after each of `STEPS` [m].")
    orientation: tuple[float, ...] = figure("Mean angle likewise [rad].")
    near: tuple[float, ...] = figure("Share of samples within 1 cm and 1 degree likewise.")


def stepped(subject: Subject, problems: int) -> Stepped:
    """Take bounded Gauss-Newton steps from raw samples, 32 a problem, without limits.

    Links keep their distances in every configuration, so that of the known distances only those
    between base and goal remain to be met: the steps are those of a local solver.
    """
    chain, targets = subject.case.chain, subject.poses(problems)
    lines = ArmGraph.of(chain).lines
    q = torch.tensor(subject.samples(targets, SAMPLES))
    wanted = torch.tensor(chain.canonical_target(targets))[:, None]
    rows, done = [], 0
    for steps in STEPS:
        for _ in range(steps - done):
            q = q + _step(lines.forward, q, wanted)
        done = steps
        distance, angle = subject.errors(q.numpy(), targets)
        near, _ = successes(distance, angle, NEAR)
        rows.append([float(distance.mean()), float(angle.mean()), near])
    columns = (tuple(column) for column in zip(*rows, strict=True))
    return Stepped(subject.case.label, subject.path.stem, *columns)


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


@dataclass(frozen=True)
class SamplingTime:
    """Time of a number of samples of one problem."""

    robot: str = figure("The chain's label.")
    way: str = figure('"core", or "PyTorch"; a model with latent variables has only the latter.')
    samples: int = figure("How many.")
    mean: float = figure("Mean over problems [ms].")
    deviation: float = figure("Standard deviation [ms].")


def sampling_times(subject: Subject, sizes: Sequence[int]) -> list[SamplingTime]:
    """Time samples of one of ten problems, as the sampler draws them, and in PyTorch."""
    box, seed, targets = subject.box, subject.seed, subject.poses(10)
    rows = []
    for plain in (False, True):
        sampler = subject.new_sampler()
        if plain and sampler.native is None:
            break
        sampler.native = None if plain else sampler.native
        way = "PyTorch" if sampler.native is None else "core"
        for size in sizes:
            sampler.propose(box.seed_request(targets[:1], size, seed))
            requests = [box.seed_request(target, size, seed) for target in targets[:, None]]
            times = 1e3 * one_by_one(sampler.propose, requests)[1]
            mean, deviation = float(np.mean(times)), float(np.std(times))
            rows.append(SamplingTime(subject.case.label, way, size, mean, deviation))
    return rows
