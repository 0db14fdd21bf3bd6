"""The inverse of the splines in vector lanes; numba."""

# pyright: reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false

import numpy as np

from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.compiled.lanes import (
    floor,
    load,
    spread,
    square_root,
    store,
    where_less,
)
from generative_ik_ros.learned.fused_math import exponential, larger, smaller, softplus
from generative_ik_ros.learned.ikflow.spline import _LEAST_BIN, _LEAST_SLOPE, _UNIT_SLOPE

_F = np.float32
_ZERO, _ONE, _TWO, _FOUR = _F(0.0), _F(1.0), _F(2.0), _F(4.0)
_BIN, _SLOPE, _UNIT = _F(_LEAST_BIN), _F(_LEAST_SLOPE), _F(_UNIT_SLOPE)


@kernel(error_model="numpy")
def _sizes(rows, first, stride, bins):  # noqa: ANN001, ANN202
    """Replace a softmax's logits by their exponentials; return what makes shares of them."""
    top = load(rows, first)
    for k in range(1, bins):
        top = larger(top, load(rows, first + stride * k))
    total = spread(_ZERO)
    for k in range(bins):
        part = exponential(load(rows, first + stride * k) - top)
        store(rows, first + stride * k, part)
        total = total + part
    return (_ONE - _BIN * _F(bins)) / total


@kernel(error_model="numpy")
def invert_spline(x, place, rows, first, stride, circular, bins):  # noqa: ANN001, ANN201
    """Apply the inverse of a spline in place, as `spline` does.

    Args:
        x: Buffer of rows of lanes, points of [0, 1].
        place: The row to transform.
        rows: Buffer of rows of lanes, coefficients; widths and heights are overwritten.
        first: Row of the spline's first coefficient.
        stride: Rows from one coefficient to the next.
        circular: Whether the coordinate is a circle.
        bins: Bins of the spline.
    """
    point = load(x, place)
    heights, slopes = first + stride * bins, first + stride * 2 * bins
    if circular:
        point = point - load(rows, first + stride * 3 * bins)
        point = point - floor(point)
    a_width, a_height = _sizes(rows, first, stride, bins), _sizes(rows, heights, stride, bins)
    # The bin of the point, by going through all of them.
    across, up = spread(_ZERO), spread(_ZERO)
    begin, start = across, up
    width = _BIN + a_width * load(rows, first)
    height = _BIN + a_height * load(rows, heights)
    low, high = load(rows, slopes), load(rows, slopes + stride)
    next_across, next_up = width, height
    for k in range(1, bins):
        across, up = next_across, next_up
        wide = _BIN + a_width * load(rows, first + stride * k)
        tall = _BIN + a_height * load(rows, heights + stride * k)
        above = slopes if circular and k == bins - 1 else slopes + stride * (k + 1)
        low = where_less(point, up, low, load(rows, slopes + stride * k))
        high = where_less(point, up, high, load(rows, above))
        begin = where_less(point, up, begin, across)
        width = where_less(point, up, width, wide)
        height = where_less(point, up, height, tall)
        start = where_less(point, up, start, up)
        next_across, next_up = across + wide, up + tall
    lower, upper = _SLOPE + softplus(low + _UNIT), _SLOPE + softplus(high + _UNIT)
    mean = height / width
    rise = point - start
    bend = rise * (lower + upper - _TWO * mean)
    a = bend + height * (mean - lower)
    b = height * lower - bend
    c = _ZERO - mean * rise
    root = square_root(larger(b * b - _FOUR * a * c, _ZERO))
    t = smaller(larger(_TWO * c / (_ZERO - b - root), _ZERO), _ONE)
    store(x, place, smaller(larger(begin + t * width, _ZERO), _ONE))
