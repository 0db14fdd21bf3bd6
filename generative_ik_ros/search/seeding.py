"""Where the seeds of a call's random restarts come from: a seed state, or the sampler."""

import time

import numpy as np

from generative_ik_ros._core import first_batch, nearest_turn
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.refine.levenberg_marquardt import Refinement, RefineTask
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.search.budget import TO_OPTIMIZE
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.goal_set import seeds_of_poses


def seeds_around(sampler: QuasiRandom, request: SeedRequest, seed_state: Floats) -> Floats:
    """Return (T, K, n) configurations, the seed state (n,) itself first.

    Seed k lies in a box around the seed state that grows with (k / K)^2 from nothing to the whole
    search box, so that the search is densest close to the seed state.
    """
    anywhere = sampler.propose(request)
    growth = ((np.arange(request.count) / max(request.count, 1)) ** 2)[:, None]
    return seed_state + growth * (anywhere - seed_state)


_ALL = np.iinfo(np.int64).max
_NO_LIMITS = np.array([[-np.inf], [np.inf]])


class Seeding:
    """Asks the sampler for seeds, and the refiner for local minima.

    Args:
        stages: Sampler and refiner.
        request: What is wanted.
        deadline: Reading of `time.perf_counter` after which the refiner begins nothing [s].

    Attributes:
        first_batch: How many seeds each target gets first.
        traces: Whether curves of solutions are traced, see `core/src/search/trace.hpp`.
        endless: Whether the core goes on with quasi-random seeds that it makes itself.
        asks_first: Whether the first seeds come from here, rather than from the core.
        rounds: How often the sampler was asked.
        propose_time: Time spent in the sampler [s].
        refine_time: Time spent in the refiner [s].
    """

    def __init__(self, stages: Stages, request: SolveRequest, deadline: float):
        """Find out what the core can make itself, which needs no memory and no call."""
        self._stages, self._request, self._deadline = stages, request, deadline
        sampler = stages.sampler
        around, wanted = request.seed_state is not None, request.num_solutions
        curves = stages.region_dimensions == 1
        self.traces = curves and wanted > 1 and not around and not request.preferences.scored
        optimize = stages.redundant and request.preferences.optimize
        least = request.breadth * TO_OPTIMIZE.restarts if optimize else 0
        self.first_batch = first_batch(
            wanted, stages.region_dimensions, stages.redundant, around, self.traces,
            None if around else sampler.seeds_per_solution, least,
        )  # fmt: skip
        if sampler.first_seeds and wanted == 1 and not around:
            self.first_batch = sampler.first_seeds[0]
        # Samplers are for one pose; a goal set has many.
        quasi_random = isinstance(sampler, QuasiRandom) or request.alternatives > 0
        self.endless = quasi_random or sampler.only_first
        self.asks_first = not quasi_random
        # Where a single solution is wanted, anywhere, the first that converges will do.
        self._enough = 1 if request.num_solutions == 1 and not around else _ALL
        self.rounds = 0
        self.propose_time = self.refine_time = 0.0

    def first(self, targets: Ints) -> Floats:
        """Return the seeds that some targets (A,) begin with, (A or 1, K, n): one set serves all.

        Around a seed state they are the same for all targets.
        """
        chain, request = self._stages.chain, self._request
        if request.seed_state is not None:
            asked = self._seed_request(targets[:1], self.first_batch, 0)
            return seeds_around(QuasiRandom(chain), asked, request.space.reference)
        if not self.asks_first:
            return np.empty((1, 0, chain.num_joints))
        return self.more(targets, self.first_batch, 0)

    def more(self, targets: Ints, count: int, before: int) -> Floats:
        """Return (A, K, n) seeds from the sampler, K for each target; it had some before."""
        begin = time.perf_counter()
        seeds = self._stages.sampler.propose(self._seed_request(targets, count, before))
        self.propose_time += time.perf_counter() - begin
        self.rounds += 1
        return seeds

    def batch(self, asked: int, most: int) -> int:
        """Return how many seeds, of `most`, are asked for after so many other requests."""
        first = self._stages.sampler.first_seeds
        return min(most, first[asked]) if asked < len(first) else most

    def at_minimum(
        self, targets: Ints, count: int, before: int, closest: Floats | None = None
    ) -> Floats:
        """Return (A, K, n) local minima of the pose error, or K + 1.

        Args:
            targets: As of `more`.
            count: Likewise.
            before: Likewise.
            closest: (A, n) one more seed each [rad or m].
        """
        seeds = self._anywhere(targets, count, before)
        if closest is not None:
            seeds = np.concatenate([closest[:, None], seeds], axis=1)
        return self._refined(targets, seeds, thorough=True)

    def across_limits(self, targets: Ints, count: int, before: int) -> tuple[Ints, Floats]:
        """Return which targets are reached without limits, and where their seeds end within them.

        Limits trap seeds, mostly those of chains with too few joints for a pose. These pass them
        on their way, full turns bring them back, and the rest of the way is within the limits.

        Args:
            targets: As of `more`.
            count: Likewise.
            before: Likewise.

        Returns:
            (A,) targets, and (A, K, n) where the seeds ended.
        """
        space, chain = self._request.space, self._stages.chain
        seeds = self._anywhere(targets, count, before)
        found = self._refinement(targets, seeds, *_NO_LIMITS * np.ones(chain.num_joints))
        some = found.converged.reshape(seeds.shape[:2]).any(axis=1)
        if not some.any():
            return targets[some], seeds[some]
        rows = np.repeat(some, count)
        turned = nearest_turn(
            found.positions[rows], space.reference, space.lower, space.upper, chain.periodic
        )
        inside = np.clip(turned, space.lower, space.upper).reshape(-1, *seeds.shape[1:])
        return targets[some], self._refined(targets[some], inside)

    def _seed_request(self, targets: Ints, count: int, before: int) -> SeedRequest:
        request = self._request
        poses = request.targets[targets]
        return SeedRequest(
            poses[:, 0] if poses.shape[1:] == (1, 4, 4) else poses,
            count,
            request.space.lower,
            request.space.upper,
            request.random_seed,
            first=before,
        )

    def _anywhere(self, targets: Ints, count: int, before: int) -> Floats:
        """Return seeds (A, K, n) all over the box that is searched."""
        sampler = self._stages.sampler
        if self._request.alternatives:
            sampler = QuasiRandom(self._stages.chain)
        return sampler.propose(self._seed_request(targets, count, before))

    def _refined(self, targets: Ints, seeds: Floats, *, thorough: bool = False) -> Floats:
        """Let the refiner move (A, K, n) seeds towards their targets."""
        box = self._request.space.box
        found = self._refinement(targets, seeds, box[2], box[3], self._enough, thorough=thorough)
        return found.positions.reshape(seeds.shape)

    def _refinement(
        self,
        targets: Ints,
        seeds: Floats,
        lower: Floats,
        upper: Floats,
        enough: int = _ALL,
        *,
        thorough: bool = False,
    ) -> Refinement:
        """Return where (A, K, n) seeds end between bounds (n,)."""
        begin, poses = time.perf_counter(), self._request.targets
        of_seed = np.repeat(targets, seeds.shape[1])
        if self._request.alternatives:
            of_seed = seeds_of_poses(seeds.shape[1], self._request.alternatives)
        refinement = self._stages.refiner.refine(
            RefineTask(
                poses,
                seeds.reshape(-1, seeds.shape[-1]),
                of_seed,
                lower=lower,
                upper=upper,
                wanted=np.full(len(poses), enough),
                deadline=self._deadline,
                thorough=thorough,
            )
        )
        self.refine_time += time.perf_counter() - begin
        return refinement
