"""A wave of configurations that spreads along self-motions while it follows the poses.

Tracks follow the shortest motion from pose to pose. Where that leads into a joint limit, an
obstacle or the wrong branch at a singularity, the arm has to prepare earlier. The wave therefore
begins several motions from every configuration: one to the nearest solution of the next pose, the
others to solutions beside it. Of what is reached, it keeps the end of the shortest path in each
cell of a grid, which is finer than a step unless the wave would become too wide.
"""

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.paths.follow import follow, new_tracks
from generative_ik_ros.paths.freedom import Freedom
from generative_ik_ros.paths.motion import MotionCheck
from generative_ik_ros.paths.records import Ending
from generative_ik_ros.paths.task import PathTask
from generative_ik_ros.paths.wave_kernel import first_in_cells, self_motion_seeds
from generative_ik_ros.samplers.quasi_random import recurrence

_CELL = 0.25
"""Size of a grid cell as a share of a step."""
_COARSER = 1.3
"""The cells grow by this as long as there are more of them than the wave is wide."""
_DECIDED = 4
"""The shapes themselves decide on one motion for so many configurations that the wave lacks; each
may take milliseconds."""
_JOINS = 8
"""Motions to goals that are tried at a pose."""
_STRIDE = 0.8
"""Share of a step that leads from a configuration to the seeds beside it."""


