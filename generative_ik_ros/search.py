"""A checked request in, rounds of propose, refine, verify and keep, a pool of solutions out."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.effort import Effort
from generative_ik_ros.refine.base import (
    Refinement,
    Refiner,
    RefineTask,
    characteristic_length,
)
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.around import seeds_around, seeds_beside
from generative_ik_ros.samplers.base import Sampler, SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.select.closest import ClosestSoFar
from generative_ik_ros.select.pool import SolutionPool
from generative_ik_ros.select.turns import nearest_turn
from generative_ik_ros.select.verify import Verifier

_SLAB = 65536
"""Most seeds that are in memory at a time."""
_STRIDE = 0.7
"""Largest step of a joint beside a known solution [rad, or characteristic lengths]."""
_SPARE = 1.5
"""So many times the solutions asked for are kept, for the most diverse to be chosen among them."""
_APPROACHES = 64
"""Seeds that are driven to their local minimum to find the closest approach to a target."""


Propose = Callable[[SeedRequest], NDArray[np.float64]]


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
        # Around a seed state the first seeds are not the sampler's.
        own_seeds = request.seed_state is None
        constraints = 3 * ((refiner.position_weight > 0.0) + (refiner.orientation_weight > 0.0))
        self._effort = Effort(
            num_targets,
            request.num_solutions,
            joints_to_spare=chain.num_joints > constraints,
            seeds_per_solution=stages.sampler.seeds_per_solution if own_seeds else None,
        )
        unit = np.where(chain.prismatic, characteristic_length(chain), 1.0)
        self._stride = np.minimum(_STRIDE * unit, (request.upper - request.lower) / 4.0)
        self._strides = np.zeros(num_targets, np.int64)
        self._quasi_random = QuasiRandom(chain)
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
        effort, counts = self._effort, self.pool.counts
        open_targets = np.flatnonzero(~self._beyond_reach())
        propose = self._stages.sampler.propose
        if self._request.seed_state is not None:
            propose = self._around_seed_state
        while len(open_targets):
            if time.perf_counter() >= self._deadline:
                self.timed_out[open_targets] = True
                break
            self._round(
                open_targets, effort.next_round(open_targets, counts[open_targets]), propose
            )
            propose = self._stages.sampler.propose
            open_targets = self._unfinished(open_targets)
            walkers = effort.walkers(open_targets, counts[open_targets])
            if len(walkers) and time.perf_counter() < self._deadline:
                self._walk(walkers, effort.next_walk(counts[walkers]))
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

    def _round(self, targets: NDArray[np.int64], count: int, propose: Propose) -> None:
        """Try `count` independent seeds for each of the targets."""
        for slab in self._slabs(targets, count):
            found, new = self._try_seeds(slab, count, propose)
            self._effort.record_round(slab, count, found, new)
        self.rounds += 1

    def _walk(self, targets: NDArray[np.int64], count: int) -> None:
        """Try `count` seeds beside the solutions of each of the targets."""
        for slab in self._slabs(targets, count):
            _, new = self._try_seeds(slab, count, self._beside_solutions(slab))
            self._effort.record_walk(slab, count, new)
        self.rounds += 1

    def _approach(self, targets: NDArray[np.int64]) -> None:
        """Follow some seeds of unsolved targets to their local minima, for the best effort."""
        for slab in self._slabs(targets, _APPROACHES):
            self._try_seeds(slab, _APPROACHES, self._stages.sampler.propose, thorough=True)

    def _slabs(self, targets: NDArray[np.int64], count: int) -> Iterator[NDArray[np.int64]]:
        """Cut targets into slabs whose seeds fit into memory, until the deadline."""
        per_slab = max(1, _SLAB // count)
        for i in range(0, len(targets), per_slab):
            if i and time.perf_counter() >= self._deadline:
                return
            yield targets[i : i + per_slab]

    def _beside_solutions(self, targets: NDArray[np.int64]) -> Propose:
        """Propose seeds beside the known solutions, those least often visited first."""

        def propose(request: SeedRequest) -> NDArray[np.float64]:
            pool, count = self.pool, request.count
            seeds = np.empty((len(targets), count, len(self._stride)))
            for row, t in enumerate(targets):
                rarest = np.argsort(pool.visits[t, : pool.counts[t]], kind="stable")
                rarest = rarest[: max(8, len(rarest) // 2)]
                bases = pool.positions[t, np.resize(rarest, count)]
                first = int(self._strides[t])
                seeds[row] = seeds_beside(self._quasi_random, bases, self._stride, first)
            self._strides[targets] += count
            return np.clip(seeds, self._lower, self._upper)

        return propose

    def _try_seeds(
        self,
        targets: NDArray[np.int64],
        count: int,
        propose: Propose,
        *,
        thorough: bool = False,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Propose, refine, verify and keep; return the finds and the new ones of each target."""
        request, stages = self._request, self._stages
        begin = time.perf_counter()
        seeds = propose(
            SeedRequest(
                request.targets[targets],
                count,
                request.lower,
                request.upper,
                request.random_seed,
                first=int(self._effort.tried[targets[0]]),
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
        before = self.pool.counts[targets]
        self._keep(refinement, target_of_seed)
        done = time.perf_counter()
        self.num_seeds += int(np.count_nonzero(refinement.iterations))
        self.propose_time += proposed - begin
        self.refine_time += refined - proposed
        self.verify_time += done - refined
        found = refinement.converged.reshape(len(targets), count).sum(axis=1)
        return found, self.pool.counts[targets] - before

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
        if len(rows) < len(target_of_seed) and not self.pool.counts.all():
            self._closest.consider(
                refinement.positions,
                refinement.position_error,
                refinement.orientation_error,
                target_of_seed,
            )

    def _around_seed_state(self, request: SeedRequest) -> NDArray[np.float64]:
        return seeds_around(self._quasi_random, request, self._request.reference)

    def _beyond_reach(self) -> NDArray[np.bool_]:
        """Say which targets are too far from the first joint for any configuration."""
        stages, targets = self._stages, self._request.targets
        if stages.refiner.position_weight == 0.0:
            return np.zeros(len(targets), np.bool_)
        gap = targets[:, :3, 3] - stages.chain.joint_origins[0, :3, 3]
        return (gap**2).sum(axis=1) > (stages.chain.reach + stages.refiner.position_tolerance) ** 2

    def _unfinished(self, targets: NDArray[np.int64]) -> NDArray[np.int64]:
        return targets[~self._effort.finished(targets, self.pool.counts[targets])]
