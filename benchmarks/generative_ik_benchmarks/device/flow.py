"""Seeds from a trained flow for target poses on a device, without a detour through the host."""

from functools import lru_cache
from pathlib import Path

import torch
from torch import Tensor

from generative_ik_ros.learned.checkpoint import find_weights
from generative_ik_ros.learned.ikflow.closing import Closing
from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.learned.ikflow.sampler import base_samples
from generative_ik_ros.learned.ikflow.weights import NAME, load_flow
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import inverse

_TURN = 2.0 * torch.pi


class DeviceFlow:
    """What the sampler `ikflow` does by PyTorch, for tensors that are on the device already.

    Args:
        chain: The chain; weights are found by its fingerprint.
        device: Where to compute.
        lower: (n,) bounds of the seeds, finite, on the device [rad or m].
        upper: (n,) likewise.
        random_seed: Chooses among shifts of the base samples' sequence.
        weights: File of weights; None to look in the user's folder, then in the package.

    Raises:
        MissingWeightsError: There are no weights for the chain; the message says how to train.
        CheckpointError: There are, but the file is unusable.
    """

    def __init__(
        self,
        chain: KinematicChain,
        device: torch.device,
        lower: Tensor,
        upper: Tensor,
        *,
        random_seed: int = 0,
        weights: Path | None = None,
    ):
        """Load the weights on to the device."""
        path = find_weights(NAME, chain) if weights is None else Path(weights)
        flow, _ = load_flow(path, chain)
        self._chain, self._config, self._random_seed = chain, flow.config, random_seed
        # As the sampler: the CPU is the reference, in double precision.
        self._dtype = torch.float64 if device.type == "cpu" else torch.float32
        self._flow = flow.to(device, self._dtype)
        self._closing = Closing(chain, self._config.closed, device, self._dtype)
        self._lower, self._upper = lower, upper
        turning = JointBox.of(chain).circular.copy()
        turning[list(self._config.closed)] = True
        self._turning = torch.tensor(turning, device=device)
        canonical = chain.canonical
        self._first_in_base = torch.tensor(inverse(canonical.first_joint_in_base), device=device)
        self._last_in_tip = torch.tensor(inverse(canonical.tip_in_last_joint), device=device)
        # The same few numbers of seeds are asked for again and again, and they are the same.
        self._base = lru_cache(maxsize=8)(self._draw)

    def _draw(self, first: int, count: int) -> Tensor:
        base = base_samples(self._config, self._random_seed, first, count, 1.0)
        return torch.tensor(base, device=self._lower.device, dtype=self._dtype)

    def __call__(self, targets: Tensor, count: int, first: int) -> Tensor:
        """Return (T, K, n) float64 configurations inside the bounds.

        Args:
            targets: (T, 4, 4) float64 tip in base [m].
            count: Number K of seeds for each.
            first: Number of seeds that these targets were given before.
        """
        poses = (self._first_in_base @ targets @ self._last_in_tip).to(self._dtype)[:, None]
        base = self._base(first, count)
        biases = self._flow.condition(poses)
        points, _ = self._flow.generate(base.expand(len(targets), *base.shape), biases)
        points = points[..., : len(self._config.modelled)]
        positions = self._closing.positions(points, poses).to(torch.float64)
        centre = (self._lower + self._upper) / 2.0
        turns = torch.round((positions - centre) / _TURN) * self._turning
        return torch.minimum(torch.maximum(positions - _TURN * turns, self._lower), self._upper)
