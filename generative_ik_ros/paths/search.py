"""The search for a path: tracks, the shortest way through them, waves, and smoothing."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.paths.clearest import clearest
from generative_ik_ros.paths.layers import Layers
from generative_ik_ros.paths.motion import MotionCheck
from generative_ik_ros.paths.objective import LARGEST_STEP, Objective
from generative_ik_ros.paths.reason import reason
from generative_ik_ros.paths.records import Ending
from generative_ik_ros.paths.sequence import spread
from generative_ik_ros.paths.smooth import Smoother
from generative_ik_ros.paths.task import Ends, PathTask, Solutions
from generative_ik_ros.paths.wave import Wave, WaveSearch

_BATCHES = 16, 16, 32
"""Starts whose tracks are added at a time. It does not depend on the number of threads, so neither
do the results."""
_MORE = 32
"""Solutions of a pose from which tracks are added both ways."""
_THIN = 3
"""Poses that nothing has reached at which such tracks are begun."""
_EVERYWHERE = 1 << 62
_WAVES = (32, 0, 40), (128, 0, _EVERYWHERE), (512, 4, _EVERYWHERE), (2048, 4, _EVERYWHERE)
"""Waves that are sent where tracks do not suffice: how wide they are, their random seeds beside
each configuration, and how many poses before the one that is not reached they begin."""
_ROUNDS, _FEW = 7, 8
"""Poses from which further tracks are begun where any path will do, and from how many solutions of
each if the first tracks led to the end."""
_IDLE = 12
"""Poses one after the other from which further tracks improve nothing, when a search is over."""
_AFTER = 0.005
"""Time after the deadline in which the first part of a path may be checked closely [s]."""
_BLOCKED = 100
"""Paths of a stage that turn out to collide, after which the next stage begins."""


class PathSearch:
    """Finds the best path through some poses.

    Tracks follow the poses from many solutions of the first pose. The shortest path may change
    from one track to another wherever they come within a step of each other. Where no path gets
    to the end, tracks are begun at the pose that was not reached, and then waves are sent, which
    spread along self-motions. A path is smoothed in the null space, and what spheres cannot tell
    of it is decided by the shapes themselves.

    Args:
        task: Poses and bounds.
        solutions: Finds solutions of a pose that are free of collisions.
        objective: What makes a path better; None: the first one ends the search.
        ends: Where the path begins and ends.
        offer: Called with each better path (B, n); returns False to end the search.
        layers: Tracks to begin with; None: there are none yet.

    Attributes:
        best: (L, n) the best path found so far: the longest, as long as none is complete.
        reason: Why it goes no further, in words; "" if it is complete.
        timed_out: Whether the deadline ended the search.
        refused: Whether closer checks have found a collision that the search does not see.
    """

    def __init__(
        self,
        task: PathTask,
        solutions: Solutions,
        objective: Objective | None,
        ends: Ends,
        offer: Callable[[NDArray[np.float64]], bool],
        layers: Layers | None = None,
    ):
        """Begin with nothing."""
        self._task, self._solutions, self._ends, self._offer = task, solutions, ends, offer
        self._given, self._objective = objective, objective or Objective("length", task)
        self._motions, self._closely = MotionCheck(task), MotionCheck(task.closely())
        self._smoother = Smoother(task, self._motions)
        self._layers = layers or Layers(task)
        self._score, self._batches = (np.nan, np.nan), 0
        self._cancelled = self._impossible = False
        self._furthest: tuple[int, int, tuple | None] = (-1, Ending.COMPLETE, None)
        self.best = np.empty((0, task.num_joints))
        self.reason, self.timed_out, self.refused = "", False, False

    def run(self) -> None:
        """Search until there is a path, or, with an objective, until nothing is left to try."""
        if self._ends.last is not None:
            self._layers.add_tracks(self._ends.last[None], len(self._task.targets) - 1)
        for path in self._candidates():
            if len(path) == len(self._task.targets):
                smoothed = path is self.best
                if not self._complete:
                    self._keep(path)
                if not (self._cancelled or (smoothed and self._given is None)):
                    self._keep(self.smooth(path))
            elif not self._complete and len(path) > len(self.best):
                self.best = path
            if self._late() or self._cancelled:
                break
        if not self._complete and self.timed_out:
            self.best = max(self.best, self.furthest(), key=len)
        if not self._complete:
            self.reason = self.why(len(self.best))

    def furthest(self) -> NDArray[np.float64]:
        """Return the part of a track that leads furthest, as far as a few milliseconds tell."""
        track = self._layers.longest_track(self._first_costs())
        return self._closely.free_part(track, self._task.deadline + _AFTER)

    @property
    def _complete(self) -> bool:
        return len(self.best) == len(self._task.targets)

    def _late(self) -> bool:
        if time.perf_counter() >= self._task.deadline:
            self.timed_out = True
        return self.timed_out

    def _candidates(self) -> Iterator[NDArray[np.float64]]:
        """Yield the best path of one stage of the search after the other."""
        starts = self._starts()
        if not len(starts):
            yield starts
            return
        begin = 0
        for size in _BATCHES:
            # One batch more than it takes costs little, and often finds a shorter path.
            if self._complete and self._given is None and self._batches > 1:
                break
            if begin < len(starts):
                self._layers.add_tracks(
                    starts[begin : begin + size], 0, before=self._ends.before is not None
                )
                begin += size
                self._batches += 1
                yield self.shortest()
        easy = self._complete
        if not easy:
            yield from self._where_thin()
        if not self._complete and self._task.narrower is not None:
            self._layers.add_path(self._task.narrower())
            yield self.shortest()
        if not self._complete and not self._impossible:
            yield from self.waves()
        if self._complete:
            if self._given is not None:
                yield from self._improvements(_MORE, _EVERYWHERE)
            elif self._ends.first is None and self._smoother.nullity > 0:
                yield from self._improvements(_FEW if easy else _MORE, _ROUNDS)

    def bent(self) -> NDArray[np.float64]:
        """Return a track from the first to the last of the ends, bent so that it gets there.

        It is empty if no track can be bent so.
        """
        ends, layers = self._ends, self._layers
        nothing = self.best[:0]
        if ends.first is None or ends.last is None:
            return nothing
        mine = (layers.positions[:, 0] == ends.first).all(axis=1) & layers.usable.all(axis=1)
        for track in layers.positions[mine]:
            path = self._smoother.bend(track, ends.last)
            if path is not None and not self._hits(path):
                return path
        return nothing

    def _starts(self) -> NDArray[np.float64]:
        for given in (self._ends.before, self._ends.first):
            if given is not None:
                return given[None]
        return self._solutions(0, sum(_BATCHES), 0)

    def _where_thin(self) -> Iterator[NDArray[np.float64]]:
        """Begin tracks at the first pose that is not reached, both ways."""
        tried = set()
        for _ in range(_THIN):
            pose = len(self.best)
            if pose in tried:
                return
            tried.add(pose)
            more = self._solutions(pose, _MORE, 0)
            if not len(more):
                self._impossible = True
                return
            self._layers.add_tracks(more, pose)
            yield self.shortest()
            if self._complete:
                return

    def waves(self) -> Iterator[NDArray[np.float64]]:
        """Send waves, wider and wider, each from further back; yield the best path after each."""
        # What is reached may be what another search of the same layers has reached.
        self._best_nodes()
        for width, beside, back in _WAVES:
            pose = len(self.best) - back
            wave, first = self._wave(WaveSearch(self._task, self._motions, width, beside), pose)
            if wave.ending != Ending.COMPLETE and wave.pose >= self._furthest[0]:
                self._furthest = wave.pose, wave.ending, wave.blocked
            self._layers.add_path(wave.path, first)
            yield self.shortest()
            # No wave is wide enough for a pose without solutions.
            if self._complete or not len(self._solutions(len(self.best), 1, 0)):
                return

    def _wave(self, search: WaveSearch, pose: int) -> tuple[Wave, int]:
        """Send a wave from all that is reached of a pose; return the first pose it passes."""
        layers, before = self._layers, self._ends.before
        goals = layers.to_the_end(self._last())
        only = self._ends.last is not None
        if pose <= 0 and before is not None:
            wave = search.run(before[None], np.zeros(1), 0, goals, only_goals=only)
            return replace(wave, path=wave.path[1:]), 0
        pose = max(pose, 0)
        reached = np.flatnonzero(layers.cost[pose] < np.inf)
        starts, costs = layers.positions[reached, pose], layers.cost[pose, reached]
        return search.run(starts, costs, pose + 1, goals, only_goals=only), pose

    def _improvements(self, count: int, rounds: int) -> Iterator[NDArray[np.float64]]:
        """Begin tracks at poses all along the path, until they have led to nothing for long.

        Args:
            count: Solutions of a pose from which they begin.
            rounds: Most poses.
        """
        last, idle, round_number = len(self._task.targets) - 1, 0, 0
        while idle < _IDLE and round_number < rounds:
            round_number += 1
            pose = round(spread(round_number) * last)
            more, score = self._solutions(pose, count, round_number), self._score
            if len(self._layers) + len(more) > self._layers.room:
                self._begin_anew()
            if len(more):
                known = len(self._layers)
                self._layers.add_tracks(more, pose)
                yield self.shortest()
                if not self._objective.of_poses:
                    # Not as short as what is smooth already, but it may become shorter.
                    yield self.shortest(known)
            idle = 0 if self._score != score else idle + 1
        # Smoothing has an end of its own, and begins anew where it is called again.
        yield self.best.copy()

    def _begin_anew(self) -> None:
        """Forget all tracks but the best path, to have room for others."""
        self._layers = Layers(self._task)
        if self._ends.last is not None:
            self._layers.add_tracks(self._ends.last[None], len(self._task.targets) - 1)
        self._layers.add_path(self.best)

    def shortest(self, first: int = 0) -> NDArray[np.float64]:
        """Return the best path through the layers that the shapes themselves leave free.

        `first` is the first of the tracks that may be used.
        """
        path = self.best[:0]
        for _ in range(_BLOCKED):
            nodes = self._best_nodes(first)
            path = self._layers.path(nodes)
            if self._late() or not len(path):
                break
            if np.array_equal(path, self.best):
                return self.best
            hits = self._hits(path)
            if not hits:
                return path
            for t in hits:
                if t >= 0 and self._motions.free(path[t : t + 1], path[t + 1 : t + 2]).all():
                    self.refused = True
                alone = self._motions.collides(path[t + 1], path[t + 1])
                self._layers.block(t + 1, nodes[t + 1], None if alone else nodes[t])
        return path[:0]

    def _hits(self, path: NDArray[np.float64]) -> list[int]:
        """Return which motions of a path collide, at closer points; -1 is its first pose."""
        verdicts = self._closely.verdicts(path[:-1], path[1:])
        hits = [-1] if self._closely.collides(path[0], path[0]) else []
        for t in np.flatnonzero(verdicts != Verdict.FREE).tolist():
            if verdicts[t] >= Verdict.INSIDE or self._closely.collides(path[t], path[t + 1]):
                hits.append(t)
        return hits

    def _best_nodes(self, since: int = 0) -> NDArray[np.int64]:
        layers, objective = self._layers, self._objective
        first, last = self._first_costs(), self._last()
        if since:
            new = np.arange(len(layers))[:, None] >= since
            return layers.shortest(first, last, usable=new)
        nodes = layers.shortest(first, last)
        if self._given is None or len(nodes) < len(self._task.targets):
            return nodes
        if objective.name == LARGEST_STEP:
            best = layers.path(layers.shortest(np.minimum(first, 0.0), last, bottleneck=True))
            return layers.shortest(first, last, longest=objective.value(best) * (1.0 + 1e-9))
        if not objective.of_poses:
            return nodes
        known = self._score[0] if self._complete else -np.inf
        return clearest(layers, objective, nodes, (first, last), known)

    def _first_costs(self) -> NDArray[np.float64]:
        """Return what it costs to begin at each node (K,) of the first layer."""
        layers, ends = self._layers, self._ends
        costs = np.where(layers.usable[:, 0], 0.0, np.inf)
        nodes = layers.positions[:, 0]
        if ends.first is not None:
            costs[~(nodes == ends.first).all(axis=1)] = np.inf
        if ends.before is not None:
            some = np.flatnonzero(costs < np.inf)
            gaps = np.abs(nodes[some] - ends.before)
            costs[some] = np.linalg.norm(gaps * self._task.weight, axis=1)
            costs[some[~(gaps <= self._task.bounds[2]).all(axis=1)]] = np.inf
            some = np.flatnonzero(costs < np.inf)
            begin = np.repeat(ends.before[None], len(some), axis=0)
            costs[some[~self._closely.free(begin, nodes[some])]] = np.inf
        return costs

    def _last(self) -> NDArray[np.bool_]:
        """Return at which nodes (K,) of the last layer a path may end."""
        nodes = self._layers.positions[:, -1]
        if self._ends.last is None:
            return np.ones(len(nodes), np.bool_)
        return (nodes == self._ends.last).all(axis=1)

    def smooth(self, path: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a better path than a valid one, if smoothing leads to one."""
        held = np.zeros(len(path), np.bool_)
        held[0] = self._ends.first is not None or self._ends.before is not None
        held[-1] |= self._ends.last is not None
        return self._smoother.improve(path, held, self._objective, self._hits)

    def _keep(self, path: NDArray[np.float64]) -> None:
        """Keep a complete path if it is the best."""
        score = self._objective.score(path)
        if not self._complete or self._objective.better(score, self._score):
            self.best, self._score = path, score
            self._layers.add_path(path)
            self._cancelled = not self._offer(path)

    def why(self, pose: int) -> str:
        """Say why a pose is not reached."""
        there = [ending for ending in self._layers.endings if ending[0] == pose]
        ending, motion = Ending.TOO_FAR, None
        if there:
            _, ending, *motion = max(there, key=lambda e: e[1])
        if self._furthest[0] == pose and self._furthest[1] >= ending:
            _, ending, motion = self._furthest
        return reason(self._task, self._motions, pose, ending, motion)
