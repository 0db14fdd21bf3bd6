"""Collision checks of joint motions between neighbouring configurations."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.verdict import Verdict

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck

RESOLUTION = 0.02
"""Largest motion of a joint between two checks, in its own unit (see `joint_units`)."""


_FEW = 32
"""Motions on which the shapes themselves decide; each may take milliseconds."""


class MotionCheck:
    """Checks straight motions in joint space at points that are close to each other.

    Args:
        check: The robot among its obstacles.
        unit: (n,) unit of each joint [rad or m].

    Attributes:
        check: As above.
    """

    def __init__(self, check: "SceneCheck", unit: NDArray[np.float64]):
        """Remember what to check."""
        self.check, self._step = check, RESOLUTION * unit

    def free(self, before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Say which motions (M, n) to (M, n) are free of collisions, their ends included.

        Spheres decide. Where they leave no motion, the shapes themselves decide on the first of
        those that spheres cannot tell.
        """
        # Most motions that collide do so at their end.
        worst = self.check.verdicts(after)
        left = np.flatnonzero(worst < Verdict.INSIDE)
        points, motion = self._between(before[left], after[left])
        motion = left[motion]
        verdicts = self.check.verdicts(points)
        np.maximum.at(worst, motion, verdicts)
        free = worst == Verdict.FREE
        if free.any():
            return free
        for m in np.flatnonzero(worst < Verdict.INSIDE)[:_FEW].tolist():
            unclear = points[(motion == m) & (verdicts != Verdict.FREE)]
            free[m] = not any(map(self.check.collides, unclear))
            if free[m]:
                break
        return free

    def hit(
        self, before: NDArray[np.float64], after: NDArray[np.float64]
    ) -> tuple[str, str] | None:
        """Return the names of two things that collide first in a motion (n,) to (n,), or None."""
        for point in self._between(before[None], after[None])[0]:
            if (pair := self.check.colliding_pair(point)) is not None:
                return pair
        return None

    def _between(
        self, before: NDArray[np.float64], after: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return (P, n) points on motions in order, the ends too, and whose they are (P,)."""
        gaps = after - before
        count = np.ceil(np.abs(gaps / self._step).max(axis=1)).astype(np.int64) + 1
        motion = np.repeat(np.arange(len(gaps)), count + 1)
        place = np.arange(len(motion)) - np.repeat(np.cumsum(count + 1) - count - 1, count + 1)
        share = place / count[motion]
        return before[motion] + share[:, None] * gaps[motion], motion
