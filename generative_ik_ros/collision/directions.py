"""Directions that are spread evenly."""

import numpy as np
from numpy.typing import NDArray


def spread_directions(count: int) -> NDArray[np.float64]:
    """Return unit vectors (count, 3), along a spiral with golden angles between them."""
    up = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    angle = np.pi * (1.0 + np.sqrt(5.0)) * np.arange(count)
    flat = np.sqrt(1.0 - up**2)
    return np.stack([flat * np.cos(angle), flat * np.sin(angle), up], axis=-1)
