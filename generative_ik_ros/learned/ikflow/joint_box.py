"""The box of a chain's configurations, scaled to [-1, 1]^n."""

from dataclasses import dataclass

import numpy as np

from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import TURN


@dataclass(frozen=True, eq=False)
class JointBox:
    """The configurations of a chain as points of [-1, 1]^n.

    A joint with room for a full turn is a circle: its box is one turn about the middle of its
    limits, whose two ends are the same point. Further turns would repeat the same poses.

    Attributes:
        middle: (n,) centre of the box [rad or m].
        half: (n,) half its width [rad or m].
        circular: (n,) whether the joint is a circle.
        prismatic: (n,) whether it is in [m].
    """

    middle: Floats
    half: Floats
    circular: Bools
    prismatic: Bools

    @classmethod
    def of(cls, chain: KinematicChain) -> "JointBox":
        """Return the box of a chain."""
        circular = chain.circular
        with np.errstate(invalid="ignore"):
            middle = np.where(chain.continuous, 0.0, (chain.lower + chain.upper) / 2.0)
            half = np.where(circular, np.pi, (chain.upper - chain.lower) / 2.0)
        return cls(middle, half, circular, chain.prismatic.copy())

    @property
    def half_turn(self) -> Floats:
        """(n,) angle from the middle to the ends of revolute joints [rad], 0 for others."""
        return np.where(self.prismatic, 0.0, self.half)

    def inside(
        self, positions: Floats, lower: Floats, upper: Floats, turning: Bools | None = None
    ) -> Floats:
        """Bring configurations inside bounds.

        Circles take the turn nearest to the middle of the bounds; what is still outside is
        clipped.

        Args:
            positions: (..., n) [rad or m].
            lower: (n,) bounds, finite [rad or m].
            upper: (n,) likewise.
            turning: (n,) joints whose positions may be full turns away; None for circles.

        Returns:
            (..., n) [rad or m].
        """
        turning = self.circular if turning is None else turning
        if turning.any():
            centre = (lower + upper) / 2.0
            turns = np.round((positions - centre) / TURN) * turning
            positions = positions - TURN * turns
        return np.clip(positions, lower, upper)
