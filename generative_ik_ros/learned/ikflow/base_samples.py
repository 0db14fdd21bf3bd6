"""Quasi-random samples of a flow's base distribution."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from generative_ik_ros.learned.ikflow.config import FlowConfig
from generative_ik_ros.samplers.quasi_random import recurrence

_EDGE = 1e-6


def base_samples(
    config: FlowConfig, random_seed: int, first: int, count: int, temperature: float
) -> NDArray[np.float64]:
    """Return points `first` to `first + count` of a quasi-random sequence of base samples.

    The sequence is that of `QuasiRandom` in as many dimensions as the flow is wide: it can start
    anywhere, so no state is kept, and fills the base more evenly than random points.

    Args:
        config: The flow's.
        random_seed: Chooses among shifts of the sequence.
        first: Index of the first sample.
        count: Number K of samples.
        temperature: Factor of the base's spread about its centre; 1 is the base itself.

    Returns:
        (K, D).
    """
    shift, ratios = recurrence(random_seed, config.width)
    unit = np.arange(first + 1, first + count + 1)[:, None] * ratios + shift
    unit -= np.floor(unit)
    if config.kind == "spline":
        return 0.5 + temperature * (unit - 0.5)
    return temperature * ndtri(np.clip(unit, _EDGE, 1.0 - _EDGE))
