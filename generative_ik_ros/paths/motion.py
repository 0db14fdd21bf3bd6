"""Collision checks of joint motions between configurations, by the shapes where spheres fail."""

import time

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.paths.motion_check import motion_verdicts
from generative_ik_ros.paths.task import PathTask

# A type checker does not see what compiled code takes.
# pyright: reportCallIssue=false

_AT_ONCE = 64
"""Motions that are checked between two looks at the clock."""


class MotionCheck:
    """Checks straight motions in joint space at points that are close to each other.

    What the shapes themselves have said of a configuration is remembered.

    Args:
        task: Whose collisions are checked.
    """

    def __init__(self, task: PathTask):
        """Remember what to check."""
        self._task = task
        self._hits: dict[bytes, bool] = {}

    def verdicts(
        self, before: NDArray[np.float64], after: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Return the worst Verdict by spheres on each motion (M, n) to (M, n), but its start."""
        found = np.zeros(len(before), np.int64)
        if self._task.check is not None and len(before):
            run, _owner = self._task.new_run()
            motion_verdicts(
                run, np.ascontiguousarray(before), np.ascontiguousarray(after),
                self._task.bounds[3], np.empty(before.shape[1]), found,
            )  # fmt: skip
        return found

    def collides(self, before: NDArray[np.float64], after: NDArray[np.float64]) -> bool:
        """Say by the shapes themselves whether a motion (n,) to (n,) collides."""
        check = self._task.check
        if check is None:
            return False
        points = self._between(before, after)
        verdicts = check.verdicts(points)
        if (verdicts >= Verdict.INSIDE).any():
            return True
        return any(map(self._hit, points[verdicts == Verdict.UNDECIDED]))

    def free(self, before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Say which motions (M, n) to (M, n) are free of collisions."""
        verdicts = self.verdicts(before, after)
        free = verdicts == Verdict.FREE
        for m in np.flatnonzero(verdicts == Verdict.UNDECIDED).tolist():
            free[m] = not self.collides(before[m], after[m])
        return free

    def free_part(self, path: NDArray[np.float64], deadline: float) -> NDArray[np.float64]:
        """Return the first part (L, n) of a path that spheres find free before the deadline.

        The path is known to be free at its poses.
        """
        if self._task.check is None:
            return path
        # Between neighbours that are this close to each other there is nothing to check.
        far = (np.abs(np.diff(path, axis=0)) > self._task.bounds[3]).any(axis=1)
        motions = np.flatnonzero(far)
        for some in np.split(motions, range(_AT_ONCE, len(motions), _AT_ONCE)):
            if len(some) and time.perf_counter() >= deadline:
                return path[: some[0] + 1]
            hits = self.verdicts(path[some], path[some + 1]) != Verdict.FREE
            if hits.any():
                return path[: some[hits.argmax()] + 1]
        return path

    def pair(
        self, before: NDArray[np.float64], after: NDArray[np.float64]
    ) -> tuple[str, str] | None:
        """Return the names of two things that collide first in a motion (n,) to (n,), or None."""
        check = self._task.check
        if check is not None:
            for point in self._between(before, after):
                if (pair := check.colliding_pair(point)) is not None:
                    return pair
        return None

    def _hit(self, q: NDArray[np.float64]) -> bool:
        assert self._task.check is not None  # noqa: S101
        key = q.tobytes()
        if key not in self._hits:
            self._hits[key] = self._task.check.collides(q)
        return self._hits[key]

    def _between(
        self, before: NDArray[np.float64], after: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the points (P, n) at which a motion is checked, in order, its end the last."""
        gap = after - before
        count = max(int(np.ceil(np.abs(gap / self._task.bounds[3]).max())), 1)
        points = before + np.arange(1, count + 1)[:, None] / count * gap
        points[-1] = after
        return points
