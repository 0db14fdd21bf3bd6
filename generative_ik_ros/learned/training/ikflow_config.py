"""The training configuration of IKFlow."""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generative_ik_ros.learned.ikflow.config import FlowConfig, FlowShape
from generative_ik_ros.learned.settings import setting, with_default
from generative_ik_ros.learned.training.config import (
    Acceleration,
    ChainTraining,
    Prepared,
    TrainOptions,
)

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

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
    noise_scale: float | None = with_default(FlowShape, "noise_scale", None)  # pyright: ignore
    uniform_share: float = setting(
        0.1,
        "With --configurations: share of samples that are uniform in the limits instead, so that "
        "unusual poses have seeds, too.",
        least=0.0,
        most=1.0,
    )

    def model_config(self, chain: "KinematicChain", *, prior: bool = False) -> FlowConfig:
        """Return the configuration of a flow for a chain, or of a motion prior of it."""
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
            **self.values_of(FlowShape) | self._noise(prior),
        )

    def _noise(self, prior: bool) -> dict[str, Any]:  # noqa: FBT001
        default = 0.05 if prior else 1e-3
        return {"noise_scale": default if self.noise_scale is None else self.noise_scale}

    def prepare(
        self,
        chain: "KinematicChain",
        device: "torch.device",
        start_from: Path | None,
        configurations: "NDArray[np.float64] | None" = None,
    ) -> Prepared:
        """Make the task, of a new flow or of that of a weight file, which then says its shape.

        Args:
            chain: The chain.
            device: Where to train.
            start_from: The weight file; None: a new flow.
            configurations: (M, n) what to learn [rad or m]; None: all within the limits alike.

        Raises:
            GenerativeIKError: The flow cannot be made, or the file or configurations not be used.
        """
        from generative_ik_ros.learned.ikflow.weights import load_flow
        from generative_ik_ros.learned.training.ikflow_task import FlowTask
        from generative_ik_ros.learned.training.motion_prior import motion_prior
        from generative_ik_ros.learned.training.probe import Probe

        prior = None
        if configurations is not None:
            prior = motion_prior(chain, configurations, self.uniform_share)
        start = None if start_from is None else load_flow(start_from, chain)[0]
        config = self.model_config(chain, prior=prior is not None)
        if start is not None:
            noise = {} if prior is None else self._noise(prior=True)
            config = replace(start.config, **noise)
        task = FlowTask(
            chain,
            config,
            device,
            seed=self.seed,
            compiled=self.compile,
            bf16=self.bf16,
            probe=Probe(chain) if prior is None else None,
            prior=prior,
        )
        ready = self.ready(task, start, chain)
        if prior is None:
            return ready
        # Only the same configurations resume a training.
        digest = hashlib.sha256(prior.points.tobytes()).hexdigest()[:16]
        return replace(ready, trained_on=f"{ready.trained_on} {digest}")
