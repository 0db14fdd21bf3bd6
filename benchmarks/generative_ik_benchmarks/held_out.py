"""A region of the workspace that nothing stored or learned has seen."""

from dataclasses import dataclass

import numpy as np

from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import IsFree, Sampler
from generative_ik_ros.samplers.postures import Postures


@dataclass(frozen=True)
class TipsTogether:
    """Where the first two tips of a tree are near to each other, wherever its base stands.

    Attributes:
        distance: Nearer than this [m].
    """

    distance: float

    def contains(self, poses: Floats) -> Bools:
        """Say which goals (N, K, 4, 4) are in it, (N,)."""
        places = poses[:, :2, :3, 3]
        return np.linalg.norm(places[:, 0] - places[:, 1], axis=-1) < self.distance


class PosturesElsewhere(Postures):
    """The sampler `postures` with none stored whose tips are in a region.

    Args:
        chain: The tree.
        region: What is held out.
    """

    name = "postures, held out"

    def __init__(self, chain: KinematicChain, region: TipsTogether):
        """Remember what is held out."""
        super().__init__(chain)
        self._region = region

    def among_free(self, free: IsFree) -> Sampler:
        """Return the same with postures that are free, too."""

        def stored(positions: Floats) -> Bools:
            return free(positions) & ~self._region.contains(self.chain.forward(positions))

        return super().among_free(stored)
