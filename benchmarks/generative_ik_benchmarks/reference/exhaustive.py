"""Exhaustive multi-start: all solutions of a target up to a spacing, with evidence."""

from collections.abc import Callable
from dataclasses import asdict

import numpy as np

from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.reference.cache import Arrays, cached
from generative_ik_benchmarks.reference.saturation import (
    ExhaustiveSet,
    ExhaustiveSettings,
    last_growth,
)
from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt, RefineTask
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.joints import finite_limits
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.samplers.base import Sampler, SeedRequest
from generative_ik_ros.samplers.registry import sampler_class
from generative_ik_ros.select.verify import Verifier

_SLAB = 16384
"""Seeds in memory at a time."""
_LEAST_SEEDS = 1024
"""Fewest seeds that are refined together, however few solutions are missing."""


def exhaustive_sets(
    chain: KinematicChain,
    targets: Floats,
    settings: ExhaustiveSettings,
    on_target: Callable[[], None] = lambda: None,
) -> tuple[ExhaustiveSet, ...]:
    """Find all solutions of each target (T, 4, 4) by refining seeds until nothing new turns up.

    Half of the seeds are quasi-random, half random, in boxes of one turn for circular joints.
    Solutions are verified by forward kinematics that shares no code with the refiner and are
    inside the limits. Every target has a file of its own in the cache, so that an interrupted run
    continues where it stopped. Memory does not grow with the effort.
    """
    finder = _Finder(chain, settings)
    sets = []
    for target in np.asarray(targets, np.float64).reshape(-1, 4, 4):
        arrays = cached(
            "exhaustive",
            chain,
            target,
            {**asdict(settings), "refiner": "levenberg_marquardt"},
            lambda target=target: finder.find(target),
            lambda arrays, target=target: finder.valid(arrays, target),
        )
        sets.append(ExhaustiveSet(**arrays, settings=settings))
        on_target()
    return tuple(sets)


def sampled_solutions(
    chain: KinematicChain, target: Floats, count: int, settings: ExhaustiveSettings | None = None
) -> Floats:
    """Return solutions of one target (4, 4) as independent seeds find them, repeats included.

    Returns:
        (k, n) with k <= count [rad or m].
    """
    settings = settings or ExhaustiveSettings()
    finder, parts, found, tried = _Finder(chain, settings), [], 0, 0
    share = len(settings.samplers)
    while found < count and tried * share < settings.max_seeds:
        size = min(_SLAB, max(count - found, _LEAST_SEEDS)) // share
        parts.append(finder.solutions(target, tried, size))
        found, tried = found + len(parts[-1]), tried + size
    return np.concatenate(parts)[:count]


class _Finder:
    """Finds the solutions of one target at a time."""

    def __init__(self, chain: KinematicChain, settings: ExhaustiveSettings):
        self._settings = settings
        self._space = JointSpace.of(chain)
        self._verifier = Verifier(chain)
        self._samplers: list[Sampler] = [sampler_class(name)(chain) for name in settings.samplers]
        self._refiner = LevenbergMarquardt(
            chain, settings.position_tolerance, settings.orientation_tolerance
        )
        lower, upper = finite_limits(chain)
        circular = self._space.circular
        self._middle = (lower + upper) / 2.0
        self._lower = np.where(circular, self._middle - np.pi, lower)
        self._upper = np.where(circular, self._middle + np.pi, upper)

    def find(self, target: Floats) -> Arrays:
        settings, count = self._settings, len(self._samplers)
        dense = thinned = np.empty((0, len(self._middle)))
        efforts, counts, solutions = [], [], []
        exact = 0
        tried, goal = 0, settings.first_seeds // count  # seeds of each sampler
        while True:
            while tried < goal and len(thinned) < settings.max_thinned:
                size = min(_SLAB // count, goal - tried)
                found = self.solutions(target, tried, size)
                tried += size
                exact += len(found)
                thinned = self._extend(
                    thinned, found, settings.thin_distance, settings.max_thinned
                )
                dense = self._extend(dense, found, settings.dense_distance, settings.max_dense)
            efforts.append(tried * count)
            counts.append(len(thinned))
            solutions.append(exact)
            spent = len(thinned) >= settings.max_thinned or 2 * tried * count > settings.max_seeds
            if spent or last_growth(counts) < settings.growth:
                break
            goal = 2 * tried
        return {
            "dense": dense,
            "thinned": thinned,
            "efforts": np.array(efforts, np.int64),
            "counts": np.array(counts, np.int64),
            "solutions": np.array(solutions, np.int64),
        }

    def valid(self, arrays: Arrays, target: Floats) -> bool:
        """Return whether arrays, which are as they were written, are solutions of the target."""
        if set(arrays) != {"dense", "thinned", "efforts", "counts", "solutions"}:
            return False
        return all(self._right(arrays[name], target).all() for name in ("dense", "thinned"))

    def solutions(self, target: Floats, first: int, size: int) -> Floats:
        """Refine the next seeds of every sampler and return what is verified (k, n)."""
        request = SeedRequest(
            target[None], size, self._lower, self._upper, self._settings.random_seed, first
        )
        seeds = np.concatenate([sampler.propose(request)[0] for sampler in self._samplers])
        circular = self._space.circular
        refinement = self._refiner.refine(
            RefineTask(
                target[None],
                seeds,
                np.zeros(len(seeds), np.int64),
                np.where(circular, -np.inf, self._lower),
                np.where(circular, np.inf, self._upper),
                np.full(1, np.iinfo(np.int64).max),
            )
        )
        found = refinement.positions[refinement.converged]
        turns = np.rint((found - self._middle) / TURN)
        found = np.where(circular, found - TURN * turns, found)
        return found[self._right(found, target)]

    def _right(self, positions: Floats, target: Floats) -> Bools:
        settings = self._settings
        rows = np.zeros(len(positions), np.int64)
        positions = np.ascontiguousarray(positions)
        errors = self._verifier.errors(positions, target[None], rows)
        # Taking off a full turn rounds.
        inside = (positions >= self._lower - 1e-12) & (positions <= self._upper + 1e-12)
        near = errors <= (settings.position_tolerance, settings.orientation_tolerance)
        exact: Bools = np.logical_and(near.all(axis=1), inside.all(axis=1))
        return exact

    def _extend(self, kept: Floats, found: Floats, distance: float, most: int) -> Floats:
        room = most - len(kept)
        if room <= 0:
            return kept
        new = self._space.thin(found, distance, kept=kept, most=room)
        return np.concatenate([kept, found[new]])
