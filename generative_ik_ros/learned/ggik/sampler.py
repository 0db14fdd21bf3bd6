"""Target poses for any chain in, seeds from a trained graph model out."""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from generative_ik_ros.learned.ggik.fused_generate import FusedGenerator
from generative_ik_ros.learned.ggik.generate import WalkGenerator, generator_for
from generative_ik_ros.learned.ggik.numbers import even_numbers, random_numbers
from generative_ik_ros.learned.ggik.weights import NAME, find_model, load_model
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.learned.network_weights import seeds_per_solution
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import Sampler, SeedRequest

_BLOCK, _TARGETS = {"cpu": 16, "cuda": 256}, {"cpu": 1, "cuda": 64}
"""In PyTorch, seeds of a target and targets that go through the model at a time."""


class GGIK(Sampler):
    """Samples of a generative graphical model (Limoyo et al., GGIK, T-RO, arXiv 2209.08812).

    One model serves every chain: the one that was trained on the chain where there is one, else
    the one that was trained on random arms.

    Args:
        chain: Any chain.
        device: "cpu" or "cuda".
        weights: File of weights; None to look in the user's folder, then in the package.

    Attributes:
        path: The file of weights.
        trained: The model.
        kernel: What draws on the CPU in place of PyTorch; None where PyTorch does.

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
        arm = ArmGraph.of(chain)
        self._generator = generator_for(trained.model.to(device), arm, device)
        self.kernel = None
        if device == "cpu" and isinstance(self._generator, WalkGenerator):
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
        """Write (T, K, n) configurations, perhaps outside the bounds, by PyTorch."""
        # Whole blocks, so that a seed's rounding does not depend on the request's length.
        block, together = _BLOCK[self.device], _TARGETS[self.device]
        first = request.first // block * block
        blocks = -(-(request.first + request.count - first) // block)
        wanted = slice(request.first - first, request.first - first + request.count)
        numbers = even_numbers if self._generator.even else random_numbers
        unit = numbers(request.random_seed, first, blocks * block, self._generator.width)
        parts = self._tensor(unit).split(block)
        targets = self._tensor(canonical)
        for i in range(0, len(targets), together):
            some = targets[i : i + together]
            here = len(some)
            # Whole groups of targets, too.
            some = torch.cat([some, some[-1:].expand(together - here, 4, 4)])
            done = torch.cat([self._generator.draw(some, part) for part in parts], dim=1)
            drawn[i : i + here] = done[:here, wanted].cpu().numpy()

    def _tensor(self, values: NDArray[np.float64]) -> torch.Tensor:
        return torch.as_tensor(values, dtype=torch.float32, device=self.device)

    def _inside(self, q: NDArray[np.float64], request: SeedRequest) -> NDArray[np.float64]:
        """Bring turning joints to the turn nearest the bounds, then mirror what is outside.

        At the bounds seeds would pile up and start with a joint that cannot move.
        """
        lower, upper = request.lower, request.upper
        turns = np.round((q - (lower + upper) / 2.0) / (2.0 * np.pi))
        q = q - 2.0 * np.pi * np.where(self.chain.periodic, turns, 0.0)
        width = np.maximum(upper - lower, 1e-300)
        share = np.mod((q - lower) / width, 2.0)
        return np.clip(lower + width * np.minimum(share, 2.0 - share), lower, upper)
