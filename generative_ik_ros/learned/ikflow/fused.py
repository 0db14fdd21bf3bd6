"""A spline flow as one CPU kernel.

It computes what `ConditionalFlow.condition` and `generate` do, in single precision and without
their likelihood. Library calls for every small operation would take longer than the arithmetic.
"""

# pyright: reportArgumentType=false, reportCallIssue=false, reportIndexIssue=false
# pyright: reportGeneralTypeIssues=false

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.compiled.lanes import load, store
from generative_ik_ros.learned.fused_chunks import BLOCK, CHUNK, VECTORS, in_blocks, sums
from generative_ik_ros.learned.fused_math import LEAK, cosine, leaky, sine
from generative_ik_ros.learned.ikflow.config import FlowConfig
from generative_ik_ros.learned.ikflow.flow import ConditionalFlow
from generative_ik_ros.learned.ikflow.fused_ends import FusedEnds, close_ends
from generative_ik_ros.learned.ikflow.fused_pose import FusedPose, condition
from generative_ik_ros.learned.ikflow.fused_spline import invert_spline
from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import TURN

_F = np.float32
_ZERO, _ONE, _TWO = _F(0.0), _F(1.0), _F(2.0)


class FusedFlow(NamedTuple):
    """The weights as the kernel takes them, see `ConditionalFlow`.

    A matrix (I, O) is stored as (ceil(O / 4), I, 4), padded with zeros: in the order of use.

    Attributes:
        first: (L, ceil(H / 4), I, 4).
        middle: (L, N - 1, ceil(H / 4), H, 4).
        last: (L, ceil(M P / 4), H, 4).
        orders: (L, D).
        circular: (D,).
        turn: (D,) angle at the ends of the box [rad].
        untouched: d.
        hidden: H.
        bins: K.
        outputs: M P.
    """

    first: NDArray[np.float32]
    middle: NDArray[np.float32]
    last: NDArray[np.float32]
    orders: NDArray[np.int64]
    circular: NDArray[np.bool_]
    turn: NDArray[np.float32]
    untouched: int
    hidden: int
    bins: int
    outputs: int

    @classmethod
    def of(cls, flow: ConditionalFlow) -> "FusedFlow":
        """Take the weights of a spline flow."""
        config = flow.config
        circular = np.array(config.circular)
        return cls(
            in_blocks(flow.first),
            in_blocks(flow.middle),
            in_blocks(flow.last),
            np.array(config.permutations, np.int64),
            circular,
            np.where(circular, np.pi, config.half_turn).astype(np.float32),
            config.untouched,
            config.hidden,
            config.bins,
            flow.last.shape[-1],
        )


class FusedBox(NamedTuple):
    """How coordinates become positions inside the bounds of a request.

    Attributes:
        columns: (n,) each joint's coordinate of the flow; -1 for the first and -2 for the last
            joint where they follow in closed form.
        least: (n,) position where the coordinate is 0 [rad or m]; 0 for joints that follow.
        slope: (n,) change of the position from coordinate 0 to 1; 1 for joints that follow.
        turning: (n,) whether the position may be full turns away from the bounds.
    """

    columns: NDArray[np.int64]
    least: NDArray[np.float64]
    slope: NDArray[np.float64]
    turning: NDArray[np.bool_]

    @classmethod
    def of(cls, chain: KinematicChain, config: FlowConfig) -> "FusedBox":
        """Prepare a chain."""
        box, modelled = JointBox.of(chain), config.modelled
        columns = np.full(chain.num_joints, -1)
        columns[modelled] = np.arange(len(modelled))
        last = int(chain.joint_variable[-1])
        if last in config.closed:
            columns[last] = -2
        closed = columns < 0
        return cls(
            columns,
            np.where(closed, 0.0, box.middle - box.half),
            np.where(closed, 1.0, 2.0 * box.half),
            box.circular | closed,
        )


class Fused(NamedTuple):
    """A flow and its chain as the kernels take them."""

    pose: FusedPose
    flow: FusedFlow
    ends: FusedEnds
    box: FusedBox

    @classmethod
    def of(cls, flow: ConditionalFlow, chain: KinematicChain) -> "Fused":
        """Take the weights of a spline flow whose pose input is one of `COLUMNS`."""
        return cls(
            FusedPose.of(flow),
            FusedFlow.of(flow),
            FusedEnds.of(chain, flow.config),
            FusedBox.of(chain, flow.config),
        )


class BaseSequence(NamedTuple):
    """The base samples of a request.

    Attributes:
        recurrence: (2, D) of quasi-random points, see `quasi_random.recurrence`.
        temperature: Factor of their spread about the centre.
        first: Index of the first sample in the sequence.
    """

    recurrence: NDArray[np.float64]
    temperature: float
    first: int


