"""What a map says about a pose besides that it is reached: the best of its solutions."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros._core import nearest_turn
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.select.preferences import SCORES
from generative_ik_ros.solutions import IKSolutions


def measured(name: str, chain: KinematicChain, found: IKSolutions) -> NDArray[np.generic]:
    """Return a measure of each of B targets, (B,), 0 where there is no solution.

    Args:
        name: One of `MEASURES`.
        chain: The chain with its limits.
        found: Solutions, full turns aside.
    """
    if name == "num_solutions":
        return found.counts
    exists = np.arange(found.positions.shape[1]) < found.counts[:, None]
    if name == "clearance":
        assert found.clearance is not None  # noqa: S101
        return np.where(exists, found.clearance, 0.0).max(axis=1, initial=0.0)
    q = np.ascontiguousarray(found.positions[exists])
    limited = chain.circular & ~chain.continuous
    middle = np.where(limited, (chain.lower + chain.upper) / 2.0, 0.0)
    q = nearest_turn(q, middle, chain.lower, chain.upper, limited)
    values = np.zeros(exists.shape)
    values[exists] = SCORES[name](chain, q)
    return values.max(axis=1, initial=0.0)
