"""The records in which following and its compiled code keep their state."""

from enum import IntEnum

import numpy as np


class Ending(IntEnum):
    """How a track ended."""

    UNDER_WAY = 0
    COMPLETE = 1
    """It reached all its poses."""
    UNREACHED = 2
    """The local solver found no solution of the next pose inside the joint limits."""
    TOO_FAR = 3
    """That solution is more than a step away."""
    COLLIDING = 4
    """The motion there collides."""


NOT_CHECKED = 255
"""The verdict on a motion that nobody has asked for."""

TRACK = np.dtype(
    [
        ("pose", np.int64),  # the next to reach
        ("left", np.int64),  # poses to reach
        ("direction", np.int64),  # 1 towards the last pose, -1 towards the first
        ("row", np.int64),  # where the next configuration is written
        ("edge", np.int64),  # where the verdict on the motion there is written
        ("reached", np.int64),  # poses
        ("ending", np.int64),  # an Ending
    ],
    align=True,
)
"""A run of poses to follow from one configuration."""

LANE = np.dtype(
    [
        ("track", np.int64),  # under way, or -1
        ("iterations", np.int64),
        ("past_error", np.float64),  # squared error when progress was last checked
    ],
    align=True,
)
"""What is under way in a vector lane."""

RUN = np.dtype(
    [
        ("begun", np.bool_),
        ("next_track", np.int64),  # the first that no lane has worked for yet
        ("check", np.int64),  # address of the collision check (see AddressedCheck), or 0
        ("check_context", np.int64),
    ],
    align=True,
)
"""The following of some tracks, in one call of the kernel or several."""
