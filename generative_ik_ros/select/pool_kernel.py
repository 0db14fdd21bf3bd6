"""The pool of distinct solutions, and its grid, in numba."""

import math

import numpy as np

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.select.grid import FEW, JOINTS, Grid
from generative_ik_ros.select.pool import LARGE, PoolArrays

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false

_FREE = 0
"""The verdict on what does not collide."""
SAME = -2
"""See `find_prevailing`."""
_IDENTICAL = 0.1
"""Share of the distance of duplicates below which two are one solution, found again. Within the
tolerances it may be anywhere along a short way, whose near end would lag behind a seed state."""


@inlined
def pool_of(floats, ints, positions, errors, visits, counts, heads, before):
    """Return the pool whose arrays these are, without a share in them; see `borrow`."""
    return PoolArrays(
        unpack_grid(borrow(floats), borrow(ints)), borrow(positions), borrow(errors),
        borrow(visits), borrow(counts), borrow(heads), borrow(before),
    )  # fmt: skip


@inlined
def find_known(pool, t, q):
    """Return the index of a solution of target t that is the same as q, or -1."""
    return _look(pool, t, q, q, q, True)


@inlined
def find_prevailing(pool, t, q, reference, weights):
    """Return the index of a solution of target t that is the same as q, and kept rather than q.

    It is free, and no further from the reference [rad or m], of which the weights say what a rad
    or m counts; or there is hardly a difference. Returns `SAME` if others are the same, else -1.
    """
    return _look(pool, t, q, reference, weights, False)


@inlined
def _look(pool, t, q, reference, weights, any_one):
    """Return what `find_prevailing` does, or the first that is the same."""
    if pool.heads.shape[1] <= LARGE:
        return _find(pool, t, q, 0, reference, weights, any_one)
    found = -1
    a0, a1 = cells_near(pool.grid, q, FEW)
    b0, b1 = cells_near(pool.grid, q, FEW + 1)
    c0, c1 = cells_near(pool.grid, q, FEW + 2)
    for a in range(a0, a1 + 1):
        for b in range(b0, b1 + 1):
            for c in range(c0, c1 + 1):
                further = hash_further(pool.grid, a, b, c)
                known = _find(pool, t, q, further, reference, weights, any_one)
                if known >= 0:
                    return known
                found = min(found, known)
    return found


@inlined
def _find(pool, t, q, further, reference, weights, any_one):
    """Look in the cells of the first three joints, given the hash of the other three."""
    found = -1
    a0, a1 = cells_near(pool.grid, q, 0)
    b0, b1 = cells_near(pool.grid, q, 1)
    c0, c1 = cells_near(pool.grid, q, 2)
    for a in range(a0, a1 + 1):
        for b in range(b0, b1 + 1):
            for c in range(c0, c1 + 1):
                known = pool.heads[t, _bucket(pool, a, b, c, further)]
                while known >= 0:
                    if is_same(pool, t, known, q):
                        if any_one or _prevails(pool, t, known, q, reference, weights):
                            return known
                        found = SAME
                    known = pool.before[t, known]
    return found


@inlined
def _prevails(pool, t, known, q, reference, weights):
    """Say whether a solution of target t is kept rather than q; see `find_prevailing`."""
    if pool.errors[t, known, 2] == _FREE:
        own = squared_distance(q, reference, weights)
        if squared_distance(pool.positions[t, known], reference, weights) <= own:
            return True
    return _is_within(pool, t, known, q, _IDENTICAL * pool.grid.distance)


@inlined
def squared_distance(q, reference, weights):
    """Return the squared distance from a reference (n,), each joint's times its weight."""
    total = 0.0
    for v in range(q.shape[0]):
        total += ((q[v] - reference[v]) * weights[v]) ** 2
    return total


@inlined
def insert(pool, t, q):
    """Append q to the solutions of target t, which must have room; return its index."""
    place = pool.counts[t]
    _put(pool, t, place, q)
    pool.visits[t, place] = 1
    pool.counts[t] = place + 1
    return place


