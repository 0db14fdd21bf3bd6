"""Random configurations of a chain, and the poses that they reach."""

from collections.abc import Callable

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.closing import closed_ones
from generative_ik_ros.robot.joint_tree import JointTree
from generative_ik_ros.robot.joints import MovingJoints, finite_limits
from generative_ik_ros.robot.kinematic_tree import KinematicTree


def random_configurations(chain: MovingJoints, count: int, seed: int | None) -> Floats:
    """Return configurations (count, n), uniform inside the limits [rad or m].

    The same seed gives the same configurations; None gives new ones each time. Loops are closed
    from such configurations, where they can be.
    """
    lower, upper = finite_limits(chain)
    # A stream of its own: a sampler with the same seed must not draw the answers.
    rng = np.random.default_rng(None if seed is None else (seed, 2))
    if not isinstance(chain, JointTree) or not chain.closures:
        return rng.uniform(lower, upper, (count, chain.num_joints))
    found = np.empty((0, chain.num_joints))
    while len(found) < count:
        starts = rng.uniform(lower, upper, (max(count, 16), chain.num_joints))
        found = np.concatenate([found, closed_ones(chain, starts)])
    return found[:count]


def random_reachable_poses(
    chain: KinematicChain | KinematicTree,
    count: int,
    seed: int | None,
    forward: Callable[[Floats], Floats] | None = None,
) -> Floats:
    """Return the poses in base (count, 4, 4) of the tip, of a tree (count, K, 4, 4) of its tips.

    Args:
        chain: The chain.
        count: Number of poses.
        seed: The same seed gives the same poses; None gives new ones each time.
        forward: Maps (count, n) to (count, 4, 4), or (count, K, 4, 4) of a tree; None is
            `chain.forward`.
    """
    return (forward or chain.forward)(random_configurations(chain, count, seed))
