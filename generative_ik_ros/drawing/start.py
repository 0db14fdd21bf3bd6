"""A chain in, a configuration to begin a picture with out."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.chain import KinematicChain

_BEND = 0.5


def bent(chain: KinematicChain) -> NDArray[np.float64]:
    """Return a configuration well inside the limits, away from the stretched arm.

    Half a radian off the middle of every joint's range, or off zero where there is none: many
    arms are stretched, and so singular, exactly there.

    Returns:
        (n,) positions [rad or m].
    """
    lower = np.where(np.isfinite(chain.lower), chain.lower, -np.pi)
    upper = np.where(np.isfinite(chain.upper), chain.upper, np.pi)
    return (lower + upper) / 2.0 + np.minimum(_BEND, 0.25 * (upper - lower))
