"""A checked request in, rounds of propose, refine, verify and keep, a pool of solutions out."""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.refine.base import Refinement, Refiner, RefineTask
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.around import seeds_around
from generative_ik_ros.samplers.base import Sampler, SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.select.closest import ClosestSoFar
from generative_ik_ros.select.pool import SolutionPool
from generative_ik_ros.select.turns import nearest_turn
from generative_ik_ros.select.verify import Verifier

_GIVE_UP = 2048
"""Seeds after which a target without a solution is taken to be unreachable."""
_SEEDS_PER_SOLUTION = 3.5
"""First guess of how many seeds it takes to find one more distinct solution."""
_LEAST_ROUND, _LARGEST_ROUND = 16, 1024
"""Bounds of the number of seeds for one target in one round."""
_SLAB = 65536
"""Most seeds that are in memory at a time."""
_SPARE = 1.5
"""So many times the solutions asked for are kept, for the most diverse to be chosen among them."""
_APPROACHES = 64
"""Seeds that are driven to their local minimum to find the closest approach to a target."""


@dataclass(frozen=True)
class Stages:
    """The parts of the pipeline that a search puts to work, all for one chain."""

    chain: KinematicChain
    sampler: Sampler
    refiner: Refiner
    verifier: Verifier
    distinct_distance: float


