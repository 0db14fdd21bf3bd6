"""The GGIK sampler: seeds for any chain from one trained graph model."""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from generative_ik_ros.learned.ggik.autoregressive.fused_generator import FusedGenerator
from generative_ik_ros.learned.ggik.autoregressive.generator import AutoregressiveGenerator
from generative_ik_ros.learned.ggik.models import generator_for
from generative_ik_ros.learned.ggik.weights import NAME, find_model, load_model
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.learned.network_weights import seeds_per_solution
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.samplers.base import Sampler, SeedRequest

_BLOCK, _TARGETS = {"cpu": 16, "cuda": 256}, {"cpu": 1, "cuda": 64}
"""In PyTorch: how many seeds of a target, and how many targets, go through the model at once."""


class GGIK(Sampler):
    """Samples of a generative graphical model (Limoyo et al., GGIK, T-RO, arXiv 2209.08812).

    One model serves every chain: one that was trained on the chain if there is one, else the one
    that was trained on random arms.

    Args:
        chain: Any chain.
        device: "cpu" or "cuda".
        weights: File of weights; None to look in the user's folder, then in the package.

    Attributes:
        path: The file of weights.
        trained: The model.
        kernel: The compiled generator for the CPU; None where PyTorch draws the samples.

    Raises:
        MissingWeightsError: There are no weights; the message says how to train some.
        CheckpointError: The file of weights is unusable.
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
        arm = ArmGraph.of(chain)
        self._generator = generator_for(trained.model.to(device), arm, device)
        self.kernel = None
        if device == "cpu" and isinstance(self._generator, AutoregressiveGenerator):
            self.kernel = FusedGenerator(self._generator, chain)
        names = [name for name, mark in trained.robots.items() if mark == chain.fingerprint]
        figures = [f"converged_in_10_{name}" for name in names] + ["converged_in_10"]
        self.seeds_per_solution = seeds_per_solution(trained.checkpoint.training, figures)

    def propose(self, request: SeedRequest) -> NDArray[np.float64]:
        """Return (T, K, n) configurations inside the bounds."""
        drawn = np.empty((len(request.targets), request.count, self.chain.num_joints))
        if not drawn.size:
            return drawn
        canonical = self.chain.canonical_target(request.targets)
        if self.kernel is not None:
            self.kernel.draw(canonical, request, drawn)
            return drawn
        self._draw(canonical, request, drawn)
        return self._inside(drawn, request)

    @torch.inference_mode()
    def _draw(
        self, canonical: NDArray[np.float64], request: SeedRequest, drawn: NDArray[np.float64]
    ) -> None:
        """Write (T, K, n) configurations, possibly outside the bounds, with PyTorch."""
        # Whole blocks, so that a seed's rounding does not depend on the request's length.
        block, together = _BLOCK[self.device], _TARGETS[self.device]
        first = request.first // block * block
        blocks = -(-(request.first + request.count - first) // block)
        wanted = slice(request.first - first, request.first - first + request.count)
        unit = self._generator.numbers(request.random_seed, first, blocks * block)
        parts = self._tensor(unit).split(block)
        targets = self._tensor(canonical)
        for i in range(0, len(targets), together):
            some = targets[i : i + together]
            here = len(some)
            # Whole groups of targets, for the same reason.
            some = torch.cat([some, some[-1:].expand(together - here, 4, 4)])
            done = torch.cat([self._generator.draw(some, part) for part in parts], dim=1)
            drawn[i : i + here] = done[:here, wanted].cpu().numpy()

    def _tensor(self, values: NDArray[np.float64]) -> torch.Tensor:
        return torch.as_tensor(values, dtype=torch.float32, device=self.device)

    def _inside(self, q: NDArray[np.float64], request: SeedRequest) -> NDArray[np.float64]:
        """Bring periodic joints to the turn nearest the bounds, then reflect at the bounds.

        Clipped seeds would pile up at the bounds and start with a joint that cannot move.
        """
        lower, upper = request.lower, request.upper
        turns = np.round((q - (lower + upper) / 2.0) / TURN)
        q = q - TURN * np.where(self.chain.periodic, turns, 0.0)
        width = np.maximum(upper - lower, 1e-300)
        share = np.mod((q - lower) / width, 2.0)
        return np.clip(lower + width * np.minimum(share, 2.0 - share), lower, upper)
