"""Monotonic rational-quadratic splines on the interval and on the circle; torch."""

import math

import torch
from torch import Tensor
from torch.nn import functional

_LEAST_BIN = 1e-3
_LEAST_SLOPE = 1e-3
_UNIT_SLOPE = math.log(math.expm1(1.0 - _LEAST_SLOPE))
"""Softplus makes a slope of 1 of it: coefficients of 0 are the identity."""


def num_coefficients(bins: int) -> int:
    """Return the number of coefficients of a spline."""
    return 3 * bins + 1


def spline(
    x: Tensor, coefficients: Tensor, circular: Tensor, *, inverse: bool = False
) -> tuple[Tensor, Tensor]:
    """Apply monotonic rational-quadratic splines (Durkan et al., Neural spline flows, 2019).

    On the interval the two ends are fixed and have slopes of their own. On the circle both ends
    have the same slope, and the spline is followed by a rotation (Rezende et al., Normalizing
    flows on tori and spheres, 2020).

    Args:
        x: (..., M) points of [0, 1].
        coefficients: (..., M, 3 K + 1) unconstrained: K widths, K heights, K slopes at the bins'
            lower ends, then the slope at 1 or, for a circle, the rotation in full turns.
        circular: (M,) which coordinates are circles.
        inverse: Whether to apply the inverse function.

    Returns:
        (..., M) points of [0, 1] and (..., M) logarithms of the slope of the function applied.
    """
    widths, heights, slopes, rotation = _constrained(coefficients, circular)
    if inverse:
        x = torch.where(circular, x - rotation - torch.floor(x - rotation), x)
    x = x.clamp(0.0, 1.0)
    ends = functional.pad((heights if inverse else widths).cumsum(-1)[..., :-1], (1, 0))
    index = (x[..., None] >= ends[..., 1:]).sum(-1, keepdim=True)
    other = functional.pad((widths if inverse else heights).cumsum(-1)[..., :-1], (1, 0))

    def pick(values: Tensor) -> Tensor:
        return values.gather(-1, index).squeeze(-1)

    start, begin = pick(ends), pick(other)
    width, height = pick(widths), pick(heights)
    low, high = pick(slopes), slopes.gather(-1, index + 1).squeeze(-1)
    mean = height / width
    bend = low + high - 2.0 * mean
    if inverse:
        rise = x - start
        a = rise * bend + height * (mean - low)
        b = height * low - rise * bend
        c = -mean * rise
        root = torch.sqrt((b * b - 4.0 * a * c).clamp(min=0.0))
        t = (2.0 * c / (-b - root)).clamp(0.0, 1.0)
        y = begin + t * width
    else:
        t = ((x - start) / width).clamp(0.0, 1.0)
        y = begin + height * (mean * t * t + low * t * (1.0 - t)) / (mean + bend * t * (1.0 - t))
    slope = (
        mean
        * mean
        * (high * t * t + 2.0 * mean * t * (1.0 - t) + low * (1.0 - t) ** 2)
        / (mean + bend * t * (1.0 - t)) ** 2
    )
    log_slope = torch.log(slope)
    if inverse:
        return y.clamp(0.0, 1.0), -log_slope
    y = torch.where(circular, y + rotation - torch.floor(y + rotation), y)
    return y.clamp(0.0, 1.0), log_slope


def _constrained(coefficients: Tensor, circular: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return widths and heights (..., M, K), slopes (..., M, K + 1) and rotations (..., M)."""
    bins = coefficients.shape[-1] // 3
    widths, heights, slopes, last = coefficients.split([bins, bins, bins, 1], dim=-1)
    widths, heights = (
        _LEAST_BIN + (1.0 - _LEAST_BIN * bins) * functional.softmax(part, dim=-1)
        for part in (widths, heights)
    )
    slopes = torch.cat([slopes, torch.where(circular[:, None], slopes[..., :1], last)], dim=-1)
    slopes = _LEAST_SLOPE + functional.softplus(slopes + _UNIT_SLOPE)
    return widths, heights, slopes, torch.where(circular, last.squeeze(-1), 0.0)
