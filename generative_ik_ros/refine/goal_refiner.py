"""Levenberg-Marquardt towards several goals at once, or towards regions."""

from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.region_rows import SIZE, PackedRegions

if TYPE_CHECKING:
    from generative_ik_ros.robot.kinematic_tree import KinematicTree


class GoalLevenbergMarquardt(LevenbergMarquardt):
    """Damped least squares whose errors are those of all goals, one below the other.

    Targets are (T, G, 4, 4): tip in reference [m].

    Args:
        chain: A tree, or a chain, which is a tree of one tip.
        position_tolerance: [m]; inf leaves the positions free.
        orientation_tolerance: [rad]; inf leaves the orientations free.

    Attributes:
        bounded: (G,) what these bound, see `PackedRegions`.
        regions: (R, G, 18) regions about targets, see `within`.
    """

    def __init__(
        self,
        chain: "KinematicChain | KinematicTree",
        position_tolerance: float,
        orientation_tolerance: float,
    ):
        """Choose the parameters, for targets without regions."""
        super().__init__(chain, position_tolerance, orientation_tolerance)  # pyright: ignore[reportArgumentType]
        goals = chain.core.num_goals
        self.bounded, self.regions = np.zeros(goals, np.int64), np.zeros((1, goals, SIZE))

    def within(self, regions: PackedRegions) -> "GoalLevenbergMarquardt":
        """Return the same solver for targets with regions about them."""
        other = copy(self)
        other.bounded, other.regions = regions.bounded, regions.rows
        return other

    @property
    def _goals(self) -> tuple[Ints, Floats]:
        return self.bounded, self.regions
