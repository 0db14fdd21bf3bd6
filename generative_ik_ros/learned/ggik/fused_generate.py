"""A walk and a chain in, what draws its configurations by the CPU kernel out."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.learned.fused_chunks import CHUNK, chunks_of, share_out
from generative_ik_ros.learned.ggik.fused import FusedLinks, FusedWalk
from generative_ik_ros.learned.ggik.fused_walk import walk
from generative_ik_ros.learned.ggik.generate import WalkGenerator
from generative_ik_ros.learned.ggik.numbers import even_numbers
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import SeedRequest

_CHUNKS_A_PIECE = 2
"""Least work, some 200 us, that is worth waking another thread for."""


class FusedGenerator:
    """Draws configurations of one chain, the same as `WalkGenerator` up to rounding.

    Args:
        generator: The walk.
        chain: The chain that it was made for.
    """

    def __init__(self, generator: WalkGenerator, chain: KinematicChain):
        """Take the weights and the links."""
        self._links = generator.links
        self._net = FusedWalk.of(generator.model, generator.left)
        self._arm = FusedLinks.of(generator.links)
        self._width = generator.width
        self._turning = np.array(chain.periodic)
        self._last = np.linalg.inv(self._links.lines.last_in_first.double().numpy())
        self._foot = self._links.feet[-1].double().numpy()
        # The search asks for the same numbers of seeds again and again, and they are the same.
        self._numbers = lru_cache(maxsize=32)(self._chunks)

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
            walk(
                self._net, self._arm, goals, numbers, self._turning, bounds, skipped, begin, end,
                drawn,
            )  # fmt: skip

        share_out(work, len(goals) * chunks, _CHUNKS_A_PIECE)

    def _goals(self, canonical: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return (T, 9), see `Links.goal`; lengths are shares of the arm's."""
        end = canonical @ self._last
        point = end[:, :3, :3] @ self._foot + end[:, :3, 3]
        up = float(self._links.sense[-1]) * canonical[:, :3, 2]
        parts = [point / float(self._links.scale), up, canonical[:, :3, 0]]
        return np.concatenate(parts, axis=1).astype(np.float32)

    def _chunks(self, random_seed: int, first: int, chunks: int) -> NDArray[np.float32]:
        """Return the numbers (chunks, width, CHUNK) of whole chunks."""
        unit = even_numbers(random_seed, first, chunks * CHUNK, self._width)
        split = unit.astype(np.float32).reshape(chunks, CHUNK, self._width)
        return np.ascontiguousarray(split.transpose(0, 2, 1))
