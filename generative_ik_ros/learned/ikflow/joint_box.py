"""The box of a chain's configurations, scaled to [-1, 1]^n."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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

    middle: NDArray[np.float64]
    half: NDArray[np.float64]
    circular: NDArray[np.bool_]
    prismatic: NDArray[np.bool_]

    @classmethod
    def of(cls, chain: KinematicChain) -> "JointBox":
        """Return the box of a chain."""
        circular = chain.circular
        with np.errstate(invalid="ignore"):
            middle = np.where(chain.continuous, 0.0, (chain.lower + chain.upper) / 2.0)
            half = np.where(circular, np.pi, (chain.upper - chain.lower) / 2.0)
        return cls(middle, half, circular, chain.prismatic.copy())

    @property
    def half_turn(self) -> NDArray[np.float64]:
        """(n,) angle from the middle to the ends of revolute joints [rad], 0 for others."""
        return np.where(self.prismatic, 0.0, self.half)

    def inside(
        self,
        positions: NDArray[np.float64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
        turning: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.float64]:
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
