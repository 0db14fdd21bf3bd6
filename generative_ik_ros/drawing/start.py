"""A well-conditioned initial configuration of a chain or tree."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.drawing.tips import tips_in_base
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.closing import closed_ones
from generative_ik_ros.robot.joints import finite_limits
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.random_poses import random_configurations
from generative_ik_ros.robot.tree import link_transforms


@dataclass(frozen=True)
class StartTuning:
    """How a first configuration is chosen."""

    bend: float = 0.5
    """How far joints are bent [rad]."""
    height: float = 0.2
    """Height of the tip above the root link's origin that is enough, as a fraction of the size."""
    flipped: int = 6
    """Number of joints that may be bent the other way to lift the tip."""


TUNING = StartTuning()


def bent_configuration(chain: KinematicChain | KinematicTree) -> Floats:
    """Return a configuration well inside the limits and away from the stretched arm.

    Every joint is half a radian off the middle of its range, or off zero if it has no limits: many
    arms are stretched, and thus singular, exactly there. The signs are the first ones for which
    the lowest tip is above the floor, which is taken to be at the root link.

    Returns:
        (n,) positions [rad or m].
    """
    lower, upper = finite_limits(chain)
    bend = np.minimum(TUNING.bend, 0.25 * (upper - lower))
    flipped = min(chain.num_joints, TUNING.flipped)
    signs = np.ones((2**flipped, chain.num_joints))
    signs[:, :flipped] = list(product((1.0, -1.0), repeat=flipped))
    candidates = (lower + upper) / 2.0 + signs * bend
    if isinstance(chain, KinematicTree) and chain.closures:
        candidates = closed_ones(chain, candidates)
        if not len(candidates):
            candidates = random_configurations(chain, 1, 0)
    description = chain.description
    (base_in_root,) = link_transforms(description, chain.fixed, description.root)[chain.base_link]
    heights = (base_in_root @ tips_in_base(chain, candidates))[:, :, 2, 3].min(axis=1)
    return candidates[np.argmax(np.minimum(heights, TUNING.height * chain.size))]
