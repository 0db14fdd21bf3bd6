"""What the training tasks of both kinds of GGIK model share: all but the loss."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

import torch
from torch import Tensor

from generative_ik_ros.learned.checkpoint import Checkpoint
from generative_ik_ros.learned.ggik.autoregressive.model import AutoregressiveModel
from generative_ik_ros.learned.ggik.latent.model import LatentModel
from generative_ik_ros.learned.ggik.weights import to_checkpoint
from generative_ik_ros.learned.training.ggik_data import ArmSource
from generative_ik_ros.learned.training.ggik_measure import HELD_OUT, Measures
from generative_ik_ros.learned.training.task import TrainingTask
from generative_ik_ros.robot.chain import KinematicChain

Model = TypeVar("Model", LatentModel, AutoregressiveModel)


class GGIKTask(TrainingTask, Generic[Model]):
    """Training of one model for many arms; subclasses draw the batches and compute the loss.

    Args:
        model: On the device.
        source: Where arms come from.
        robots: Fingerprints, by name, of the arms that the source draws; empty for random arms.
        measured: Chains to evaluate on, by name.
        device: Where to train.
        compiled: Compile the loss with torch.compile.
        bf16: Multiply matrices in bfloat16.
    """

    varying_shapes: bool
    """Whether the shapes of batches vary, for torch.compile."""

    def __init__(
        self,
        model: Model,
        source: ArmSource,
        robots: Mapping[str, str],
        measured: Mapping[str, KinematicChain],
        device: torch.device,
        *,
        compiled: bool = False,
        bf16: bool = False,
    ):
        """Draw the problems that the model is evaluated on."""
        self.model = self._model = model
        self.device, self._robots, self._source, self._bf16 = device, robots, source, bf16
        self._in_training = self._losses
        if compiled:
            self._in_training = torch.compile(self._losses, dynamic=self.varying_shapes)
        self._measures = Measures(measured, device)

    @property
    @abstractmethod
    def _losses(self) -> Callable[..., Tensor]:
        """The function that computes the losses of a batch."""

    def _mean(self, *batch: object) -> Tensor:
        """Return the mean loss; only the batches of the training run compiled code."""
        losses = self._in_training if self._model.training else self._losses
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._bf16):
            return losses(*batch).mean()

    @torch.no_grad()
    def evaluate(self) -> Mapping[str, float]:
        """Measure loss, raw errors, success and convergence; means over the chains."""
        self._model.eval()
        generator = torch.Generator(self.device).manual_seed(1)
        figures = {"held_out_loss": float(self.loss(HELD_OUT, generator))}
        figures |= self._measures(self._model)
        self._model.train()
        return figures

    def checkpoint(
        self, weights: Mapping[str, Tensor], training: Mapping[str, object]
    ) -> Checkpoint:
        """Describe weights for the sampler to load."""
        return to_checkpoint(self._model.config, weights, self._robots, training)
