"""Target poses for any chain in, seeds from a trained graph model out."""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import ndtri

from generative_ik_ros.graph.arm_graph import ArmGraph
from generative_ik_ros.graph.recover import recover
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import Sampler, SeedRequest
from generative_ik_ros.samplers.ggik.generate import decode_points
from generative_ik_ros.samplers.ggik.problems import ArmProblems
from generative_ik_ros.samplers.ggik.weights import NAME, find_model, load_model

_BLOCK = {"cpu": 16, "cuda": 256}
"""Seeds of one target are made in blocks of this many, whole ones, so that a seed's rounding does
not depend on the request's length."""
_TOGETHER = {"cpu": 1, "cuda": 64}
"""Targets that go through the model at a time."""
_EDGE = 1e-12


class GGIK(Sampler):
    """Samples of a generative graphical model (Limoyo et al., GGIK, T-RO, arXiv 2209.08812).

    One model serves every chain: the one that was trained on the chain where there is one, else
    the one that was trained on random arms.

    Args:
        chain: Any chain.
        device: "cpu" or "cuda".
        weights: File of weights; None to look in the user's folder, then in the package.

    Raises:
        MissingWeightsError: There are no weights; the message says how to train.
        CheckpointError: There are, but the file is unusable.
    """

    name = NAME

    def __init__(self, chain: KinematicChain, device: str = "cpu", *, weights: Path | None = None):
        """Load the weights and lay out the chain's graph."""
        super().__init__(chain, device)
        if weights is None:
            trained, self.path = find_model(chain)
        else:
            trained, self.path = load_model(Path(weights)), Path(weights)
        self.trained = trained
        self._model = trained.model.to(device)
        self._arm = ArmGraph.of(chain)
        self._maker = ArmProblems(self._arm.to(device, torch.float32), trained.model.config)

    @torch.inference_mode()
    def propose(self, request: SeedRequest) -> NDArray[np.float64]:
        """Return (T, K, n) configurations inside the bounds."""
        targets, count = len(request.targets), request.count
        if not targets * count:
            return np.empty((targets, count, self.chain.num_joints))
        block = _BLOCK[self.device]
        first = request.first // block * block
        blocks = -(-(request.first + count - first) // block)
        chance, normal = self._random_numbers(request.random_seed, first, blocks * block)
        canonical = self._tensor(self.chain.canonical_target(request.targets))
        points = torch.empty((targets, count, self._maker.num_nodes, 3), dtype=torch.float64)
        group = _TOGETHER[self.device]
        for i in range(0, targets, group):
            some = canonical[i : i + group]
            here = len(some)
            # Whole groups of targets, too.
            some = torch.cat([some, some[-1:].expand(group - here, 4, 4)])
            problems = self._maker.of_targets(some)
            prior = self._model.prior_of(problems)
            decoded = [
                decode_points(self._model, problems, prior, c, z)[:here]
                for c, z in zip(chance.split(block), normal.split(block), strict=True)
            ]
            wanted = slice(request.first - first, request.first - first + count)
            points[i : i + here] = torch.cat(decoded, dim=1)[:, wanted]
        return self._inside(recover(self._arm, points).numpy(), request)

    def _random_numbers(
        self, random_seed: int, first: int, count: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what chooses components (K, L) and latents (K, L, D) of seeds from `first` on."""
        shape = (
            count,
            self._model.num_latents(self._maker.num_nodes),
            1 + self._model.config.latent,
        )
        bits = np.random.PCG64(random_seed)
        # One draw of the bit generator a value: jumping ahead continues the same sequence.
        bits.advance(first * shape[1] * shape[2])
        unit = np.random.Generator(bits).random(shape)
        normal = ndtri(np.clip(unit[..., 1:], _EDGE, 1.0 - _EDGE))
        return self._tensor(unit[..., 0]), self._tensor(normal)

    def _tensor(self, values: NDArray[np.float64]) -> torch.Tensor:
        return torch.as_tensor(values, dtype=torch.float32, device=self.device)

    def _inside(self, q: NDArray[np.float64], request: SeedRequest) -> NDArray[np.float64]:
        """Bring turning joints to the turn nearest the bounds, then mirror what is outside.

        At the bounds seeds would pile up and start with a joint that cannot move.
        """
        lower, upper = request.lower, request.upper
        turns = np.round((q - (lower + upper) / 2.0) / (2.0 * np.pi))
        q = q - 2.0 * np.pi * np.where(self.chain.prismatic, 0.0, turns)
        width = np.maximum(upper - lower, 1e-300)
        share = np.mod((q - lower) / width, 2.0)
        return np.clip(lower + width * np.minimum(share, 2.0 - share), lower, upper)
