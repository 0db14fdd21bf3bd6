"""The contract of what is trained: steps of a loop in, losses, evaluations and weights out."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from generative_ik_ros.learned.checkpoint import Checkpoint


@dataclass(frozen=True)
class Probe:
    """Poses whose solutions are known, for the evaluations during a training.

    Attributes:
        targets: (T, 4, 4) tip in base [m].
        samples: Samples K wanted of each.
        discrepancy: Takes (T, K, n) configurations [rad or m], returns their squared maximum
            mean discrepancy from the solutions, averaged over the poses.
    """

    targets: NDArray[np.float64]
    samples: int
    discrepancy: Callable[[NDArray[np.float64]], float]


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
