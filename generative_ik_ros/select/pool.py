"""The pool of distinct solutions of each target, for Python and for compiled code."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.parallel import fill
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.select.grid import (
    FEW,
    Grid,
    cell,
    cells_near,
    hash_cell,
    hash_further,
    unpack_grid,
)

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# Arguments of compiled code come as tuples, whose length a type checker does not see.
# pyright: reportCallIssue=false

NUMBERS = 4
"""What is noted of a solution, see `PoolArrays.errors`."""
_MANY, _LARGE = 100, 4096
"""Pools for fewer solutions than the first have fewer buckets than the second; those with more are
large."""
_MOST_BUCKETS = 1 << 20
_FREE = 0
"""The verdict on what does not collide."""
SAME = -2
"""See `find_prevailing`."""
_IDENTICAL = 0.1
"""Share of the distance of duplicates below which two are one solution, found again. Within the
tolerances it may be anywhere along a short way, whose near end would lag behind a seed state."""

PoolNumbers = tuple[
    NDArray[np.float64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64],
    NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32],
]  # fmt: skip
"""Arrays of a `SolutionPool`."""


class PoolArrays(NamedTuple):
    """The distinct solutions of T targets, as compiled code reads and writes them.

    Attributes:
        grid: What makes them distinct.
        positions: (T, C, n) solutions in the order in which they were found [rad or m].
        errors: (T, C, 4) their distance [m] and angle [rad] from the target, the `Verdict` of the
            collision check, 0 without one, and the index of the pose. What has given way to a
            nearer duplicate counts as colliding.
        visits: (T, C) how often each solution was found.
        counts: (T,) number of solutions.
        heads: (T, H) last solution of each bucket of cells, or -1; H is a power of two.
        before: (T, C) the solution before it in its bucket, or -1.
    """

    grid: Grid
    positions: NDArray[np.float64]
    errors: NDArray[np.float64]
    visits: NDArray[np.int64]
    counts: NDArray[np.int64]
    heads: NDArray[np.int32]
    before: NDArray[np.int32]


class SolutionPool:
    """The distinct solutions found so far for each of T targets.

    Two configurations are the same solution when every joint differs by less than the grid's
    distance, circular joints up to full turns.

    Its attributes are those of `PoolArrays`, apart from the grid: (floats, ints) of `Grid.packed`.

    Args:
        num_targets: T.
        capacity: Most solutions C kept for a target.
        num_joints: n.
        grid: As above.
    """

    def __init__(
        self,
        num_targets: int,
        capacity: int,
        num_joints: int,
        grid: tuple[NDArray[np.float64], NDArray[np.int64]],
    ):
        """Make an empty pool."""
        # Which of several near solutions is found first depends on it, so where many are wanted
        # it does not depend on how many.
        least = capacity if capacity < _MANY else max(capacity, _LARGE)
        buckets = min(1 << (least - 1).bit_length(), _MOST_BUCKETS)
        self.positions = np.empty((num_targets, capacity, num_joints))
        self.errors = np.empty((num_targets, capacity, NUMBERS))
        self.visits = np.empty((num_targets, capacity), np.int64)
        self.counts = np.zeros(num_targets, np.int64)
        self.grid = grid
        self._heads = np.empty((num_targets, buckets), np.int32)
        fill(self._heads, -1)
        self._before = np.empty((num_targets, capacity), np.int32)

    @property
    def arrays(self) -> PoolNumbers:
        """The grid's two arrays, then those of `PoolArrays`, as compiled code takes them."""
        return (
            *self.grid, self.positions, self.errors, self.visits, self.counts, self._heads,
            self._before,
        )  # fmt: skip

    def add(self, positions: NDArray[np.float64], target_of_row: NDArray[np.int64]) -> None:
        """Keep what is new of (S, n) configurations for targets (S,), while there is room."""
        _add(*self.arrays, positions, target_of_row)


@inlined
def pool_of(floats, ints, positions, errors, visits, counts, heads, before):
    """Return the pool whose arrays these are, without a share in them; see `borrow`."""
    return PoolArrays(
        unpack_grid(borrow(floats), borrow(ints)), borrow(positions), borrow(errors),
        borrow(visits), borrow(counts), borrow(heads), borrow(before),
    )  # fmt: skip


@kernel()
def _add(floats, ints, kept, errors, visits, counts, heads, before, positions, target_of_row):
    pool = pool_of(floats, ints, kept, errors, visits, counts, heads, before)
    positions = borrow(positions)
    for s in range(len(positions)):
        t = target_of_row[s]
        known = find_known(pool, t, positions[s])
        if known >= 0:
            pool.visits[t, known] += 1
        elif pool.counts[t] < pool.positions.shape[1]:
            insert(pool, t, positions[s])


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
    if pool.heads.shape[1] <= _LARGE:
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
    if pool.heads.shape[1] > _LARGE:
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
