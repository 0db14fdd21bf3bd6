"""Speeds along a curve, and the cubic spline over time that keeps to them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.trajectories.curve import (
    Curve,
    cubic_spline,
    curve_through,
    deviations,
    excess,
)
from generative_ik_ros.trajectories.result import Trajectory
from generative_ik_ros.trajectories.speeds import SpeedLimits, squared_speeds

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline


@dataclass(frozen=True)
class DriveTuning:
    """How closely limits are reached."""

    same: float = 1e-9
    """Smallest derivative of a curve that is divided by."""
    tightenings: int = 6
    """Times at most that limits are tightened where the trajectory exceeds them."""
    enough: float = 3e-3
    """Share of a limit by which it may still be exceeded then."""
    near: int = 2
    """Grid points to both sides of one at which limits are tightened as well."""
    tip_steps: int = 4
    """Points of each interval at which the tip's speed is looked at."""
    tip_margin: float = 0.995
    """Share of the tip's largest speed that is aimed at, for it is seen at these points only."""


TUNING = DriveTuning()


class Drive:
    """Drives curves through configurations of a chain as fast as its limits allow.

    Args:
        chain: The chain.
        velocity: (n,) largest velocities [rad/s or m/s].
        acceleration: (n,) largest accelerations [rad/s^2 or m/s^2].
        tip_speed: Largest speed of the tip [m/s].

    Attributes:
        chain: As above.
    """

    def __init__(
        self, chain: KinematicChain, velocity: Floats, acceleration: Floats, tip_speed: float
    ):
        """Turn limits into joint units."""
        self.chain, self._unit = chain, chain.joint_units
        self._velocity, self._acceleration = velocity / self._unit, acceleration / self._unit
        self._tip_speed = TUNING.tip_margin * tip_speed
        self._bounds = chain.lower / self._unit, chain.upper / self._unit

    def excess(self, positions: Floats) -> float:
        """Return how far a joint is beyond its limits at most, in its unit."""
        return max(0.0, float(excess(positions / self._unit, self._bounds).max()))

    def through(self, corners: Floats, corner_of_pose: Ints, within: float) -> Trajectory:
        """Return a trajectory on a curve through corners (K, n), `within` the straight motions."""
        scaled = corners / self._unit
        curve = curve_through(scaled, within, self._bounds)
        times, spline = self._fit(curve)
        fast, hard = self._shares(times, spline)
        tip = self._tip_speeds(times, spline).max() / self._tip_speed
        # If a limit is still exceeded after tightening: the same motion, a little slower.
        slower = max(1.0, fast.max(), np.sqrt(hard.max()), tip)
        return Trajectory(
            self.chain.names,
            times * slower,
            curve.points * self._unit,
            spline(times, 1) * self._unit / slower,
            spline(times, 2) * self._unit / slower**2,
            curve.at_pose[corner_of_pose],
            float(deviations(spline, times, scaled, curve.motion).max()),
        )

    def _fit(self, curve: Curve) -> "tuple[Floats, CubicSpline]":
        """Return times (M,) at the grid points, and the spline over time through them.

        The spline smooths the jumps of the accelerations that are optimal, and exceeds limits
        beside them: there they are tightened, and speeds computed again.
        """
        velocity, acceleration = (
            np.tile(one, (len(curve.grid), 1)) for one in (self._velocity, self._acceleration)
        )
        tip_motion = self._tip_motion(curve)
        with np.errstate(divide="ignore", over="ignore"):
            largest = self._tip_speed / (tip_motion * np.linalg.norm(curve.first, axis=1))
        times, spline = self._drive(curve, SpeedLimits(velocity, acceleration, largest))
        for _ in range(TUNING.tightenings):
            fast, hard = self._shares(times, spline)
            tip = np.linalg.norm(spline(times, 1), axis=1) * tip_motion / self._tip_speed
            too_fast, too_hard = _spread(np.maximum(fast, tip)), _spread(hard)
            if max(too_fast.max(), too_hard.max()) < 1.0 + TUNING.enough:
                break
            velocity /= np.maximum(too_fast, 1.0)[:, None]
            largest = largest / np.maximum(too_fast, 1.0)
            acceleration /= np.maximum(too_hard, 1.0)[:, None]
            times, spline = self._drive(curve, SpeedLimits(velocity, acceleration, largest))
        return times, spline

    def _drive(self, curve: Curve, limits: SpeedLimits) -> "tuple[Floats, CubicSpline]":
        """Return times (M,) at the grid points, and the spline over time."""
        with np.errstate(all="ignore"):
            speed = np.sqrt(squared_speeds(curve, limits))
            times = np.r_[0.0, np.cumsum(2.0 * np.diff(curve.grid) / (speed[1:] + speed[:-1]))]
        if not (np.isfinite(times).all() and (np.diff(times) > 1e-100).all()):
            raise InvalidArgumentError(
                "limits are too small or too large for any time to be found"
            )
        return times, cubic_spline(times, curve.points, "clamped")

    def _tip_motion(self, curve: Curve) -> Floats:
        """Return how far a tip moves for a motion of the joints by 1 at grid points (M,) [m]."""
        if np.isinf(self._tip_speed):
            return np.zeros(len(curve.grid))
        size = np.maximum(np.linalg.norm(curve.first, axis=1), TUNING.same)
        return self._fastest_tip(curve.points, curve.first) / size

    def _tip_speeds(self, times: Floats, spline: "CubicSpline") -> Floats:
        """Return speeds of the tip in each interval, (M - 1, s) [m/s]; 0 if they do not matter."""
        if np.isinf(self._tip_speed):
            return np.zeros((1, 1))
        where = times[:-1, None] + np.diff(times)[:, None] * np.linspace(
            0.0, 1.0, TUNING.tip_steps
        )
        return self._fastest_tip(spline(where), spline(where, 1))

    def _fastest_tip(self, points: Floats, motions: Floats) -> Floats:
        """Return the speed of the fastest tip (...) [m/s] for motions (..., n) at points."""
        jacobian = self.chain.jacobian(points * self._unit)
        linear = jacobian.reshape(*points.shape[:-1], -1, *jacobian.shape[-2:])[..., :3, :]
        tips = linear @ (motions * self._unit)[..., None, :, None]
        return np.linalg.norm(tips[..., 0], axis=-1).max(axis=-1)

    def _shares(self, times: Floats, spline: "CubicSpline") -> tuple[Floats, Floats]:
        """Return velocities and accelerations at and beside grid points as shares of limits (M,).

        They are the largest of each interval, not of samples.
        """
        begin, hard = spline(times, 1), spline(times, 2)
        # Between two points the velocity is largest where the acceleration, linear, is zero.
        with np.errstate(divide="ignore", invalid="ignore"):
            share = hard[:-1] / (hard[:-1] - hard[1:])
        inside = (share > 0.0) & (share < 1.0)
        gain = 0.5 * hard[:-1] * np.where(inside, share, 0.0) * np.diff(times)[:, None]
        top = (np.abs(begin[:-1] + gain) / self._velocity).max(axis=1)
        fast = (np.abs(begin) / self._velocity).max(axis=1)
        fast[:-1] = np.maximum(fast[:-1], top)
        fast[1:] = np.maximum(fast[1:], top)
        return fast, (np.abs(hard) / self._acceleration).max(axis=1)


def _spread(shares: Floats) -> Floats:
    """Return the largest of the shares near each grid point, (M,)."""
    padded = np.pad(shares, TUNING.near)
    return np.lib.stride_tricks.sliding_window_view(padded, 2 * TUNING.near + 1).max(axis=1)
