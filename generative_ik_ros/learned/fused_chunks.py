"""Chunks of seeds and blocks of matrices, which the CPU kernels of samplers share; numba.

Chunks are aligned to the sequence of random numbers, so a seed has the same place in its chunk,
and the same bits, in every request. They are independent of each other, so threads can share them.
"""

# pyright: reportArgumentType=false, reportCallIssue=false

import math
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from generative_ik_ros.compiled import SINGLE_WIDTH
from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.compiled.lanes import load, spread
from generative_ik_ros.parallel import for_each

VECTORS = 2
CHUNK = VECTORS * SINGLE_WIDTH
"""Seeds that are processed together: each weight that is read serves two vectors."""
BLOCK = 4
"""Outputs of a matrix that are accumulated together, in registers."""
_PIECES = 32
"""Most pieces of a request: enough for many cores to finish at about the same time."""
_ZERO = np.float32(0.0)


def chunks_of(count: int, first: int) -> int:
    """Return the number of chunks that `count` seeds from number `first` on lie in."""
    return -(-(first % CHUNK + count) // CHUNK)


def share_out(work: Callable[[int, int], None], chunks: int, least: int) -> None:
    """Run `work`, which takes the first chunk and the one to stop at, on threads.

    Args:
        work: Writes its chunks' seeds.
        chunks: How many there are.
        least: Fewest chunks for another thread.
    """
    size = max(least, 1 + chunks // _PIECES)
    for_each(lambda i: work(i, min(i + size, chunks)), range(0, chunks, size), math.inf)


def in_blocks(matrices: torch.Tensor) -> NDArray[np.float32]:
    """Store matrices (*B, I, O) as (*B, ceil(O / 4), I, 4), padded with 0: in order of use."""
    values = matrices.detach().float().cpu().numpy()
    *batch, inputs, outputs = values.shape
    filled = np.zeros((*batch, inputs, -(-outputs // BLOCK) * BLOCK), np.float32)
    filled[..., :outputs] = values
    split = filled.reshape(*batch, inputs, filled.shape[-1] // BLOCK, BLOCK)
    return np.ascontiguousarray(np.swapaxes(split, -2, -3))


@kernel(error_model="numpy")
def sums(block, rows):  # noqa: ANN001, ANN201
    """Multiply rows by four columns of a matrix (I, 4): eight sums, all in registers."""
    a0 = a1 = b0 = b1 = c0 = c1 = d0 = d1 = spread(_ZERO)
    for i in range(len(block)):
        one, two = load(rows, VECTORS * i), load(rows, VECTORS * i + 1)
        a0, a1 = a0 + block[i, 0] * one, a1 + block[i, 0] * two
        b0, b1 = b0 + block[i, 1] * one, b1 + block[i, 1] * two
        c0, c1 = c0 + block[i, 2] * one, c1 + block[i, 2] * two
        d0, d1 = d0 + block[i, 3] * one, d1 + block[i, 3] * two
    return a0, a1, b0, b1, c0, c1, d0, d1
