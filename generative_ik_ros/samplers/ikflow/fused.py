"""Base samples and a spline flow's weights in, configurations out: the flow as one CPU kernel.

It computes what `ConditionalFlow.condition` and `generate` do, in single precision and without
their likelihood, and without a library call for every small operation: those take longer than the
arithmetic. Samples go through in chunks that are aligned to the sequence of base samples, so that
a sample has the same place in its chunk, and the same bits, in every request. Chunks are
independent of each other: threads share them out.
"""

# pyright: reportArgumentType=false, reportCallIssue=false, reportIndexIssue=false
# pyright: reportGeneralTypeIssues=false

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from generative_ik_ros.samplers.ikflow.flow import ConditionalFlow
from generative_ik_ros.samplers.ikflow.fused_math import LEAK, cosine, leaky, sine
from generative_ik_ros.samplers.ikflow.fused_spline import invert_spline
from generative_ik_ros.samplers.ikflow.lanes import WIDTH, load, spread, store

_VECTORS = 2
CHUNK = _VECTORS * WIDTH
"""Samples that go through together: two vectors make the most of a weight that was read."""
_BLOCK = 4
"""Outputs of a matrix that are summed up together, in registers."""
_F = np.float32
_ZERO, _ONE, _TWO = _F(0.0), _F(1.0), _F(2.0)


