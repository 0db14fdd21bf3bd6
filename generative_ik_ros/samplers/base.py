"""The contract of a sampler: a SeedRequest in, seeds out."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.chain import KinematicChain


@dataclass(frozen=True)
class SeedRequest:
    """What seeds are wanted.

    A sampler keeps no state between requests: the same request gives the same seeds, and seeds
    `first` to `first + count` of one long request are those of two short ones.

    Attributes:
        targets: (T, 4, 4) target poses, tip in base [m].
        count: Number K of seeds for each target.
        lower: (n,) bounds of the search, finite [rad or m].
        upper: (n,) likewise.
        random_seed: Chooses among the sampler's equally good answers.
        first: Number of seeds that these targets were given before.
    """

    targets: NDArray[np.float64]
    count: int
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    random_seed: int
    first: int = 0


class Sampler(ABC):
    """Proposes start configurations for one chain; safe to use from several threads at once.

    Args:
        chain: The chain to propose configurations for.
        device: "cpu" or "cuda", where a model is to run.

    Attributes:
        seeds_per_solution: How many seeds it takes to find one more distinct solution, for the
            search's first round; None where it is not known and the search has to guess.
        only_first: Whether the sampler is asked for the first round only; the search goes on with
            quasi-random seeds, which its kernel makes itself.
    """

    name: ClassVar[str]
    seeds_per_solution: float | None = None
    only_first: bool = False

    def __init__(self, chain: KinematicChain, device: str = "cpu"):
        """Prepare whatever does not depend on the targets."""
        self.chain = chain
        self.device = device

    @abstractmethod
    def propose(self, request: SeedRequest) -> NDArray[np.float64]:
        """Return (T, K, n) float64 configurations inside the bounds."""
