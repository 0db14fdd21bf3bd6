"""Target poses in, seeds from a trained conditional flow out."""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import Sampler, SeedRequest
from generative_ik_ros.samplers.checkpoint import find_weights
from generative_ik_ros.samplers.ikflow.base_samples import base_samples
from generative_ik_ros.samplers.ikflow.fused import FusedFlow, generate
from generative_ik_ros.samplers.ikflow.fused_pose import POSE_INPUTS, FusedPose, condition
from generative_ik_ros.samplers.ikflow.joint_box import JointBox
from generative_ik_ros.samplers.ikflow.weights import NAME, load_flow

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
        self._box = JointBox.of(chain)
        self._fused = None
        if device == "cpu" and self.config.kind == "spline":
            if self.config.pose_input in POSE_INPUTS:
                self._fused = FusedPose.of(flow), FusedFlow.of(flow)
        self._dtype = torch.float64 if device == "cpu" else torch.float32
        self._flow = flow.to(device, self._dtype)

    def propose(self, request: SeedRequest) -> NDArray[np.float64]:
        """Return (T, K, n) configurations inside the bounds."""
        targets, count = len(request.targets), request.count
        boxed = np.empty((targets, count, self.chain.num_joints))
        if boxed.size:
            base = base_samples(self.config, self.chain, request, self.temperature)
            poses = self.chain.canonical_target(request.targets)
            if self._fused is None:
                self._generate(poses, base, boxed)
            else:
                self._generate_fused(poses, base, request.first, boxed)
        return self._box.positions(boxed, request.lower, request.upper)

    def _generate_fused(
        self,
        poses: NDArray[np.float64],
        base: NDArray[np.float64],
        first: int,
        boxed: NDArray[np.float64],
    ) -> None:
        """Write (T, K, n) points of the joint box, by the CPU kernels."""
        pose, flow = self._fused  # pyright: ignore[reportGeneralTypeIssues]
        biases = condition(pose, np.ascontiguousarray(poses))
        shape = (len(poses), self.config.layers, self.config.hidden_layers, self.config.hidden)
        generate(flow, base.astype(np.float32), biases.reshape(shape), first, boxed)

    @torch.inference_mode()
    def _generate(
        self,
        poses: NDArray[np.float64],
        base: NDArray[np.float64],
        boxed: NDArray[np.float64],
    ) -> None:
        """Write (T, K, n) points of the joint box, by PyTorch."""
        samples = torch.as_tensor(base).to(self.device, self._dtype)
        per_slab = max(1, _SLAB // len(base))
        for i in range(0, len(poses), per_slab):
            slab = torch.as_tensor(poses[i : i + per_slab]).to(self.device, self._dtype)
            biases = self._flow.condition(slab)[:, None]
            points, _ = self._flow.generate(samples.expand(len(slab), *samples.shape), biases)
            boxed[i : i + per_slab] = points[..., : self.chain.num_joints].cpu().numpy()
