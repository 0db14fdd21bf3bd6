"""Path following: joint positions for a sequence of poses, without a jump between them."""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.refine.base import RefineTask
from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.search.motion import MotionCheck
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.order import most_diverse_first
from generative_ik_ros.solutions import errors_text

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck

_BEAM = 64
"""Width of the beam that is searched where a single configuration cannot follow the path."""
_CHILDREN = 8
"""Seeds near each configuration of the beam at every pose."""
_BEAMS = (1, 1), (_BEAM, 1), (_BEAM, _CHILDREN)
"""Width of the beam, and seeds for each configuration, of one attempt after the other."""
_SMOOTHING = 30
"""Sweeps that smooth the path that a beam has found."""
_UNREACHED = "no solution is found from there: out of reach, or beyond a joint limit"
_TOO_FAR = "every solution found is more than max_step away"
_SAME = 0.25
"""Configurations in one grid cell of this share of a step are duplicates."""


@dataclass(frozen=True)
class IKPath:
    """A continuous joint path through the first `num_reached` of B poses.

    Attributes:
        joint_names: Names of the n joints, the order of the last axis of `positions`.
        positions: (B, n) joint positions [rad or m]; NaN from pose `num_reached` on. Continuous
            joints run on beyond a turn rather than jump.
        num_reached: Number of poses that the path reaches; B if it is complete.
        position_error: (B,) distance of the tip from each pose [m], NaN as above.
        orientation_error: (B,) angle between tip and pose [rad], NaN as above.
        timed_out: Whether the deadline ended the search.
        total_time: Time of the call [s].
        reason: Why the path ends before the last pose; "" if it does not.
    """

    joint_names: tuple[str, ...]
    positions: NDArray[np.float64]
    num_reached: int
    position_error: NDArray[np.float64]
    orientation_error: NDArray[np.float64]
    timed_out: bool
    total_time: float
    reason: str = ""

    @property
    def complete(self) -> bool:
        """Whether the path reaches every pose."""
        return self.num_reached == len(self.positions)

    def __repr__(self) -> str:
        """Summarise the path in a few lines; the arrays are in the attributes."""
        reached, outcome = self.num_reached, "complete" if self.complete else "incomplete"
        lines = [
            f"IKPath: {reached} of {len(self.positions)} poses in {1e3 * self.total_time:.2f} ms "
            f"({'timed out' if self.timed_out else outcome})",
            f"  joints: {', '.join(self.joint_names)}",
        ]
        if self.reason:
            lines.append(f"  {self.reason}")
        if reached:
            steps = np.abs(np.diff(self.positions[:reached], axis=0))
            lines.append(f"  largest step of a joint: {steps.max(initial=0.0):.3g}")
            errors = errors_text(self.position_error, self.orientation_error)
            lines.append(f"  errors: at most {errors}")
        return "\n".join(lines)


