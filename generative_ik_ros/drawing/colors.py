"""Colours that can be distinguished with any type of colour vision.

The hues are those of Okabe and Ito, "Color Universal Design" (2008). The scale for solutions goes
from dark blue over teal to yellow with increasing lightness, so that it also works in greyscale.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.joints import MovingJoints
from generative_ik_ros.robot.rigid import TURN

ORANGE, GREEN, BLUE = (0.835, 0.369, 0.0), (0.0, 0.62, 0.451), (0.0, 0.447, 0.698)
"""Vermilion, bluish green and blue, for the x, y and z axes of a frame."""
CLOSEST = ORANGE
"""Colour of configurations that do not reach their target."""
REJECTED = (0.84, 0.15, 0.16)
"""Colour of configurations that collide."""
OBSTACLE = (0.70, 0.71, 0.73)
"""Colour of what stands around a robot."""
FAR = 0.03
"""Clearance from which on the colour does not change any more [m]."""
STILL = (0.62, 0.64, 0.67)
"""Colour of the base, which no joint moves."""
_STOPS = np.array(
    [
        (0.12, 0.19, 0.49),
        (0.10, 0.38, 0.60),
        (0.07, 0.55, 0.58),
        (0.33, 0.71, 0.47),
        (0.66, 0.81, 0.32),
        (0.97, 0.87, 0.21),
    ]
)


def _scale(shades: Floats) -> Floats:
    """Return (N, 3) red, green and blue for positions (N,) on the scale, all from 0 to 1."""
    places = np.linspace(0.0, 1.0, len(_STOPS))
    return np.stack([np.interp(shades, places, _STOPS[:, i]) for i in range(3)], axis=1)


def by_order(count: int) -> Floats:
    """Return (count, 3) colours, the best solution's first."""
    return _scale(np.arange(count) / max(count - 1, 1))


def by_clearance(clearance: Floats) -> Floats:
    """Return (N, 3) colours of configurations by their distance (N,) from collision [m]."""
    return _scale(np.clip(np.nan_to_num(clearance) / FAR, 0.0, 1.0))


def by_index(index: Floats) -> Floats:
    """Return (N, 3) colours of voxels by their reachability index (N,), from 0 to 1."""
    return _scale(index)


def as_bytes(shades: Floats) -> NDArray[np.uint8]:
    """Return colours (..., 3), from 0 to 1, as numbers up to 255."""
    return (255.0 * shades + 0.5).astype(np.uint8)


def legend(shades: Callable[[Floats], Floats], most: float) -> NDArray[np.uint8]:
    """Return a picture of the colours of values from 0 to the largest."""
    return np.tile(as_bytes(shades(np.linspace(0.0, most, 256))), (16, 1, 1))


def by_first_joint(chain: MovingJoints, positions: Floats) -> Floats:
    """Return (N, 3) colours of configurations (N, n) by the position of their first joint.

    Similar configurations have similar colours, so that arms do not flicker while a target moves.
    """
    first, lower, upper = positions[:, 0], chain.lower[0], chain.upper[0]
    if not np.isfinite(upper - lower):
        first, lower, upper = np.remainder(first + np.pi, TURN), 0.0, TURN
    return _scale((first - lower) / max(upper - lower, 1e-9))
