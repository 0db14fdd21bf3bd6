"""Base samples and a spline flow's weights in, coordinates out: the flow as one CPU kernel.

It computes what `ConditionalFlow.condition` and `generate` do, in single precision and without
their likelihood, and without a library call for every small operation: those take longer than the
arithmetic. Samples go through in chunks that are aligned to the sequence of base samples, so that
a sample has the same place in its chunk, and the same bits, in every request.
"""

# pyright: reportArgumentType=false, reportCallIssue=false, reportIndexIssue=false

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from generative_ik_ros.samplers.ikflow.flow import ConditionalFlow
from generative_ik_ros.samplers.ikflow.fused_math import (
    cosine,
    exponential,
    leaky,
    sine,
    softplus,
)
from generative_ik_ros.samplers.ikflow.spline import _LEAST_BIN, _LEAST_SLOPE, _UNIT_SLOPE

CHUNK = 64
"""Samples that go through together: full vectors, in products that fit into the cache."""
_F = np.float32
_ZERO, _ONE, _TWO, _FOUR = _F(0.0), _F(1.0), _F(2.0), _F(4.0)
_BIN, _SLOPE, _UNIT = _F(_LEAST_BIN), _F(_LEAST_SLOPE), _F(_UNIT_SLOPE)


class FusedFlow(NamedTuple):
    """The weights as the kernel wants them, see `ConditionalFlow`; matrices times columns.

    Attributes:
        first: (L, H, I).
        middle: (L, N - 1, H, H).
        last: (L, M * P, H).
        last_bias: (L, M * P).
        orders: (L, D).
        circular: (D,).
        turn: (D,) angle at the ends of the box [rad].
        untouched: d.
        bins: K.
    """

    first: NDArray[np.float32]
    middle: NDArray[np.float32]
    last: NDArray[np.float32]
    last_bias: NDArray[np.float32]
    orders: NDArray[np.int64]
    circular: NDArray[np.bool_]
    turn: NDArray[np.float32]
    untouched: int
    bins: int

    @classmethod
    def of(cls, flow: ConditionalFlow) -> "FusedFlow":
        """Take the weights of a spline flow."""
        config = flow.config

        def turned(name: str) -> NDArray[np.float32]:
            values = getattr(flow, name).detach().float().cpu().numpy()
            return np.ascontiguousarray(np.swapaxes(values, -1, -2))

        circular = np.array(config.circular)
        return cls(
            turned("first"),
            turned("middle"),
            turned("last"),
            flow.last_bias.detach().float().cpu().numpy().copy(),
            np.array(config.permutations, np.int64),
            circular,
            np.where(circular, np.pi, config.half_turn).astype(np.float32),
            config.untouched,
            config.bins,
        )


@njit(nogil=True, cache=True, fastmath={"contract", "arcp", "nsz"}, error_model="numpy")
def generate(flow, base, biases, first, boxed):  # noqa: ANN001, ANN201
    """Turn base samples into coordinates for every pose.

    Args:
        flow: A `FusedFlow`.
        base: (K, D) uniform base samples, float32.
        biases: (T, L, N, H) of `ConditionalFlow.condition`, float32.
        first: Place of the first sample in the sequence of base samples.
        boxed: (T, K, n) coordinates in [-1, 1], float64, written.
    """
    count, width = base.shape
    layers, hidden, inputs = flow.first.shape
    outputs = flow.last.shape[1]
    kept, moved = flow.untouched, width - flow.untouched
    per_spline = outputs // moved
    x = np.empty((width, CHUNK), np.float32)
    given = np.empty((inputs, CHUNK), np.float32)
    row = np.empty((hidden, CHUNK), np.float32)
    other = np.empty((hidden, CHUNK), np.float32)
    coefficients = np.empty((outputs, CHUNK), np.float32)
    up = np.empty((flow.bins + 1, CHUNK), np.float32)
    across = np.empty((flow.bins + 1, CHUNK), np.float32)
    scratch = np.empty((7, CHUNK), np.float32)
    for t in range(len(biases)):
        for start in range(-(first % CHUNK), count, CHUNK):
            for j in range(width):
                for s in range(CHUNK):
                    x[j, s] = base[min(max(start + s, 0), count - 1), j]
            for layer in range(layers):
                order = flow.orders[layer]
                for j in range(kept):
                    _features(x[order[j]], flow.circular[order[j]], flow.turn[order[j]],
                              given[j], given[kept + j], given[2 * kept + j])  # fmt: skip
                np.dot(flow.first[layer], given, row)
                _activate(row, biases[t, layer, 0])
                for i in range(flow.middle.shape[1]):
                    np.dot(flow.middle[layer, i], row, other)
                    row, other = other, row
                    _activate(row, biases[t, layer, i + 1])
                np.dot(flow.last[layer], row, coefficients)
                for o in range(outputs):
                    line, bias = coefficients[o], flow.last_bias[layer, o]
                    for s in range(CHUNK):
                        line[s] += bias
                for j in range(moved):
                    _invert_spline(
                        x[order[kept + j]],
                        coefficients[j * per_spline : (j + 1) * per_spline],
                        flow.circular[order[kept + j]],
                        flow.bins,
                        up,
                        across,
                        scratch,
                    )
            for s in range(max(0, -start), min(CHUNK, count - start)):
                for j in range(boxed.shape[2]):
                    boxed[t, start + s, j] = _TWO * x[j, s] - _ONE