class FusedFlow(NamedTuple):
    """The weights as the kernel wants them, see `ConditionalFlow`.

    A matrix (I, O) is stored as (ceil(O / 4), I, 4), filled up with zeros: in the order of use.

    Attributes:
        first: (L, ceil(H / 4), I, 4).
        middle: (L, N - 1, ceil(H / 4), H, 4).
        last: (L, ceil(M P / 4), H, 4).
        last_bias: (L, M P).
        orders: (L, D).
        circular: (D,).
        turn: (D,) angle at the ends of the box [rad].
        untouched: d.
        hidden: H.
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
    hidden: int
    bins: int

    @classmethod
    def of(cls, flow: ConditionalFlow) -> "FusedFlow":
        """Take the weights of a spline flow."""
        config = flow.config

        def blocks(name: str) -> NDArray[np.float32]:
            values = getattr(flow, name).detach().float().cpu().numpy()
            *batch, inputs, outputs = values.shape
            filled = np.zeros((*batch, inputs, -(-outputs // _BLOCK) * _BLOCK), np.float32)
            filled[..., :outputs] = values
            split = filled.reshape(*batch, inputs, -1, _BLOCK)
            return np.ascontiguousarray(np.swapaxes(split, -2, -3))

        circular = np.array(config.circular)
        return cls(
            blocks("first"),
            blocks("middle"),
            blocks("last"),
            flow.last_bias.detach().float().cpu().numpy().copy(),
            np.array(config.permutations, np.int64),
            circular,
            np.where(circular, np.pi, config.half_turn).astype(np.float32),
            config.untouched,
            config.hidden,
            config.bins,
        )


class FusedBox(NamedTuple):
    """Where a request wants its configurations; see `JointBox.positions`.

    Attributes:
        middle: (n,) centre of the joint box [rad or m].
        half: (n,) half its width [rad or m].
        circular: (n,) whether the joint is a circle.
        lower: (n,) bounds of the request [rad or m].
        upper: (n,) likewise.
    """

    middle: NDArray[np.float64]
    half: NDArray[np.float64]
    circular: NDArray[np.bool_]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


def chunks_of(count: int, first: int) -> int:
    """Return over how many chunks `count` samples from place `first` on are spread."""
    return -(-(first % CHUNK + count) // CHUNK)


@njit(nogil=True, cache=True, error_model="numpy")
def generate(flow, base, biases, first, begin, end, box, positions):  # noqa: ANN001, ANN201
    """Turn base samples into configurations, for some of the chunks of all poses.

    Args:
        flow: A `FusedFlow`.
        base: (K, D) uniform base samples.
        biases: (T, L, N, H) of `ConditionalFlow.condition`, float32.
        first: Place of the first sample in the sequence of base samples.
        begin: First chunk to do; pose t has the chunks from t * `chunks_of(K, first)` on.
        end: Chunk to stop at.
        box: A `FusedBox`.
        positions: (T, K, n) configurations inside the bounds [rad or m], float64, written.
    """
    count, width = base.shape
    layers = len(flow.orders)
    outputs = flow.last_bias.shape[1]
    kept, moved = flow.untouched, width - flow.untouched
    per_spline = outputs // moved
    # Rows of lanes; the two vectors of a chunk lie beside each other.
    x = np.empty(width * CHUNK, np.float32)
    given = np.empty(3 * kept * CHUNK, np.float32)
    row = np.empty((flow.hidden + _BLOCK) * CHUNK, np.float32)
    other = np.empty((flow.hidden + _BLOCK) * CHUNK, np.float32)
    coefficients = np.empty((outputs + _BLOCK) * CHUNK, np.float32)
    skipped = first % CHUNK
    a_pose = (skipped + count + CHUNK - 1) // CHUNK
    for chunk in range(begin, end):
        t, start = chunk // a_pose, (chunk % a_pose) * CHUNK - skipped
        for j in range(width):
            for s in range(CHUNK):
                x[j * CHUNK + s] = base[min(max(start + s, 0), count - 1), j]
        for layer in range(layers):
            order = flow.orders[layer]
            for j in range(kept):
                _features(x, order[j], flow.circular, flow.turn, given, j, kept)
            _layer(flow.first[layer], given, biases[t, layer, 0], LEAK, row)
            for i in range(flow.middle.shape[1]):
                _layer(flow.middle[layer, i], row, biases[t, layer, i + 1], LEAK, other)
                row, other = other, row
            _layer(flow.last[layer], row, flow.last_bias[layer], _ONE, coefficients)
            for j in range(moved):
                joint = order[kept + j]
                for v in range(_VECTORS):
                    invert_spline(
                        x, _VECTORS * joint + v, coefficients, _VECTORS * j * per_spline + v,
                        _VECTORS, flow.circular[joint], flow.bins,
                    )  # fmt: skip
        _place(x, start, box, positions[t])


@njit(nogil=True, cache=True, error_model="numpy")
def _features(x, joint, circular, turn, given, j, kept):  # noqa: ANN001, ANN202
    straight = _ZERO if circular[joint] else _ONE
    for v in range(_VECTORS):
        centred = _TWO * load(x, _VECTORS * joint + v) - _ONE
        angle = turn[joint] * centred
        store(given, _VECTORS * j + v, straight * centred)
        store(given, _VECTORS * (kept + j) + v, sine(angle))
        store(given, _VECTORS * (2 * kept + j) + v, cosine(angle))


@njit(nogil=True, cache=True, error_model="numpy")
def _sums(block, rows):  # noqa: ANN001, ANN202
    """Multiply rows by four columns of a matrix (I, 4): eight sums, all in registers."""
    a0 = a1 = b0 = b1 = c0 = c1 = d0 = d1 = spread(_ZERO)
    for i in range(len(block)):
        one, two = load(rows, _VECTORS * i), load(rows, _VECTORS * i + 1)
        a0, a1 = a0 + block[i, 0] * one, a1 + block[i, 0] * two
        b0, b1 = b0 + block[i, 1] * one, b1 + block[i, 1] * two
        c0, c1 = c0 + block[i, 2] * one, c1 + block[i, 2] * two
        d0, d1 = d0 + block[i, 3] * one, d1 + block[i, 3] * two
    return a0, a1, b0, b1, c0, c1, d0, d1


@njit(nogil=True, cache=True, error_model="numpy")
def _layer(blocks, rows, biases, leak, out):  # noqa: ANN001, ANN202
    """Write a layer: product, bias and, with a leak below 1, leaky ReLU."""
    last = len(biases) - 1
    for o in range(len(blocks)):
        a0, a1, b0, b1, c0, c1, d0, d1 = _sums(blocks[o], rows)
        first = _BLOCK * o
        _activate(a0, a1, biases[first], leak, out, first)
        _activate(b0, b1, biases[min(first + 1, last)], leak, out, first + 1)
        _activate(c0, c1, biases[min(first + 2, last)], leak, out, first + 2)
        _activate(d0, d1, biases[min(first + 3, last)], leak, out, first + 3)


@njit(nogil=True, cache=True, error_model="numpy")
def _activate(one, two, bias, leak, out, place):  # noqa: ANN001, ANN202
    store(out, _VECTORS * place, leaky(one + bias, leak))
    store(out, _VECTORS * place + 1, leaky(two + bias, leak))


@njit(nogil=True, cache=True)
def _place(x, start, box, positions):  # noqa: ANN001, ANN202
    """Write a chunk's configurations: the turn nearest to the bounds' middle, then clipped."""
    count, joints = positions.shape
    for j in range(joints):
        lower, upper = box.lower[j], box.upper[j]
        centre, turn = (lower + upper) / 2.0, 2.0 * np.pi
        for s in range(max(0, -start), min(CHUNK, count - start)):
            q = box.middle[j] + box.half[j] * (2.0 * np.float64(x[j * CHUNK + s]) - 1.0)
            if box.circular[j]:
                q -= turn * np.rint((q - centre) / turn)
            positions[start + s, j] = min(max(q, lower), upper)
