"""Configurations and targets in, their true pose errors out.

Nothing leaves the package unchecked: `core/src/verify` shares no code with the local solver.
"""

from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.robot.region_rows import CHECK_SIZE, PackedRegions

if TYPE_CHECKING:
    from generative_ik_ros.robot.chain import KinematicChain
    from generative_ik_ros.robot.kinematic_tree import KinematicTree


class Verifier:
    """Measures how far the tip of a chain is from its target.

    Args:
        chain: The chain.

    """

    def __init__(self, chain: "KinematicChain | KinematicTree"):
        """Take the chain."""
        self._chain = chain

    def errors(
        self,
        positions: Floats,
        targets: Floats,
        target_of_row: Ints,
    ) -> Floats:
        """Compute the distances [m] and the angles [rad] between tips and targets.

        Args:
            positions: (S, n) configurations [rad or m].
            targets: (T, 4, 4) tip in base [m].
            target_of_row: (S,) which target each configuration is meant for.

        Returns:
            (S, 2) a distance and an angle of each.
        """
        gaps = np.empty((len(positions), 2))
        rows = np.ascontiguousarray(positions), np.ascontiguousarray(targets)
        _core.pose_errors(self._chain.core, *rows, target_of_row, gaps, self._goals)
        return gaps

    @property
    def _goals(self) -> tuple[Ints, Floats] | None:
        """What targets bound of each goal, and regions about them; None: they are tip poses."""
        return None


class GoalVerifier(Verifier):
    """Measures how far the tips of a tree are from their targets, or regions about them.

    Targets are (T, G, 4, 4) tips in references [m]; of all tips the largest errors count.

    Args:
        robot: A tree, or a chain, which is a tree of one tip.

    Attributes:
        checks: (R, G, 14) regions, see `PackedRegions`.
    """

    def __init__(self, robot: "KinematicChain | KinematicTree"):
        """Take the tree, and no regions."""
        super().__init__(robot)
        count = robot.core.num_goals
        self._bounded, self.checks = np.zeros(count, np.int64), np.zeros((1, count, CHECK_SIZE))

    def within(self, regions: PackedRegions) -> "GoalVerifier":
        """Return the same verifier for targets with regions about them."""
        other = copy(self)
        other._bounded, other.checks = regions.bounded, regions.checks
        return other

    @property
    def _goals(self) -> tuple[Ints, Floats]:
        return self._bounded, self.checks
