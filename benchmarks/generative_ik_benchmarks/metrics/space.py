"""Distances between configurations, with joints as circles or as lines."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import KDTree

from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import Kinematics
from generative_ik_ros.robot.rigid import TURN

_BLOCK = 2048
"""Configurations that are thinned at a time: bounds the memory, not the result."""

EUCLIDEAN = 2.0
LARGEST = np.inf


@dataclass(frozen=True)
class JointSpace:
    """Distances between configurations of one chain, in [rad].

    The position of a circular joint is a point on a circle, on which a full turn is no
    difference; that of another joint is a point on a line. The travel of a prismatic joint is
    divided by the chain's characteristic length, so that it counts as much as the rotation that
    moves the tip about as far.

    Attributes:
        circular: (n,) joints on which a full turn is no difference.
        scale: (n,) travel that counts as 1; 1 rad, or the characteristic length [m].
    """

    circular: Bools
    scale: Floats

    @classmethod
    def of(cls, chain: Kinematics) -> "JointSpace":
        """Return the space in which the package distinguishes solutions.

        Circles are the joints with room for a full turn inside their limits. A joint with less
        room cannot move from one end to the other the short way, so the ends are far apart.
        """
        return cls(chain.circular, chain.joint_units)

    @classmethod
    def torus(cls, chain: KinematicChain) -> "JointSpace":
        """Return the product of circles: each revolute joint is one, whatever its limits."""
        return cls(~chain.prismatic, chain.joint_units)

    def distances(self, one: Floats, other: Floats, norm: float = EUCLIDEAN) -> Floats:
        """Return the distance (...,) of configurations (..., n), the short way round [rad].

        Args:
            one: (..., n) configurations [rad or m].
            other: (..., n) likewise; the two are broadcast.
            norm: EUCLIDEAN over the joints, or LARGEST joint difference.
        """
        gap = np.abs(one - other) / self.scale
        turned = gap % TURN
        gap = np.where(self.circular, np.minimum(turned, TURN - turned), gap)
        if norm == LARGEST:
            return gap.max(axis=-1, initial=0.0)
        return np.sqrt((gap**2).sum(axis=-1))

    def nearest(
        self, positions: Floats, among: Floats, norm: float = EUCLIDEAN, within: float = np.inf
    ) -> Floats:
        """Return how far each configuration is from the nearest of others.

        A k-d tree with periodic axes: for sets of any size.

        Args:
            positions: (N, n) configurations [rad or m].
            among: (M, n) the others.
            norm: As above.
            within: Distances from here on need not be told apart; inf stands for them [rad].

        Returns:
            (N,) distances [rad]; inf where there is none within that.
        """
        if not len(among) or not len(positions):
            return np.full(len(positions), np.inf)
        tree = KDTree(self.coordinates(among), boxsize=np.where(self.circular, TURN, 0.0))
        bound = np.nextafter(within, np.inf) if np.isfinite(within) else np.inf
        return tree.query(self.coordinates(positions), p=norm, distance_upper_bound=bound)[0]

    def thin(
        self,
        positions: Floats,
        distance: float,
        norm: float = EUCLIDEAN,
        kept: Floats | None = None,
        most: int | None = None,
    ) -> Ints:
        """Choose configurations that are further apart than a distance, in the order given.

        Args:
            positions: (N, n) configurations [rad or m].
            distance: A configuration no further than this from one before it is dropped [rad].
            norm: As above.
            kept: (M, n) configurations that come before all of them.
            most: Stop when so many are chosen.

        Returns:
            Indices of the chosen ones, ascending.
        """
        before = np.empty((0, len(self.scale))) if kept is None else kept
        chosen = np.empty(0, np.int64)
        for start in range(0, len(positions), _BLOCK):
            if most is not None and len(chosen) >= most:
                break
            block = positions[start : start + _BLOCK]
            everything = np.concatenate([before, positions[chosen]])
            near = self.nearest(block, everything, norm, distance)
            open_rows = np.flatnonzero(near > distance)
            new = []
            while len(open_rows):
                new.append(start + open_rows[0])
                gap = self.distances(block[open_rows], block[open_rows[0]], norm)
                open_rows = open_rows[gap > distance]
            chosen = np.concatenate([chosen, np.array(new, np.int64)])
        return chosen[:most]

    def count_distinct(self, positions: Floats, distance: float) -> int:
        """Count configurations (N, n) that differ from all counted before.

        They do where a joint is further than the distance [rad], as in the package itself (0.05
        by default). The count is greedy, in the order given, on which it depends slightly.
        """
        return len(self.thin(positions, distance, LARGEST))

    def coordinates(self, positions: Floats) -> Floats:
        """Scale, and bring circular joints into [0, 2 pi)."""
        scaled = positions / self.scale
        wrapped = scaled % TURN
        # The remainder of a tiny negative number rounds to a full turn.
        wrapped[wrapped >= TURN] = 0.0
        return np.where(self.circular, wrapped, scaled)
