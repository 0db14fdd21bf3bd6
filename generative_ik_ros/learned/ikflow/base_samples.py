"""Quasi-random samples of a flow's base distribution."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from generative_ik_ros.learned.ikflow.config import FlowConfig
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom

_EDGE = 1e-6


def base_samples(
    config: FlowConfig,
    chain: KinematicChain,
    random_seed: int,
    first: int,
    count: int,
    temperature: float,
) -> NDArray[np.float64]:
    """Return points `first` to `first + count` of a quasi-random sequence of base samples.

    The sequence is that of `QuasiRandom` in as many dimensions as the flow is wide: it can start
    anywhere, so no state is kept, and fills the base more evenly than random points.

    Args:
        config: The flow's.
        chain: The sampler's chain.
        random_seed: Chooses among shifts of the sequence.
        first: Index of the first sample.
        count: Number K of samples.
        temperature: Factor of the base's spread about its centre; 1 is the base itself.

    Returns:
        (K, D).
    """
    width = config.width
    one = SeedRequest(
        np.empty((1, 4, 4)),
        count,
        np.zeros(width),
        np.ones(width),
        random_seed,
        first,
    )
    unit = QuasiRandom(chain).propose(one)[0]
    if config.kind == "spline":
        return 0.5 + temperature * (unit - 0.5)
    return temperature * ndtri(np.clip(unit, _EDGE, 1.0 - _EDGE))
