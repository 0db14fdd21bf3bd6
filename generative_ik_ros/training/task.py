"""The contract of what is trained: steps of a loop in, losses, evaluations and weights out."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from generative_ik_ros.samplers.checkpoint import Checkpoint


class TrainingTask(ABC):
    """One model to train on one or many chains.

    Attributes:
        model: Its parameters are trained.
        device: Where.
    """

    model: nn.Module
    device: torch.device

    @abstractmethod
    def loss(self, count: int, generator: torch.Generator) -> Tensor:
        """Draw a batch of that size and return its mean loss."""

    @abstractmethod
    def evaluate(self) -> Mapping[str, float]:
        """Measure the model as it is now, on problems that are the same each time."""

    @abstractmethod
    def checkpoint(
        self, weights: Mapping[str, Tensor], training: Mapping[str, object]
    ) -> Checkpoint:
        """Describe weights of the model, and how they came about, for a sampler to load."""
