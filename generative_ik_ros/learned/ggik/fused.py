"""An arm's links and a walk's weights in, one joint's network as a CPU kernel out; numba.

The arithmetic of `Walk` in single precision, 32 seeds at a time, without a library call for every
small operation: those take longer than the arithmetic.
"""

# pyright: reportArgumentType=false, reportCallIssue=false, reportIndexIssue=false
# pyright: reportGeneralTypeIssues=false

from typing import NamedTuple

import numpy as np
import torch
from numba import njit
from numpy.typing import NDArray

from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.compiled.lanes import SINGLE_WIDTH, load, spread, store, where_less
from generative_ik_ros.learned.fused_chunks import BLOCK, VECTORS, in_blocks, sums
from generative_ik_ros.learned.fused_math import arc_tangent, exponential, larger
from generative_ik_ros.learned.ggik.circle import LEAST, MOST, spread_of
from generative_ik_ros.learned.ggik.steps import FREE, kinds_of
from generative_ik_ros.learned.ggik.walk import Walk
from generative_ik_ros.learned.graph.links import Links

_F = np.float32
_ZERO, _ONE = _F(0.0), _F(1.0)
_CELLS = 4096
_LINEAR, _SILU, _ADD = 0, 1, 2


class FusedWalk(NamedTuple):
    """The weights as the kernel wants them, for one arm.

    A matrix (I, O) is stored as (ceil(O / 4), I, 4), filled up with zeros: in the order of use.

    Attributes:
        sights: (m, ceil(H / 4), SIGHTS, 4) with what is left of the arm in it.
        starts: (m, H) likewise.
        middle: (2 B, ceil(H / 4), H, 4) of the blocks.
        shifts: (2 B, H).
        head: (ceil(4 C / 4), H, 4).
        tells: (4 C,).
        spreads: (cells + 1,) of a component by its concentration, see `circle.spread_of`.
    """

    sights: NDArray[np.float32]
    starts: NDArray[np.float32]
    middle: NDArray[np.float32]
    shifts: NDArray[np.float32]
    head: NDArray[np.float32]
    tells: NDArray[np.float32]
    spreads: NDArray[np.float32]

    @classmethod
    def of(cls, model: Walk, left: list[torch.Tensor]) -> "FusedWalk":
        """Take the weights of a model; `left` is what it says of the arm (`arms_left`)."""
        gates = [one.chunk(2, dim=-1) for one in left]
        weight, bias = model.sight.weight, model.sight.bias
        layers = [layer for block in model.rounds for layer in (block.first, block.second)]
        logs = torch.linspace(LEAST, MOST, _CELLS + 1, dtype=torch.float64)
        return cls(
            np.stack([in_blocks(((1.0 + gate[:, None]) * weight).T) for _, gate in gates]),
            np.stack([_array((1.0 + gate) * bias + shift) for shift, gate in gates]),
            np.stack([in_blocks(layer.weight.T) for layer in layers]),
            np.stack([_array(layer.bias) for layer in layers]),
            in_blocks(model.head.weight.T),
            _array(model.head.bias),
            _array(spread_of(logs)),
        )


class FusedLinks(NamedTuple):
    """What the kernel wants to know of an arm, see `Links`; lengths are shares of the arm's.

    Attributes:
        kinds: (m,) FREE, FITTED or SAME.
        slides: (m,).
        axis: (m, 3).
        middle: (m, 3).
        across: (m,).
        along: (m,) with a slide in the middle of its range.
        half: (m,) [rad or share].
        variable: (m,).
        slope: (m,) change of the variable with the turn.
        centre: (m,) the variable in the middle of the joint's range [rad or m].
        number: (m,) column of the random numbers.
    """

    kinds: NDArray[np.int64]
    slides: NDArray[np.bool_]
    axis: NDArray[np.float32]
    middle: NDArray[np.float32]
    across: NDArray[np.float32]
    along: NDArray[np.float32]
    half: NDArray[np.float32]
    variable: NDArray[np.int64]
    slope: NDArray[np.float32]
    centre: NDArray[np.float32]
    number: NDArray[np.int64]

    @classmethod
    def of(cls, links: Links) -> "FusedLinks":
        """Prepare one arm."""
        lines, scale = links.lines, float(links.scale)
        slides = np.array(links.prismatic)
        kinds = np.array(kinds_of(links))
        length = np.where(slides, scale, 1.0)
        sense, centre = _array(links.sense), links.centre.double().cpu().numpy()
        factor, offset = np.array(lines.multiplier), np.array(lines.offset)
        slid = np.where(slides, sense * centre, 0.0)
        free = np.cumsum(kinds == FREE) - 1
        return cls(
            kinds,
            slides,
            _array(links.axis),
            _array(links.middle),
            _array(links.across / scale),
            ((links.along.double().cpu().numpy() + slid) / scale).astype(np.float32),
            (links.half.double().cpu().numpy() / length).astype(np.float32),
            np.array(lines.variable),
            (sense * length / factor).astype(np.float32),
            ((centre - offset) / factor).astype(np.float32),
            np.where(kinds == FREE, free, 0),
        )


def _array(values: torch.Tensor) -> NDArray[np.float32]:
    return np.ascontiguousarray(values.detach().cpu().numpy(), np.float32)


@kernel(error_model="numpy")
def ask(net, joint, seen, row, other, raw):  # noqa: ANN001, ANN201
    """Write the network's numbers (4 C rows) for what is seen (SIGHTS rows)."""
    _layer(net.sights[joint], seen, net.starts[joint], _LINEAR, row)
    for block in range(len(net.middle) // 2):
        silu_rows(row, other)
        _layer(net.middle[2 * block], other, net.shifts[2 * block], _SILU, raw)
        _layer(net.middle[2 * block + 1], raw, net.shifts[2 * block + 1], _ADD, row)
    silu_rows(row, other)
    _layer(net.head, other, net.tells, _LINEAR, raw)


@kernel(error_model="numpy")
def silu_rows(rows, out):  # noqa: ANN001, ANN201
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
def choose(raw, components, v, chance, drawn):  # noqa: ANN001, ANN201
    """Choose a component in every lane of vector v.

    Writes, each CHUNK numbers after the other: its mean [rad], the number that tells its
    concentration, and what is left of the chance, uniform in [0, 1].
    """
    most = load(raw, v)
    for k in range(1, components):
        most = larger(most, load(raw, VECTORS * k + v))
    total = spread(_ZERO)
    for k in range(components):
        total = total + exponential(load(raw, VECTORS * k + v) - most)
    wanted = load(chance, v) * total
    below = spread(_ZERO)
    start, size = below, total
    cosine, sine, tells = load(raw, v), load(raw, v), load(raw, v)
    for k in range(components):
        part = exponential(load(raw, VECTORS * k + v) - most)
        start = where_less(wanted, below, start, below)
        size = where_less(wanted, below, size, part)
        cosine = where_less(wanted, below, cosine, load(raw, VECTORS * (components + k) + v))
        sine = where_less(wanted, below, sine, load(raw, VECTORS * (2 * components + k) + v))
        tells = where_less(wanted, below, tells, load(raw, VECTORS * (3 * components + k) + v))
        below = below + part
    store(drawn, v, arc_tangent(sine, cosine))
    store(drawn, VECTORS + v, tells)
    store(drawn, 2 * VECTORS + v, (wanted - start) / size)
