"""Distinct solutions in, the order in which a caller wants them out."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

# ruff: noqa: ANN001, ANN202  (types inside compiled code are numba's, not Python's)

_WORK = 4_000_000
"""Most coordinates that are compared to put one target's solutions in order (about 1 ms). With
very many solutions only the first ones are ranked; the others follow as found."""


def nearest_first(
    positions: NDArray[np.float64], seed_state: NDArray[np.float64], count: int
) -> NDArray[np.int64]:
    """Rank (M, n) solutions by Euclidean joint distance from the (n,) seed state; (count,)."""
    distance = np.linalg.norm(positions - seed_state, axis=1)
    return np.argsort(distance, kind="stable")[:count]


def most_diverse_first(
    positions: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    turning: NDArray[np.bool_],
    scale: NDArray[np.float64],
    count: int,
) -> NDArray[np.int64]:
    """Rank solutions so that for every k the first k are spread widely.

    The first is the one furthest from its limits, each next the one furthest from all before it
    (T. F. Gonzalez, Clustering to minimize the maximum intercluster distance, 1985: no k others
    cover the set twice as well). Distance is that of the arm's shape: turning joints count as
    points on a circle.

    Args:
        positions: (M, n) solutions [rad or m].
        lower: (n,) limits; infinite for continuous joints.
        upper: (n,) likewise.
        turning: (n,) whether the joint turns rather than slides.
        scale: (n,) travel of a sliding joint that counts like a turn by 1 rad [m].
        count: How many to rank, at most M.

    Returns:
        (count,) indices of solutions.
    """
    return _rank(positions, lower, upper, turning, scale, count, _WORK)


@njit(nogil=True, cache=True)
def _rank(positions, lower, upper, turning, scale, count, work):
    size, num_joints = positions.shape
    # A turning joint takes two rows, its angle's cosine and sine; a sliding one takes one.
    shape = np.zeros((2 * num_joints, size))
    rows, first, widest = 0, 0, -1.0
    for v in range(num_joints):
        for s in range(size):
            if turning[v]:
                shape[rows, s] = math.cos(positions[s, v])
                shape[rows + 1, s] = math.sin(positions[s, v])
            else:
                shape[rows, s] = positions[s, v] / scale[v]
        rows += 2 if turning[v] else 1
    for s in range(size):
        margin = np.inf
        for v in range(num_joints):
            gap = min(positions[s, v] - lower[v], upper[v] - positions[s, v])
            margin = min(margin, gap / scale[v])
        if margin > widest:
            first, widest = s, margin
    ranked = min(count, max(1, work // (rows * size)))
    return _farthest_first(shape[:rows], first, count, ranked)


@njit(nogil=True, cache=True, fastmath=True)
def _farthest_first(shape, first, count, ranked):
    dimensions, size = shape.shape
    order = np.empty(count, np.int64)
    gap = np.full(size, 1e300)
    taken = np.zeros(size, np.bool_)
    distance = np.empty(size)
    chosen = first
    for k in range(ranked):
        order[k] = chosen
        taken[chosen] = True
        distance[:] = 0.0
        for d in range(dimensions):
            here = shape[d, chosen]
            for s in range(size):
                distance[s] += (shape[d, s] - here) ** 2
        best, chosen = -1.0, -1
        for s in range(size):
            gap[s] = min(gap[s], distance[s])
            if gap[s] > best and not taken[s]:
                best, chosen = gap[s], s
    k = ranked
    for s in range(size):
        if k >= count:
            break
        if not taken[s]:
            order[k] = s
            k += 1
    return order
