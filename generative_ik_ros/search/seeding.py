"""Where the seeds of a call's random restarts come from: a seed state, or the sampler."""

import time

import numpy as np

from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.search.stages import Stages


class Seeding:
    """Asks the sampler for seeds.

    Args:
        stages: The sampler.
        request: What is wanted.

    Attributes:
        endless: Whether the core goes on with quasi-random seeds that it makes itself.
        asks_first: Whether the first seeds come from here, rather than from the core.
        rounds: How often the sampler was asked.
        propose_time: Time spent in the sampler [s].
    """

    def __init__(self, stages: Stages, request: SolveRequest):
        """Find out what the core can make itself, which needs no memory and no call."""
        self._stages, self._request, sampler = stages, request, stages.sampler
        # Samplers are for one pose; a goal set has many.
        quasi_random = isinstance(sampler, QuasiRandom) or request.alternatives > 0
        self.endless = quasi_random or sampler.only_first
        self.asks_first = not quasi_random
        self.rounds = 0
        self.propose_time = 0.0

    def first(self, targets: Ints, count: int) -> Floats:
        """Return (A, K, n) seeds that some targets begin with; none if the core makes them."""
        if self._request.seed_state is not None or not self.asks_first:
            return np.empty((1, 0, self._stages.chain.num_joints))
        return self.more(targets, count, 0)

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
