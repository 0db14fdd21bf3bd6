"""Median and quartiles of a figure that each pose, block or round gives one value of."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Quartiles:
    """Median and quartiles.

    Attributes:
        low: Lower quartile.
        median: Median.
        high: Upper quartile.
    """

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> "Quartiles":
        """Return the quartiles of (N,) values, N > 0."""
        return cls(*(float(np.percentile(values, part)) for part in (25, 50, 75)))
