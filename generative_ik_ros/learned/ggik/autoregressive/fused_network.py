"""The network of an autoregressive model as a CPU kernel: 32 seeds at a time, single precision.

One compiled function takes the place of a library call for each small matrix product, which would
take longer than the arithmetic.
"""

# pyright: reportArgumentType=false, reportCallIssue=false, reportIndexIssue=false
# pyright: reportGeneralTypeIssues=false

import numpy as np
from numba import njit

from generative_ik_ros.compiled import SINGLE_WIDTH
from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.compiled.lanes import load, spread, store, where_less
from generative_ik_ros.learned.fused_chunks import BLOCK, VECTORS, sums
from generative_ik_ros.learned.fused_math import arc_tangent, exponential, larger

_F = np.float32
_ZERO, _ONE = _F(0.0), _F(1.0)
_LINEAR, _SILU, _ADD = 0, 1, 2


@kernel(error_model="numpy")
def predict(net, joint, features, row, other, raw):  # noqa: ANN001, ANN201
    """Write the outputs of the network (4 C rows) for a joint's GOAL_FEATURES rows."""
    _layer(net.inputs[joint], features, net.starts[joint], _LINEAR, row)
    for block in range(len(net.middle) // 2):
        _silu_rows(row, other)
        _layer(net.middle[2 * block], other, net.shifts[2 * block], _SILU, raw)
        _layer(net.middle[2 * block + 1], raw, net.shifts[2 * block + 1], _ADD, row)
    _silu_rows(row, other)
    _layer(net.head, other, net.head_shifts, _LINEAR, raw)


@kernel(error_model="numpy")
def _silu_rows(rows, out):  # noqa: ANN001, ANN202
    """Write x / (1 + e^-x) of all rows."""
    for i in range(len(rows) // SINGLE_WIDTH):
        store(out, i, _silu(load(rows, i)))


@njit(inline="always")
def _silu(x):  # noqa: ANN001, ANN202
    return x / (_ONE + exponential(_ZERO - x))


@kernel(error_model="numpy")
def _layer(blocks, rows, shifts, mode, out):  # noqa: ANN001, ANN202
    """Write a layer: product and shift; through the unit, or added to what is there."""
    size = len(shifts)
    for o in range(len(blocks)):
        a0, a1, b0, b1, c0, c1, d0, d1 = sums(blocks[o], rows)
        i = BLOCK * o
        _finish(a0, a1, shifts[i], mode, out, i)
        for extra in range(1, BLOCK):
            if i + extra < size:
                one = b0 if extra == 1 else (c0 if extra == 2 else d0)
                two = b1 if extra == 1 else (c1 if extra == 2 else d1)
                _finish(one, two, shifts[i + extra], mode, out, i + extra)


@kernel(error_model="numpy")
def _finish(one, two, shift, mode, out, place):  # noqa: ANN001, ANN202
    one, two = one + shift, two + shift
    if mode == _SILU:
        one, two = _silu(one), _silu(two)
    elif mode == _ADD:
        one = one + load(out, VECTORS * place)
        two = two + load(out, VECTORS * place + 1)
    store(out, VECTORS * place, one)
    store(out, VECTORS * place + 1, two)


@kernel(error_model="numpy")
def choose_component(raw, components, v, unit, chosen):  # noqa: ANN001, ANN201
    """Choose a component of the mixture in every lane of vector v, see `VonMisesMixture.sample`.

    Writes, each CHUNK numbers after the other: its mean [rad], the output that describes its
    concentration, and the quantile in it that is left of the uniform number.
    """
    most = load(raw, v)
    for k in range(1, components):
        most = larger(most, load(raw, VECTORS * k + v))
    total = spread(_ZERO)
    for k in range(components):
        total = total + exponential(load(raw, VECTORS * k + v) - most)
    wanted = load(unit, v) * total
    below = spread(_ZERO)
    start, size = below, total
    cosine, sine, level = load(raw, v), load(raw, v), load(raw, v)
    for k in range(components):
        part = exponential(load(raw, VECTORS * k + v) - most)
        start = where_less(wanted, below, start, below)
        size = where_less(wanted, below, size, part)
        cosine = where_less(wanted, below, cosine, load(raw, VECTORS * (components + k) + v))
        sine = where_less(wanted, below, sine, load(raw, VECTORS * (2 * components + k) + v))
        level = where_less(wanted, below, level, load(raw, VECTORS * (3 * components + k) + v))
        below = below + part
    store(chosen, v, arc_tangent(sine, cosine))
    store(chosen, VECTORS + v, level)
    store(chosen, 2 * VECTORS + v, (wanted - start) / size)
