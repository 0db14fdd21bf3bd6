"""Blocks of a few iterations of many seeds in PyTorch: eager, compiled, or as a CUDA graph.

Between blocks the seeds that have ended are taken out. Inside a block they stay and do not move,
so its shapes never change: on a CUDA device a block is captured as a graph, once for each power of
two of seeds, and launched with one call.
"""

import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import NamedTuple

from generative_ik_ros.refine.torch_chain import torch
from generative_ik_ros.refine.torch_step import TorchStep

Tensor = torch.Tensor

LEAST_GRAPH = 256
"""Fewest seeds of a graph: smaller ones would gain nothing."""
_WARM_UPS = 2
"""Runs before a capture, which compile kernels and set up libraries."""


class SeedBatch(NamedTuple):
    """S seeds under way.

    Attributes:
        q: (n, S) configurations [rad or m].
        target: (12, S) position [m], then the three axes of the target frame.
        past: (S,) squared error when progress was last checked.
        live: (S,) whether a seed is still moving.
        done: (S,) whether it has converged.
        iterations: (S,) evaluations so far.
    """

    q: Tensor
    target: Tensor
    past: Tensor
    live: Tensor
    done: Tensor
    iterations: Tensor

    @classmethod
    def begin(cls, q: Tensor, target: Tensor) -> "SeedBatch":
        """Return seeds before their first iteration."""
        size, device = q.shape[1:], q.device
        return cls(
            q,
            target,
            torch.full(size, torch.inf, dtype=q.dtype, device=device),
            torch.ones(size, dtype=torch.bool, device=device),
            torch.zeros(size, dtype=torch.bool, device=device),
            torch.zeros(size, dtype=torch.int32, device=device),
        )

    def of(self, kept: Tensor) -> "SeedBatch":
        """Return the seeds with some indices (K,)."""
        return SeedBatch(*(part.index_select(-1, kept) for part in self))


Block = Callable[[SeedBatch, Tensor, Tensor], SeedBatch]
"""Takes seeds and their bounds, each (n, 1); returns the seeds a block of iterations later."""


def iterate(
    step: TorchStep, seeds: SeedBatch, lower: Tensor, upper: Tensor, check: Tensor
) -> SeedBatch:
    """Measure seeds, and move those that are still on their way one step.

    `check` says whether to give up those whose error has not fallen since the last check; it is a
    tensor, so that a compiler needs one kernel for both cases.
    """
    options, live = step.options, seeds.live
    errors = step.errors(seeds.q, seeds.target)
    exact = step.exact(errors)
    stalled = check & (errors.squared > options.stall_ratio * seeds.past)
    moving = live & ~(exact | stalled) & (errors.squared < torch.inf)
    q = step.moved(seeds.q, errors, options.damping, lower, upper)
    return SeedBatch(
        torch.where(moving, q, seeds.q),
        seeds.target,
        torch.where(check, errors.squared, seeds.past),
        moving,
        seeds.done | (live & exact),
        seeds.iterations + live,
    )


def eager_block(step: TorchStep, device: torch.device, *, compiled: bool) -> Block:
    """Return a block of as many iterations as there are between two checks of progress.

    If compiled, `torch.compile` fuses an iteration's kernels, once for all numbers of seeds; this
    takes a minute or two at the first call.
    """
    window = step.options.stall_window
    one = partial(iterate, step)
    if compiled:
        one = torch.compile(one, dynamic=True, fullgraph=True)
    checks = [torch.tensor(i == window - 1, device=device) for i in range(window)]

    def block(seeds: SeedBatch, lower: Tensor, upper: Tensor) -> SeedBatch:
        for check in checks:
            seeds = one(seeds, lower, upper, check)
        return seeds

    return block


class GraphedBlock:
    """A block as CUDA graphs, one for each power of two of seeds. Not thread-safe.

    Seeds are padded to the power of two with copies of the last one that do not move. The result
    of a call is overwritten by the next call for as many seeds.
    """

    def __init__(self, block: Block):
        """Keep the block; graphs are captured when they are first needed."""
        self._block = block
        self._graphs: dict[tuple[int, torch.dtype], tuple[torch.cuda.CUDAGraph, list[Tensor]]] = {}

    def __call__(self, seeds: SeedBatch, lower: Tensor, upper: Tensor) -> SeedBatch:
        """Return the seeds a block later."""
        count = seeds.q.shape[1]
        size = max(LEAST_GRAPH, 1 << (count - 1).bit_length())
        key = size, seeds.q.dtype
        if key not in self._graphs:
            self._graphs[key] = self._capture(seeds, lower, upper, size)
        graph, memory = self._graphs[key]
        for place, value in zip(memory, (*seeds, lower, upper), strict=True):
            # What this graph returned last is in its memory already.
            if place.data_ptr() != value.data_ptr():
                place[..., : value.shape[-1]].copy_(value)
        own = SeedBatch(*memory[:-2])
        own.live[count:] = False
        graph.replay()
        return SeedBatch(*(part[..., :count] for part in own))

    def _capture(
        self, seeds: SeedBatch, lower: Tensor, upper: Tensor, size: int
    ) -> tuple["torch.cuda.CUDAGraph", list[Tensor]]:
        """Return a graph for `size` seeds, and the memory that it reads and writes."""
        memory = padded(seeds, lower, upper, size)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(_WARM_UPS):
                self._in_place(memory)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._in_place(memory)
        return graph, memory

    def _in_place(self, memory: list[Tensor]) -> None:
        """Iterate the seeds in some memory in place."""
        seeds = self._block(SeedBatch(*memory[:-2]), memory[-2], memory[-1])
        for place, value in zip(memory, seeds, strict=False):
            if place is not value:
                place.copy_(value)


def padded(seeds: SeedBatch, lower: Tensor, upper: Tensor, size: int) -> list[Tensor]:
    """Return copies of seeds and bounds, the last seed repeated until there are `size`."""
    last = torch.full((size,), seeds.q.shape[1] - 1, device=seeds.q.device)
    places = torch.minimum(torch.arange(size, device=seeds.q.device), last)
    return [*(part.clone() for part in seeds.of(places)), lower.clone(), upper.clone()]


def fastest_block(step: TorchStep, device: torch.device, *, compiled: bool) -> Block:
    """Return the block for a device: graphs on CUDA, plain calls elsewhere."""
    if compiled and device.type == "cuda" and find_spec("triton") is None:
        warnings.warn("Triton is not installed: the solver runs uncompiled", stacklevel=2)
        compiled = False
    block = eager_block(step, device, compiled=compiled)
    return GraphedBlock(block) if device.type == "cuda" else block
