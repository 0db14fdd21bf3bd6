"""The sampler `ikflow`: seeds from a trained conditional flow."""

from _thread import allocate_lock
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from scipy.special import ndtri

from generative_ik_ros import _core
from generative_ik_ros.arguments import check_torch_device, number_array
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError, shown
from generative_ik_ros.learned.checkpoint import weights_file
from generative_ik_ros.learned.device_network import DeviceNetwork
from generative_ik_ros.learned.ikflow.closing import Closing
from generative_ik_ros.learned.ikflow.config import FlowConfig
from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.learned.ikflow.native_flow import NativeFlow
from generative_ik_ros.learned.ikflow.pose_features import COLUMNS
from generative_ik_ros.learned.ikflow.weights import CONFIGURATIONS, NAME, load_flow
from generative_ik_ros.learned.network_weights import seeds_per_solution
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import Sampler, SeedRequest
from generative_ik_ros.samplers.quasi_random import quasi_random


@dataclass(frozen=True)
class SamplerTuning:
    """How samples are drawn, and how many at once."""

    edge: float = 1e-6
    """Uniform numbers are kept this far from 0 and 1."""
    few_rows: int = 1024
    """So few rows are left to one thread: waiting for others takes longer than the work."""
    redraws: int = 2
    """How often samples that were clipped are drawn again."""
    another: int = 1_000_003
    """Added to the random seed each time."""
    slab: int = 1 << 16
    """Most samples that go through the flow at once: bounds the memory."""


TUNING = SamplerTuning()


