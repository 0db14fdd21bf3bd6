"""A joint trajectory: positions over time, as a controller drives them."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.arguments import number_array
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.errors import InvalidArgumentError

if TYPE_CHECKING:
    from scipy.interpolate import PPoly


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Joint positions over time that begin and end at rest.

    Between its M points it is the cubic with the positions and velocities of both ends. All
    cubics together are twice differentiable, so that the quintic with the accelerations of both
    ends is the same curve: controllers that interpolate with either drive this trajectory, and the
    limits hold for all of it, not just for the points.

    Attributes:
        joint_names: Names of the n joints, the order of the last axes.
        times: (M,) times from the start, strictly increasing from 0 [s].
        positions: (M, n) joint positions [rad or m].
        velocities: (M, n) joint velocities [rad/s or m/s].
        accelerations: (M, n) joint accelerations [rad/s^2 or m/s^2].
        pose_points: (K,) index of the point at which each of the K poses of the path is passed.
        deviation: Largest distance of a joint from the straight motions in joint space between
            the poses, in its unit (`chain.joint_units`) [rad].
    """

    joint_names: tuple[str, ...]
    times: Floats
    positions: Floats
    velocities: Floats
    accelerations: Floats
    pose_points: Ints
    deviation: float

    @property
    def duration(self) -> float:
        """Time from start to end [s]."""
        return float(self.times[-1])

    @property
    def pose_times(self) -> Floats:
        """(K,) times at which the poses of the path are passed [s]."""
        return self.times[self.pose_points]

    def at(self, times: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """Return positions, velocities and accelerations at times between the points.

        Args:
            times: (...) times [s]; before the start and after the end the arm stands still.

        Returns:
            Three arrays (..., n), as the attributes.

        Raises:
            InvalidArgumentError: A time is not finite.
        """
        when = number_array("times", times)
        if not np.isfinite(when).all():
            raise InvalidArgumentError("times must be finite")
        if len(self.times) == 1:
            still = np.zeros((*when.shape, len(self.joint_names)))
            return still + self.positions[0], still, still.copy()
        inside = ((when >= 0.0) & (when <= self.duration))[..., None]
        when = np.clip(when, 0.0, self.duration)
        position, velocity, acceleration = (curve(when) for curve in self._curves)
        return position, velocity * inside, acceleration * inside

    @cached_property
    def _curves(self) -> "tuple[PPoly, ...]":
        """The positions over time and their first two derivatives."""
        from scipy.interpolate import CubicHermiteSpline  # slow to import

        curve = CubicHermiteSpline(self.times, self.positions, self.velocities)
        return curve, curve.derivative(1), curve.derivative(2)

    def __repr__(self) -> str:
        """Summarise the trajectory in a few lines; the arrays are in the attributes."""
        speed = np.abs(self.velocities).max(axis=0)
        fastest = int(np.argmax(speed))
        return (
            f"Trajectory: {len(self.times)} points in {self.duration:.3f} s\n"
            f"  joints: {', '.join(self.joint_names)}\n"
            f"  fastest joint: {self.joint_names[fastest]}, {speed[fastest]:.3g} per second\n"
            f"  off the straight motions: at most {self.deviation:.2g}"
        )
