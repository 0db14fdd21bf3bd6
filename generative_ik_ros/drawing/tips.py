"""Where the tips of a chain or tree, and their targets, are in the base link."""

from collections.abc import Sequence

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.tree import link_transforms


def tips_in_base(chain: KinematicChain | KinematicTree, positions: Floats) -> Floats:
    """Return the poses of the K tips in (A, n) configurations, (A, K, 4, 4) [m]."""
    return _frames(chain, chain.tip_links, positions)


def targets_in_base(
    chain: KinematicChain | KinematicTree, targets: Floats, positions: Floats
) -> Floats:
    """Return targets in the base link, (B, K, 4, 4) [m].

    Args:
        chain: A chain, or a tree with K tips.
        targets: (B, 4, 4), or (B, K, 4, 4) tip in reference link [m].
        positions: (B, n) configurations that say where reference links are [rad or m].
    """
    targets = targets.reshape(len(targets), -1, 4, 4)
    if set(chain.reference_links) == {chain.base_link}:
        return targets
    return _frames(chain, chain.reference_links, positions) @ targets


def _frames(
    chain: KinematicChain | KinematicTree, links: Sequence[str], positions: Floats
) -> Floats:
    values = chain.joint_values(np.reshape(positions, (-1, chain.num_joints)))
    frames = link_transforms(chain.description, values, chain.base_link)
    # A link that no joint moves has one frame.
    every = [np.broadcast_to(frames[link], (len(positions), 4, 4)) for link in links]
    return np.stack(every, axis=1)
