"""The training tasks of the two kinds of GGIK model."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.learned.checkpoint import Checkpoint
from generative_ik_ros.learned.ggik.autoregressive.goal_features import training_pairs
from generative_ik_ros.learned.ggik.config import LatentConfig
from generative_ik_ros.learned.ggik.latent.problems import ArmProblems, Problems
from generative_ik_ros.learned.ggik.models import Config, Model, generator_for, make_model
from generative_ik_ros.learned.ggik.weights import to_checkpoint
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.learned.graph.lines import JointLines
from generative_ik_ros.learned.training.data import pose_errors
from generative_ik_ros.learned.training.ggik_data import ArmSource
from generative_ik_ros.learned.training.probe import converged_in_10
from generative_ik_ros.learned.training.task import TrainingTask
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.joints import finite_limits


@dataclass(frozen=True)
class ArmTuning:
    """How random arms become problems."""

    each: int = 4
    """Configurations of every random arm: drawing and encoding an arm is half the work."""
    least_jitter: float = 1e-3
    """Joint errors are drawn from this up to the largest one [rad]."""


TUNING = ArmTuning()


class GGIKTask(TrainingTask):
    """Training of one model for many arms; subclasses draw the batches and compute the loss.

    Args:
        source: Where arms come from.
        config: Of the model.
        robots: Fingerprints, by name, of the arms that the source draws; empty for random arms.
        measured: Chains to evaluate on, by name.
        device: Where to train.
        seed: Of the initial weights.
        compiled: Compile the loss with torch.compile.
        bf16: Multiply matrices in bfloat16.
        jitter: Largest error of the joint before, for half of the steps; 0 for none [rad]. Not
            read for `latent`.
    """

    varying_shapes: bool
    """Whether the shapes of batches vary, for torch.compile."""

    def __init__(
        self,
        source: ArmSource,
        config: Config,
        robots: Mapping[str, str],
        measured: Mapping[str, KinematicChain],
        device: torch.device,
        *,
        seed: int = 0,
        compiled: bool = False,
        bf16: bool = False,
        jitter: float = 0.0,
    ):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._model: Any = make_model(config).to(device)
        self.model, self.device, self._robots = self._model, device, robots
        self._source, self._bf16, self._jitter = source, bf16, jitter
        self._in_training = self._losses
        if compiled:
            self._in_training = torch.compile(self._losses, dynamic=self.varying_shapes)
        self._measures = Measures(measured, device)

    @abstractmethod
    def _losses(self, *batch: Any) -> Tensor:  # noqa: ANN401
        """Return the losses of a batch."""

    def _mean(self, *batch: object) -> Tensor:
        """Return the mean loss; only the batches of the training run the core."""
        losses = self._in_training if self._model.training else self._losses
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._bf16):
            return losses(*batch).mean()

    @torch.no_grad()
    def evaluate(self) -> Mapping[str, float]:
        """Measure loss, raw errors, success and convergence; means over the chains."""
        generator = torch.Generator(self.device).manual_seed(1)
        loss = float(self.loss(EVALUATION.held_out, generator))
        return {"held_out_loss": loss, **self._measures(self._model)}

    def checkpoint(self, weights: dict[str, Tensor], training: dict[str, object]) -> Checkpoint:
        """Return weights, and how they came about, for the sampler to load."""
        return to_checkpoint(self._model.config, weights, self._robots, training)


class AutoregressiveTask(GGIKTask):
    """The negative log-likelihood of solutions, per sampled joint."""

    varying_shapes = True
    batch_sizes: ClassVar = {"cpu": 512, "cuda": 8192}

    def _losses(self, *batch: Any) -> Tensor:  # noqa: ANN401
        encodings, features, angles = batch
        return -self._model(encodings, features).log_prob(angles)

    def loss(self, count: int, generator: torch.Generator) -> Tensor:
        """Return the mean negative log-likelihood of a batch [nats per joint].

        Raises:
            InvalidArgumentError: No joint of the arms is sampled.
        """
        encodings, features, angles = [], [], []
        for arm, q in self._source(count, generator, TUNING.each):
            links = arm.links
            encoded = self._model.encode(links)
            errors = self._errors((*q.shape[:-1], links.num_joints), generator)
            for joint, seen, angle in training_pairs(links, q, errors):
                encodings.append(encoded[joint].expand(*angle.shape, -1).flatten(0, -2))
                features.append(seen.flatten(0, -2))
                angles.append(angle.flatten())
        if not angles:
            raise InvalidArgumentError(
                "there is nothing to learn: all joints of these arms follow from the target"
            )
        return self._mean(torch.cat(encodings), torch.cat(features), torch.cat(angles))

    def _errors(self, shape: tuple[int, ...], generator: torch.Generator) -> Tensor | None:
        """Draw errors of joints, of any order of magnitude up to the largest [rad]."""
        if not self._jitter:
            return None
        device = generator.device
        normal = torch.randn(shape, generator=generator, device=device)
        sizes, chosen = torch.rand((2, *shape), generator=generator, device=device)
        ratio = max(self._jitter / TUNING.least_jitter, 1.0)
        errors = normal * TUNING.least_jitter * ratio**sizes
        return torch.where(chosen < 0.5, errors, torch.zeros_like(errors))


class LatentTask(GGIKTask):
    """The negative evidence lower bound (T-RO, equation 6; CoRL, equation 5), per node."""

    varying_shapes = False
    batch_sizes: ClassVar = {"cpu": 64, "cuda": 2048}
    patience = 1e3
    """The first bounds are hundreds of nats, and fall or jump by as much."""

    def _losses(self, *batch: Any) -> Tensor:  # noqa: ANN401
        return self._model.negative_elbo(*batch)

    @cached_property
    def _makers(self) -> WeakKeyDictionary[ArmGraph, ArmProblems]:
        """Makers of problems; fixed arms are drawn again and again."""
        return WeakKeyDictionary()

    def loss(self, count: int, generator: torch.Generator) -> Tensor:
        """Return the mean negative lower bound of a batch [nats per node]."""
        problems, points = self._problems(count, generator)
        shape = (count, self._model.num_latents(points.shape[-2]), self._model.config.latent)
        normal = torch.randn(shape, generator=generator, device=self.device)
        return self._mean(problems, points, normal)

    def _problems(self, count: int, generator: torch.Generator) -> tuple[Problems, Tensor]:
        """Return problems and their complete points (B, N, 3), shares of the arm's length."""
        problems, points = [], []
        for arm, q in self._source(count, generator, 1):
            if arm not in self._makers:
                self._makers[arm] = ArmProblems(arm, self._model.config)
            some = self._makers[arm].of_targets(arm.lines.forward(q))
            solved = arm.points(q) / some.scale[..., None, None]
            problems.append(some.flattened())
            points.append(solved.flatten(0, -3))
        most = max(part.shape[-2] for part in points)
        points = [functional.pad(part, (0, 0, 0, most - part.shape[-2])) for part in points]
        return Problems.joined(problems), torch.cat(points)


