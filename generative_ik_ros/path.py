"""Poses along a path in, joint positions without a jump from one pose to the next out."""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.refine.base import RefineTask, characteristic_length
from generative_ik_ros.samplers.around import seeds_beside
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.order import most_diverse_first

_BEAM = 64
"""Configurations that are followed side by side where a single one has come to an end."""
_CHILDREN = 8
"""Seeds beside each of them at every pose."""
_SMOOTHING = 30
"""Sweeps that even out what a beam has wandered."""
_SAME = 0.25
"""Configurations in one cell of this share of a step are followed as one."""


@dataclass(frozen=True)
class IKPath:
    """A continuous joint path through the first `num_reached` of B poses.

    Attributes:
        joint_names: Names of the n joints, the order of the last axis of `positions`.
        positions: (B, n) joint positions [rad or m]; NaN from pose `num_reached` on. Continuous
            joints run on beyond a turn rather than jump.
        num_reached: How many poses the path gets to; B if it is complete.
        position_error: (B,) distance of the tip from each pose [m], NaN as above.
        orientation_error: (B,) angle between tip and pose [rad], NaN as above.
        timed_out: Whether the deadline ended the search.
        total_time: Time of the call [s].
    """

    joint_names: tuple[str, ...]
    positions: NDArray[np.float64]
    num_reached: int
    position_error: NDArray[np.float64]
    orientation_error: NDArray[np.float64]
    timed_out: bool
    total_time: float

    @property
    def complete(self) -> bool:
        """Whether the path gets to every pose."""
        return self.num_reached == len(self.positions)


class PathSearch:
    """Follows poses from one configuration, or several, in steps that no joint exceeds.

    First a single configuration is carried along, each pose's solution being the seed for the
    next. That ends where a joint runs into its limit or two branches of solutions meet and the
    wrong one was taken, though another continuous path may exist. Then a beam of configurations
    is carried along: at each pose seeds beside all of them are made exact, and of the solutions
    that a step can reach, a diverse choice goes on. For an arm without joints to spare the beam
    holds every branch; for others it spreads along their self-motion.

    Args:
        stages: Refiner and verifier of the chain.
        targets: (B, 4, 4) tip in base [m].
        max_step: (n,) largest change of each joint from a pose to the next [rad or m].
        deadline: Reading of `time.perf_counter` [s].
    """

    def __init__(
        self,
        stages: Stages,
        targets: NDArray[np.float64],
        max_step: NDArray[np.float64],
        deadline: float,
    ):
        """Look up bounds and units."""
        chain = stages.chain
        self._stages, self._targets, self._max_step = stages, targets, max_step
        self._deadline = deadline
        self._turning = chain.periodic
        self._unit = np.where(chain.prismatic, characteristic_length(chain), 1.0)
        self._lower, self._upper = chain.lower, chain.upper
        self._quasi_random = QuasiRandom(chain)
        self.timed_out = False

    def run(self, start: NDArray[np.float64], first: int) -> NDArray[np.float64]:
        """Return the longest path found.

        Args:
            start: (K, n) configurations to begin from, best first [rad or m].
            first: Index of the first pose to reach; one step leads there from `start`.

        Returns:
            (1 + L, n) the start that was taken, then a configuration for each of L poses.
        """
        path = self._follow(start[:1], first, width=1, children=1)
        if first + len(path) - 1 < len(self._targets) and not self.timed_out:
            wider = self._follow(start, first, width=_BEAM, children=_CHILDREN)
            if len(wider) > len(path):
                path = self._smooth(wider, first)
        return path

    def _follow(
        self, start: NDArray[np.float64], first: int, *, width: int, children: int
    ) -> NDArray[np.float64]:
        """Carry configurations from pose to pose; return the shortest path that gets furthest."""
        layers, parents, costs = [start], [np.zeros(len(start), np.int64)], np.zeros(len(start))
        for t in range(first, len(self._targets)):
            if time.perf_counter() >= self._deadline:
                self.timed_out = True
                break
            found, parent, cost = self._step(t, layers[-1], costs, children)
            if not len(found):
                break
            chosen = self._choose(found, cost, width)
            layers.append(found[chosen])
            parents.append(parent[chosen])
            costs = cost[chosen]
        row, path = int(np.argmin(costs)), []
        for layer, parent in zip(layers[::-1], parents[::-1], strict=True):
            path.append(layer[row])
            row = parent[row]
        return np.array(path[::-1])

    def _step(
        self, t: int, layer: NDArray[np.float64], costs: NDArray[np.float64], children: int
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
        """Return the (M, n) solutions of pose t a step away, their parents and path lengths."""
        parent = np.tile(np.arange(len(layer)), children)
        seeds = layer[parent]
        beside = seeds[len(layer) :]
        if len(beside):
            seeds[len(layer) :] = seeds_beside(
                self._quasi_random, beside, self._max_step, first=t * _BEAM * _CHILDREN
            )
        found, true = self._solutions(seeds, np.full(len(seeds), t))
        step = found - layer[parent]
        true &= (np.abs(step) <= self._max_step).all(axis=1)
        cost = costs[parent] + np.linalg.norm(step / self._unit, axis=1)
        return found[true], parent[true], cost[true]

    def _choose(
        self, found: NDArray[np.float64], cost: NDArray[np.float64], width: int
    ) -> NDArray[np.int64]:
        """Return indices of at most `width` of them: short paths first, then diverse ones."""
        order = np.argsort(cost, kind="stable")
        if width == 1:
            return order[:1]
        _, distinct = np.unique(
            np.floor(found[order] / (_SAME * self._max_step)), axis=0, return_index=True
        )
        order = order[np.sort(distinct)]
        if len(order) <= width:
            return order
        shortest, others = order[: width // 4], order[width // 4 :]
        diverse = most_diverse_first(
            found[others], self._lower, self._upper, self._turning, self._unit,
            width - len(shortest),
        )  # fmt: skip
        return np.concatenate([shortest, others[diverse]])

    def _smooth(self, path: NDArray[np.float64], first: int) -> NDArray[np.float64]:
        """Even out a path: draw each configuration between its neighbours while that helps."""
        path = path.copy()
        for sweep in range(_SMOOTHING):
            if time.perf_counter() >= self._deadline:
                break
            inner = np.arange(1 + sweep % 2, len(path) - 1, 2)
            before, after = path[inner - 1], path[inner + 1]
            found, true = self._solutions((before + after) / 2.0, inner - 1 + first)
            steps = np.stack([found - before, after - found])
            true &= (np.abs(steps) <= self._max_step).all(axis=(0, 2))
            old = np.stack([path[inner] - before, after - path[inner]])
            true &= self._length(steps) < self._length(old)
            path[inner[true]] = found[true]
        return path

    def _length(self, steps: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the squares of (2, M, n) steps; (M,)."""
        return ((steps / self._unit) ** 2).sum(axis=(0, 2))

    def _solutions(
        self, seeds: NDArray[np.float64], target_of_seed: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Refine (S, n) seeds; return where they end and which of them are true solutions."""
        refiner = self._stages.refiner
        refinement = refiner.refine(
            RefineTask(
                self._targets,
                np.clip(seeds, self._lower, self._upper),
                target_of_seed,
                self._lower,
                self._upper,
                wanted=np.full(len(self._targets), np.iinfo(np.int64).max),
            )
        )
        position, orientation = self._stages.verifier.errors(
            refinement.positions, self._targets, target_of_seed
        )
        true = refinement.converged & (position <= refiner.position_tolerance)
        return refinement.positions, true & (orientation <= refiner.orientation_tolerance)
