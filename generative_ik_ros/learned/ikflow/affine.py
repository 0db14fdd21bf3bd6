"""Affine coupling transforms; torch."""

import math

import torch
from torch import Tensor


def affine(
    x: Tensor, coefficients: Tensor, clamp: float, *, inverse: bool = False
) -> tuple[Tensor, Tensor]:
    """Apply IKFlow's equation 4, y = x exp(s) + t, or its inverse.

    The logarithmic scale is bounded softly, s = 2 clamp / pi atan(raw / clamp), so that a layer
    can neither explode nor collapse (L. Ardizzone et al., FrEIA, 2018).

    Args:
        x: (..., M).
        coefficients: (..., M, 2) raw scale and shift.
        clamp: Bound of |s|.
        inverse: Whether to apply the inverse function.

    Returns:
        (..., M) coordinates and (..., M) logarithms of the slope of the function applied.
    """
    raw, t = coefficients.unbind(-1)
    s = clamp * (2.0 / math.pi) * torch.atan(raw / clamp)
    if inverse:
        return (x - t) * torch.exp(-s), -s
    return x * torch.exp(s) + t, s
