"""Matrices as the native core's networks take them."""

import numpy as np
import torch
from numpy.typing import NDArray

_BLOCK = 4
"""Outputs of a matrix that are accumulated together, in registers."""


def in_blocks(matrices: torch.Tensor) -> NDArray[np.float32]:
    """Store matrices (*B, I, O) as (*B, ceil(O / 4), I, 4), padded with 0: in order of use."""
    values = matrices.detach().float().cpu().numpy()
    *batch, inputs, outputs = values.shape
    filled = np.zeros((*batch, inputs, -(-outputs // _BLOCK) * _BLOCK), np.float32)
    filled[..., :outputs] = values
    split = filled.reshape(*batch, inputs, filled.shape[-1] // _BLOCK, _BLOCK)
    return np.ascontiguousarray(np.swapaxes(split, -2, -3))


def single(values: torch.Tensor) -> NDArray[np.float32]:
    """Return numbers in single precision."""
    return np.ascontiguousarray(values.detach().cpu().numpy(), np.float32)
