"""The contract of what turns targets and uniform random numbers into configurations."""

from abc import ABC, abstractmethod

from torch import Tensor

from generative_ik_ros.array_types import Floats


class Generator(ABC):
    """Draws configurations of one chain.

    Attributes:
        width: Uniform numbers in [0, 1) that one configuration takes.
        tries: Most draws of a configuration that misses its target.
    """

    width: int
    tries: int = 1

    @abstractmethod
    def numbers(self, random_seed: int, first: int, count: int) -> Floats:
        """Return the uniform numbers (count, width) of seeds from place `first` on."""

    @abstractmethod
    def draw(self, targets: Tensor, unit: Tensor, number: int = 0) -> tuple[Tensor, Tensor]:
        """Return configurations (T, K, n) [rad or m], and by how much (T, K) they miss.

        Args:
            targets: (T, 4, 4) canonical targets [m].
            unit: (K, width) uniform in [0, 1), the same for every target.
            number: Which try, below `tries`.
        """
