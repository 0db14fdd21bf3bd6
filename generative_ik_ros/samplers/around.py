"""Seeds around known configurations."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom


def seeds_around(
    sampler: QuasiRandom, request: SeedRequest, seed_state: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return (T, K, n) configurations, the seed state itself first.

    Seed k lies in a box around the seed state that grows with (k / K)^2 from nothing to the whole
    search box, so that the search is densest close to the seed state.

    Args:
        sampler: Fills a box evenly.
        request: Number of seeds and bounds.
        seed_state: (n,) inside the bounds [rad or m].
    """
    anywhere = sampler.propose(request)
    growth = ((np.arange(request.count) / max(request.count, 1)) ** 2)[:, None]
    return seed_state + growth * (anywhere - seed_state)


def seeds_beside(
    sampler: QuasiRandom, bases: NDArray[np.float64], radius: NDArray[np.float64], first: int
) -> NDArray[np.float64]:
    """Step away from each base configuration, by up to `radius` in each joint.

    For a redundant arm, a seed beside a solution leads back to the solution set in a few
    iterations, but to another point of it: the local solver takes the shortest step, so nearly all
    of the displacement along the set remains.

    Args:
        sampler: Fills a box evenly.
        bases: (K, n) configurations [rad or m].
        radius: (n,) largest step of each joint [rad or m].
        first: Number of steps taken before; these continue the sequence.

    Returns:
        (K, n) configurations, not yet inside any bounds.
    """
    box = SeedRequest(np.empty((1, 4, 4)), len(bases), -radius, radius, random_seed=0, first=first)
    return bases + sampler.propose(box)[0]
