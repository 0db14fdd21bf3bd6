"""The part of joint space that a query's seed state, consistency limits and bounds allow."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.chain import KinematicChain

ROUNDING = 1e-9
"""Largest violation of a bound that is attributed to rounding [rad or m]."""


@dataclass(frozen=True, eq=False)
class SearchBox:
    """Bounds on a chain's n variables, expressed as arguments of `IKSolver.solve`.

    Attributes:
        lower: (n,) lower bounds [rad or m], -inf for joints bounded only by their limits.
        upper: (n,) upper bounds [rad or m].
        seed_state: (n,) seed state for `solve` [rad or m]; None: none.
        consistency_limits: (n,) consistency limits for `solve` [rad or m]; None: none.
        empty: (n,) joints whose range is empty.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    seed_state: NDArray[np.float64] | None
    consistency_limits: NDArray[np.float64] | None
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
            seed: (n,) seed state of the query [rad or m].
            limits: (n,) largest distance of each joint from the seed [rad or m].
            lower: (n,) additional lower bounds, -inf if there is none.
            upper: (n,) additional upper bounds, inf if there is none.
        """
        given = np.isfinite(lower) | np.isfinite(upper)
        least, most = lower, upper
        if seed is not None and limits is not None:
            least, most = np.maximum(least, seed - limits), np.minimum(most, seed + limits)
        bounded = np.isfinite(least) | np.isfinite(most)
        if not bounded.any():
            return cls(least, most, seed, None, bounded)
        # A joint without limits that is bounded on one side may make one full turn.
        low, high = np.maximum(least, chain.lower), np.minimum(most, chain.upper)
        low = np.where(np.isinf(low), high - 2.0 * np.pi, low)
        high = np.where(np.isinf(high), low + 2.0 * np.pi, high)
        low, high = np.where(bounded, low, 0.0), np.where(bounded, high, 0.0)
        center = _middle(chain) if seed is None else seed
        # The solver's bounds are symmetric about the seed state. Asymmetric ones are searched
        # from their centre; `Candidates` sorts the solutions by the query's seed afterwards.
        moved = bounded & (given | (center < low) | (center > high))
        center = np.where(moved, 0.5 * (low + high), center)
        radius = np.maximum(np.maximum(high - center, center - low), 0.0)
        return cls(least, most, center, np.where(bounded, radius, np.inf), low > high)

    def contains(self, positions: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which of (K, n) positions lie in the box up to rounding, (K,)."""
        low, high = self.lower - ROUNDING, self.upper + ROUNDING
        return np.all((positions >= low) & (positions <= high), axis=-1)


def _middle(chain: KinematicChain) -> NDArray[np.float64]:
    """Return the middle of each variable's range, 0 for continuous joints, (n,) [rad or m]."""
    ends = [np.where(chain.continuous, 0.0, end) for end in (chain.lower, chain.upper)]
    return 0.5 * (ends[0] + ends[1])
