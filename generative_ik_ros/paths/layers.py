"""Layers of configurations, one for each pose, and the shortest path through them."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.paths.follow import follow, new_tracks
from generative_ik_ros.paths.graph_kernel import shortest_kernel
from generative_ik_ros.paths.records import NOT_CHECKED, Ending
from generative_ik_ros.paths.task import PathTask

# A type checker does not see what compiled code takes.
# pyright: reportCallIssue=false

_ROOM = 1 << 24
"""Numbers that the layers may hold."""
MOST_TRACKS = 256


class Layers:
    """Tracks that follow the poses, and the motions between their configurations.

    Every configuration of a track is a node of its pose's layer. Two nodes of neighbouring layers
    are joined if no joint moves further than a step between them and the motion is free.

    Args:
        task: Poses and bounds.

    Attributes:
        endings: How the tracks ended: the pose that was not reached, an Ending, the
            configurations before and after the last motion.
        cost: (B, K) length of the last search's shortest path to each node; inf: not reached.
    """

    def __init__(self, task: PathTask):
        """Begin with no track."""
        self._task = task
        size = len(task.targets)
        fit = min(_ROOM // (size * task.num_joints), int((4 * _ROOM / size) ** 0.5))
        self.room = max(min(MOST_TRACKS, fit), 1)
        self.positions = np.empty((0, size, task.num_joints))
        self.usable = np.empty((0, size), np.bool_)
        self._edges = np.empty((size, 0, 0), np.uint8)
        self._margins = np.empty((0, size))
        self.endings: list[tuple[int, int, NDArray[np.float64], NDArray[np.float64]]] = []

    def __len__(self) -> int:
        """Return the number of tracks."""
        return len(self.positions)

    def add_tracks(self, starts: NDArray[np.float64], pose: int, *, before: bool = False) -> None:
        """Follow the poses both ways from solutions (K, n) of a pose, where there is room.

        With `before`, the starts lie before the first pose, and a step leads there.
        """
        first, count, size = len(self), min(len(starts), self.room - len(self)), self._size
        starts = starts[:count]
        self._grow(count)
        # Memory that is not written to costs no time: a deadline may leave most of a long path.
        flat = np.empty((len(self), size), np.int64)
        if not before:
            self.positions[first:, pose], self.usable[first:, pose] = starts, True
        for direction in (1, -1):
            left = size - 1 - pose + before if direction > 0 else pose
            if left <= 0 or not count:
                continue
            tracks, rows = new_tracks(count), np.arange(first, first + count) * size
            tracks["pose"] = pose if before else pose + direction
            tracks["left"], tracks["direction"] = left, direction
            tracks["row"] = rows + (pose if before else pose + direction)
            tracks["edge"] = tracks["row"] - (direction > 0)
            # A read-only array would have the kernel compiled anew.
            current, seeds = starts.copy(), np.clip(starts, *self._task.bounds[:2])
            rows_of_positions = self.positions.reshape(-1, self.positions.shape[2])
            follow(self._task, tracks, current, seeds, rows_of_positions, flat.reshape(-1))
            self._note(tracks, current, seeds)
            for k, reached in enumerate(tracks["reached"].tolist(), first):
                if not reached:
                    continue
                begin = pose if before else pose + 1
                if direction < 0:
                    begin = pose - reached
                self.usable[k, begin : begin + reached] = True
                # The motions within, and that from or to the pose begun at, if it is one.
                end = begin + reached - (direction > 0)
                begin = max(begin - (direction > 0), 0)
                self._edges[begin:end, k, k] = flat[k, begin:end]

    def add_path(self, path: NDArray[np.float64], first: int = 0) -> None:
        """Add configurations (L, n) of the poses from `first`; their motions are free.

        Where there is no room for them, they take the place of the last track.
        """
        if len(self) < self.room:
            self._grow(1)
        else:
            self.usable[-1] = False
            self._edges[:, -1], self._edges[:, :, -1] = NOT_CHECKED, NOT_CHECKED
            self._margins = self._margins[: len(self) - 1]
        poses = np.arange(first, first + len(path))
        self.positions[-1, poses], self.usable[-1, poses] = path, True
        self._edges[poses[:-1], -1, -1] = 0

    def block(self, pose: int, node: int, before: int | None = None) -> None:
        """Note that a node collides after all, or only the motion there from the node before."""
        if before is None:
            self.usable[node, pose] = False
        else:
            self._edges[pose - 1, before, node] = NOT_CHECKED - 1

    def shortest(
        self,
        first: NDArray[np.float64],
        last: NDArray[np.bool_],
        *,
        usable: NDArray[np.bool_] | None = None,
        longest: float = np.inf,
        bottleneck: bool = False,
    ) -> NDArray[np.int64]:
        """Return the nodes (L,) of the shortest path, of as many poses as can be reached.

        Args:
            first: (K,) cost of beginning at each node of the first layer; inf: not there.
            last: (K,) whether a path may end at the node of the last layer.
            usable: (K, B) which nodes may be used; None: all.
            longest: Motions with a joint's weighted motion above this are left out.
            bottleneck: Whether a path counts by the longest motion of a joint.
        """
        task, count, size = self._task, len(self), self._size
        nodes = self.usable.copy() if usable is None else usable & self.usable
        nodes[:, -1] &= last
        cost, parent = np.full((size, count), np.inf), np.full((size, count), -1)
        cost[0] = first
        run, _owner = task.new_run()
        self.cost = cost
        t = shortest_kernel(
            self.positions, nodes, self._edges, task.bounds, task.weight, longest, bottleneck,
            run, np.empty(task.num_joints), cost, parent,
        )  # fmt: skip
        if t < 0:
            return np.empty(0, np.int64)
        path = np.empty(t + 1, np.int64)
        path[t] = np.argmin(cost[t])
        for k in range(t, 0, -1):
            path[k - 1] = parent[k, path[k]]
        return path

    def path(self, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the configurations (L, n) of nodes (L,), one for each of the first poses."""
        return self.positions[nodes, np.arange(len(nodes))]

    def margins(
        self, measure: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Return the margins (K, B) of all nodes, -inf where there is none.

        Args:
            measure: Returns the margins of configurations (N, n); always the same function.
        """
        known = len(self._margins)
        new = np.full((len(self) - known, self._size), -np.inf)
        usable = self.usable[known:]
        new[usable] = measure(self.positions[known:][usable])
        self._margins = np.concatenate([self._margins, new])
        return self._margins

    def longest_track(self, first: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the configurations (L, n) of the track that leads furthest from the first pose.

        It is free as far as spheres can tell. `first` is as in `shortest`.
        """
        longest = self.positions[:0, 0]
        for k in np.flatnonzero(first < np.inf).tolist():
            reached = int(np.append(self.usable[k], False).argmin())
            free = self._edges[: max(reached - 1, 0), k, k] == Verdict.FREE
            reached = int(np.append(free, False).argmin()) + (reached > 0)
            if reached > len(longest):
                longest = self.positions[k, :reached]
        return longest

    def to_the_end(self, last: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the nodes (K, B, n) whose tracks lead on to the end, NaN for the others.

        `last` (K,) is as in `shortest`.
        """
        usable, all_tracks = self.usable.copy(), np.arange(len(self))
        usable[:, -1] &= last
        # The shapes themselves may have found since that a motion collides.
        usable[:, :-1] &= self._edges[:-1, all_tracks, all_tracks].T < Verdict.INSIDE
        leads = np.logical_and.accumulate(usable[:, ::-1], axis=1)[:, ::-1]
        some = leads.any(axis=1)
        return np.where(leads[some, :, None], self.positions[some], np.nan)

    @property
    def _size(self) -> int:
        return self.positions.shape[1]

    def _grow(self, count: int) -> None:
        old, size = len(self), self._size
        positions = np.empty((old + count, *self.positions.shape[1:]))
        positions[:old] = self.positions
        self.positions = positions
        self.usable = np.concatenate([self.usable, np.zeros((count, size), np.bool_)])
        edges = np.full((size, old + count, old + count), NOT_CHECKED, np.uint8)
        edges[:, :old, :old] = self._edges
        self._edges = edges

    def _note(
        self, tracks: NDArray[np.void], current: NDArray[np.float64], seeds: NDArray[np.float64]
    ) -> None:
        for track, here, there in zip(tracks.tolist(), current, seeds, strict=True):
            pose, ending = track[0], track[-1]
            if track[2] > 0 and ending not in (Ending.COMPLETE, Ending.UNDER_WAY):
                self.endings.append((pose, ending, here, there))
