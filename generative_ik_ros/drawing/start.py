"""A well-conditioned initial configuration of a chain."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.random_poses import finite_limits

_BEND = 0.5


def bent_configuration(chain: KinematicChain) -> NDArray[np.float64]:
    """Return a configuration well inside the limits and away from the stretched arm.

    Every joint is half a radian off the middle of its range, or off zero if it has no limits: many
    arms are stretched, and thus singular, exactly there.

    Returns:
        (n,) positions [rad or m].
    """
    lower, upper = finite_limits(chain)
    return (lower + upper) / 2.0 + np.minimum(_BEND, 0.25 * (upper - lower))
