"""What a tracker's step returns."""

from enum import IntEnum
from typing import NamedTuple

from generative_ik_ros.array_types import Floats


class TrackingStatus(IntEnum):
    """How a step ended; the same as the core's."""

    TRACKING = 1
    """The tip is on the target, within the tolerances."""
    LIMITED = 2
    """The tip is behind the target, and catching up within the limits of the joints."""
    HELD = 3
    """The tip is as near as it can be, or must not move on; `reason` says why."""
    JUMPED = 4
    """The tip is on the way to a target that jumped, or the arm to another branch."""

    def __str__(self) -> str:
        return self.name

    def __format__(self, format_spec: str) -> str:
        # Python 3.11 and later would format it as a number.
        return format(self.name, format_spec)


REASONS = ("", "unreachable", "joint_limits", "jump", "collision", "singular")
"""Why the tip is held, by the core's numbers."""


class TrackerStep(NamedTuple):
    """The configuration to command next, and how it compares with the target.

    Attributes:
        positions: (n,) inside the joint limits [rad or m].
        velocities: (n,) from the positions of the step before to these, over the period [rad/s or
            m/s].
        status: Where the tip is against its target.
        reason: Why the tip is held: "unreachable", "joint_limits", "jump", "collision" or
            "singular" (docs/tracking.md); "" if it is not.
        position_error: Distance of the tip from the target, or from the region about it [m]; the
            largest of several tips.
        orientation_error: Angle between them [rad], likewise.
    """

    positions: Floats
    velocities: Floats
    status: TrackingStatus
    reason: str
    position_error: float
    orientation_error: float


_STATUSES = (TrackingStatus.HELD, *TrackingStatus)


def step_of(found: tuple[Floats, Floats, int, int, float, float]) -> TrackerStep:
    """Return what the core's tracker returned, with names."""
    positions, velocities, status, reason, position_error, orientation_error = found
    return TrackerStep(
        positions, velocities, _STATUSES[status], REASONS[reason], position_error,
        orientation_error,
    )  # fmt: skip
