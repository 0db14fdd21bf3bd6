"""Places in a sequence in, the numbers in [0, 1) that make seeds out; no state is kept."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.samplers.quasi_random import recurrence


def random_numbers(random_seed: int, first: int, count: int, width: int) -> NDArray[np.float64]:
    """Return pseudo-random numbers (count, width) of seeds from place `first` on."""
    bits = np.random.PCG64(random_seed)
    # One draw of the bit generator a value: jumping ahead continues the same sequence.
    bits.advance(first * width)
    return np.random.Generator(bits).random((count, width))


def even_numbers(random_seed: int, first: int, count: int, width: int) -> NDArray[np.float64]:
    """Return the same of the sequence of `QuasiRandom`, which fills the cube more evenly."""
    shift, ratios = recurrence(random_seed, max(width, 1))
    places = np.arange(first + 1, first + count + 1)[:, None]
    return np.modf(places * ratios + shift)[0][:, :width]
