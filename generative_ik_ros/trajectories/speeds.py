"""Time-optimal speeds along a curve by reachability analysis (TOPP-RA), in closed form.

H. Pham and Q.-C. Pham, "A New Approach to Time-Optimal Path Parameterization Based on
Reachability Analysis", IEEE Transactions on Robotics 34(3), 2018. The linear programs that the
authors solve at each grid point have two variables and constraints of one form only, whose
solution can be written down.
"""

from typing import NamedTuple

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.trajectories.curve import Curve

LEFT = 0.1
"""Share of the squared speed that a joint's braking leaves at least at the last point but one."""


class SpeedLimits(NamedTuple):
    """Limits at the M grid points of a curve.

    Attributes:
        velocity: (M, n) largest velocity of each joint, above 0 [1/s].
        acceleration: (M, n) largest acceleration of each joint, above 0 [1/s^2].
        largest: (M,) largest speed along the curve; inf: no limit [1/s].
    """

    velocity: Floats
    acceleration: Floats
    largest: Floats


def squared_speeds(curve: Curve, limits: SpeedLimits) -> Floats:
    """Return the largest squared speeds with which a curve can be driven from rest to rest.

    Between two grid points the acceleration along the curve is constant. With x the squared speed
    at a grid point, y that at the next one, and d their distance, joint j accelerates with
    first_j (y - x) / 2d + second_j x.

    Args:
        curve: It.
        limits: Of the joints, and of the speed itself.

    Returns:
        (M,) squared speeds [1/s^2].
    """
    first, velocity = curve.first, limits.velocity
    sign = np.where(first < 0.0, -1.0, 1.0)
    to, step = (sign * first)[:-1], 2.0 * np.diff(curve.grid)[:, None]
    bound, by = step * limits.acceleration[:-1], step * (sign * curve.second)[:-1] - to
    # Joint j can accelerate as it must if -bound <= to y + by x <= bound, with to >= 0. The last
    # point but one is passed with a speed: from rest there, no time would lead to rest at the end.
    stop = by.copy()
    stop[-2] += LEFT * to[-2]
    with np.errstate(divide="ignore", invalid="ignore"):
        cap = np.minimum(limits.largest, (velocity / np.abs(first)).min(axis=1)) ** 2
        at_rest = np.where(stop > 0.0, bound / stop, np.inf).min(axis=1)
        slope, offset = np.where(by < 0.0, to / -by, 0.0), np.where(by < 0.0, bound / -by, np.inf)
        gain, start = np.where(to > 0.0, -by / to, 0.0), np.where(to > 0.0, bound / to, np.inf)
    cap[:-1] = np.minimum(cap[:-1], np.minimum(at_rest, _agreeing(to, by, bound)))
    cap[[0, -1]] = 0.0
    # Backwards: the largest speed from which the rest can be driven; then as fast as it may be.
    cap[-2::-1] = _scan(slope[::-1], offset[::-1], cap[-2::-1])
    cap[1:] = _scan(gain, start, cap[1:])
    return cap


def _agreeing(to: Floats, by: Floats, bound: Floats) -> Floats:
    """Return the largest x (M,) for which some y suits every two of the joints."""
    slope = to[:, :, None] * by[:, None]
    slope = slope - slope.swapaxes(1, 2)
    room = to[:, :, None] * bound[:, None]
    room = room + room.swapaxes(1, 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(slope > 0.0, room / slope, np.inf).min(axis=(1, 2))


def _scan(slope: Floats, offset: Floats, cap: Floats) -> list[float]:
    """Return value <- min(cap, slope value + offset), the least over the joints, from 0 on."""
    values, value = [], 0.0
    # Plain Python: for rows of seven numbers it takes a third of the time of numpy.
    for slopes, offsets, most in zip(slope.tolist(), offset.tolist(), cap.tolist(), strict=True):
        for a, b in zip(slopes, offsets, strict=True):
            reached = a * value + b
            if reached < most:
                most = reached
        value = max(most, 0.0)
        values.append(value)
    return values
