"""Configurations from an autoregressive model by the CPU kernel, on several threads."""

from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray

from generative_ik_ros.learned.fused_chunks import CHUNK, chunks_of, share_out
from generative_ik_ros.learned.ggik.autoregressive.fused_data import (
    FusedKnown,
    FusedLinks,
    FusedNetwork,
)
from generative_ik_ros.learned.ggik.autoregressive.fused_kernel import generate
from generative_ik_ros.learned.ggik.autoregressive.generator import AutoregressiveGenerator
from generative_ik_ros.learned.graph.lines import seen_from_tip
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import SeedRequest

_CHUNKS_A_PIECE = 8
"""Least work for another thread, some 800 us; every piece ends with chunks that are not full."""


class FusedGenerator:
    """Draws configurations of one chain, the same as `AutoregressiveGenerator` up to rounding.

    Args:
        generator: The generator in PyTorch.
        chain: The chain that it was made for.
    """

    def __init__(self, generator: AutoregressiveGenerator, chain: KinematicChain):
        """Take the weights and the links."""
        self._links = generator.links
        self._net = FusedNetwork.of(generator.model, generator.encodings)
        self._arm = FusedLinks.of(generator.links)
        self._known = FusedKnown.of(generator.known)
        self._shifts = generator.shifts
        self._generator = generator
        self._periodic = np.array(chain.periodic)
        self._last = np.linalg.inv(self._links.lines.last_in_first.double().numpy())
        self._last_point = self._links.joint_points[-1].double().numpy()
        self._keep_numbers()

    def _keep_numbers(self) -> None:
        # The search asks for the same numbers of seeds again and again, and they are the same.
        self._numbers = lru_cache(maxsize=32)(self._chunks)

    def __getstate__(self) -> dict[str, object]:
        """Leave out the numbers that are kept: such a memory cannot be pickled."""
        return {key: value for key, value in vars(self).items() if key != "_numbers"}

    def __setstate__(self, state: dict[str, object]) -> None:
        """Begin without numbers."""
        vars(self).update(state)
        self._keep_numbers()

    def draw(
        self, canonical: NDArray[np.float64], request: SeedRequest, drawn: NDArray[np.float64]
    ) -> None:
        """Write configurations (T, K, n) inside the bounds for canonical targets (T, 4, 4)."""
        skipped = request.first % CHUNK
        chunks = chunks_of(request.count, request.first)
        numbers = self._numbers(request.random_seed, request.first - skipped, chunks)
        goals = self._goals(canonical)
        bounds = np.stack([request.lower, request.upper])

        def work(begin: int, end: int) -> None:
            generate(
                self._net, self._arm, self._known, goals, numbers, self._shifts, self._periodic,
                bounds, skipped, begin, end, drawn,
            )  # fmt: skip

        share_out(work, len(goals) * chunks, _CHUNKS_A_PIECE)

    def _goals(self, canonical: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return origin, z and x of frame m (T, 9), see `Links.end_frame`."""
        if self._generator.from_tip:
            canonical = seen_from_tip(torch.from_numpy(canonical)).numpy()
        end = canonical @ self._last
        origin = end[:, :3, :3] @ self._last_point + end[:, :3, 3]
        z = float(self._links.sense[-1]) * canonical[:, :3, 2]
        parts = [origin / float(self._links.scale), z, canonical[:, :3, 0]]
        return np.concatenate(parts, axis=1).astype(np.float32)

    def _chunks(self, random_seed: int, first: int, chunks: int) -> NDArray[np.float32]:
        """Return the uniform numbers (chunks, width, CHUNK) of whole chunks."""
        unit = self._generator.numbers(random_seed, first, chunks * CHUNK)
        split = unit.astype(np.float32).reshape(chunks, CHUNK, -1)
        return np.ascontiguousarray(split.transpose(0, 2, 1))
