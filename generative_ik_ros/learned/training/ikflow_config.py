"""The training configuration of IKFlow."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from generative_ik_ros.learned.ikflow.config import FlowConfig, FlowShape
from generative_ik_ros.learned.settings import setting, with_default
from generative_ik_ros.learned.training.config import Acceleration, ChainTraining, TrainOptions

if TYPE_CHECKING:
    import torch

    from generative_ik_ros.learned.ikflow.flow import ConditionalFlow
    from generative_ik_ros.learned.training.task import TrainingTask
    from generative_ik_ros.robot.chain import KinematicChain


@dataclass(frozen=True)
class IKFlowTraining(FlowShape, Acceleration, ChainTraining):
    """The flow's coordinates."""

    sampler = "ikflow"

    closed_form: bool = setting(
        True,
        "Leave out the first and the last joint where they follow in closed form; false: all "
        "joints, as in the paper.",
    )
    layers: int | None = setting(
        None, "Coupling layers; null: twice the coordinates.", least=1, most=256
    )
    width: int | None = setting(
        None, "Coordinates: joints and padding; null: no padding.", least=1, most=256
    )
    untouched: int | None = setting(
        None,
        "Coordinates that each layer leaves as they are; null: all but one, coupling: half.",
        least=1,
        most=255,
    )
    learning_rate: float = with_default(TrainOptions, "learning_rate", 3e-3)

    def load(self, path: Path, chain: "KinematicChain") -> "ConditionalFlow":
        """Read a flow."""
        from generative_ik_ros.learned.ikflow.weights import load_flow

        return load_flow(path, chain)[0]

    def model_config(self, chain: "KinematicChain") -> FlowConfig:
        """Return the configuration of a flow for a chain."""
        from generative_ik_ros.learned.ikflow.weights import config_for
        from generative_ik_ros.learned.training.data import position_scale

        return config_for(
            chain,
            layers=self.layers,
            width=self.width,
            untouched=self.untouched,
            closed=None if self.closed_form else (),
            position_scale=position_scale(chain),
            seed=self.seed,
            **self.values_of(FlowShape),
        )

    def task(
        self, chain: "KinematicChain", config: FlowConfig, device: "torch.device"
    ) -> "TrainingTask":
        """Make the task."""
        from generative_ik_ros.learned.training.ikflow_task import FlowTask
        from generative_ik_ros.learned.training.probe import Probe

        return FlowTask(
            chain,
            config,
            device,
            seed=self.seed,
            compiled=self.compile,
            bf16=self.bf16,
            probe=Probe(chain),
        )
