"""A sampler that knows which solutions are free: what a model of one scene could be worth.

A model that was trained on what is free in a scene proposes free solutions at best. These seeds
lead to nothing else, gratis or at the price of a flow's proposals.
"""

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.learned.ikflow.sampler import IKFlow
from generative_ik_ros.robot.joints import finite_limits
from generative_ik_ros.samplers.base import Sampler, SeedRequest

_SEQUENCES, _LENGTH = 16, 4096


class FreeSeeds(Sampler):
    """Proposes seeds at solutions that are known to be free.

    Args:
        flow: What the price is taken from.
        noise: Standard deviation of each joint [rad or m].
        each_once: Whether each solution comes before any comes again; otherwise they are drawn.
        pays: Whether to propose as many configurations by the flow, too.
        known: (k, n) the solutions [rad or m].
    """

    name = "free"

    def __init__(self, flow: IKFlow, noise: float, each_once: bool, pays: bool, known: Floats):
        """Prepare some sequences; which of them a call gets depends on its random seed."""
        super().__init__(flow.chain)
        self.seeds_per_solution = flow.seeds_per_solution
        self._flow = flow if pays else None
        lower, upper = finite_limits(flow.chain)
        rng, rounds = np.random.default_rng(0), _LENGTH // len(known) + 1
        self._sequences = []
        for _ in range(_SEQUENCES):
            chosen = rng.integers(len(known), size=_LENGTH)
            if each_once:
                chosen = np.concatenate([rng.permutation(len(known)) for _ in range(rounds)])
            beside = noise * rng.standard_normal((_LENGTH, len(lower)))
            self._sequences.append(np.clip(known[chosen[:_LENGTH]] + beside, lower, upper))

    def propose(self, request: SeedRequest) -> Floats:
        """Return (T, K, n) seeds, the same for every target."""
        if self._flow is not None:
            self._flow.propose(request)
        sequence = self._sequences[request.random_seed % _SEQUENCES]
        rows = np.arange(request.first, request.first + request.count) % _LENGTH
        return np.repeat(sequence[None, rows], len(request.targets), axis=0)
