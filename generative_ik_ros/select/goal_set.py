"""Which of several poses a configuration is for, where any of them is as good."""

import numpy as np

from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.select.verify import GoalVerifier, Verifier


class Nearest:
    """Finds the pose of a goal set that is nearest to a configuration's.

    Args:
        verifier: Measures errors.
        weights: Of distances [1/m] and angles [1/rad].
        targets: (M, ...) the poses of the set.
    """

    def __init__(
        self, verifier: Verifier | GoalVerifier, weights: tuple[float, float], targets: Floats
    ):
        """Remember what to measure."""
        self._verifier, self._weights, self._targets = verifier, weights, targets

    def __call__(self, positions: Floats) -> tuple[Floats, Ints]:
        """Return the errors (S, 2) of configurations (S, n), and the poses (S,) they are of."""
        count = len(self._targets)
        errors, nearest = np.empty((len(positions), 2)), np.empty(len(positions), np.int64)
        # So many pairs of a configuration and a pose are measured at a time.
        rows = max(1, (1 << 18) // count)
        for i in range(0, len(positions), rows):
            some = positions[i : i + rows]
            of_pose = np.tile(np.arange(count), len(some))
            found = self._verifier.errors(np.repeat(some, count, axis=0), self._targets, of_pose)
            both = found.reshape(len(some), count, 2)
            best = np.hypot(*(both * self._weights).transpose(2, 0, 1)).argmin(axis=1)
            nearest[i : i + rows] = best
            errors[i : i + rows] = both[np.arange(len(some)), best]
        return errors, nearest
