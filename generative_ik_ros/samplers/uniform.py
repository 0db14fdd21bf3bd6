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
        num_joints = len(request.lower)
        bits = np.random.PCG64(request.random_seed)
        # One draw of the bit generator a value: jumping ahead continues the same sequence.
        bits.advance(request.first * num_joints)
        unit = np.random.Generator(bits).random((request.count, num_joints))
        seeds = request.lower + unit * (request.upper - request.lower)
        return np.broadcast_to(seeds, (len(request.targets), *seeds.shape))
