"""Full turns: configurations that differ by 2 pi in joints with room for it."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import _core


def other_turns(
    positions: NDArray[np.float64],
    reference: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    circular: NDArray[np.bool_],
    count: int,
) -> NDArray[np.float64]:
    """List the configurations that are full turns away from given ones, nearest first.

    Joints with a range of more than a turn reach the same point of the circle several times.
    Continuous joints do not count: all their turns are one position.

    Args:
        positions: (M, n) configurations, each at its turn nearest to the reference [rad or m].
        reference: (n,) configuration.
        lower: (n,) limits.
        upper: (n,) likewise.
        circular: (n,) joints on which a full turn is possible.
        count: Most configurations to return.

    Returns:
        (at most count, n) configurations, none of them among `positions`.
    """
    limited = np.flatnonzero(circular & np.isfinite(lower) & np.isfinite(upper))
    rows = np.ascontiguousarray(positions)
    return _core.other_turns(rows, reference, lower, upper, limited, max(count, 0))


def with_turns(
    positions: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    circular: NDArray[np.bool_],
) -> float:
    """Return how many configurations (M, n) are with those of `other_turns`; see there."""
    limited = np.flatnonzero(circular & np.isfinite(lower) & np.isfinite(upper))
    return _core.count_turns(np.ascontiguousarray(positions), lower, upper, limited)
