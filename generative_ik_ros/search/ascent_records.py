"""The records in which an ascent along self-motions keeps its state; see `search/ascent.py`."""

from enum import IntEnum

import numpy as np


class Score(IntEnum):
    """What an ascent makes large."""

    MANIPULABILITY = 0
    LIMIT_MARGIN = 1
    NEAREST = 2
    """The negative weighted distance from the seed state."""
    CLEARANCE = 3
    GIVEN = 4
    """The caller of the kernel computes it."""


class Mode(IntEnum):
    """What a call of the kernel does in each round."""

    ASCEND = 0
    """It makes trials, scores them, and takes what is better."""
    PROPOSE = 1
    """It makes trials, for the caller to score."""
    JUDGE = 2
    """It takes what is better by the scores that the caller has written."""
    SCORE = 3
    """It only scores where the climbers are."""


class Move(IntEnum):
    """Where the next trial of an ascent lies; from 0 on, the direction of a poll."""

    ONWARD = -1
    """In the direction of the last step, a little further."""
    VERTEX = -2
    """At the vertex of the parabola through a configuration and two trials on a line with it."""
    NONE = -3
    """The ascent is over."""


CLIMBER = np.dtype(
    [
        ("target", np.int64),
        ("move", np.int64),  # a Move, or the direction of a poll
        ("rotations", np.int64),  # bases of directions used up, each turned against the last
        ("trials", np.int64),
        ("reached", np.bool_),  # the trial came back to its pose, inside the limits
        ("verdict", np.int64),  # on the configuration
        ("value", np.float64),  # its score
        ("free_value", np.float64),  # best score that is known to be free of collisions
        ("trial_value", np.float64),
        ("trial_verdict", np.int64),
        ("radius", np.float64),  # length of a trial's step, in joint units
        # Scores of two trials on a line with the configuration, and their places on it.
        ("ahead", np.float64),
        ("ahead_value", np.float64),
        ("behind", np.float64),
        ("behind_value", np.float64),
        ("vertex", np.float64),
        ("lowest", np.float64),  # score of the worst trial of a poll
    ],
    align=True,
)
"""One configuration that climbs along its self-motion."""

CLIMB = np.dtype(
    [
        ("score", np.int64),  # a Score
        ("check", np.int64),  # address of the collision check (see AddressedCheck), or 0
        ("check_context", np.int64),
        ("clearance", np.int64),  # address of the measurement (see AddressedCheck), or 0
    ],
    align=True,
)
"""What all climbers of a call have in common."""
