"""The training of distal networks for one chain."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from generative_ik_ros.learned.checkpoint import Checkpoint
from generative_ik_ros.learned.distal.config import DistalConfig
from generative_ik_ros.learned.distal.net import DistalNet, to_checkpoint
from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.learned.training.data import PoseData, pose_errors
from generative_ik_ros.learned.training.task import TrainingTask
from generative_ik_ros.robot.chain import KinematicChain


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation looks at."""

    held_out: int = 2048
    """Poses."""
    slack: float = 1e-6
    """Joints may be so far beyond their limits [rad or m]."""


EVALUATION = Evaluation()


Poses = Callable[[int, torch.Generator], Tensor]
"""Draws that many canonical poses (B, 4, 4) to learn from [m]."""


class DistalTask(TrainingTask):
    """Distal teaching: the forward kinematics is the teacher (T. von Oehsen et al., 2020).

    The loss is the error of the pose that the network's configuration reaches, backpropagated
    through the forward kinematics (equation 1): w times the distance of the tip [m] plus 1 - w
    times the angle [rad] (equation 2), plus the penalty times the sum of the joints' excess beyond
    their limits (equation 3).

    Args:
        chain: The chain.
        config: The net's shape.
        device: Where to train.
        penalty: Lambda in equation 3 [1/rad]; 0 to ignore limits.
        position_weight: w in equation 2, from 0 to 1; the paper's is 0.75.
        poses: What to learn from; None for new reachable poses in every batch.
        seed: Of the initial weights.
    """

    batch_sizes = {"cpu": 256, "cuda": 4096}

    def __init__(
        self,
        chain: KinematicChain,
        config: DistalConfig,
        device: torch.device,
        *,
        penalty: float = 1.0,
        position_weight: float = 0.75,
        poses: Poses | None = None,
        seed: int = 0,
    ):
        self.chain, self.config, self.device = chain, config, device
        box = JointBox.of(chain)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._net = DistalNet(config, box).to(device)
        self.model = self._net
        self._data = PoseData(chain, device)
        self._poses = self._reachable if poses is None else poses
        self._penalty, self._position_weight = penalty, position_weight
        tip = chain.canonical.tip_in_last_joint
        self._tip_in_last = torch.tensor(tip, dtype=torch.float32, device=device)
        # A circle has no limit.
        ranges = torch.tensor(box.half * ~box.circular, dtype=torch.float32)
        self._ranges = ranges.to(device)

    def loss(self, count: int, generator: torch.Generator) -> Tensor:
        """Return the mean of equation 3 over a batch and the member nets."""
        distance, angle, beyond = self._errors(self._poses(count, generator))
        weight = self._position_weight
        loss = weight * distance + (1.0 - weight) * angle + self._penalty * beyond
        return loss.mean()

    @torch.no_grad()
    def evaluate(self) -> Mapping[str, float]:
        """Measure errors and limits on reachable poses that are never trained on."""
        generator = torch.Generator(self.device).manual_seed(1)
        distance, angle, beyond = self._errors(self._reachable(EVALUATION.held_out, generator))
        return {
            "position_error_mm": float(distance.mean()) * 1e3,
            "position_error_median_mm": float(distance.median()) * 1e3,
            "orientation_error_deg": float(angle.mean().rad2deg()),
            "beyond_limits": float((beyond > EVALUATION.slack).float().mean()),
        }

    def checkpoint(self, weights: dict[str, Tensor], training: dict[str, object]) -> Checkpoint:
        """Describe weights for the sampler to load."""
        settings = {"penalty": self._penalty, "position_weight": self._position_weight}
        return to_checkpoint(self.config, weights, self.chain, {**training, **settings})

    def _reachable(self, count: int, generator: torch.Generator) -> Tensor:
        """Draw canonical poses (B, 4, 4) of configurations uniform inside the limits."""
        return self._data.poses(self._data.boxed(count, generator))

    def _errors(self, poses: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return distances of the tip [m], angles and excess beyond limits [rad], (M, T) each."""
        boxed = self._net(poses)
        reached = self._data.poses(boxed) @ self._tip_in_last
        distance, angle = pose_errors(reached, poses @ self._tip_in_last)
        beyond = (torch.relu(boxed.abs() - 1.0) * self._ranges).sum(-1)
        return distance, angle, beyond
