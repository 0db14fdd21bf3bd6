"""The GGIK sampler: seeds for any chain from one trained graph model."""

from pathlib import Path

import numpy as np
import torch

from generative_ik_ros.arguments import check_torch_device, file_path
from generative_ik_ros.array_types import Floats
from generative_ik_ros.learned.ggik.autoregressive.generator import (
    DRAWING,
    AutoregressiveGenerator,
)
from generative_ik_ros.learned.ggik.autoregressive.native_generator import NativeGenerator
from generative_ik_ros.learned.ggik.latent.model import LatentModel
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
        native: The generator in the native core; None where PyTorch draws the samples.

    Raises:
        MissingWeightsError: There are no weights; the message says how to train some.
        CheckpointError: The file of weights is unusable.
        InvalidArgumentError: There is no such device.
    """

    name = NAME

    def __init__(self, chain: KinematicChain, device: str = "cpu", *, weights: Path | None = None):
        super().__init__(chain, device)
        if weights is None:
            trained, self.path = find_model(chain)
        else:
            self.path = file_path("weights", weights)
            trained = load_model(self.path)
        self.trained = trained
        arm = ArmGraph.of(chain)
        self.native = None
        self._torch_device = "cpu"
        if isinstance(trained.model, LatentModel):
            self._torch_device = check_torch_device(device)
        model = trained.model.to(self._torch_device)
        self._generator = generator_for(model, arm, self._torch_device)
        if isinstance(self._generator, AutoregressiveGenerator):
            self.native = NativeGenerator(self._generator, chain, device)
        names = [name for name, mark in trained.robots.items() if mark == chain.fingerprint]
        figures = [f"converged_in_10_{name}" for name in names] + ["converged_in_10"]
        self.seeds_per_solution = seeds_per_solution(trained.checkpoint.training, figures)

    def propose(self, request: SeedRequest) -> Floats:
        """Return (T, K, n) configurations inside the bounds."""
        drawn = np.empty((len(request.targets), request.count, self.chain.num_joints))
        if not drawn.size:
            return drawn
        canonical = self.chain.canonical_target(request.targets)
        if self.native is not None:
            self.native.draw(canonical, request, drawn)
            return drawn
        best = np.full(drawn.shape[:2], np.inf)
        for number in range(self._generator.tries):
            q, missed = self._draw(canonical, request, number)
            q, moved = self._inside(q, request)
            # Only seeds that missed are drawn again, so that a seed is the same in every request.
            better = (best > DRAWING.missed) & (missed + moved < best)
            best[better], drawn[better] = (missed + moved)[better], q[better]
            if (best <= DRAWING.missed).all():
                break
        return drawn

    @torch.inference_mode()
    def _draw(self, canonical: Floats, request: SeedRequest, number: int) -> tuple[Floats, Floats]:
        """Return a try's configurations (T, K, n), possibly outside the bounds, by PyTorch.

        And by how much (T, K) they miss.
        """
        drawn = np.empty((len(canonical), request.count, self.chain.num_joints))
        missed = np.empty(drawn.shape[:2])
        # Whole blocks, so that a seed's rounding does not depend on the request's length.
        block, together = _BLOCK[self._torch_device], _TARGETS[self._torch_device]
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
            done = [self._generator.draw(some, part, number) for part in parts]
            for out, pieces in zip((drawn, missed), zip(*done, strict=True), strict=True):
                out[i : i + here] = torch.cat(pieces, dim=1)[:here, wanted].cpu().numpy()
        return drawn, missed

    def _tensor(self, values: Floats) -> torch.Tensor:
        return torch.as_tensor(values, dtype=torch.float32, device=self._torch_device)

    def _inside(self, q: Floats, request: SeedRequest) -> tuple[Floats, Floats]:
        """Bring periodic joints to the turn nearest the bounds, then reflect at the bounds.

        Also returns by how much (T, K) the reflection moves variables, together.
        Clipped seeds would pile up at the bounds and start with a joint that cannot move.
        """
        lower, upper = request.lower, request.upper
        turns = np.round((q - (lower + upper) / 2.0) / TURN)
        q = q - TURN * np.where(self.chain.periodic, turns, 0.0)
        width = np.maximum(upper - lower, 1e-300)
        share = np.mod((q - lower) / width, 2.0)
        inside = np.clip(lower + width * np.minimum(share, 2.0 - share), lower, upper)
        return inside, np.abs(inside - q).sum(axis=-1)
