"""Goals of free configurations, maybe in a region that nothing stored or learned has seen."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.joints import finite_limits
from generative_ik_ros.robot.kinematic_tree import Kinematics
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


def free_configurations(
    chain: Kinematics,
    collides: Callable[[Floats], bool],
    rng: np.random.Generator,
    count: int,
    region: TipsTogether | None = None,
) -> Floats:
    """Return configurations (count, n), uniform among those that are free.

    If a region is given, it contains the tips of all of them.
    """
    found, (lower, upper) = [], finite_limits(chain)
    while len(found) < count:
        q = rng.uniform(lower, upper)
        inside = region is None or region.contains(chain.forward(q[None]))[0]
        if inside and not collides(q):
            found.append(q)
    return np.array(found)


class PosturesElsewhere(Postures):
    """The sampler `postures` with none stored whose tips are in a region."""

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
