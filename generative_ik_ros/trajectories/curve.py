"""A twice differentiable curve through configurations, close to the straight motions between."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from generative_ik_ros.array_types import Floats, Ints

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline


@dataclass(frozen=True)
class CurveTuning:
    """How fine a curve is."""

    intervals: int = 150
    """Intervals that a curve is cut into at least: enough to speed up and slow down in."""
    turn: float = 0.2
    """Largest change of direction in an interval [rad], if that does not take too many."""
    most: int = 16
    """Intervals between two knots at most: more cost more time than they make the motion
    faster."""
    beyond: float = 1e-5
    """How far a joint may be beyond its limits between two configurations, in its unit."""
    rounds: int = 20
    """Rounds in which knots are added; each halves the intervals that are too far off."""


TUNING = CurveTuning()

_PROBES = np.array([0.25, 0.5, 0.75])
"""Where an interval is compared with the straight motion, as shares of it."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A path cut into intervals; all lengths are in joint units.

    Attributes:
        grid: (M,) lengths along the straight motions, from 0.
        points: (M, n) configurations at these.
        first: (M, n) derivatives by that length.
        second: (M, n) second derivatives.
        motion: (M - 1,) the straight motion that each interval belongs to.
        at_pose: (K,) the grid point at each of the K given configurations.
    """

    grid: Floats
    points: Floats
    first: Floats
    second: Floats
    motion: Ints
    at_pose: Ints


def curve_through(corners: Floats, max_deviation: float, bounds: tuple[Floats, Floats]) -> Curve:
    """Lay a cubic spline through configurations, and cut it into intervals.

    Where it leaves the straight motions by more than is allowed, or swings out of the joint
    limits, it is led through the middle of the straight motion as well, and so on: the more knots
    on it, the closer to it.

    Args:
        corners: (K, n) configurations, K at least 2, none equal to the next one.
        max_deviation: Largest distance of a joint from the straight motions.
        bounds: (n,) lower limits, and upper ones.
    """
    at_corner = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))]
    knots, motion = at_corner, np.arange(len(corners) - 1)
    spline = cubic_spline(knots, corners, "natural")
    for _ in range(TUNING.rounds):
        far = deviations(spline, knots, corners, motion) > max_deviation
        far |= (
            excess(spline(_between(knots)), _around(corners, motion, bounds)).max(1)
            > TUNING.beyond
        )
        if not far.any():
            break
        knots, interval = cut(knots, np.where(far, 2, 1))
        motion = motion[interval]
        spline = cubic_spline(knots, _straight(corners, at_corner, knots), "natural")
    size, bend = np.diff(knots), np.linalg.norm(spline(knots, 2), axis=1)
    turn = size * np.maximum(bend[:-1], bend[1:])
    count = np.maximum(
        size * (TUNING.intervals / knots[-1]) - 1e-9, np.minimum(turn / TUNING.turn, TUNING.most)
    )
    grid, interval = cut(knots, np.ceil(count).astype(np.int64).clip(1))
    at_pose = np.searchsorted(grid, at_corner)
    return Curve(grid, spline(grid), spline(grid, 1), spline(grid, 2), motion[interval], at_pose)


def cubic_spline(
    knots: Floats, points: Floats, ends: Literal["natural", "clamped"]
) -> "CubicSpline":
    """Return the cubic spline through points (M, n), straight or at rest at its ends."""
    from scipy.interpolate import CubicSpline  # slow to import

    return CubicSpline(knots, points, bc_type=ends)


def deviations(spline: "CubicSpline", knots: Floats, corners: Floats, motion: Ints) -> Floats:
    """Return how far a spline leaves the straight motions in each interval.

    Args:
        spline: Returns configurations.
        knots: (M,) ends of the intervals, by the spline's argument.
        corners: (K, n) the ends of the straight motions, in joint units.
        motion: (M - 1,) the straight motion that each interval belongs to.

    Returns:
        (M - 1,) largest distance of a joint from the nearest point of the motion.
    """
    where = _between(knots)
    begin, along = corners[motion][:, None], np.diff(corners, axis=0)[motion][:, None]
    off = spline(where) - begin
    share = (off * along).sum(axis=-1) / (along**2).sum(axis=-1)
    off -= np.clip(share, 0.0, 1.0)[..., None] * along
    return np.abs(off).max(axis=(1, 2))


def excess(points: Floats, bounds: tuple[Floats, Floats]) -> Floats:
    """Return how far a joint of each configuration (..., n) is beyond its limits, (...)."""
    lower, upper = bounds
    return np.maximum(lower - points, points - upper).max(axis=-1)


def _around(corners: Floats, motion: Ints, bounds: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Return the bounds of each interval (M - 1, 1, n): the limits, and the ends of its motion.

    An arm may start a little beyond a limit, where no knot leads a spline back inside.
    """
    begin, end = corners[motion], corners[motion + 1]
    low, high = np.minimum(begin, end), np.maximum(begin, end)
    return np.minimum(low, bounds[0])[:, None], np.maximum(high, bounds[1])[:, None]


def _between(knots: Floats) -> Floats:
    """Return where each interval is looked at, (M - 1, 3)."""
    return knots[:-1, None] + np.diff(knots)[:, None] * _PROBES


def _straight(corners: Floats, at_corner: Floats, where: Floats) -> Floats:
    """Return the configurations (M, n) at lengths (M,) along the straight motions."""
    return np.stack([np.interp(where, at_corner, one) for one in corners.T], axis=1)


def cut(knots: Floats, count: Ints) -> tuple[Floats, Ints]:
    """Cut intervals (M - 1,) into `count` equal ones each; also return which each is a part of."""
    interval = np.repeat(np.arange(len(count)), count)
    place = np.arange(len(interval)) - np.repeat(np.cumsum(count) - count, count)
    begun = knots[interval] + place / count[interval] * np.diff(knots)[interval]
    return np.r_[begun, knots[-1]], interval
