"""The training of a conditional flow for one chain."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from generative_ik_ros.learned.checkpoint import Checkpoint
from generative_ik_ros.learned.ikflow.closing import Closing
from generative_ik_ros.learned.ikflow.config import FlowConfig
from generative_ik_ros.learned.ikflow.flow import ConditionalFlow
from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.learned.ikflow.weights import CONFIGURATIONS, to_checkpoint
from generative_ik_ros.learned.training.data import (
    DemonstrationData,
    PoseData,
    folded,
    pose_errors,
)
from generative_ik_ros.learned.training.motion_prior import MotionPrior
from generative_ik_ros.learned.training.probe import Probe, converged_in_10
from generative_ik_ros.learned.training.task import TrainingTask
from generative_ik_ros.robot.chain import KinematicChain


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation looks at."""

    poses: int = 64
    """Poses."""
    samples: int = 64
    """Samples of each."""
    held_out: int = 4096
    """Configurations of which the loss is computed."""


EVALUATION = Evaluation()


class FlowTask(TrainingTask):
    """Maximum likelihood with SoftFlow's noise (IKFlow, equations 5 and 6).

    Args:
        chain: The chain.
        config: The flow's shape.
        device: Where to train.
        seed: Of the first weights.
        compiled: Compile the flow's likelihood with torch.compile.
        bf16: Multiply matrices in bfloat16.
        probe: Poses for the evaluation's discrepancy; None for none.
        prior: What to learn; None: all configurations within the limits alike.
    """

    def __init__(
        self,
        chain: KinematicChain,
        config: FlowConfig,
        device: torch.device,
        *,
        seed: int = 0,
        compiled: bool = False,
        bf16: bool = False,
        probe: Probe | None = None,
        prior: MotionPrior | None = None,
    ):
        self.chain, self.config, self.device = chain, config, device
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._flow = ConditionalFlow(config).to(device)
        self.model = self._flow
        self._prior = prior
        self._data = self._held_out = PoseData(chain, device)
        if prior is not None:
            points, held_out, spread, uniform_share = prior
            self._data = DemonstrationData(chain, device, points, spread, uniform_share)
            self._held_out = DemonstrationData(chain, device, held_out, spread, 0.0)
        self._bf16, self._probe = bf16, probe
        self._likelihood = self._log_prob
        if compiled and device.type == "cuda":
            self._likelihood = torch.compile(self._log_prob, dynamic=False)
        elif compiled:
            # On the CPU all layers in one graph compile for minutes, a spline for half of one.
            self._flow.compile_spline()
        self._box = box = JointBox.of(chain)
        self._bounds = box.middle - box.half, box.middle + box.half
        self._closing = Closing(chain, config.closed, device, torch.float32)

    def loss(self, count: int, generator: torch.Generator) -> Tensor:
        """Return the mean negative log-likelihood of noisy configurations [nats]."""
        return self._loss(self._data, count, generator)

    def _loss(self, data: PoseData, count: int, generator: torch.Generator) -> Tensor:
        joints = data.boxed(count, generator)
        poses = data.poses(joints)
        joints = joints[:, self.config.modelled]
        level = torch.rand((count,), generator=generator, device=self.device)
        noisy = self._noisy(self._padded(joints, generator), level, generator)
        likelihood = self._likelihood if self._flow.training else self._log_prob
        return -likelihood(noisy, poses, level).mean()

    @torch.no_grad()
    def evaluate(self) -> Mapping[str, float]:
        """Measure likelihood, raw errors, the share of converging seeds, and the discrepancy."""
        generator = torch.Generator(self.device).manual_seed(1)
        data = self._held_out
        loss = self._loss(data, EVALUATION.held_out, generator)
        poses = data.poses(data.boxed(EVALUATION.poses, generator))
        seeds = self._samples(poses, EVALUATION.samples, generator)
        reached = self._canonical(self.chain.forward(seeds))
        distance, angle = pose_errors(reached, poses[:, None])
        figures = {
            "held_out_loss": float(loss),
            "position_error_mm": float(distance.mean()) * 1e3,
            "position_error_median_mm": float(distance.median()) * 1e3,
            "orientation_error_deg": float(angle.mean().rad2deg()),
            "converged_in_10": converged_in_10(self.chain, seeds, _exact(poses), *self._bounds),
        }
        if self._probe is not None:
            wanted = self._canonical(self._probe.targets)
            drawn = self._samples(wanted, self._probe.samples, generator)
            figures["mmd"] = self._probe.discrepancy(drawn)
        return figures

    def checkpoint(self, weights: dict[str, Tensor], training: dict[str, object]) -> Checkpoint:
        """Describe weights for the sampler to load."""
        prior = self._prior
        if prior is not None:
            seen = {CONFIGURATIONS: len(prior.points), "spread": prior.spread}
            training = {**training, **seen, "uniform_share": prior.uniform_share}
        return to_checkpoint(self.config, weights, self.chain, training)

    def _samples(self, poses: Tensor, count: int, generator: torch.Generator) -> np.ndarray:
        """Draw configurations (T, K, n) inside the limits for canonical poses (T, 4, 4)."""
        shape = (len(poses), count, self.config.width)
        draw = torch.rand if self.config.kind == "spline" else torch.randn
        base = draw(shape, generator=generator, device=self.device)
        boxed, _ = self._flow.generate(base, self._flow.condition(poses)[:, None])
        modelled = boxed[..., : len(self.config.modelled)]
        positions = self._closing.positions(modelled, poses[:, None]).double().cpu().numpy()
        turning = self._box.circular.copy()
        turning[list(self.config.closed)] = True
        return self._box.inside(positions, *self._bounds, turning)

    def _canonical(self, tip_in_base: np.ndarray) -> Tensor:
        poses = self.chain.canonical_target(tip_in_base)
        return torch.as_tensor(poses, dtype=torch.float32, device=self.device)

    def _log_prob(self, boxed: Tensor, poses: Tensor, level: Tensor) -> Tensor:
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._bf16):
            return self._flow.log_prob(boxed, self._flow.condition(poses, level))

    def _padded(self, joints: Tensor, generator: torch.Generator) -> Tensor:
        """Add padding that is independent of the joints, (B, n) -> (B, D)."""
        extra = (len(joints), self.config.width - joints.shape[1])
        if not extra[1]:
            return joints
        if self.config.kind == "spline":
            padding = 2.0 * torch.rand(extra, generator=generator, device=self.device) - 1.0
        else:
            padding = torch.randn(extra, generator=generator, device=self.device)
        return torch.cat([joints, padding], dim=-1)

    def _noisy(self, boxed: Tensor, level: Tensor, generator: torch.Generator) -> Tensor:
        """Add SoftFlow's noise; what would leave the box of a spline is reflected or wrapped."""
        noise = torch.randn(boxed.shape, generator=generator, device=self.device)
        boxed = boxed + self.config.noise_scale * level[:, None] * noise
        if self.config.kind == "coupling":
            return boxed
        return folded(boxed, self._flow.circular)


def _exact(poses: Tensor) -> np.ndarray:
    """Return poses (T, 4, 4) that were computed in single precision with exact rotations."""
    exact = poses.double().cpu().numpy()
    left, _, right = np.linalg.svd(exact[:, :3, :3])
    exact[:, :3, :3] = left @ right
    return exact
