"""One motion of the arm that a stream of targets drives, from rest to rest."""

from typing import NamedTuple

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats
from generative_ik_ros.tracking.step import TrackerStep
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
    pose_in_base: Floats | None = None
    twist: Floats | None = None
    frame_in_base: Floats | None = None
    lasting: bool = False

    def expired(self, now: float, timeout: float) -> bool:
        """Whether a target that does not last is older than a timeout [s]."""
        return not self.lasting and now - self.arrived > timeout


class Motion:
    """Follows targets, and brakes where there are none.

    Args:
        tracker: Of the arm, at rest where it is.
        cutoff: Of the filter [Hz]; 0: none.

    Attributes:
        tracker: The same.
        step: What was commanded last.
        following: Whether the last step was towards a target.
    """

    def __init__(self, tracker: Tracker, cutoff: float):
        self.tracker, self.step, self.following = tracker, tracker.last, False
        self._targets = _core.TargetFilter(tracker.period, cutoff)

    def follow(self, aim: Aim | None) -> TrackerStep:
        """Return the configuration to command next; None: all joints brake."""
        self.following = aim is not None
        if aim is None:
            self._targets.reset()
            self.step = self.tracker.brake()
        else:
            tip = self.tracker.chain.forward(self.step.positions)
            target = self._target(aim, tip)
            known = bool(np.isfinite(target).all())  # not if numbers were too large
            self.step = self.tracker.step(target) if known else self.tracker.brake()
        return self.step

    def _target(self, aim: Aim, tip: Floats) -> Floats:
        """Return the filtered target (4, 4) in base [m]."""
        if aim.pose_in_base is not None:
            return self._targets.follow(aim.pose_in_base, tip)
        assert aim.twist is not None  # noqa: S101
        frame = tip if aim.frame_in_base is None else aim.frame_in_base
        return self._targets.jog(aim.twist, np.ascontiguousarray(frame[:3, :3]), tip)

    @property
    def at_rest(self) -> bool:
        """Whether all joints stand."""
        return bool(np.abs(self.step.velocities).max() == 0.0)

    @property
    def slow(self) -> bool:
        """Whether no joint moves noticeably."""
        return bool(np.abs(self.step.velocities).max() < AT_REST)
