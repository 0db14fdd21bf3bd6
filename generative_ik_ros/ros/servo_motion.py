"""One motion of the arm that a stream of targets drives, from rest to rest."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.tracking.step import TrackerStep
from generative_ik_ros.tracking.teleoperation import Jog, PoseFilter
from generative_ik_ros.tracking.tracker import Tracker

AT_REST = 1e-4
"""A joint that is slower than this stands [rad/s or m/s]."""


class Aim(NamedTuple):
    """Where the tip is to go, as the latest message says.

    Attributes:
        arrived: When it arrived, by `time.monotonic` [s].
        pose_in_base: (4, 4) target [m]; None: it is a twist.
        twist: (6,) linear and angular velocity of the tip [m/s, rad/s].
        frame_in_base: (4, 4) the frame that the twist is given in; None: that of the tip.
        lasting: Whether it counts until the tip is there, however old it is.
    """

    arrived: float
    pose_in_base: NDArray[np.float64] | None = None
    twist: NDArray[np.float64] | None = None
    frame_in_base: NDArray[np.float64] | None = None
    lasting: bool = False

    def expired(self, now: float, timeout: float) -> bool:
        """Whether a target that does not last is older than a timeout [s]."""
        return not self.lasting and now - self.arrived > timeout


class Motion:
    """Follows targets, and brakes where there are none.

    Poses and twists are filtered alike: a twist before it moves the target, so that the target is
    not further ahead of the tip than the tip lags.

    Args:
        tracker: Of the arm, at rest where it is.
        cutoff: Of the filter [Hz]; 0: none.

    Attributes:
        tracker: The same.
        step: What was commanded last.
        following: Whether the last step was towards a target.
    """

    def __init__(self, tracker: Tracker, cutoff: float):
        """Begin at rest."""
        self.tracker, self.step, self.following = tracker, tracker.last, False
        self._jog = Jog(tracker.period)
        self._filter = PoseFilter(tracker.period, cutoff) if cutoff else None
        self._share = -math.expm1(-math.tau * cutoff * tracker.period) if cutoff else 1.0
        self._posed = False
        self._twists = np.zeros((2, 6))

    def follow(self, aim: Aim | None) -> TrackerStep:
        """Return the configuration to command next; None: all joints brake."""
        if aim is None:
            self.following = False
            self.step = self.tracker.brake()
            return self.step
        tip = self.tracker.chain.forward(self.step.positions)
        posed = aim.pose_in_base is not None
        if not self.following or posed != self._posed:
            self._jog.reset()
            self._twists[:] = 0.0
            if self._filter is not None:
                self._filter.reset(tip)
        self.following, self._posed = True, posed
        self.step = self.tracker.step(self._posed_target(aim) if posed else self._jogged(aim, tip))
        return self.step

    def _posed_target(self, aim: Aim) -> NDArray[np.float64]:
        """Return the filtered pose (4, 4) in base [m]."""
        assert aim.pose_in_base is not None  # noqa: S101
        return aim.pose_in_base if self._filter is None else self._filter.step(aim.pose_in_base)

    def _jogged(self, aim: Aim, tip: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the target that the filtered twist has moved on (4, 4) in base [m]."""
        assert aim.twist is not None  # noqa: S101
        once, twice = self._twists
        # Two filters of first order are one of second order, critically damped.
        once += self._share * (aim.twist - once)
        twice += self._share * (once - twice)
        return self._jog.step(twice, tip, tip if aim.frame_in_base is None else aim.frame_in_base)

    @property
    def at_rest(self) -> bool:
        """Whether all joints stand."""
        return bool(np.abs(self.step.velocities).max() == 0.0)

    @property
    def slow(self) -> bool:
        """Whether no joint moves noticeably."""
        return bool(np.abs(self.step.velocities).max() < AT_REST)
