"""A sampler that knows a target's solutions: an upper bound for what seeds can be worth.

No sampler can do better: its seeds cost next to nothing, nearly all of them converge, and each
leads to a solution of its own as long as there are any. The time of a call with such seeds is a
lower bound for that with any seeds.
"""

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import Sampler, SeedRequest
from generative_ik_ros.select.pool import SolutionPool
from generative_ik_ros.space import SearchSpace


class KnownSolutions(Sampler):
    """Proposes members of a target's solution set, or seeds a little beside them.

    Args:
        chain: The chain, or a tree.
        beside: Largest distance of a seed from the solution, each joint [rad or m]; 0 for none.
        distinct_distance: What solutions are told apart by [rad or m].
    """

    name = "known"
    # More seeds than solutions, for the few that are looked for in addition, to choose from.
    seeds_per_solution = 1.25
    takes_trees = True

    def __init__(self, chain: KinematicChain, beside: float, distinct_distance: float):
        """Know nothing yet."""
        super().__init__(chain)
        self._beside, self._space = beside, SearchSpace.of(chain, distinct_distance)
        self._seeds: dict[bytes, Floats] = {}

    def know(self, target: Floats, solutions: Floats, count: int, random_seed: int) -> None:
        """Prepare seeds for a target.

        Args:
            target: (4, 4) tip in base [m].
            solutions: (k, n) solutions of it, the most important first; of those that differ by
                full turns only, one is taken [rad or m].
            count: How many seeds; the solutions come again and again where they are fewer.
            random_seed: Of the steps aside.

        Raises:
            InvalidArgumentError: There are no solutions.
        """
        if not len(solutions):
            raise InvalidArgumentError("a target without a known solution has no seeds")
        space = self._space
        pool = SolutionPool(1, count, space.grid, space.reference)
        pool.add(solutions, np.zeros(len(solutions), np.int64))
        members = pool.positions[0, np.arange(count) % pool.counts[0]]
        aside = np.random.default_rng(random_seed).uniform(-1.0, 1.0, members.shape)
        seeds = np.clip(members + self._beside * aside, space.lower, space.upper)
        self._seeds[target.tobytes()] = seeds

    def propose(self, request: SeedRequest) -> Floats:
        """Return (T, K, n) of the seeds prepared for each target; after the last, all again.

        Targets that none are prepared for, as those of a warm-up, get the middle of the bounds.
        """
        first, last = request.first, request.first + request.count
        middle = (request.lower + request.upper)[None] / 2.0
        own = [self._seeds.get(target.tobytes(), middle) for target in request.targets]
        if len(own) == 1 and last <= len(own[0]):
            return own[0][None, first:last]
        return np.stack([seeds[np.arange(first, last) % len(seeds)] for seeds in own])
