"""A seed state in, configurations at growing distances around it out."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom


def seeds_around(
    sampler: QuasiRandom, request: SeedRequest, seed_state: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return (T, K, n) configurations, the seed state itself first.

    Seed k lies in a box around the seed state whose size grows with (k / K)^2 from nothing to the
    whole search box, so that close solutions are looked for hardest.

    Args:
        sampler: Fills a box evenly.
        request: Number of seeds and bounds.
        seed_state: (n,) inside the bounds [rad or m].
    """
    anywhere = sampler.propose(request)
    growth = ((np.arange(request.count) / max(request.count, 1)) ** 2)[:, None]
    return seed_state + growth * (anywhere - seed_state)
