"""The training configuration of IKFlow."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from generative_ik_ros.learned.ikflow.config import FlowConfig, FlowShape
from generative_ik_ros.learned.settings import setting, with_default
from generative_ik_ros.learned.training.config import (
    Acceleration,
    ChainTraining,
    Prepared,
    TrainOptions,
)

if TYPE_CHECKING:
    import torch

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

    def prepare(
        self, chain: "KinematicChain", device: "torch.device", start_from: Path | None
    ) -> Prepared:
        """Make the task, of a new flow or of that of a weight file, which then says its shape.

        Raises:
            GenerativeIKError: The flow cannot be made, or the file not be used.
        """
        from generative_ik_ros.learned.ikflow.weights import load_flow
        from generative_ik_ros.learned.training.ikflow_task import FlowTask
        from generative_ik_ros.learned.training.probe import Probe

        start = None if start_from is None else load_flow(start_from, chain)[0]
        task = FlowTask(
            chain,
            self.model_config(chain) if start is None else start.config,
            device,
            seed=self.seed,
            compiled=self.compile,
            bf16=self.bf16,
            probe=Probe(chain),
        )
        return self.ready(task, start, chain)
