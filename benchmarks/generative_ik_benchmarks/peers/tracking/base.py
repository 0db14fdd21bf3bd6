"""The contract of trackers: the next configuration towards moving targets, once a period."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.tree_cases import TreeCase
from generative_ik_ros.array_types import Floats
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

    start: Floats
    period: float
    velocity: Floats
    acceleration: Floats


class Tracker(ABC):
    """Follows the targets of one tip or several.

    Attributes:
        name: How tables name it.
    """

    name: str

    @abstractmethod
    def step(self, targets: Floats) -> Floats:
        """Return the next configuration (n,) towards poses (K, 4, 4) of the tips in the base."""


def turn_cost(robot: Robot) -> float:
    """Return the cost of rotations for solvers that weigh positions by 1 [1/m]."""
    tips = getattr(robot, "num_tips", 1)
    return 1.0 if robot.num_joints >= _COORDINATES * tips else _TURNS