class Search:
    """The state of one call of IKSolver.solve for T targets.

    How many seeds a round has depends on what was found, never on the time, so that the same call
    gives the same result; a deadline only cuts the search short.

    Args:
        stages: Sampler, refiner and verifier.
        request: What is wanted.
        start: Reading of `time.perf_counter` when the call began [s].

    Attributes:
        pool: The solutions found.
        timed_out: (T,) whether the deadline came before the search for a target was over.
        rounds: Rounds so far.
        num_seeds: Seeds tried so far, all targets together.
        propose_time: Time spent in the sampler [s].
        refine_time: Time spent in the refiner [s].
        verify_time: Time spent on verification and the pool [s].
    """

    def __init__(self, stages: Stages, request: SolveRequest, start: float):
        """Prepare an empty pool."""
        self._stages, self._request = stages, request
        self._deadline = start + request.timeout
        num_targets = len(request.targets)
        chain, refiner = stages.chain, stages.refiner
        self.pool = SolutionPool(
            num_targets,
            int(_SPARE * request.num_solutions) + 1,
            request.circular,
            stages.distinct_distance,
        )
        self.timed_out = np.zeros(num_targets, np.bool_)
        self.rounds = self.num_seeds = 0
        self.propose_time = self.refine_time = self.verify_time = 0.0
        # A continuous joint may run over the edge of the search box: its ends are the same place.
        free = chain.continuous & request.circular
        self._lower = np.where(free, -np.inf, request.lower)
        self._upper = np.where(free, np.inf, request.upper)
        self._tried = np.zeros(num_targets, np.int64)
        self._closest = ClosestSoFar(
            np.tile(request.reference, (num_targets, 1)),
            refiner.position_weight,
            refiner.orientation_weight,
        )
        # Where a single solution is wanted, anywhere, the first that converges will do.
        enough = np.iinfo(np.int64).max
        if request.num_solutions == 1 and request.seed_state is None:
            enough = 1
        self._wanted = np.full(num_targets, enough)

    def run(self) -> None:
        """Search until every target is solved, exhausted or out of time."""
        open_targets = np.flatnonzero(~self._beyond_reach())
        if self._request.seed_state is not None and len(open_targets):
            self._round(open_targets, self._first_round(), self._around_seed_state)
            open_targets = self._unfinished(open_targets)
        while len(open_targets):
            if time.perf_counter() >= self._deadline:
                self.timed_out[open_targets] = True
                break
            self._round(open_targets, self._next_round(open_targets), self._stages.sampler.propose)
            open_targets = self._unfinished(open_targets)
        unsolved = np.flatnonzero((self.pool.counts == 0) & ~self.timed_out)
        if len(unsolved):
            self._approach(unsolved)

    def best_effort(self) -> NDArray[np.float64]:
        """Return the (T, n) configuration closest to each target among all that were seen."""
        request = self._request
        return nearest_turn(
            self._closest.positions,
            request.reference,
            request.lower,
            request.upper,
            request.circular,
        )

    def _round(self, targets: NDArray[np.int64], count: int, propose) -> None:  # noqa: ANN001
        """Try `count` seeds for each of the targets, in slabs that fit into memory."""
        per_slab = max(1, _SLAB // count)
        for i in range(0, len(targets), per_slab):
            if i and time.perf_counter() >= self._deadline:
                break
            slab = targets[i : i + per_slab]
            self._try_seeds(slab, count, propose)
            self._tried[slab] += count
        self.rounds += 1

    def _approach(self, targets: NDArray[np.int64]) -> None:
        """Follow some seeds of unsolved targets to their local minima, for the best effort."""
        per_slab = _SLAB // _APPROACHES
        for i in range(0, len(targets), per_slab):
            if time.perf_counter() >= self._deadline:
                break
            self._try_seeds(
                targets[i : i + per_slab], _APPROACHES, self._stages.sampler.propose, thorough=True
            )

    def _try_seeds(
        self,
        targets: NDArray[np.int64],
        count: int,
        propose,  # noqa: ANN001
        *,
        thorough: bool = False,
    ) -> None:
        """Propose, refine, verify and keep."""
        request, stages = self._request, self._stages
        begin = time.perf_counter()
        seeds = propose(
            SeedRequest(
                request.targets[targets],
                count,
                request.lower,
                request.upper,
                request.random_seed,
                first=int(self._tried[targets[0]]),
            )
        )
        seeds = seeds.reshape(-1, seeds.shape[-1])
        target_of_seed = np.repeat(targets, count)
        proposed = time.perf_counter()
        refinement = stages.refiner.refine(
            RefineTask(
                request.targets,
                seeds,
                target_of_seed,
                self._lower,
                self._upper,
                self._wanted,
                self._deadline,
                thorough,
            )
        )
        refined = time.perf_counter()
        self._keep(refinement, target_of_seed)
        done = time.perf_counter()
        self.num_seeds += int(np.count_nonzero(refinement.iterations))
        self.propose_time += proposed - begin
        self.refine_time += refined - proposed
        self.verify_time += done - refined

    def _keep(self, refinement: Refinement, target_of_seed: NDArray[np.int64]) -> None:
        """Keep what converged, is new and proves true; remember the closest of all."""
        request = self._request
        rows = np.flatnonzero(refinement.converged)
        if len(rows):
            target_of_row = target_of_seed[rows]
            positions = nearest_turn(
                refinement.positions[rows],
                request.reference,
                request.lower,
                request.upper,
                request.circular,
            )
            kept = self.pool.add(positions, target_of_row, request.lower, request.upper)
            found = self.pool.positions[kept[:, 0], kept[:, 1]]
            errors = self._stages.verifier.errors(found, request.targets, kept[:, 0])
            refiner = self._stages.refiner
            self.pool.settle(
                kept, *errors, refiner.position_tolerance, refiner.orientation_tolerance
            )
        if len(rows) < len(target_of_seed):
            self._closest.consider(
                refinement.positions,
                refinement.position_error,
                refinement.orientation_error,
                target_of_seed,
            )

    def _around_seed_state(self, request: SeedRequest) -> NDArray[np.float64]:
        return seeds_around(QuasiRandom(self._stages.chain), request, self._request.reference)

    def _beyond_reach(self) -> NDArray[np.bool_]:
        """Say which targets are too far from the first joint for any configuration."""
        stages, targets = self._stages, self._request.targets
        if stages.refiner.position_weight == 0.0:
            return np.zeros(len(targets), np.bool_)
        gap = targets[:, :3, 3] - stages.chain.joint_origins[0, :3, 3]
        return (gap**2).sum(axis=1) > (stages.chain.reach + stages.refiner.position_tolerance) ** 2

    def _unfinished(self, targets: NDArray[np.int64]) -> NDArray[np.int64]:
        counts = self.pool.counts[targets]
        done = counts >= self._request.num_solutions
        if done.all():
            return targets[:0]
        hopeless = (counts == 0) & (self._tried[targets] >= _GIVE_UP)
        return targets[~(done | hopeless | self.pool.saturated(targets))]

    def _first_round(self) -> int:
        wish = int(_SEEDS_PER_SOLUTION * self._request.num_solutions)
        return min(max(wish, _LEAST_ROUND), _LARGEST_ROUND)

    def _next_round(self, targets: NDArray[np.int64]) -> int:
        """Say how many seeds each target gets next, from what the seeds before have yielded."""
        first = self._first_round()
        tried = self._tried[targets]
        if not tried.any():
            return first
        # The share of solutions found exactly once tells how many of the next will be new.
        missing = self._request.num_solutions - self.pool.counts[targets]
        rate = np.maximum(self.pool.found_once(targets), 1) / tried
        wish = int(1.2 * (missing / rate).max())
        return min(max(wish, _LEAST_ROUND, first // 8), _LARGEST_ROUND)