class PathSearch:
    """Follows poses from one configuration, or several, in steps that no joint exceeds.

    First the solution of each pose is the seed for the next. That fails where a joint reaches its
    limit, or takes the wrong branch at a singularity, though another continuous path may exist.
    Then a beam search follows many configurations: at each pose, seeds near all of them are
    refined, and a diverse choice of the solutions within a step is kept. For an arm that is not
    redundant the beam holds every branch; for a redundant one it spreads along the self-motion.

    Args:
        stages: Refiner and verifier of the chain.
        targets: (B, 4, 4) tip in base [m].
        max_step: (n,) largest change of each joint from a pose to the next [rad or m].
        deadline: Reading of `time.perf_counter` [s].
        check: The robot among its obstacles, if the path must be free of collisions.

    Attributes:
        timed_out: Whether the deadline has ended the search.
        reason: Why the longest path found goes no further, in words; "" if it reaches all poses.
    """

    def __init__(
        self,
        stages: Stages,
        targets: NDArray[np.float64],
        max_step: NDArray[np.float64],
        deadline: float,
        check: "SceneCheck | None" = None,
    ):
        """Look up bounds and units."""
        chain = stages.chain
        self._motions = None if check is None else MotionCheck(check, chain.joint_units)
        self._stages, self._targets, self._max_step = stages, targets, max_step
        self._deadline = deadline
        self._periodic = chain.periodic
        self._unit = chain.joint_units
        self._lower, self._upper = chain.lower, chain.upper
        self._quasi_random = QuasiRandom(chain)
        self.timed_out, self.reason = False, ""

    def run(self, start: NDArray[np.float64], first: int) -> NDArray[np.float64]:
        """Return the longest path found from any of the starts.

        Args:
            start: (K, n) configurations to begin from, best first [rad or m].
            first: Index of the first pose to reach; one step leads there from `start`.

        Returns:
            (1 + L, n) the start that was chosen, then a configuration for each of L poses.
        """
        path, reason, wide = start[:0], "", False
        for width, children in _BEAMS:
            found = self._follow(start[:width], first, width=width, children=children)
            if len(found) > len(path):
                path, reason, wide = found, self.reason, width > 1
            if self.timed_out or first + len(path) - 1 == len(self._targets):
                break
        self.reason = reason
        return self._smooth(path, first) if wide else path

    def _follow(
        self, start: NDArray[np.float64], first: int, *, width: int, children: int
    ) -> NDArray[np.float64]:
        """Search with a beam of some width; return the shortest path that gets furthest."""
        self.reason = ""
        layers, parents, costs = [start], [np.zeros(len(start), np.int64)], np.zeros(len(start))
        for t in range(first, len(self._targets)):
            if time.perf_counter() >= self._deadline:
                self.timed_out = True
                break
            found, parent, cost, reason = self._step(t, layers[-1], costs, children)
            if not len(found):
                self.reason = f"pose {t}: {reason}"
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
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64], str]:
        """Return the (M, n) solutions of pose t within a step, their parents and path lengths.

        The text says why there are none.
        """
        parent = np.tile(np.arange(len(layer)), children)
        seeds = layer[parent]
        beside = seeds[len(layer) :]
        if len(beside):
            box = SeedRequest(
                self._targets[t : t + 1], len(beside), -self._max_step, self._max_step,
                random_seed=0, first=t * _BEAM * _CHILDREN,
            )  # fmt: skip
            seeds[len(layer) :] = beside + self._quasi_random.propose(box)[0]
        found, true = self._solutions(
            seeds, self._targets[t : t + 1], np.zeros(len(seeds), np.int64)
        )
        if not true.any():
            return found[true], parent[true], costs[parent][true], _UNREACHED
        step = found - layer[parent]
        near = true & (np.abs(step) <= self._max_step).all(axis=1)
        if not near.any():
            return found[near], parent[near], costs[parent][near], _TOO_FAR
        found, parent, step = found[near], parent[near], step[near]
        cost, reason = costs[parent] + np.linalg.norm(step / self._unit, axis=1), ""
        if self._motions is not None:
            # Shortest first, for where spheres cannot tell, the first free motion will do.
            order = np.argsort(cost, kind="stable")
            found, parent, cost = found[order], parent[order], cost[order]
            free = self._motions.free(layer[parent], found)
            if not free.any():
                reason = "every motion there collides"
                if (pair := self._motions.hit(layer[parent[0]], found[0])) is not None:
                    reason += f", the shortest one {pair[0]} with {pair[1]}"
            found, parent, cost = found[free], parent[free], cost[free]
        return found, parent, cost, reason

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
            found[others], self._lower, self._upper, self._periodic, self._unit,
            width - len(shortest),
        )  # fmt: skip
        return np.concatenate([shortest, others[diverse]])

    def _smooth(self, path: NDArray[np.float64], first: int) -> NDArray[np.float64]:
        """Move configurations to the middle of their neighbours where that shortens the path."""
        path = path.copy()
        for sweep in range(_SMOOTHING):
            if time.perf_counter() >= self._deadline:
                break
            inner = np.arange(1 + sweep % 2, len(path) - 1, 2)
            before, after = path[inner - 1], path[inner + 1]
            found, true = self._solutions(
                (before + after) / 2.0, self._targets[inner - 1 + first], np.arange(len(inner))
            )
            steps = np.stack([found - before, after - found])
            true &= (np.abs(steps) <= self._max_step).all(axis=(0, 2))
            old = np.stack([path[inner] - before, after - path[inner]])
            true &= self._length(steps) < self._length(old)
            if self._motions is not None and true.any():
                some = np.flatnonzero(true)
                true[some] = self._motions.free(before[some], found[some])
                some = np.flatnonzero(true)
                true[some] &= self._motions.free(found[some], after[some])
            path[inner[true]] = found[true]
        return path

    def _length(self, steps: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the squares of (2, M, n) steps; (M,)."""
        return ((steps / self._unit) ** 2).sum(axis=(0, 2))

    def _solutions(
        self,
        seeds: NDArray[np.float64],
        targets: NDArray[np.float64],
        target_of_seed: NDArray[np.int64],
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Refine (S, n) seeds; return where they end and which of them are true solutions."""
        refiner = self._stages.refiner
        refinement = refiner.refine(
            RefineTask(
                targets,
                np.clip(seeds, self._lower, self._upper),
                target_of_seed,
                self._lower,
                self._upper,
                wanted=np.full(len(targets), np.iinfo(np.int64).max),
            )
        )
        position, orientation = self._stages.verifier.errors(
            refinement.positions, targets, target_of_seed
        )
        true = refinement.converged & (position <= refiner.position_tolerance)
        return refinement.positions, true & (orientation <= refiner.orientation_tolerance)