@kernel(error_model="numpy")
def generate(network, sequence, poses, biases, lower, upper, begin, end, positions):  # noqa: ANN001, ANN201
    """Turn base samples into configurations, for some of the chunks of all poses.

    Args:
        network: A `Fused`.
        sequence: A `BaseSequence`.
        poses: (T, 4, 4) last joint frame in the first joint frame [m].
        biases: (T, L, S) of `ConditionalFlow.condition`, 1 added to the gains, float32.
        lower: (n,) bounds of the request [rad or m].
        upper: (n,) likewise.
        begin: First chunk to do; pose t has the chunks from t * `chunks_of` on.
        end: Chunk to stop at.
        positions: (T, K, n) configurations inside the bounds [rad or m], float64, written.
    """
    flow, ends, box = network.flow, network.ends, network.box
    width, skipped = flow.orders.shape[1], sequence.first % CHUNK
    chunks = (skipped + positions.shape[1] + CHUNK - 1) // CHUNK
    layers, hidden = len(flow.orders), flow.hidden
    kept, moved = flow.untouched, width - flow.untouched
    per_spline = flow.outputs // moved
    inner = (1 + flow.middle.shape[1]) * hidden
    # Rows of lanes; the two vectors of a chunk are adjacent.
    x = np.empty(width * CHUNK, np.float32)
    closed = np.empty(2 * CHUNK, np.float32)
    given = np.empty(3 * kept * CHUNK, np.float32)
    row = np.empty((hidden + BLOCK) * CHUNK, np.float32)
    other = np.empty((hidden + BLOCK) * CHUNK, np.float32)
    coefficients = np.empty((flow.outputs + BLOCK) * CHUNK, np.float32)
    ones = np.ones(flow.outputs, np.float32)
    for chunk in range(begin, end):
        t, at = chunk // chunks, chunk % chunks
        _draw(sequence, sequence.first - skipped + at * CHUNK, width, x)
        for layer in range(layers):
            order, its = flow.orders[layer], biases[t, layer]
            for j in range(kept):
                _features(x, order[j], flow.circular, flow.turn, given, j, kept)
            _layer(flow.first[layer], given, its, its[inner:], hidden, LEAK, row)
            for i in range(flow.middle.shape[1]):
                start = (i + 1) * hidden
                matrix = flow.middle[layer, i]
                _layer(matrix, row, its[start:], its[inner + start :], hidden, LEAK, other)
                row, other = other, row
            shifts = its[2 * inner :]
            _layer(flow.last[layer], row, ones, shifts, flow.outputs, _ONE, coefficients)
            for j in range(moved):
                joint = order[kept + j]
                for v in range(VECTORS):
                    invert_spline(
                        x, VECTORS * joint + v, coefficients, VECTORS * j * per_spline + v,
                        VECTORS, flow.circular[joint], flow.bins,
                    )  # fmt: skip
        if ends.first or ends.last:
            for v in range(VECTORS):
                close_ends(ends, x, VECTORS, v, poses[t], closed)
        _place(x, closed, at * CHUNK - skipped, box, lower, upper, positions[t])


@kernel(error_model="numpy")
def condition_and_generate(network, sequence, poses, lower, upper, positions):  # noqa: ANN001, ANN201
    """Serve a short request in one call; see `generate`."""
    layers = len(network.flow.orders)
    split = condition(network.pose, poses).reshape((len(poses), layers, -1))
    end = len(poses) * ((sequence.first % CHUNK + positions.shape[1] + CHUNK - 1) // CHUNK)
    generate(network, sequence, poses, split, lower, upper, 0, end, positions)


@kernel(error_model="numpy")
def _draw(sequence, first, width, x):  # noqa: ANN001, ANN202
    """Write a chunk of base samples, those of `base_samples`."""
    for j in range(width):
        shift, ratio = sequence.recurrence[0, j], sequence.recurrence[1, j]
        for s in range(CHUNK):
            unit = shift + ratio * (first + s + 1)
            unit -= np.floor(unit)
            x[j * CHUNK + s] = np.float32(0.5 + sequence.temperature * (unit - 0.5))


@kernel(error_model="numpy")
def _features(x, joint, circular, turn, given, j, kept):  # noqa: ANN001, ANN202
    """Write the input features of a coordinate for the coefficient networks."""
    straight = _ZERO if circular[joint] else _ONE
    for v in range(VECTORS):
        centred = _TWO * load(x, VECTORS * joint + v) - _ONE
        angle = turn[joint] * centred
        store(given, VECTORS * j + v, straight * centred)
        store(given, VECTORS * (kept + j) + v, sine(angle))
        store(given, VECTORS * (2 * kept + j) + v, cosine(angle))


@kernel(error_model="numpy")
def _layer(blocks, rows, gains, shifts, size, leak, out):  # noqa: ANN001, ANN202
    """Write a layer: product, gain, shift and, with a leak below 1, leaky ReLU."""
    for o in range(len(blocks)):
        a0, a1, b0, b1, c0, c1, d0, d1 = sums(blocks[o], rows)
        i = BLOCK * o
        _activate(a0, a1, gains[i], shifts[i], leak, out, i)
        j, k, m = min(i + 1, size - 1), min(i + 2, size - 1), min(i + 3, size - 1)
        _activate(b0, b1, gains[j], shifts[j], leak, out, i + 1)
        _activate(c0, c1, gains[k], shifts[k], leak, out, i + 2)
        _activate(d0, d1, gains[m], shifts[m], leak, out, i + 3)


@kernel(error_model="numpy")
def _activate(one, two, gain, shift, leak, out, place):  # noqa: ANN001, ANN202
    store(out, VECTORS * place, leaky(one * gain + shift, leak))
    store(out, VECTORS * place + 1, leaky(two * gain + shift, leak))


@kernel()
def _place(x, closed, start, box, lower, upper, positions):  # noqa: ANN001, ANN202
    """Write a chunk's configurations: the turn nearest to the bounds' middle, then clipped."""
    count, joints = positions.shape
    first, last = max(0, -start), min(CHUNK, count - start)
    for j in range(joints):
        column, least, slope = box.columns[j], box.least[j], box.slope[j]
        centre = (lower[j] + upper[j]) / 2.0
        rows, row = (x, column) if column >= 0 else (closed, -1 - column)
        for s in range(first, last):
            q = least + slope * np.float64(rows[row * CHUNK + s])
            if box.turning[j]:
                q -= TURN * np.rint((q - centre) / TURN)
            positions[start + s, j] = min(max(q, lower[j]), upper[j])
