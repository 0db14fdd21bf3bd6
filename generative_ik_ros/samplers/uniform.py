"""Uniform random seeds, the same for every target."""

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.samplers.base import Sampler, SeedRequest


class Uniform(Sampler):
    """Independent uniform draws from the box of the bounds."""

    name = "uniform"
    takes_trees = True

    def propose(self, request: SeedRequest) -> Floats:
        """Return (T, K, n) configurations inside the bounds."""
        dimensions = len(request.lower)
        unit = pseudo_random(request.random_seed, request.first, request.count, dimensions)
        seeds = request.lower + unit * (request.upper - request.lower)
        return np.broadcast_to(seeds, (len(request.targets), *seeds.shape))


def pseudo_random(random_seed: int, first: int, count: int, dimensions: int) -> Floats:
    """Return points (count, dimensions) of a sequence in [0, 1), from place `first` on."""
    bits = np.random.PCG64(random_seed)
    # One draw of the bit generator a value: jumping ahead continues the same sequence.
    bits.advance(first * dimensions)
    return np.random.Generator(bits).random((count, dimensions))
