"""A seed state, consistency limits and joint bounds in, the part of joint space to search out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.chain import KinematicChain

ROUNDING = 1e-9
"""How far beyond a bound a position may be [rad or m]."""


@dataclass(frozen=True, eq=False)
class SearchBox:
    """Bounds on a chain's n variables, in the terms that `IKSolver.solve` takes.

    Attributes:
        lower: (n,) least positions [rad or m], -inf where there is no bound but the joint's own.
        upper: (n,) greatest positions.
        start: (n,) where the search starts; None: anywhere.
        reach: (n,) largest distance from `start`; None: no bound.
        empty: (n,) joints for which no position is left.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    start: NDArray[np.float64] | None
    reach: NDArray[np.float64] | None
    empty: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        chain: KinematicChain,
        seed: NDArray[np.float64] | None,
        limits: NDArray[np.float64] | None,
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
    ) -> "SearchBox":
        """Intersect all bounds.

        Args:
            chain: The chain.
            seed: (n,) seed state [rad or m].
            limits: (n,) largest distance of each joint from the seed [rad or m].
            lower: (n,) further least positions, -inf where there is none.
            upper: (n,) further greatest positions, inf where there is none.
        """
        given = np.isfinite(lower) | np.isfinite(upper)
        least, most = lower, upper
        if seed is not None and limits is not None:
            least, most = np.maximum(least, seed - limits), np.minimum(most, seed + limits)
        bounded = np.isfinite(least) | np.isfinite(most)
        if not bounded.any():
            return cls(least, most, seed, None, bounded)
        # A bound on one side leaves one turn to a joint that has no limits.
        low, high = np.maximum(least, chain.lower), np.minimum(most, chain.upper)
        low = np.where(np.isinf(low), high - 2.0 * np.pi, low)
        high = np.where(np.isinf(high), low + 2.0 * np.pi, high)
        low, high = np.where(bounded, low, 0.0), np.where(bounded, high, 0.0)
        start = _middle(chain) if seed is None else seed
        # The solver takes bounds as a distance to both sides of where it starts. A box that lies
        # otherwise is searched from its own centre, and the order put right afterwards.
        moved = bounded & (given | (start < low) | (start > high))
        start = np.where(moved, 0.5 * (low + high), start)
        reach = np.maximum(np.maximum(high - start, start - low), 0.0)
        return cls(least, most, start, np.where(bounded, reach, np.inf), low > high)

    def holds(self, positions: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Say which of (K, n) positions lie in the box, rounding forgiven; (K,)."""
        low, high = self.lower - ROUNDING, self.upper + ROUNDING
        return np.all((positions >= low) & (positions <= high), axis=-1)


def _middle(chain: KinematicChain) -> NDArray[np.float64]:
    """Return the middle of each variable's limits, 0 for continuous ones, (n,) [rad or m]."""
    ends = [np.where(chain.continuous, 0.0, end) for end in (chain.lower, chain.upper)]
    return 0.5 * (ends[0] + ends[1])
