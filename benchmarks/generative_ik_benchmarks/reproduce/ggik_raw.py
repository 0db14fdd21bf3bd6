"""Raw samples of a GGIK model, beyond their errors.

Their discrepancy from the solution set (CoRL table 1); what a few Gauss-Newton steps make of
them; and, for a model with latent variables, whether its prior or its decoder is at fault.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.metrics.mmd import expected_of_equals
from generative_ik_benchmarks.metrics.pose_error import pose_errors, successes
from generative_ik_benchmarks.reference.exhaustive import exhaustive_sets
from generative_ik_benchmarks.reference.saturation import ExhaustiveSettings
from generative_ik_benchmarks.reproduce.ggik_samples import NEAR, SAMPLES, ModelRow
from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_ros.learned.ggik.latent.model import LatentModel, normal_log_prob
from generative_ik_ros.learned.ggik.latent.problems import ArmProblems
from generative_ik_ros.learned.ggik.sampler import GGIK
from generative_ik_ros.learned.graph.arm_graph import ArmGraph, recover
from generative_ik_ros.learned.training.mmd import squared_mmd
from generative_ik_ros.robot.random_poses import random_reachable_poses

MMD_SAMPLES = 50
"""As in CoRL's table 1, for as many poses."""
STEPS = (0, 1, 2, 4)
_SETTINGS = ExhaustiveSettings(first_seeds=2**12, max_seeds=2**14, max_thinned=500, max_dense=2000)
_DAMPING, _LONGEST = 1e-4, 0.7


@dataclass(frozen=True)
class Discrepancy(ModelRow):
    """How far samples are from the solution set's distribution, squared MMD.

    Attributes:
        poses: Random reachable poses.
        samples: Of the model.
        uniform: Of uniform draws from the joint box, for comparison.
        floor: Of the solution set itself, from so few samples.
    """

    poses: int
    samples: float
    uniform: float
    floor: float


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
    """Raw errors after Gauss-Newton steps towards the target.

    Attributes:
        position: Mean distance after each of `STEPS` [m].
        orientation: Mean angle likewise [rad].
        near: Share of samples within 1 cm and 1 degree likewise.
    """

    position: tuple[float, ...]
    orientation: tuple[float, ...]
    near: tuple[float, ...]


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


@dataclass(frozen=True)
class LatentErrors(ModelRow):
    """Whether a model with latent variables fails in its decoder or in its prior.

    Attributes:
        nats: Divergence of the encoder's distribution from the prior, per arm [nats].
        points: Mean distance of decoded from true points, latents of the encoder; share of the
            arm.
        encoded: Mean distance and angle of the pose from them [m, rad].
        drawn: The same from latents that are drawn from the prior [m, rad].
    """

    nats: float
    points: float
    encoded: tuple[float, float]
    drawn: tuple[float, float]


@torch.inference_mode()
def latent_errors(
    case: ChainCase, model: LatentModel, name: str, *, problems: int = 512, seed: int = 1
) -> LatentErrors:
    """Decode latents of known solutions, and latents that are drawn from the prior."""
    exact = ArmGraph.of(case.chain)
    arm = exact.to("cpu", torch.float32)
    maker, lines = ArmProblems(arm, model.config), arm.lines
    generator = torch.Generator().manual_seed(seed)
    q = lines.uniform(torch.rand((problems, lines.num_variables), generator=generator))
    wanted, points = lines.forward(q), arm.points(q) / maker.scale
    some = maker.of_targets(wanted)
    shape = (problems, model.num_latents(maker.num_nodes), model.config.latent)
    chance = torch.rand(shape[:-1], generator=generator)
    normal = torch.randn(shape, generator=generator)
    mean, log_deviation = model.posterior_of(some, points)
    prior = model.prior_of(some)
    encoded = mean + torch.exp(log_deviation) * normal
    nats = normal_log_prob(encoded, mean, log_deviation) - prior.log_prob(encoded)
    errors, missed = [], []
    for latents in (encoded, prior.sample(chance, normal)):
        decoded = torch.where(some.known[..., None], some.positions, model.decode(latents, some))
        missed.append(float((decoded - points).norm(dim=-1)[:, ~arm.known].mean()))
        found = recover(exact, decoded.double() * float(maker.scale))
        targets = case.chain.forward(q.double().numpy())
        distance, angle = pose_errors(case.chain.forward, found.numpy()[:, None], targets[:, None])
        errors.append((float(distance.mean()), float(angle.mean())))
    return LatentErrors(case.label, name, float(nats.sum(-1).mean()), missed[0], *errors)
