"""Figures as text: shares, numbers of a few digits, medians with quartiles."""

from dataclasses import dataclass

import numpy as np

from generative_ik_benchmarks.figure import figure
from generative_ik_ros.array_types import Floats


@dataclass(frozen=True)
class Quartiles:
    """Median and quartiles."""

    low: float = figure("Lower quartile.")
    median: float = figure("Median.")
    high: float = figure("Upper quartile.")

    @classmethod
    def of(cls, values: Floats) -> "Quartiles":
        """Return the quartiles of (N,) values, N > 0."""
        return cls(*(float(np.percentile(values, part)) for part in (25, 50, 75)))


def percent(share: float) -> str:
    """Return a share as a percentage; a dash for NaN."""
    return "-" if share != share else f"{100 * share:.1f}"


def number(value: float, digits: int = 3) -> str:
    """Return a number with so many significant digits; a dash for NaN and infinity."""
    if value != value or abs(value) == float("inf"):
        return "-"
    return f"{value:.{digits}g}" if abs(value) < 10**digits else f"{value:,.0f}"


def spread(values: Quartiles | None, scale: float = 1.0, digits: int = 3) -> str:
    """Return a median with the quartiles in brackets; a dash for None."""
    if values is None:
        return "-"
    low, middle, high = (
        number(scale * part, digits) for part in (values.low, values.median, values.high)
    )
    return f"{middle} ({low} to {high})"
