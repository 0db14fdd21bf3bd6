"""The small arm of GOOD_URDF, poses that it reaches, and what shows that a reply is for it."""

import numpy as np
from bad_urdfs import GOOD_URDF

from generative_ik_ros.robot.chain import KinematicChain

GOOD = KinematicChain.from_urdf(GOOD_URDF)


def reachable(chain, seed=0, number=1):
    """Poses (number, 4, 4) well inside the reach of a chain."""
    lower = np.where(np.isfinite(chain.lower), chain.lower, -3.0)
    upper = np.where(np.isfinite(chain.upper), chain.upper, 3.0)
    share = np.random.default_rng(seed).uniform(0.35, 0.65, (number, chain.num_joints))
    return chain.forward(lower + share * (upper - lower))


def reaches(chain, response, target):
    q = np.reshape(response.positions, (-1, chain.num_joints))
    return len(q) > 0 and np.allclose(chain.forward(q), target, atol=2e-5)