@inlined
def move(pool, t, place, q):
    """Put q in the place of a solution of target t."""
    bucket = _bucket_of(pool, pool.positions[t, place])
    at = pool.heads[t, bucket]
    if at == place:
        pool.heads[t, bucket] = pool.before[t, place]
    else:
        while pool.before[t, at] != place:
            at = pool.before[t, at]
        pool.before[t, at] = pool.before[t, place]
    _put(pool, t, place, q)


@inlined
def _put(pool, t, place, q):
    """Write q to a place of target t that is in no bucket."""
    bucket = _bucket_of(pool, q)
    for v in range(q.shape[0]):
        pool.positions[t, place, v] = q[v]
    pool.before[t, place] = pool.heads[t, bucket]
    pool.heads[t, bucket] = place


@inlined
def _bucket_of(pool, q):
    """Return the bucket of the cell that a configuration lies in."""
    grid, further = pool.grid, 0
    if pool.heads.shape[1] > LARGE:
        further = hash_further(
            grid, cell(grid, q, FEW), cell(grid, q, FEW + 1), cell(grid, q, FEW + 2)
        )
    return _bucket(pool, cell(grid, q, 0), cell(grid, q, 1), cell(grid, q, 2), further)


@inlined
def _bucket(pool, a, b, c, further):
    return hash_cell(pool.grid, a, b, c, further) & (pool.heads.shape[1] - 1)


@inlined
def is_same(pool, t, known, q):
    """Say whether q is the same as one known solution of target t."""
    return _is_within(pool, t, known, q, pool.grid.distance)


@inlined
def _is_within(pool, t, known, q, distance):
    """Say whether all joints of q are nearer than that to those of a solution of target t."""
    for v in range(q.shape[0]):
        gap = abs(pool.positions[t, known, v] - q[v])
        if gap >= distance:
            if not pool.grid.circular[v]:
                return False
            if abs(gap - TURN * np.rint(gap / TURN)) >= distance:
                return False
    return True


@inlined
def unpack_grid(floats, ints):
    """Return the grid that was packed."""
    k = JOINTS
    return Grid(floats[0], floats[1 : 1 + k], ints[:k], ints[k : 2 * k], ints[2 * k :])


@inlined
def _coordinate(grid, q, k):
    """Return where a configuration is along joint k of the grid, in cells."""
    x = q[grid.joints[k]]
    if grid.cells[k]:
        x -= TURN * math.floor(x * (1.0 / TURN))
    return x * grid.per_unit[k]


@inlined
def cell(grid, q, k):
    """Return the cell that a configuration lies in along joint k of the grid."""
    return _wrapped(grid, math.floor(_coordinate(grid, q, k)), k)


@inlined
def cells_near(grid, q, k):
    """Return the first and the last cell along joint k with configurations that may equal q."""
    x, near = _coordinate(grid, q, k), grid.distance * grid.per_unit[k]
    low, high = math.floor(x - near), math.floor(x + near)
    if grid.cells[k] and high - low >= grid.cells[k]:
        return 0, grid.cells[k] - 1
    return low, high


@inlined
def _wrapped(grid, index, k):
    """Bring a cell beyond the end of a turn back; it is never more than one beyond."""
    if grid.cells[k]:
        if index < 0:
            index += grid.cells[k]
        elif index >= grid.cells[k]:
            index -= grid.cells[k]
    return index


@inlined
def hash_cell(grid, a, b, c, further):
    """Hash a cell of the first three joints, given the part of the hash of the other three."""
    a, b, c = _wrapped(grid, a, 0), _wrapped(grid, b, 1), _wrapped(grid, c, 2)
    mixed = (a * 73856093) ^ (b * 19349663) ^ (c * 83492791) ^ further
    return mixed ^ (mixed >> 15)


@inlined
def hash_further(grid, a, b, c):
    """Hash a cell of the grid's other three joints, for `hash_cell`."""
    a, b, c = _wrapped(grid, a, FEW), _wrapped(grid, b, FEW + 1), _wrapped(grid, c, FEW + 2)
    mixed = (a * 2654435761) ^ (b * 40503073) ^ (c * 2246822519)
    return mixed ^ (mixed >> 13)
