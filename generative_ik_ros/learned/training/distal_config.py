"""The training configuration of distal teaching."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from generative_ik_ros.learned.distal.config import DistalConfig, DistalShape
from generative_ik_ros.learned.settings import setting, with_default
from generative_ik_ros.learned.training.config import ChainTraining

if TYPE_CHECKING:
    import torch

    from generative_ik_ros.learned.training.distal_task import DistalTask
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

    def task(
        self, chain: "KinematicChain", device: "torch.device", start_from: Path | None
    ) -> "DistalTask":
        """Make the task, see `ChainTraining`."""
        from generative_ik_ros.learned.distal.weights import load_net
        from generative_ik_ros.learned.training.distal_task import DistalTask

        start = None if start_from is None else load_net(start_from, chain)[0]
        task = DistalTask(
            chain,
            self.net_config(chain) if start is None else start.config,
            device,
            penalty=self.penalty,
            position_weight=self.position_weight,
            seed=self.seed,
        )
        if start is not None:
            task.model.load_state_dict(start.state_dict())
        return task

    def net_config(self, chain: "KinematicChain") -> DistalConfig:
        """Return the configuration of the networks for a chain."""
        from generative_ik_ros.learned.training.data import position_scale

        scale = position_scale(chain)
        shape = self.values_of(DistalShape)
        return DistalConfig(joints=chain.num_joints, position_scale=scale, **shape)
