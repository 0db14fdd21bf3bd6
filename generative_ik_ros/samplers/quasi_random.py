"""Quasi-random seeds, the same for every target."""

from functools import lru_cache

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats
from generative_ik_ros.samplers.base import Sampler, SeedRequest


class QuasiRandom(Sampler):
    """Roberts' additive recurrence in n dimensions, shifted at random (Cranley-Patterson).

    Point k is frac(shift + k / g^j) in dimension j = 1..n, where g is the positive root of
    x^(n+1) = x + 1 (M. Roberts, The unreasonable effectiveness of quasirandom sequences, 2018).
    Unlike Sobol's sequence it needs no tables, has no preferred number of points, and can start
    at any of them.
    """

    name = "quasi_random"
    takes_trees = True

    def propose(self, request: SeedRequest) -> Floats:
        """Return (T, K, n) configurations inside the bounds."""
        dimensions = len(request.lower)
        unit = quasi_random(request.random_seed, request.first, request.count, dimensions)
        unit *= request.upper - request.lower
        seeds = np.minimum(request.lower + unit, request.upper)
        return np.broadcast_to(seeds, (len(request.targets), *seeds.shape))


def quasi_random(random_seed: int, first: int, count: int, dimensions: int) -> Floats:
    """Return points (count, dimensions) of the recurrence in [0, 1), from place `first` on."""
    # A sequence has one dimension at least.
    shift, ratios = recurrence(random_seed, max(dimensions, 1))
    unit = np.arange(first + 1, first + count + 1)[:, None] * ratios
    unit += shift
    unit -= np.floor(unit)
    return unit[:, :dimensions]


@lru_cache(maxsize=256)
def recurrence(random_seed: int, dimensions: int) -> Floats:
    """Return (2, n): the recurrence's shift, which a random seed chooses, and its ratios."""
    return _core.recurrence(random_seed, dimensions)