@njit(nogil=True, cache=True, fastmath={"contract", "arcp", "nsz"}, error_model="numpy")
def _features(x, circular, turn, line, sines, cosines):  # noqa: ANN001, ANN202
    straight = _ZERO if circular else _ONE
    for s in range(CHUNK):
        centred = _TWO * x[s] - _ONE
        line[s] = straight * centred
        sines[s] = sine(turn * centred)
        cosines[s] = cosine(turn * centred)


@njit(nogil=True, cache=True, fastmath={"contract", "arcp", "nsz"}, error_model="numpy")
def _activate(rows, biases):  # noqa: ANN001, ANN202
    for o in range(len(rows)):
        line, bias = rows[o], biases[o]
        for s in range(CHUNK):
            line[s] = leaky(line[s] + bias)


@njit(nogil=True, cache=True, fastmath={"contract", "arcp", "nsz"}, error_model="numpy")
def _ends(rows, ends, top, total):  # noqa: ANN001, ANN202
    """Replace rows by the sizes of the bins and write each bin's lower end."""
    bins = len(rows)
    top[:] = rows[0]
    for k in range(1, bins):
        line = rows[k]
        for s in range(CHUNK):
            top[s] = max(top[s], line[s])
    total[:] = _ZERO
    for k in range(bins):
        line = rows[k]
        for s in range(CHUNK):
            line[s] = exponential(line[s] - top[s])
            total[s] += line[s]
    share = _ONE - _BIN * _F(bins)
    for s in range(CHUNK):
        total[s] = share / total[s]
    ends[0] = _ZERO
    for k in range(bins):
        line, end, next_end = rows[k], ends[k], ends[k + 1]
        for s in range(CHUNK):
            line[s] = _BIN + total[s] * line[s]
            next_end[s] = end[s] + line[s]


@njit(nogil=True, cache=True, fastmath={"contract", "arcp", "nsz"}, error_model="numpy")
def _invert_spline(x, coefficients, circular, bins, up, across, scratch):  # noqa: ANN001, ANN202
    """Apply the inverse of a spline in place, as `spline` does."""
    start, begin, height, width = scratch[0], scratch[1], scratch[2], scratch[3]
    low, high, index = scratch[4], scratch[5], scratch[6]
    # Loops are kept apart: LLVM makes vectors of those that touch few rows only.
    if circular:
        rotation = coefficients[3 * bins]
        for s in range(CHUNK):
            x[s] = x[s] - rotation[s]
            x[s] = x[s] - np.floor(x[s])
    _ends(coefficients[:bins], across, start, begin)
    _ends(coefficients[bins : 2 * bins], up, start, begin)
    index[:] = _ZERO
    for k in range(1, bins):
        end = up[k]
        for s in range(CHUNK):
            index[s] += _ONE if x[s] >= end[s] else _ZERO
    for s in range(CHUNK):
        k = int(index[s])
        start[s], begin[s] = up[k, s], across[k, s]
        width[s], height[s] = coefficients[k, s], coefficients[bins + k, s]
        low[s] = coefficients[2 * bins + k, s]
        high[s] = coefficients[2 * bins if circular and k == bins - 1 else 2 * bins + k + 1, s]
    for s in range(CHUNK):
        lower = _SLOPE + softplus(low[s] + _UNIT)
        upper = _SLOPE + softplus(high[s] + _UNIT)
        mean = height[s] / width[s]
        up = x[s] - start[s]
        bend = up * (lower + upper - _TWO * mean)
        a = bend + height[s] * (mean - lower)
        b = height[s] * lower - bend
        c = -mean * up
        root = np.sqrt(max(b * b - _FOUR * a * c, _ZERO))
        t = min(max(_TWO * c / (-b - root), _ZERO), _ONE)
        x[s] = min(max(begin[s] + t * width[s], _ZERO), _ONE)
