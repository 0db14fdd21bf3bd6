"""Compiled parts of a wave: seeds along self-motions, and the choice of what it keeps."""

import numpy as np

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.paths.null_space import hold, null_basis, weighted_jacobian
from generative_ik_ros.robot.rodrigues_kernel import borrow_rodrigues

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@kernel(error_model="numpy")
def self_motion_seeds(chain, layer, stride, turns, ways, seeds):
    """Write seeds beside configurations, along their self-motions.

    Args:
        chain: RodriguesChain.
        layer: (M, n) configurations [rad or m].
        stride: (n,) how far each joint may be moved.
        turns: (D, k) directions in the null space, whose dimension is k.
        ways: (M, 6, 6) or (1, 6, 6) in which ways the pose holds the tip.
        seeds: (2 D, M, n) out: the configurations moved there and back in each direction, until
            a joint is at its stride.
    """
    n, joints = layer.shape[1], chain.shifts.shape[0]
    memory = np.empty((joints, 6)), np.empty((6, n)), np.empty((turns.shape[1], n))
    axes, jacobian, basis = borrow(memory[0]), borrow(memory[1]), borrow(memory[2])
    weight = 1.0 / stride
    chain, layer, stride = borrow_rodrigues(chain), borrow(layer), borrow(stride)
    turns, seeds, weights = borrow(turns), borrow(seeds), borrow(weight)
    ways = borrow(ways)
    for m in range(layer.shape[0]):
        weighted_jacobian(chain, layer[m], weights, axes, jacobian)
        hold(jacobian, ways[m if ways.shape[0] > 1 else 0])
        null_basis(jacobian, basis, True, True)  # noqa: FBT003
        for d in range(turns.shape[0]):
            largest = 1e-12
            for v in range(n):
                largest = max(largest, abs(_along(turns, basis, d, v)))
            for v in range(n):
                move = stride[v] * _along(turns, basis, d, v) / largest
                seeds[2 * d, m, v] = layer[m, v] + move
                seeds[2 * d + 1, m, v] = layer[m, v] - move
    # Until here the memory must be there, which the compiler does not see.
    memory[0][0, 0] = memory[1][0, 0] = memory[2][0, 0] = weight[0] = 0.0


@inlined
def _along(turns, basis, d, v):
    total = 0.0
    for a in range(basis.shape[0]):
        total += turns[d, a] * basis[a, v]
    return total


@kernel(error_model="numpy")
def first_in_cells(found, order, cell, table, kept):
    """Write which configurations are the first in their cell of a grid.

    Args:
        found: (M, n) configurations.
        order: (O,) the order in which they are looked at.
        cell: (n,) size of a cell.
        table: (H,) memory of -1; H is a power of two, more than twice O.
        kept: (O,) out: their indices, in order.

    Returns:
        How many there are.
    """
    found, order, cell = borrow(found), borrow(order), borrow(cell)
    table, kept = borrow(table), borrow(kept)
    count, mask = 0, table.shape[0] - 1
    for o in range(order.shape[0]):
        k = order[o]
        key = np.uint64(0)
        for v in range(cell.shape[0]):
            key = (key ^ np.uint64(np.int64(np.floor(found[k, v] / cell[v])))) * _MULTIPLIER
            key ^= key >> np.uint64(29)
        place = np.int64(key & np.uint64(0x7FFFFFFF)) & mask
        while table[place] >= 0 and not _same(found, table[place], k, cell):
            place = (place + 1) & mask
        if table[place] < 0:
            table[place] = k
            kept[count] = k
            count += 1
    return count


@inlined
def _same(found, i, k, cell):
    for v in range(cell.shape[0]):
        if np.floor(found[i, v] / cell[v]) != np.floor(found[k, v] / cell[v]):
            return False
    return True