def ggik_task(source: ArmSource, config: Config, *arms: Any, **settings: Any) -> GGIKTask:  # noqa: ANN401
    """Return the task of a new model of that configuration; see `GGIKTask`."""
    kind = LatentTask if isinstance(config, LatentConfig) else AutoregressiveTask
    return kind(source, config, *arms, **settings)


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation looks at."""

    held_out: int = 512
    """Problems of which the loss is computed."""
    targets: int = 32
    """Goals that are drawn for."""
    samples: int = 32
    """Draws for each."""


EVALUATION = Evaluation()

_NEAR, _TURNED = 1e-2, np.deg2rad(1.0)
"""What counts as success in the papers' tables: 1 cm and 1 degree."""


class Measures:
    """Measures samples for fixed problems of some chains, by name; models are on the device."""

    def __init__(self, chains: Mapping[str, KinematicChain], device: torch.device):
        self._device = device
        self._arms = {name: (chain, ArmGraph.of(chain)) for name, chain in chains.items()}

    def __call__(self, model: Model) -> dict[str, float]:
        """Return means over the chains, and position error and convergence of each."""
        rows = {name: self._measure(model, name) for name in self._arms}
        figures = {}
        for key in next(iter(rows.values()), ()):
            figures[key] = float(np.mean([row[key] for row in rows.values()]))
        for name, row in rows.items():
            for key in ("position_error_mm", "converged_in_10"):
                figures[f"{key}_{name}"] = row[key]
        return figures

    def _measure(self, model: Model, name: str) -> dict[str, float]:
        chain, arm = self._arms[name]
        wanted = _targets(arm.lines)
        generator = generator_for(model, arm, self._device)
        numbers = torch.Generator().manual_seed(1)
        unit = torch.rand((EVALUATION.samples, generator.width), generator=numbers).to(
            self._device
        )
        q = generator.draw(wanted.to(self._device, torch.float32), unit)[0].cpu()
        distance, angle = pose_errors(arm.lines.forward(q), wanted[:, None])
        near = ((distance < _NEAR) & (angle < _TURNED)).any(dim=1)
        lower, upper = finite_limits(chain)
        seeds = q.numpy()
        inside = np.clip(seeds, lower, upper)
        return {
            "position_error_mm": float(distance.mean()) * 1e3,
            "orientation_error_deg": float(angle.mean().rad2deg()),
            "success": float(near.double().mean()),
            "inside_limits": float((seeds == inside).all(axis=-1).mean()),
            "converged_in_10": converged_in_10(chain, inside, wanted.numpy(), lower, upper),
        }


def _targets(lines: JointLines) -> Tensor:
    """Return reachable canonical targets (T, 4, 4), always the same [m]."""
    unit = np.random.default_rng(0).uniform(-1.0, 1.0, (EVALUATION.targets, lines.num_variables))
    return lines.forward(lines.middle + lines.half * torch.tensor(unit))
