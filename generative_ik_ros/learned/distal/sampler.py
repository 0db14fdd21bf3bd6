"""The sampler `distal`: answers of trained networks, and seeds around them."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.learned.checkpoint import find_weights
from generative_ik_ros.learned.distal.predictor import DistalPredictor
from generative_ik_ros.learned.distal.weights import NAME
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import Sampler, SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom

_SPREAD = 0.15
"""Half ranges that the first perturbations reach; those of round r reach sqrt(r) times as far."""


class Distal(Sampler):
    """Answers of networks trained by a distal teacher (T. von Oehsen et al., 2020).

    Such a network has learned one configuration per pose. The first seeds are the answers of the M
    member networks; the others are the same answers in turn, perturbed at random within a box that
    grows with the square root of the round, up to the whole joint box. Diversity comes from the
    members, as far as their different initial weights lead to different branches, and from the
    perturbations.

    Args:
        chain: The chain; weights are found by its fingerprint.
        device: "cpu" or "cuda".
        weights: Weight file; None to look in the user's folder, then in the package.

    Raises:
        MissingWeightsError: There are no weights for the chain; the message says how to train.
        CheckpointError: There are, but the file is unusable.
    """

    name = NAME

    def __init__(self, chain: KinematicChain, device: str = "cpu", *, weights: Path | None = None):
        """Load the weights."""
        super().__init__(chain, device)
        self.path = find_weights(NAME, chain) if weights is None else Path(weights)
        self._predictor = DistalPredictor(self.path, chain, device)
        self._quasi_random = QuasiRandom(chain)

    def propose(self, request: SeedRequest) -> NDArray[np.float64]:
        """Return (T, K, n) configurations inside the bounds."""
        shape = len(request.targets), request.count, self.chain.num_joints
        if 0 in shape:
            return np.empty(shape)
        predictor = self._predictor
        answers = predictor.boxed(request.targets)
        answers = np.where(predictor.box.circular, answers, np.clip(answers, -1.0, 1.0))
        rounds, member = np.divmod(
            np.arange(request.first, request.first + request.count), predictor.members
        )
        radius = np.minimum(_SPREAD * np.sqrt(rounds), 1.0)[:, None]
        boxed = answers[:, member] + radius * self._steps(request)
        return predictor.box.positions(self._reflected(boxed), request.lower, request.upper)

    def _steps(self, request: SeedRequest) -> NDArray[np.float64]:
        """Return (K, n) quasi-random steps in [-1, 1], the same for every target."""
        one = np.ones(self.chain.num_joints)
        cube = SeedRequest(
            request.targets[:1], request.count, -one, one, request.random_seed, request.first
        )
        return self._quasi_random.propose(cube)[0]

    def _reflected(self, boxed: NDArray[np.float64]) -> NDArray[np.float64]:
        """Reflect joints with limits into [-1, 1]; circles are wrapped later."""
        inside = 1.0 - np.abs((boxed + 1.0) % 4.0 - 2.0)
        return np.where(self._predictor.box.circular, boxed, inside)
