"""The check that a reachability map is one of a given chain."""

import numpy as np

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.reach.compute import frames_of
from generative_ik_ros.reach.reachability_map import ReachabilityMap
from generative_ik_ros.robot.chain import KinematicChain

_FRAMES = "mounting (the first joint in the base)", "tool (the tip in the last joint)"
_SAME = 1e-6
"""Largest difference [m, or of rotation matrices] of frames that are the same but for rounding."""


def check_fits(reach: ReachabilityMap, chain: KinematicChain) -> None:
    """Check that a map says something about a chain.

    Raises:
        InvalidArgumentError: It is one of another chain, base link, tip link, mounting or tool.
    """
    names = "fingerprint", "base_link", "tip_link"
    for name in names:
        of_map, of_chain = getattr(reach, name), getattr(chain, name)
        if of_map != of_chain:
            raise InvalidArgumentError(
                f"the reachability map is of another chain: its {name} is '{of_map}', that of "
                f"'{chain.description.name}' is '{of_chain}'"
            )
    if reach.frames is None:
        return
    for name, of_map, of_chain in zip(_FRAMES, reach.frames, frames_of(chain), strict=True):
        gap = np.abs(of_map - of_chain).max()
        if gap > _SAME:
            raise InvalidArgumentError(
                f"the reachability map is of another {name}: it differs from that of "
                f"'{chain.description.name}' by up to {gap:.3g}"
            )
