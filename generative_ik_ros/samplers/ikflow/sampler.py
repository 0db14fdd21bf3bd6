"""Target poses in, seeds from a trained conditional flow out."""

import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.parallel import for_each
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.samplers.base import Sampler, SeedRequest
from generative_ik_ros.samplers.checkpoint import Checkpoint, find_weights
from generative_ik_ros.samplers.ikflow.base_samples import base_samples
from generative_ik_ros.samplers.ikflow.fused import FusedBox, FusedFlow, chunks_of, generate
from generative_ik_ros.samplers.ikflow.fused_pose import POSE_INPUTS, FusedPose, condition
from generative_ik_ros.samplers.ikflow.joint_box import JointBox
from generative_ik_ros.samplers.ikflow.weights import NAME, load_flow

_SPARE = 1.8
"""Converging seeds for each solution wanted: more than it takes, a further round costs most."""
_LEAST_CONVERGED = 0.2
"""Share of converging seeds below which a flow is too little trained to rely on."""
_CHUNKS_A_PIECE = 2
"""Least work, some 50 us, that is worth waking another thread for."""
_PIECES = 32
"""Most pieces that the work of a request is cut into: enough for many cores to end together."""
_KEPT = 1 << 12
"""Base samples of longer requests are not kept for the next one."""
_SLAB = 1 << 16
"""Most samples that go through the flow at a time: bounds the memory."""


class IKFlow(Sampler):
    """Samples of a conditional normalizing flow (Ames et al., IKFlow, arXiv 2111.08933).

    The base samples are the same quasi-random sequence for every target, so that seeds are spread
    evenly and the sampler keeps no state. On the CPU a spline flow is a compiled kernel in single
    precision whose seeds do not depend on the request's length at all; other flows run in
    PyTorch, in double precision on the CPU, so that seeds of requests of different lengths differ
    by rounding only, and in single precision on a GPU.

    Args:
        chain: The chain; weights are found by its fingerprint.
        device: "cpu" or "cuda".
        temperature: Spread of the base samples about their centre, 1 for the distribution that
            was learned, less for likelier and less diverse seeds; at most 1 for a spline flow.
        weights: File of weights; None to look in the user's folder, then in the package.

    Raises:
        MissingWeightsError: There are no weights for the chain; the message says how to train.
        CheckpointError: There are, but the file is unusable.
        InvalidArgumentError: The temperature is out of its range.
    """

    name = NAME

    def __init__(
        self,
        chain: KinematicChain,
        device: str = "cpu",
        *,
        temperature: float = 1.0,
        weights: Path | None = None,
    ):
        """Load the weights."""
        super().__init__(chain, device)
        self.path = find_weights(NAME, chain) if weights is None else Path(weights)
        flow, self.checkpoint = load_flow(self.path, chain)
        self.config = flow.config
        most = 1.0 if self.config.kind == "spline" else float("inf")
        if not 0.0 <= temperature <= most or temperature == float("inf"):
            raise InvalidArgumentError(
                f"temperature must be from 0 to {most:g} for a {self.config.kind} flow, "
                f"not {temperature!r}"
            )
        self.temperature = float(temperature)
        # The search asks for the same numbers of seeds again and again, and they are the same.
        self._base = lru_cache(maxsize=32)(self._draw)
        self._box = JointBox.of(chain)
        self._first_in_base = inverse(chain.canonical.first_joint_in_base)
        self._last_in_tip = inverse(chain.canonical.tip_in_last_joint)
        self.seeds_per_solution = _seeds_per_solution(self.checkpoint)
        self._fused = None
        if device == "cpu" and self.config.kind == "spline":
            if self.config.pose_input in POSE_INPUTS:
                self._fused = FusedPose.of(flow), FusedFlow.of(flow)
        self._dtype = torch.float64 if device == "cpu" else torch.float32
        self._flow = flow.to(device, self._dtype)

    def propose(self, request: SeedRequest) -> NDArray[np.float64]:
        """Return (T, K, n) configurations inside the bounds."""
        shape = len(request.targets), request.count, self.chain.num_joints
        if 0 in shape:
            return np.empty(shape)
        drawn = request.random_seed, request.first, request.count
        base = self._base(*drawn) if request.count <= _KEPT else self._draw(*drawn)
        poses = self._first_in_base @ request.targets @ self._last_in_tip
        if self._fused is None:
            boxed = np.empty(shape)
            self._generate(poses, base, boxed)
            return self._box.positions(boxed, request.lower, request.upper)
        return self._generate_fused(*self._fused, poses, base, request)

    def _draw(self, random_seed: int, first: int, count: int) -> NDArray[np.float64]:
        """Return base samples (K, D), read-only."""
        base = base_samples(self.config, self.chain, random_seed, first, count, self.temperature)
        base.flags.writeable = False
        return base

    def _generate_fused(
        self,
        pose: FusedPose,
        flow: FusedFlow,
        poses: NDArray[np.float64],
        base: NDArray[np.float64],
        request: SeedRequest,
    ) -> NDArray[np.float64]:
        """Return (T, K, n) configurations, by the CPU kernels, chunks shared out to threads."""
        config, box = self.config, self._box
        biases = condition(pose, np.ascontiguousarray(poses)).reshape(
            len(poses), config.layers, config.hidden_layers, config.hidden
        )
        where = FusedBox(box.middle, box.half, box.circular, request.lower, request.upper)
        positions = np.empty((len(poses), len(base), self.chain.num_joints))

        def work(piece: range) -> None:
            generate(flow, base, biases, request.first, piece.start, piece.stop, where, positions)

        chunks = range(len(poses) * chunks_of(len(base), request.first))
        size = max(_CHUNKS_A_PIECE, 1 + len(chunks) // _PIECES)
        for_each(work, [chunks[i : i + size] for i in range(0, len(chunks), size)], math.inf)
        return positions

    @torch.inference_mode()
    def _generate(
        self,
        poses: NDArray[np.float64],
        base: NDArray[np.float64],
        boxed: NDArray[np.float64],
    ) -> None:
        """Write (T, K, n) points of the joint box, by PyTorch."""
        samples = torch.tensor(base, device=self.device, dtype=self._dtype)
        per_slab = max(1, _SLAB // len(base))
        for i in range(0, len(poses), per_slab):
            slab = torch.as_tensor(poses[i : i + per_slab]).to(self.device, self._dtype)
            biases = self._flow.condition(slab)[:, None]
            points, _ = self._flow.generate(samples.expand(len(slab), *samples.shape), biases)
            boxed[i : i + per_slab] = points[..., : self.chain.num_joints].cpu().numpy()


def _seeds_per_solution(checkpoint: Checkpoint) -> float | None:
    """Return what the last evaluation of the training says, None if there was none."""
    figures = checkpoint.training.get("figures")
    converged = figures.get("converged_in_10", 0.0) if isinstance(figures, Mapping) else 0.0
    return _SPARE / converged if converged > _LEAST_CONVERGED else None