@dataclass(frozen=True)
class Wave:
    """How far a wave came.

    Attributes:
        path: (L, n) the shortest path to the last pose reached, or to the goal that was reached
            first, its start included [rad or m].
        pose: The pose after that; the one that was not reached.
        ending: Why (an Ending); COMPLETE if a goal or the last pose was reached.
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
        beside: Random seeds beside each of them, besides those along its self-motions.
    """

    def __init__(self, task: PathTask, motions: MotionCheck, width: int, beside: int):
        """Find out along how many directions self-motions lead."""
        self._task, self._motions = task, motions
        self._width, self._beside = width, beside
        self._freedom = Freedom(task)
        self._nullity = self._freedom.nullity

    def run(
        self,
        starts: NDArray[np.float64],
        costs: NDArray[np.float64],
        first: int,
        goals: NDArray[np.float64],
        *,
        only_goals: bool = False,
    ) -> Wave:
        """Spread from configurations (K, n) until the last pose or a goal is reached.

        Args:
            starts: Where the wave begins: solutions of the pose before `first`, or, if that is
                0, where the arm is.
            costs: (K,) length of the paths that lead there.
            first: The first pose to reach.
            goals: (G, B, n) solutions of the poses from where the end can be reached, or NaN.
            only_goals: Whether no other solution of the last pose counts.
        """
        layers, parents = [starts], [np.zeros(0, np.int64)]
        size, ending, blocked, t = len(self._task.targets), Ending.COMPLETE, None, first
        row = -1
        while t < size:
            if time.perf_counter() >= self._task.deadline:
                ending = Ending.UNDER_WAY
                break
            layer = layers[-1]
            joined = self._joined(layer, costs, goals[:, t])
            if joined is not None:
                row, end = joined
                layers.append(end[None])
                parents.append(np.array([row]))
                row, t = 0, t + 1
                break
            if only_goals and t == size - 1:
                ending = Ending.TOO_FAR
                break
            moves = self._moves(t, layer)
            motion = (moves.found - layer[moves.parent]) * self._task.weight
            cost = costs[moves.parent] + np.linalg.norm(motion, axis=1)
            chosen = self._kept(moves.found, self._free(layer, moves, cost))
            if not len(chosen):
                ending, blocked = moves.ending, moves.blocked
                break
            layers.append(moves.found[chosen])
            parents.append(moves.parent[chosen])
            costs, t = cost[chosen], t + 1
        row, path = row if row >= 0 else int(np.argmin(costs)), []
        for layer, parent in zip(layers[:0:-1], parents[:0:-1], strict=True):
            path.append(layer[row])
            row = parent[row]
        path.append(layers[0][row])
        return Wave(np.array(path[::-1]), t, ending, blocked)

    def _joined(
        self,
        layer: NDArray[np.float64],
        costs: NDArray[np.float64],
        goals: NDArray[np.float64],
    ) -> tuple[int, NDArray[np.float64]] | None:
        """Return the shortest way from a layer (M, n) to goals (G, n) of the next pose, if any.

        It is a row of the layer and a goal.
        """
        gaps = np.abs(goals - layer[:, None])
        rows, which = np.nonzero((gaps <= self._task.bounds[2]).all(axis=2))
        length = costs[rows] + np.linalg.norm(gaps[rows, which] * self._task.weight, axis=1)
        for k in np.argsort(length, kind="stable")[:_JOINS].tolist():
            before, after = layer[rows[k]], goals[which[k]]
            if self._motions.free(before[None], after[None])[0]:
                return int(rows[k]), after
        return None

    def _moves(self, t: int, layer: NDArray[np.float64]) -> "_Moves":
        """Solve pose t from all configurations of a layer, and from seeds beside them."""
        seeds = np.concatenate([layer, self._along(t, layer), self._around(t, layer)])
        np.clip(seeds, *self._task.bounds[:2], out=seeds)
        parent = np.tile(np.arange(len(layer)), len(seeds) // len(layer))
        current = layer[parent]
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

    def _along(self, t: int, layer: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return seeds beside configurations (M, n) along their self-motions."""
        if self._nullity == 0:
            return layer[:0]
        turns = np.eye(self._nullity)
        if self._nullity > 1:
            # Other directions at every pose.
            turns = np.random.default_rng(t).standard_normal(turns.shape)
        seeds = np.empty((2 * self._nullity, *layer.shape))
        self_motion_seeds(
            self._task.arrays, np.ascontiguousarray(layer), _STRIDE * self._task.bounds[2], turns,
            self._freedom.at(layer, np.full(len(layer), t)).ways, seeds,
        )  # fmt: skip
        return seeds.reshape(-1, layer.shape[1])

    def _around(self, t: int, layer: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return random seeds beside configurations (M, n)."""
        count = self._beside * len(layer)
        shift, ratios = recurrence(0, layer.shape[1])
        numbers = shift + (t * count + np.arange(1, count + 1))[:, None] * ratios
        offsets = (2.0 * (numbers % 1.0) - 1.0) * self._task.bounds[2]
        return np.tile(layer, (self._beside, 1)) + offsets

    def _free(
        self, layer: NDArray[np.float64], moves: "_Moves", cost: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Return the indices of motions that are free, shortest paths (M,) first.

        Where spheres cannot tell, the shapes themselves decide, on so many of them.
        """
        order, free = np.argsort(cost, kind="stable"), moves.verdicts == Verdict.FREE
        unclear = order[moves.verdicts[order] == Verdict.UNDECIDED]
        lacking = self._width - len(self._distinct(moves.found, order[free[order]]))
        most = -(-max(lacking, 0) // _DECIDED)
        for k in self._distinct(moves.found, unclear)[:most].tolist():
            if time.perf_counter() >= self._task.deadline:
                break
            free[k] = not self._motions.collides(layer[moves.parent[k]], moves.found[k])
        return order[free[order]]

    def _kept(self, found: NDArray[np.float64], order: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return which configurations (M, n) are kept of those in `order`, cheapest first."""
        cell = _CELL
        kept = self._distinct(found, order)
        while len(kept) > self._width:
            cell *= _COARSER
            kept = self._distinct(found, kept, cell)
        return kept

    def _distinct(
        self, found: NDArray[np.float64], order: NDArray[np.int64], cell: float = _CELL
    ) -> NDArray[np.int64]:
        """Return the first configurations in each cell, in some order; `cell` is in steps."""
        table = np.full(1 << max(2 * len(order), 1).bit_length(), -1)
        kept = np.empty(len(order), np.int64)
        size = cell * self._task.bounds[2]
        return kept[: first_in_cells(found, order, size, table, kept)]


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
