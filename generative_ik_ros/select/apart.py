"""The best of many solutions that lie apart from each other."""

import numpy as np

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.robot.rigid import TURN

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false


@kernel()
def best_apart(positions, order, around, distance, count):
    """Take the first of an order, then the next that is apart from all taken, and so on.

    Args:
        positions: (M, n) solutions [rad or m].
        order: (M,) their indices, the best first.
        around: (n,) joints on which a full turn makes no difference.
        distance: Two are apart if a joint differs by so much [rad or m].
        count: How many to take.

    Returns:
        (at most count,) indices.
    """
    positions, order, around = borrow(positions), borrow(order), borrow(around)
    taken, k = np.empty(count, np.int64), 0
    for s in order:
        if k == count:
            break
        if _is_apart(positions, taken, k, s, around, distance):
            taken[k] = s
            k += 1
    return taken[:k]


@kernel()
def highest(positions, order, around, distance, count):
    """Take the first of an order that are apart from all before them, taken or not.

    Where solutions lie closer than that everywhere, these are the local maxima of a score.

    Args and returned indices are those of `best_apart`.
    """
    positions, order, around = borrow(positions), borrow(order), borrow(around)
    taken, k = np.empty(count, np.int64), 0
    for i in range(len(order)):
        if k == count:
            break
        if _is_apart(positions, order, i, order[i], around, distance):
            taken[k] = order[i]
            k += 1
    return taken[:k]


@inlined
def _is_apart(positions, taken, k, s, around, distance):
    for i in range(k):
        largest = 0.0
        for v in range(positions.shape[1]):
            gap = abs(positions[s, v] - positions[taken[i], v])
            if around[v]:
                gap = abs(gap - TURN * np.rint(gap / TURN))
            largest = max(largest, gap)
        if largest < distance:
            return False
    return True
