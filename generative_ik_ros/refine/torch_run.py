"""Refines seeds of many targets on a device, block by block, in PyTorch.

Everything stays on the device: after each block of iterations only the number of seeds that are
left is read back.
"""

import time
from dataclasses import dataclass

from generative_ik_ros.refine.kernel_chain import KernelOptions
from generative_ik_ros.refine.torch_blocks import Block, SeedBatch, fastest_block
from generative_ik_ros.refine.torch_chain import torch
from generative_ik_ros.refine.torch_step import TorchStep
from generative_ik_ros.robot.chain import KinematicChain

Tensor = torch.Tensor

_NEAR = 1e-3
"""Error [rad, or characteristic lengths] below which single precision is not enough."""
_CHUNK = {"cpu": 1 << 12, "cuda": 1 << 18}
"""Most seeds under way at a time: what fits into caches, or what fills a GPU in little memory."""
_SHRINK = {"cpu": 0.9, "cuda": 0.5}
"""Seeds that have ended are taken out when no more than this share is left: on a GPU only where a
smaller graph then suffices."""


@dataclass
class Run:
    """S seeds of T targets on a device, and how far they have come.

    Attributes:
        q: (n, S) float64, where each seed is or ended [rad or m].
        target: (12, T) float64 position [m], then the three axes of each target frame.
        target_of_seed: (S,) index of each seed's target.
        wanted: (T,) how many converged seeds of a target are enough.
        found: (T,) how many have converged.
        tried: (S,) whether a seed converged or was given up; the others are left out.
        converged: (S,) whether it converged.
        iterations: (S,) evaluations so far.
    """

    q: Tensor
    target: Tensor
    target_of_seed: Tensor
    wanted: Tensor
    found: Tensor
    tried: Tensor
    converged: Tensor
    iterations: Tensor

    @classmethod
    def of(cls, q: Tensor, target: Tensor, target_of_seed: Tensor, wanted: Tensor) -> "Run":
        """Return a run that has not begun; it changes `q`."""
        none = torch.zeros(q.shape[1], dtype=torch.bool, device=q.device)
        count = torch.zeros(q.shape[1], dtype=torch.int32, device=q.device)
        zero = torch.zeros_like(wanted)
        return cls(q, target, target_of_seed, wanted, zero, none, none.clone(), count)

    def wanting(self, targets: Tensor) -> Tensor:
        """Return (K,) whether targets (K,) want more solutions."""
        return self.found[targets] < self.wanted[targets]

    def record(
        self,
        places: Tensor,
        seeds: SeedBatch,
        tried: Tensor,
        converged: Tensor,
        bounds: tuple[Tensor, Tensor],
    ) -> None:
        """Record where the seeds with some indices (K,) are; `tried` and `converged` as above.

        Single precision may have rounded them beyond the bounds, (n, 1) each [rad or m].
        """
        q = seeds.q.to(self.q.dtype)
        self.q[:, places] = torch.minimum(torch.maximum(q, bounds[0]), bounds[1])
        self.iterations[places] = seeds.iterations
        self.tried[places] = tried
        self.converged[places] = converged


class TorchRunner:
    """Refines seeds of one chain on one device. Not thread-safe on CUDA.

    Args:
        chain: The chain.
        options: Parameters of the iteration.
        device: Where to run.
        mixed: Whether to iterate in single precision until near a solution.
        compiled: Whether `torch.compile` fuses kernels.
    """

    def __init__(
        self,
        chain: KinematicChain,
        options: KernelOptions,
        device: torch.device,
        *,
        mixed: bool,
        compiled: bool,
    ):
        """Put the chain on the device."""
        self.device = device
        self.step = TorchStep(chain, options, device, torch.float64)
        self._chunk = _CHUNK.get(device.type, _CHUNK["cpu"])
        self._shrink = _SHRINK.get(device.type, _SHRINK["cpu"])
        near = _NEAR * chain.characteristic_length
        coarse = options._replace(
            position_tolerance=max(options.position_tolerance, near),
            orientation_tolerance=max(options.orientation_tolerance, _NEAR),
        )
        self._levels: list[tuple[TorchStep, Block, torch.dtype]] = []
        for use, chosen, dtype in ((mixed, coarse, torch.float32), (True, options, torch.float64)):
            if use:
                step = TorchStep(chain, chosen, device, dtype, compiled=compiled)
                block = fastest_block(step, device, compiled=compiled)
                self._levels.append((step, block, dtype))

    def run(self, run: Run, lower: Tensor, upper: Tensor, deadline: float) -> None:
        """Iterate all seeds of a run until each has ended, or its target has enough.

        Bounds (n,) may be infinite [rad or m]. No block is started after the deadline, a reading
        of `time.perf_counter` [s].
        """
        count = run.q.shape[1]
        for first in range(0, count, self._chunk):
            if time.perf_counter() >= deadline:
                break
            places = torch.arange(first, min(first + self._chunk, count), device=self.device)
            if first:
                places = places[run.wanting(run.target_of_seed[places])]
            self._advance(run, places, (lower[:, None], upper[:, None]), deadline, 0)

    def _advance(
        self,
        run: Run,
        places: Tensor,
        bounds: tuple[Tensor, Tensor],
        deadline: float,
        depth: int,
    ) -> None:
        """Iterate the seeds with some indices (K,) in one precision, then in the next."""
        step, block, dtype = self._levels[depth]
        own = bounds[0].to(dtype), bounds[1].to(dtype)
        finest = depth + 1 == len(self._levels)
        owners, found = run.target_of_seed[places], run.found
        seeds = SeedBatch.begin(run.q[:, places].to(dtype), run.target[:, owners].to(dtype))
        seeds = seeds._replace(iterations=run.iterations[places])
        dropped = torch.zeros_like(seeds.live)
        left = step.options.max_iterations
        while len(places):
            late = time.perf_counter() >= deadline
            if late or left <= 0:
                # A seed is left out for want of time, and given up for want of iterations.
                run.record(places, seeds, ~(dropped | (seeds.live & late)), seeds.done, bounds)
                return
            seeds = block(seeds, *own)
            left -= step.options.stall_window
            if finest:
                run.found = found.index_add(0, owners, seeds.done.to(found.dtype))
            else:
                ended, none = ~(seeds.live | seeds.done), torch.zeros_like(seeds.done)
                run.record(places, seeds, ended, none, bounds)
                self._advance(run, places[seeds.done], bounds, deadline, depth + 1)
            wanting = run.wanting(owners)
            dropped = dropped | (seeds.live & ~wanting)
            seeds = seeds._replace(live=seeds.live & wanting)
            if finest:
                if int(seeds.live.sum()) > self._shrink * len(places):
                    continue
                run.record(places, seeds, ~(dropped | seeds.live), seeds.done, bounds)
            kept = torch.nonzero(seeds.live).squeeze(1)
            places, seeds, owners = places[kept], seeds.of(kept), owners[kept]
            dropped, found = dropped[kept], run.found
