"""The contract of solvers of one pose that start at a seed state."""

from abc import ABC, abstractmethod

from generative_ik_ros.array_types import Floats


class SeededSolver(ABC):
    """A solver that is asked for one configuration at a pose, near a seed state.

    Attributes:
        name: How tables name it.
        position_tolerance: What it promises for the distance of the tip from the pose [m].
        orientation_tolerance: What it promises for the angle between them [rad].
        limit_slack: How far beyond the limits its own rounding can reach [rad or m].
    """

    name: str
    position_tolerance: float = 1e-5
    orientation_tolerance: float = 1e-5
    limit_slack: float = 1e-9

    @abstractmethod
    def near(self, tip_in_base: Floats, seed_state: Floats) -> Floats | None:
        """Return a configuration (n,) at a pose (4, 4) for a seed state (n,); None: none found."""
