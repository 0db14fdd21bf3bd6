"""The search for a closed path: it ends in the configuration in which it begins."""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.paths.layers import Layers
from generative_ik_ros.paths.motion import MotionCheck
from generative_ik_ros.paths.objective import Objective
from generative_ik_ros.paths.search import PathSearch
from generative_ik_ros.paths.task import Ends, PathTask, Solutions

_STARTS = 32
"""Configurations that are tried as beginning and end."""
_BATCH = 8
_WAVES = 4
"""Starts from which waves are sent."""


class ClosedSearch:
    """Finds the best path that returns to where it begins; used like `PathSearch`.

    Tracks follow the poses from each start, and back from the same configuration at the last
    pose. Where they do not meet, the difference is spread over a whole track by smoothing, and in
    the end waves are sent.

    Args:
        task: Poses and bounds; the last pose is the first.
        solutions: Finds solutions of a pose that are free of collisions.
        objective: What makes a path better; None: the first one ends the search.
        before: (n,) where the arm is, within a step of the first pose; None: anywhere.
        offer: Called with each better path (B, n); returns False to end the search.

    Attributes:
        best: (L, n) the best path found so far: the longest, as long as none is complete.
        reason: Why it goes no further, in words; "" if it is complete.
        timed_out: Whether the deadline ended the search.
    """

    def __init__(
        self,
        task: PathTask,
        solutions: Solutions,
        objective: Objective | None,
        before: NDArray[np.float64] | None,
        offer: Callable[[NDArray[np.float64]], bool],
    ):
        """Begin with nothing."""
        self._task, self._solutions, self._before, self._offer = task, solutions, before, offer
        self._given, self._objective = objective, objective or Objective("length", task)
        self._score, self._cancelled = (np.nan, np.nan), False
        self._furthest: PathSearch | None = None
        self.best = np.empty((0, task.num_joints))
        self.reason, self.timed_out = "", False
        self._searches: list[PathSearch] = []

    def run(self) -> None:
        """Search until there is a path, or, with an objective, until nothing is left to try."""
        self._search()
        if not self._complete and self.timed_out and self._searches:
            self.best = max(self.best, *[one.furthest() for one in self._searches], key=len)
        if not self._complete and self._furthest is not None:
            self.reason = self._furthest.why(len(self.best))

    def _search(self) -> None:
        layers, starts, searches = Layers(self._task), self._starts(), self._searches
        for begin in range(0, len(starts), _BATCH):
            some = starts[begin : begin + _BATCH]
            layers.add_tracks(some, 0)
            if time.perf_counter() < self._task.deadline:
                layers.add_tracks(some, len(self._task.targets) - 1)
            for start in some:
                ends = Ends(first=start, last=start)
                searches.append(
                    PathSearch(self._task, self._solutions, self._given, ends, self._offer, layers)
                )
                if self._over(searches[-1], searches[-1].shortest()):
                    return
        if not self._complete:
            for search in searches:
                if self._over(search, search.bent()):
                    return
        if not self._complete and self._task.narrower is not None:
            path = self._task.narrower()
            if len(path) == len(self._task.targets):
                ends = Ends(first=path[0], last=path[0])
                one = PathSearch(self._task, self._solutions, self._given, ends, self._offer)
                if self._over(one, path):
                    return
        if not self._complete:
            for search in searches[:_WAVES]:
                for path in search.waves():
                    if self._over(search, path):
                        return

    @property
    def refused(self) -> bool:
        """As of `PathSearch`."""
        return any(search.refused for search in self._searches)

    @property
    def _complete(self) -> bool:
        return len(self.best) == len(self._task.targets)

    def _starts(self) -> NDArray[np.float64]:
        if self._before is None:
            return self._solutions(0, _STARTS, 0)
        first = Layers(self._task)
        first.add_tracks(self._before[None], 0, before=True)
        starts = first.positions[first.usable[:, 0], 0]
        motions = MotionCheck(self._task)
        return starts[motions.free(np.repeat(self._before[None], len(starts), axis=0), starts)]

    def _over(self, search: PathSearch, path: NDArray[np.float64]) -> bool:
        """Keep a path if it is better; say whether the search is over."""
        if time.perf_counter() >= self._task.deadline:
            self.timed_out = True
        if len(path) == len(self._task.targets):
            path = search.smooth(path)
            score = self._objective.score(path)
            if not self._complete or self._objective.better(score, self._score):
                self.best, self._score = path, score
                self._cancelled = not self._offer(path)
        elif not self._complete and len(path) > len(self.best):
            self.best, self._furthest = path, search
        done = self._complete and self._given is None
        return done or self.timed_out or self._cancelled