class IKFlow(Sampler):
    """Samples of a conditional normalizing flow (Ames et al., IKFlow, arXiv 2111.08933).

    The base samples are the same quasi-random sequence for every target, so seeds are spread
    evenly and the sampler keeps no state. The native core runs spline flows, in single precision,
    whose seeds do not depend on the request's length; those of a GPU are those of the CPU up to
    rounding. Other flows run in PyTorch: in double precision on the CPU, where requests of
    different lengths differ by rounding only, in single precision on a GPU.

    Args:
        chain: The chain; weights are found by its fingerprint.
        device: "cpu" or "cuda".
        temperature: Spread of the base samples about their centre: 1 for the distribution that
            was learned, less for likelier and less diverse seeds. At most 1 for a spline flow.
        weights: Weight file; None to look in the user's folder, then in the package.

    Raises:
        MissingWeightsError: There are no weights for the chain; the message says how to train.
        CheckpointError: There are, but the file is unusable.
        InvalidArgumentError: The temperature is out of its range, or there is no such device.
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
        super().__init__(chain, device)
        self.path = weights_file(self.name, chain, weights)
        flow, self.checkpoint = load_flow(self.path, chain)
        self.config = flow.config
        most = 1.0 if self.config.kind == "spline" else float("inf")
        spread = number_array("temperature", temperature)
        if spread.shape or not 0.0 <= spread <= most or np.isinf(spread):
            raise InvalidArgumentError(
                f"temperature must be from 0 to {most:g} for a {self.config.kind} flow, "
                f"not {shown(temperature)}"
            )
        self.temperature = float(spread)
        self._box = JointBox.of(chain)
        self._turning = self._box.circular.copy()
        self._turning[list(self.config.closed)] = True
        self.seeds_per_solution = seeds_per_solution(self.checkpoint.training)
        self._native = self._there = None
        self._torch_device = "cpu"
        if self.config.kind == "spline" and self.config.pose_input in COLUMNS:
            self._native = NativeFlow.of(flow, chain)
            if device == "cuda":
                self._there = DeviceNetwork(_core.DeviceFlow, self._native)
        else:
            self._torch_device = check_torch_device(device)
        self._dtype = torch.float64 if self._torch_device == "cpu" else torch.float32
        self._flow = flow.to(self._torch_device, self._dtype)
        self._closing = Closing(chain, self.config.closed, self._torch_device, self._dtype)

    def propose(self, request: SeedRequest) -> Floats:
        """Return (T, K, n) configurations inside the bounds."""
        if self._native is not None:
            return self._native.draw(self.chain, request, self.temperature, self._there)
        positions = np.empty((len(request.targets), request.count, self.chain.num_joints))
        if not positions.size:
            return positions
        self._generate(request, positions)
        return self._box.inside(positions, request.lower, request.upper, self._turning)

    @torch.inference_mode()
    def log_likelihood(self, positions: Floats) -> Floats:
        """Return the logarithm of the learned density of configurations, given their own poses.

        On the solution set of a pose, which is thinner than any noise, a density is infinite. So
        it is that of configurations with SoftFlow's greatest noise (equation 6), 0.05 half widths
        of the box unless a training says otherwise, which compares solutions of a pose by how
        much of what was learned lies about them.

        Args:
            positions: (N, n) [rad or m].

        Returns:
            (N,) [nats], per unit of the box of the joints that the flow models.

        Raises:
            InvalidArgumentError: The flow has not learned from a user's configurations.
        """
        if CONFIGURATIONS not in self.checkpoint.training:
            raise InvalidArgumentError(
                f"{self.path} was trained on all configurations alike, of which none is likelier; "
                "`generative-ik train ikflow --configurations FILE` learns from yours"
            )
        box, config = self._box, self.config
        q = box.inside(positions, box.middle - box.half, box.middle + box.half)
        boxed = np.zeros((len(q), config.width))
        boxed[:, : len(config.modelled)] = ((q - box.middle) / box.half)[:, config.modelled]
        poses = self.chain.canonical_target(self.chain.forward(q))
        found = np.empty(len(q))
        with _threads(len(q)):
            for i in range(0, len(q), TUNING.slab):
                points, given = (
                    torch.as_tensor(array[i : i + TUNING.slab]).to(self._torch_device, self._dtype)
                    for array in (boxed, poses)
                )
                likelihood = self._flow.log_prob(points, self._flow.condition(given, 1.0))
                found[i : i + TUNING.slab] = likelihood.cpu()
        return found

    @torch.inference_mode()
    def _generate(self, request: SeedRequest, positions: Floats) -> None:
        """Write (T, K, n) configurations, possibly out of bounds, by PyTorch."""
        poses = self.chain.canonical_target(request.targets)
        base = base_samples(
            self.config, request.random_seed, request.first, request.count, self.temperature
        )
        samples = torch.tensor(base, device=self._torch_device, dtype=self._dtype)
        per_slab = max(1, TUNING.slab // len(base))
        for i in range(0, len(poses), per_slab):
            slab = torch.as_tensor(poses[i : i + per_slab]).to(self._torch_device, self._dtype)
            slab = slab[:, None]
            biases = self._flow.condition(slab)
            points, _ = self._flow.generate(samples.expand(len(slab), *samples.shape), biases)
            points = points[..., : len(self.config.modelled)]
            positions[i : i + per_slab] = self._closing.positions(points, slab).cpu().numpy()


class IKFlowLarge(IKFlow):
    """The same with a larger network, for chains for which one was trained.

    Its raw samples are nearer to the pose, and take far longer: for studies, and where a sample is
    used as it is. Both are trained alike (docs/ikflow.md), and files of both are of one kind.
    """

    name = "ikflow_large"

    def propose(self, request: SeedRequest) -> Floats:
        """Return (T, K, n) configurations; those that were clipped are drawn again, twice at most.

        A joint that follows in closed form may come out beyond its limits. At a limit its sample
        is off by centimetres, while the flow's own are off by millimetres.
        """
        seeds, closed = super().propose(request), list(self.config.closed)
        lower, upper = request.lower[closed], request.upper[closed]
        for turn in range(1, 1 + TUNING.redraws):
            ends = seeds[..., closed]
            clipped = ((ends <= lower) | (ends >= upper)).any(axis=-1, keepdims=True)
            if not clipped.any():
                break
            again = replace(request, random_seed=request.random_seed + turn * TUNING.another)
            seeds = np.where(clipped, super().propose(again), seeds)
        return seeds


_LOCK = allocate_lock()
_BEFORE: list[int] = []
"""PyTorch's number of threads before it was kept to one, for each call that keeps it there."""


@contextmanager
def _threads(rows: int) -> Iterator[None]:
    """Keep PyTorch to one thread for few rows: waiting for others takes longer than the work."""
    if rows > TUNING.few_rows:
        yield
        return
    with _LOCK:
        _BEFORE.append(_BEFORE[-1] if _BEFORE else torch.get_num_threads())
        torch.set_num_threads(1)
    try:
        yield
    finally:
        with _LOCK:
            torch.set_num_threads(_BEFORE.pop())


def base_samples(
    config: FlowConfig, random_seed: int, first: int, count: int, temperature: float
) -> Floats:
    """Return base samples (count, D) from place `first` on, their spread scaled.

    The sequence is that of `QuasiRandom` in as many dimensions as the flow is wide: it can start
    anywhere, so no state is kept, and fills the base more evenly than random points.
    """
    unit = quasi_random(random_seed, first, count, config.width)
    if config.kind == "spline":
        return 0.5 + temperature * (unit - 0.5)
    return temperature * ndtri(np.clip(unit, TUNING.edge, 1.0 - TUNING.edge))
