"""A wave of configurations that spreads along self-motions while it follows the poses.

Tracks follow the shortest motion from pose to pose. Where that leads into a joint limit, an
obstacle or the wrong branch at a singularity, the arm has to prepare earlier. The wave therefore
begins several motions from every configuration: one to the nearest solution of the next pose, the
others to solutions beside it. Of what is reached, it keeps one configuration in each cell of a
grid that is finer than a step, as many as it is wide.
"""

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.paths.follow import follow, new_tracks
from generative_ik_ros.paths.motion import MotionCheck
from generative_ik_ros.paths.records import Ending
from generative_ik_ros.paths.task import PathTask
from generative_ik_ros.samplers.quasi_random import recurrence

_CELL = 0.25
"""Size of a grid cell as a share of a step."""
_CHEAP = 4
"""One in so many of those kept is the end of one of the shortest paths; the others are spread."""
_DECIDED = 64
"""Motions of a pose on which the shapes themselves decide; each may take milliseconds."""


@dataclass(frozen=True)
class Wave:
    """How far a wave came.

    Attributes:
        path: (L, n) the shortest path to the last pose reached, its start included [rad or m].
        pose: The pose that was not reached.
        ending: Why (an Ending); COMPLETE if there is no such pose.
        blocked: Configurations before and after a motion that collides, if any was seen there.
    """

    path: NDArray[np.float64]
    pose: int
    ending: int
    blocked: tuple[NDArray[np.float64], NDArray[np.float64]] | None


class WaveSearch:
    """Sends waves along the poses.

    Args:
        task: Poses and bounds.
        motions: What may collide.
        width: Configurations that are kept at each pose.
        children: Motions that are tried from each of them.
    """

    def __init__(self, task: PathTask, motions: MotionCheck, width: int, children: int):
        """Remember how wide the wave is."""
        self._task, self._motions = task, motions
        self._width, self._children = width, children

    def run(
        self, starts: NDArray[np.float64], first: int, end: NDArray[np.float64] | None = None
    ) -> Wave:
        """Spread from configurations (K, n) to the last pose, or as far as possible.

        Args:
            starts: Where the wave begins: solutions of the pose before `first`, or, if that is
                0, where the arm is.
            first: The first pose to reach.
            end: (n,) the only solution of the last pose that counts; None: any.
        """
        layers, parents, costs = [starts], [np.zeros(0, np.int64)], np.zeros(len(starts))
        size, ending, blocked, t = len(self._task.targets), Ending.COMPLETE, None, first
        while t < size:
            if time.perf_counter() >= self._task.deadline:
                ending = Ending.UNDER_WAY
                break
            layer, goal = layers[-1], end if t == size - 1 else None
            moves = self._moves(t, layer) if goal is None else self._moves_to(goal, layer)
            motion = (moves.found - layer[moves.parent]) * self._task.weight
            cost = costs[moves.parent] + np.linalg.norm(motion, axis=1)
            chosen = self._kept(moves.found, self._free(layer, moves, cost), t)
            if not len(chosen):
                ending, blocked = moves.ending, moves.blocked
                break
            layers.append(moves.found[chosen])
            parents.append(moves.parent[chosen])
            costs, t = cost[chosen], t + 1
        row, path = int(np.argmin(costs)), []
        for layer, parent in zip(layers[:0:-1], parents[:0:-1], strict=True):
            path.append(layer[row])
            row = parent[row]
        path.append(layers[0][row])
        return Wave(np.array(path[::-1]), t, ending, blocked)

    def _moves(self, t: int, layer: NDArray[np.float64]) -> "_Moves":
        """Solve pose t from all configurations of a layer, and from seeds beside them."""
        bounds, num = self._task.bounds, len(layer)
        parent = np.tile(np.arange(num), self._children)
        current = layer[parent]
        seeds = current.copy()
        beside = len(seeds) - num
        shift, ratios = recurrence(0, layer.shape[1])
        numbers = shift + (t * len(seeds) + np.arange(1, beside + 1))[:, None] * ratios
        seeds[num:] += (2.0 * (numbers % 1.0) - 1.0) * bounds[2]
        np.clip(seeds, *bounds[:2], out=seeds)
        tracks = new_tracks(len(seeds))
        tracks["pose"], tracks["left"], tracks["direction"] = t, 1, 1
        tracks["row"] = tracks["edge"] = np.arange(len(seeds))
        found, edges = np.empty_like(seeds), np.empty(len(seeds), np.int64)
        follow(self._task, tracks, current, seeds, found, edges)
        endings = tracks["ending"]
        there, hits = np.flatnonzero(endings == Ending.COMPLETE), endings == Ending.COLLIDING
        blocked = None
        if hits.any():
            hits = np.flatnonzero(hits)
            k = hits[np.argmin(np.abs(seeds[hits] - current[hits]).max(axis=1))]
            blocked = current[k], seeds[k]
        # The endings are in the order of how far a motion came.
        ending = Ending.COLLIDING if len(there) else int(endings.max(initial=0))
        return _Moves(found[there], parent[there], edges[there], ending, blocked)

    def _moves_to(self, end: NDArray[np.float64], layer: NDArray[np.float64]) -> "_Moves":
        """Join all configurations of a layer to one of the next that are within a step of it."""
        near = np.flatnonzero((np.abs(layer - end) <= self._task.bounds[2]).all(axis=1))
        found = np.repeat(end[None], len(near), axis=0)
        verdicts = self._motions.verdicts(layer[near], found)
        blocked = (layer[near[0]], end) if len(near) else None
        ending = Ending.COLLIDING if len(near) else Ending.TOO_FAR
        return _Moves(found, near, verdicts, ending, blocked)

    def _free(
        self, layer: NDArray[np.float64], moves: "_Moves", cost: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Return the indices of motions that are free, shortest paths (M,) first.

        Where spheres cannot tell, the shapes themselves decide, on so many of them.
        """
        order, free = np.argsort(cost, kind="stable"), moves.verdicts == Verdict.FREE
        unclear = order[moves.verdicts[order] == Verdict.UNDECIDED]
        for k in unclear[self._distinct(moves.found[unclear])][:_DECIDED].tolist():
            if time.perf_counter() >= self._task.deadline:
                break
            free[k] = not self._motions.collides(layer[moves.parent[k]], moves.found[k])
        return order[free[order]]

    def _kept(
        self, found: NDArray[np.float64], order: NDArray[np.int64], t: int
    ) -> NDArray[np.int64]:
        """Return which configurations (M, n) are kept of those in `order`, cheapest first."""
        order = order[self._distinct(found[order])]
        if len(order) <= self._width:
            return order
        cheap = self._width // _CHEAP
        others = np.random.default_rng(t).permutation(order[cheap:])[: self._width - cheap]
        return np.concatenate([order[:cheap], others])

    def _distinct(self, found: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the indices of the first configuration in each cell, in order."""
        cells = np.floor(found / (_CELL * self._task.bounds[2]))
        return np.sort(np.unique(cells, axis=0, return_index=True)[1])


class _Moves(NamedTuple):
    """Motions to the next pose.

    Attributes:
        found: (M, n) where they end [rad or m].
        parent: (M,) which configurations they begin at.
        verdicts: (M,) what spheres say of them.
        ending: Why there are no others.
        blocked: Configurations before and after a motion that collides, if any was seen.
    """

    found: NDArray[np.float64]
    parent: NDArray[np.int64]
    verdicts: NDArray[np.int64]
    ending: int
    blocked: tuple[NDArray[np.float64], NDArray[np.float64]] | None
