"""The contract of what the training loop trains."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import torch
from torch import Tensor, nn

from generative_ik_ros.learned.checkpoint import Checkpoint


class TrainingTask(ABC):
    """One model to train on one or many chains.

    Attributes:
        model: Its parameters are trained.
        device: Where.
        batch_sizes: Samples per step by the device's type, where none are given.
        patience: Rise of the running loss over its best that counts as divergence, likewise.
    """

    model: nn.Module
    device: torch.device
    batch_sizes: ClassVar[Mapping[str, int]] = {"cpu": 1024, "cuda": 8192}
    patience: ClassVar[float] = 5.0

    @abstractmethod
    def loss(self, count: int, generator: torch.Generator) -> Tensor:
        """Draw a batch of that size and return its mean loss."""

    @abstractmethod
    def evaluate(self) -> Mapping[str, float]:
        """Measure the model as it is now, on problems that are the same each time."""

    @abstractmethod
    def checkpoint(self, weights: dict[str, Tensor], training: dict[str, object]) -> Checkpoint:
        """Return weights of the model, and how they came about, for a sampler to load."""
