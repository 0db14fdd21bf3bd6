"""Training poses of distal networks: drawn anew each time, or from a fixed set."""

from abc import ABC, abstractmethod

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from generative_ik_ros.learned.training.data import PoseData
from generative_ik_ros.robot.chain import KinematicChain


class PoseSource(ABC):
    """Where a distal net's training poses come from."""

    @abstractmethod
    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """Return (B, 4, 4) canonical poses [m]."""


class EndlessPoses(PoseSource):
    """Poses of configurations that are uniform inside the limits, never the same twice.

    Args:
        data: Of the chain.
    """

    def __init__(self, data: PoseData):
        """Draw from these data."""
        self._data = data

    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """Return poses, see `PoseSource`."""
        return self._data.poses(self._data.boxed(count, generator))


class StoredPoses(PoseSource):
    """Random picks of a fixed number of poses, to learn how many are needed.

    Args:
        chain: The chain.
        targets: (N, 4, 4) poses, tip in base [m]; they need not be reachable.
        device: Where the data are kept.
    """

    def __init__(self, chain: KinematicChain, targets: NDArray[np.float64], device: torch.device):
        """Put the poses on the device."""
        canonical = chain.canonical_target(targets)
        self._poses = torch.tensor(canonical, dtype=torch.float32, device=device)

    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """Return poses, see `PoseSource`."""
        rows = torch.randint(
            len(self._poses), (count,), generator=generator, device=self._poses.device
        )
        return self._poses[rows]
