"""Trackers, once a period the next configuration: their contract, ours, and those of others."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.solver import taking_part
from generative_ik_benchmarks.tree_cases import TreeCase
from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.kinematic_tree import Kinematics

TRACKERS = {
    "ssik": "SsikTracker",
    "pink": "PinkTracker",
    "mink": "MinkTracker",
    "placo": "PlacoTracker",
}
"""The class of each, in the module of its name; it takes the chain or tree and the motion."""
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
        limit_slack: How far beyond joint limits it goes by itself [rad].
    """

    name: str
    limit_slack: float = 1e-9

    @abstractmethod
    def step(self, targets: Floats) -> Floats:
        """Return the next configuration (n,) towards poses (K, 4, 4) of the tips in the base."""


def turn_cost(robot: Kinematics) -> float:
    """Return the cost of rotations for solvers that weigh positions by 1 [1/m]."""
    tips = getattr(robot, "num_tips", 1)
    return 1.0 if robot.num_joints >= _COORDINATES * tips else _TURNS


class Ours(Tracker):
    """`IKSolver.track`, maybe among obstacles, see `Tracker`."""

    name = "ours"

    def __init__(self, solver: IKSolver, motion: Motion, scene: Scene | None = None):
        """Make the tracker."""
        self._single = hasattr(solver.chain, "tip_link")
        self._tracker = solver.track(
            motion.start, motion.period, velocity_limits=motion.velocity,
            acceleration_limits=motion.acceleration, scene=scene,
        )  # fmt: skip
        if scene is not None:
            self.name = "ours, boxes"

    def step(self, targets: Floats) -> Floats:
        """Return the next configuration (n,), see `Tracker`."""
        return self._tracker.step(targets[0] if self._single else targets).positions


def available_trackers(
    names: Sequence[str], case: Case, motion: Motion
) -> tuple[list[Tracker], dict[str, str]]:
    """Return the trackers of `TRACKERS` that can take part, and why the others cannot."""

    def make(name: str) -> list[Tracker]:
        return [getattr(import_module(f"{__package__}.{name}"), TRACKERS[name])(case, motion)]

    return taking_part(names, make)
