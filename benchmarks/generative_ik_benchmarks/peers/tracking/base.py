"""The contract of trackers: the next configuration towards moving targets, once a period."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.tree_cases import TreeCase
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree

Robot = KinematicChain | KinematicTree
Case = ChainCase | TreeCase

_COORDINATES = 6
"""Of a pose."""
_TURNS = 0.01
"""Cost of rotations, over that of positions, where there are too few joints for both."""


@dataclass(frozen=True)
class Motion:
    """Where an arm begins, and how it may move.

    Attributes:
        start: (n,) configuration at rest [rad or m].
        period: Time between two steps [s].
        velocity: (n,) limits [rad/s or m/s].
        acceleration: (n,) limits [rad/s^2 or m/s^2].
    """

    start: NDArray[np.float64]
    period: float
    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]


class Tracker(ABC):
    """Follows the targets of one tip or several.

    Attributes:
        name: How tables name it.
    """

    name: str

    @abstractmethod
    def step(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the next configuration (n,) towards poses (K, 4, 4) of the tips in the base."""


def turn_cost(robot: Robot) -> float:
    """Return the cost of rotations for solvers that weigh positions by 1 [1/m]."""
    tips = getattr(robot, "num_tips", 1)
    return 1.0 if robot.num_joints >= _COORDINATES * tips else _TURNS
