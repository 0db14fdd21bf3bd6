"""The most diverse order of solutions in numba."""

import numpy as np

from generative_ik_ros.compiled import SINGLE_WIDTH
from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.compiled.lane_algebra import half_angle
from generative_ik_ros.compiled.lanes import (
    first_lane,
    lane_of,
    lanes_below,
    largest_of,
    load,
    spread,
    store,
    store_choice,
    where_less,
)

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false

_TAKEN, _FARTHEST = -2.0, np.float32(1e30)
_ALL = (1 << SINGLE_WIDTH) - 1
_RANKED = 256
"""Of more solutions than can be compared so many times with one another only an even choice is."""


@kernel()
def diverse_ranks(positions, lower, upper, turning, scale, count, work):  # noqa: ANN201
    """Do what `most_diverse_first` does; see there."""
    positions = borrow(positions)
    everything, num_joints = positions.shape
    dimensions = num_joints
    for v in range(num_joints):
        dimensions += turning[v]
    size = min(everything, max(1, work // (dimensions * _RANKED)))
    stride = (everything + size - 1) // size
    size = (everything + stride - 1) // stride
    blocks = (size + SINGLE_WIDTH - 1) // SINGLE_WIDTH
    if blocks > 2:
        # They are looked at four at a time.
        blocks = (blocks + 3) // 4 * 4
    # Periodic joints take two coordinates, cosine and sine of their angle; others take one.
    # Coordinate d of solution s is in row d * blocks + s // 16, lane s % 16.
    memory = np.zeros(((dimensions + 2) * blocks + 2) * SINGLE_WIDTH, np.float32)
    rows = borrow(memory)
    # Of how far each is from its limits there is a row where the gaps will be.
    d, gaps = 0, (dimensions + 1) * blocks * SINGLE_WIDTH
    rows[gaps : gaps + size] = np.inf
    for v in range(num_joints):
        # Seen from the first, so that single precision does for long ways, too.
        per_unit = 1.0 / scale[v]
        factor, origin = (1.0, 0.0) if turning[v] else (per_unit, positions[0, v])
        begin, low, high = d * blocks * SINGLE_WIDTH, lower[v], upper[v]
        for s in range(size):
            q = positions[s * stride, v]
            rows[begin + s] = (q - origin) * factor
            margin = np.float32(min(q - low, high - q) * per_unit)
            rows[gaps + s] = min(rows[gaps + s], margin)
        if turning[v]:
            for b in range(d * blocks, (d + 1) * blocks):
                sine, cosine = half_angle(load(rows, b))
                store(rows, b, cosine * cosine - sine * sine)
                store(rows, b + blocks, sine * cosine * 2.0)
        d += 2 if turning[v] else 1
    first = 0
    for s in range(size):
        if rows[gaps + s] > rows[gaps + first]:
            first = s
    ranked = min(count, size, max(1, work // (d * size)))
    order = np.empty(count, np.int64)
    _farthest_first(rows, d, blocks, size, first, order[:ranked])
    for k in range(ranked):
        order[k] *= stride
    k = ranked
    for s in range(everything):
        if k < count and (s % stride != 0 or rows[gaps + s // stride] != _TAKEN):
            order[k] = s
            k += 1
    # Until here the rows must be there, which the compiler does not see.
    memory[0] = 0.0
    return order


@inlined
def _farthest_first(rows, dimensions, blocks, size, first, order):
    """Take the solution furthest from all taken before, again and again; look at 16 at a time.

    The squared distance of a and b is |a|^2 + |b|^2 - 2 a b. Behind the coordinates come rows of
    the squared lengths, and of the squared gaps to what was taken.
    """
    lengths, gaps, end = dimensions * blocks, (dimensions + 1) * blocks, (dimensions + 2) * blocks
    zero, fours = np.float32(0.0), blocks if blocks % 4 == 0 else 0
    for b in range(blocks):
        total = spread(zero)
        for d in range(dimensions):
            total = total + load(rows, d * blocks + b) * load(rows, d * blocks + b)
        store(rows, lengths + b, total)
        store(rows, gaps + b, spread(_FARTHEST))
    # Lanes beyond the last solution are never the furthest.
    rows[gaps * SINGLE_WIDTH + size : end * SINGLE_WIDTH] = -1.0
    chosen = first
    for k in range(order.shape[0]):
        order[k] = chosen
        rows[gaps * SINGLE_WIDTH + chosen] = _TAKEN
        length = rows[lengths * SINGLE_WIDTH + chosen]
        best, best_block = spread(zero) - 1.0, spread(zero)
        for b in range(0, fours, 4):
            p = q = r = s = spread(zero)
            for d in range(dimensions):
                other, at = spread(rows[d * blocks * SINGLE_WIDTH + chosen]), d * blocks + b
                p = p + load(rows, at) * other
                q = q + load(rows, at + 1) * other
                r = r + load(rows, at + 2) * other
                s = s + load(rows, at + 3) * other
            best, best_block = _further(rows, lengths, gaps, b, p, length, best, best_block)
            best, best_block = _further(rows, lengths, gaps, b + 1, q, length, best, best_block)
            best, best_block = _further(rows, lengths, gaps, b + 2, r, length, best, best_block)
            best, best_block = _further(rows, lengths, gaps, b + 3, s, length, best, best_block)
        for b in range(fours, blocks):
            p = spread(zero)
            for d in range(dimensions):
                other = spread(rows[d * blocks * SINGLE_WIDTH + chosen])
                p = p + load(rows, d * blocks + b) * other
            best, best_block = _further(rows, lengths, gaps, b, p, length, best, best_block)
        lane = first_lane(_ALL ^ lanes_below(best, largest_of(best)))
        chosen = int(lane_of(best_block, lane)) * SINGLE_WIDTH + lane


@inlined
def _further(rows, lengths, gaps, b, product, length, best, best_block):
    """Update the gaps of a block; return the largest gap in each lane so far, and its block."""
    distance = load(rows, lengths + b) + length - product * 2.0
    gap = load(rows, gaps + b)
    # Rounding makes the distance of duplicates negative; what was taken is marked by less.
    gap = where_less(distance, gap, distance, gap)
    store_choice(rows, gaps + b, gap)
    return where_less(best, gap, gap, best), where_less(best, gap, b * 1.0, best_block)
