"""The training configuration of distal teaching."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from generative_ik_ros.learned.distal.config import DistalConfig, DistalShape
from generative_ik_ros.learned.settings import setting, with_default
from generative_ik_ros.learned.training.config import ChainTraining, Prepared

if TYPE_CHECKING:
    import torch

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

    def model_config(self, chain: "KinematicChain") -> DistalConfig:
        """Return the configuration of the networks for a chain."""
        from generative_ik_ros.learned.training.data import position_scale

        scale, shape = position_scale(chain), self.values_of(DistalShape)
        return DistalConfig(joints=chain.num_joints, position_scale=scale, **shape)

    def prepare(
        self, chain: "KinematicChain", device: "torch.device", start_from: Path | None
    ) -> Prepared:
        """Make the task, of new networks or of those of a file, which then says their shape.

        Raises:
            GenerativeIKError: The networks cannot be made, or the file not be used.
        """
        from generative_ik_ros.learned.distal.net import load_net
        from generative_ik_ros.learned.training.distal_task import DistalTask

        start = None if start_from is None else load_net(start_from, chain)[0]
        config = self.model_config(chain) if start is None else start.config
        task = DistalTask(
            chain,
            config,
            device,
            penalty=self.penalty,
            position_weight=self.position_weight,
            seed=self.seed,
        )
        return self.ready(task, start, chain)
