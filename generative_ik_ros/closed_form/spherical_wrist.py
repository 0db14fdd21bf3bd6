"""What the parameters of arms with a spherical wrist have, see `core/src/closed_form/`."""

import numpy as np
from numpy.typing import NDArray

DISTANCE_OF_1, DISTANCE_OF_3, HEIGHT_OF_1, HEIGHT_OF_3 = range(4)
"""The row that has one angle only, and which."""


def own_vectors(
    axes: NDArray[np.float64],
    feet: NDArray[np.float64],
    wrist: NDArray[np.float64],
    single: int,
) -> NDArray[np.float64]:
    """Return what this family adds to `header`, (8, 3).

    Args:
        axes: (6, 3) unit directions.
        feet: (3, 3) points on axes 1, 2 and 3, in shares of the reach: where one of them meets
            axis 2, both points are that one.
        wrist: (3,) the wrist's centre.
        single: `DISTANCE_OF_1` to `HEIGHT_OF_3`; of no meaning where axis 2 is skew to both.
    """
    back, fore, ahead = feet[0] - feet[1], feet[2] - feet[1], wrist - feet[2]
    squares = (ahead @ ahead + fore @ fore - back @ back) / 2.0
    other = [squares, axes[1] @ (fore - back), float(single)]
    distance = arc_of(fore, axes[2], ahead)
    height = arc_of(axes[1], axes[2], ahead)
    bend = arc_of(axes[3], axes[4], axes[5])
    return np.array([feet[0], back, fore, ahead, distance, height, bend, other])


def arc_of(
    h: NDArray[np.float64], k: NDArray[np.float64], p: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return (o, a, b) with h . turn(k, u, p) = o + a cos u + b sin u."""
    middle = (h @ k) * (k @ p)
    return np.array([middle, h @ p - middle, h @ np.cross(k, p)])
