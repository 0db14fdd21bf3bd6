"""The contract of what turns targets and uniform random numbers into configurations."""

from abc import ABC, abstractmethod

import numpy as np
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
    def draw(self, targets: Tensor, unit: Tensor) -> Tensor:
        """Return configurations (T, K, n) [rad or m].

        Args:
            targets: (T, 4, 4) canonical targets [m].
            unit: (K, width) uniform in [0, 1), the same for every target.
        """

    def attempt(self, targets: Tensor, unit: Tensor, number: int) -> tuple[Tensor, Tensor]:
        """Return a try's configurations, and by how much (T, K) they miss, 0 if it is not known.

        Args:
            targets: See `draw`.
            unit: See `draw`.
            number: Which try, below `tries`.
        """
        q = self.draw(targets, unit)
        return q, q.new_zeros(q.shape[:-1])

    def numbers(self, random_seed: int, first: int, count: int) -> Floats:
        """Return the uniform numbers (count, width) of seeds from place `first` on."""
        return pseudo_random(random_seed, first, count, self.width)


def pseudo_random(random_seed: int, first: int, count: int, width: int) -> Floats:
    """Return rows (count, width) of a pseudo-random sequence from place `first` on."""
    bits = np.random.PCG64(random_seed)
    # One draw of the bit generator a value: jumping ahead continues the same sequence.
    bits.advance(first * width)
    return np.random.Generator(bits).random((count, width))
