"""Seeds of many targets on a device in, each made exact or given up out; PyTorch.

Everything stays on the device. After each block of iterations the number of seeds that are left
comes back, nothing else.
"""

import time
from dataclasses import dataclass
from typing import NamedTuple

from generative_ik_ros.refine.lm_step import KernelOptions
from generative_ik_ros.refine.torch_blocks import Block, Seeds, fastest_block
from generative_ik_ros.refine.torch_chain import torch
from generative_ik_ros.refine.torch_step import TorchStep
from generative_ik_ros.robot.chain import KinematicChain

Tensor = torch.Tensor

_NEAR = 1e-3
"""Error [rad, or characteristic lengths] from which on single precision is not enough."""
_SLAB = {"cpu": 1 << 12, "cuda": 1 << 18}
"""Most seeds under way at a time: what caches hold, or what fills a GPU in little memory."""
_SHRINK = {"cpu": 0.9, "cuda": 0.5}
"""Seeds that are over are taken out when no more than this share is left: on a GPU only where it
makes a smaller graph do."""


@dataclass
class Run:
    """S seeds of T targets on a device, and what became of them so far.

    Attributes:
        q: (n, S) float64, where each seed is or ended [rad or m].
        target: (12, T) float64 position [m], then the three axes of each target frame.
        target_of_seed: (S,) index of each seed's target.
        wanted: (T,) how many converged seeds of a target are enough.
        found: (T,) how many there are.
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
        """Return a run that has not begun; `q` is changed by it."""
        none = torch.zeros(q.shape[1], dtype=torch.bool, device=q.device)
        count = torch.zeros(q.shape[1], dtype=torch.int32, device=q.device)
        zero = torch.zeros_like(wanted)
        return cls(q, target, target_of_seed, wanted, zero, none, none.clone(), count)

    def hungry(self, places: Tensor) -> Tensor:
        """Return (K,) whether the targets of the seeds with some indices (K,) lack solutions."""
        targets = self.target_of_seed[places]
        return self.found[targets] < self.wanted[targets]

    def record(
        self,
        places: Tensor,
        seeds: Seeds,
        tried: Tensor,
        converged: Tensor,
        bounds: tuple[Tensor, Tensor],
    ) -> None:
        """Take note of where seeds are.

        Args:
            places: (K,) their indices.
            seeds: The seeds.
            tried: (K,) those that converged or were given up.
            converged: (K,) those that converged.
            bounds: (n, 1) each; in single precision they are not what they were [rad or m].
        """
        q = seeds.q.to(self.q.dtype)
        self.q[:, places] = torch.minimum(torch.maximum(q, bounds[0]), bounds[1])
        self.iterations[places] = seeds.iterations
        self.tried[places] = tried
        self.converged[places] = converged


class _Level(NamedTuple):
    """One precision: what iterates, with which constants, on which numbers."""

    step: TorchStep
    block: Block
    dtype: torch.dtype


class TorchRunner:
    """Runs seeds of one chain on one device. Not for two threads at once on CUDA.

    Args:
        chain: The chain.
        options: What steers the iteration.
        length: Step [m] of a sliding joint that is comparable to a turn by 1 rad.
        device: Where to run.
        mixed: Whether to iterate in single precision until near a solution.
        compiled: Whether to have `torch.compile` make fused kernels.
    """

    def __init__(
        self,
        chain: KinematicChain,
        options: KernelOptions,
        length: float,
        device: torch.device,
        *,
        mixed: bool,
        compiled: bool,
    ):
        """Put the chain on the device."""
        self.device = device
        self.step = TorchStep(chain, options, length, device, torch.float64)
        self._slab = _SLAB.get(device.type, _SLAB["cpu"])
        self._shrink = _SHRINK.get(device.type, _SHRINK["cpu"])
        coarse = options._replace(
            position_tolerance=max(options.position_tolerance, _NEAR * length),
            orientation_tolerance=max(options.orientation_tolerance, _NEAR),
        )
        self._levels: list[_Level] = []
        for use, chosen, dtype in ((mixed, coarse, torch.float32), (True, options, torch.float64)):
            if use:
                step = TorchStep(chain, chosen, length, device, dtype, compiled=compiled)
                block = fastest_block(step, device, compiled=compiled)
                self._levels.append(_Level(step, block, dtype))

    def run(self, run: Run, lower: Tensor, upper: Tensor, deadline: float) -> None:
        """Iterate all seeds of a run until each is over, or its target has enough.

        Args:
            run: The seeds; changed.
            lower: (n,) bounds [rad or m]; may be infinite.
            upper: (n,) likewise.
            deadline: Reading of `time.perf_counter` after which no block is begun [s].
        """
        count = run.q.shape[1]
        for first in range(0, count, self._slab):
            if time.perf_counter() >= deadline:
                break
            places = torch.arange(first, min(first + self._slab, count), device=self.device)
            if first:
                places = places[run.hungry(places)]
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
        seeds = Seeds.begin(run.q[:, places].to(dtype), run.target[:, owners].to(dtype))
        seeds = seeds._replace(iterations=run.iterations[places])
        dropped = torch.zeros_like(seeds.live)
        left = step.options.max_iterations
        while len(places):
            late = time.perf_counter() >= deadline
            if late or left <= 0:
                # Out of time, a seed is left out; out of iterations, it is given up.
                run.record(places, seeds, ~(dropped | (seeds.live & late)), seeds.done, bounds)
                return
            seeds = block(seeds, *own)
            left -= step.options.stall_window
            if finest:
                run.found = found.index_add(0, owners, seeds.done.to(found.dtype))
            else:
                over, none = ~(seeds.live | seeds.done), torch.zeros_like(seeds.done)
                run.record(places, seeds, over, none, bounds)
                self._advance(run, places[seeds.done], bounds, deadline, depth + 1)
            hungry = run.found[owners] < run.wanted[owners]
            dropped = dropped | (seeds.live & ~hungry)
            seeds = seeds._replace(live=seeds.live & hungry)
            if finest:
                if int(seeds.live.sum()) > self._shrink * len(places):
                    continue
                run.record(places, seeds, ~(dropped | seeds.live), seeds.done, bounds)
            kept = torch.nonzero(seeds.live).squeeze(1)
            places, seeds, owners = places[kept], seeds.of(kept), owners[kept]
            dropped, found = dropped[kept], run.found
