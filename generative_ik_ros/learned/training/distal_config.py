"""The training configuration of distal teaching."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from generative_ik_ros.learned.distal.config import DistalConfig, DistalShape
from generative_ik_ros.learned.settings import setting, with_default
from generative_ik_ros.learned.training.config import ChainTraining

if TYPE_CHECKING:
    import torch

    from generative_ik_ros.learned.distal.net import DistalNet
    from generative_ik_ros.learned.training.task import TrainingTask
    from generative_ik_ros.robot.chain import KinematicChain


@dataclass(frozen=True)
class DistalTraining(DistalShape, ChainTraining):
    """The loss."""

    sampler = "distal"

    members: int = with_default(DistalShape, "members", 8)
    hidden: int = with_default(DistalShape, "hidden", 96)
    penalty: float = setting(
        1.0, "Lambda of equation 3, for joints beyond their limits [1/rad].", least=0.0
    )
    position_weight: float = setting(
        0.75, "w of equation 2, per m; the orientation's is 1 - w, per rad.", least=0.0, most=1.0
    )

    def load(self, path: Path, chain: "KinematicChain") -> "DistalNet":
        """Read trained networks."""
        from generative_ik_ros.learned.distal.weights import load_net

        return load_net(path, chain)[0]

    def model_config(self, chain: "KinematicChain") -> DistalConfig:
        """Return the configuration of the networks for a chain."""
        from generative_ik_ros.learned.training.data import position_scale

        scale, shape = position_scale(chain), self.values_of(DistalShape)
        return DistalConfig(joints=chain.num_joints, position_scale=scale, **shape)

    def task(
        self, chain: "KinematicChain", config: DistalConfig, device: "torch.device"
    ) -> "TrainingTask":
        """Make the task."""
        from generative_ik_ros.learned.training.distal_task import DistalTask

        weight = self.position_weight
        return DistalTask(
            chain, config, device, penalty=self.penalty, position_weight=weight, seed=self.seed
        )
