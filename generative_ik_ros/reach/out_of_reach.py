"""What a reachability map proves: poses about which, for more than a cell, nothing is reached.

A map knows single poses. That the ones between them are out of reach follows only where the map
is fine enough: a pose counts as proved if nothing is reached in its own cell and in all cells
that touch it, in position and in orientation. What is missed would have to be thinner than two
voxels, or narrower than two cells of orientations.
"""

from dataclasses import dataclass

import numpy as np

from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.reach.neighbours import perhaps_reached, widest_gap
from generative_ik_ros.reach.reachability_map import ReachabilityMap, check_fits
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.quaternions import rotation_matrices
from generative_ik_ros.robot.random_poses import random_reachable_poses


@dataclass(frozen=True)
class ProofTuning:
    """How far a map is trusted."""

    rotations: int = 20_000
    """Random rotations by which the size of the cells of orientations is measured."""
    tried: int = 20_000
    """Random configurations of the chain that the map must not call out of reach."""
    rounding: float = 1e-9
    """Added to the reach against rounding, as a share and in [m]."""


TUNING = ProofTuning()


class OutOfReach:
    """Proves, to a map's resolution, that poses are out of reach.

    Args:
        map: A map of voxels and of all orientations.
        chain: Its chain.

    Attributes:
        covering: Largest angle between a rotation and the orientation of its cell [rad], among
            many random ones.

    Raises:
        InvalidArgumentError: The map is of another chain, or contradicts this one; or it was
            made with collisions, or has no voxels, or not all orientations.
    """

    def __init__(self, map: ReachabilityMap, chain: KinematicChain):
        """Check the map and spread what is reached to the cells next to it."""
        check_fits(map, chain)
        if map.collision:
            what = "the robot and a scene" if map.scene else "the robot"
            raise InvalidArgumentError(
                f"the map counts only poses free of collisions of {what}, so it does not tell "
                "what is out of reach: compute it without"
            )
        self._map = map
        self._first = chain.joint_origins[0, :3, 3]
        self._reach = chain.reach * (1.0 + TUNING.rounding) + TUNING.rounding
        self.covering = _covering(map)
        if self.covering > 1.5 * widest_gap(map):
            raise InvalidArgumentError(
                f"the map has not all orientations: some are {self.covering:.2f} rad from the "
                "nearest of its own"
            )
        # Cells that touch have orientations at most twice as far from each other.
        self._possible = perhaps_reached(map, 2.0 * self.covering, self._first, self._reach)
        if lost := int(self.proves(random_reachable_poses(chain, TUNING.tried, 0)).sum()):
            raise InvalidArgumentError(
                f"the map calls {lost} of {TUNING.tried} poses unreachable that the chain "
                "reaches: it was made for another tool or mounting, with collisions, or too "
                "coarsely"
            )

    def proves(self, poses: Floats) -> Bools:
        """Say which of (B, 4, 4) poses of the tip in the base [m] are out of reach, (B,)."""
        proved = np.linalg.norm(poses[:, :3, 3] - self._first, axis=1) > self._reach
        row, direction, roll = self._map.lookup(poses)
        known = row >= 0
        orientation = direction * self._map.orientations.shape[1] + roll
        proved[known] |= ~self._possible[row[known], orientation[known]]
        return proved


def _covering(map: ReachabilityMap) -> float:
    """Measure how far rotations are from the orientation of their cell, at most [rad]."""
    quaternions = np.random.default_rng(0).normal(size=(TUNING.rotations, 4))
    poses = np.tile(np.eye(4), (TUNING.rotations, 1, 1))
    poses[:, :3, :3] = rotation_matrices(quaternions)
    poses[:, :3, 3] = map.positions[0]
    _, direction, roll = map.lookup(poses)
    trace = np.einsum("nij,nij->n", poses[:, :3, :3], map.orientations[direction, roll])
    return float(np.arccos(np.clip((trace.min() - 1.0) / 2.0, -1.0, 1.0)))
