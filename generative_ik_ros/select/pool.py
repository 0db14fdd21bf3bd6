"""Configurations in, the distinct ones of each target out, found again by a grid of cells."""

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import kernel

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# Arguments of compiled code come as tuples, whose length a type checker does not see.
# pyright: reportCallIssue=false

_TURN = 2.0 * math.pi
_FEW, _GRID_JOINTS = 3, 6
"""Joints whose positions choose a cell. A few tell solutions apart, and there are few cells to
look in; in large pools that would leave hundreds of solutions in a cell."""
_LARGE = 4096
"""Pools with more buckets than this are large."""
_CELL = 8.0
"""Size of a cell in distinct distances."""
_MOST_BUCKETS = 1 << 20


class Grid(NamedTuple):
    """When two configurations are one solution, and cells by which it is found again.

    Attributes:
        distance: Solutions with no joint further apart are one [rad or m].
        per_unit: (6,) cells along each joint of the grid, per rad or m.
        joints: (6,) joints that span the grid; of small pools the first three.
        cells: (6,) number of cells round a circular joint; 0 for others.
        circular: (n,) joints on which a full turn is no difference.
    """

    distance: float
    per_unit: NDArray[np.float64]
    joints: NDArray[np.int64]
    cells: NDArray[np.int64]
    circular: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        circular: NDArray[np.bool_],
        distinct_distance: float,
        span: NDArray[np.float64],
    ) -> "Grid":
        """Lay out the cells.

        Args:
            circular: (n,) joints on which a full turn is no difference.
            distinct_distance: [rad or m].
            span: (n,) how far each joint goes [rad or m]; the widest tell solutions apart best.
        """
        joints = np.resize(np.argsort(-span, kind="stable"), _GRID_JOINTS)
        # A chain of fewer joints than the grid has dimensions has one cell along the others.
        own = np.arange(_GRID_JOINTS) < len(span)
        size = np.full(_GRID_JOINTS, _CELL * min(distinct_distance, 1e6))
        around = circular[joints] & own
        cells = np.where(around, np.maximum(_TURN // size, 1.0), 0.0)
        size = np.where(around, _TURN / np.maximum(cells, 1.0), size)
        return cls(
            float(distinct_distance), np.where(own, 1.0 / size, 0.0), joints,
            cells.astype(np.int64), circular.astype(np.int64),
        )  # fmt: skip

    def packed(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Put all numbers into two arrays; every array more costs each call its time."""
        return (
            np.concatenate([[self.distance], self.per_unit]),
            np.concatenate([self.joints, self.cells, self.circular]),
        )


@njit(forceinline=True)
def unpack_grid(floats, ints):
    """Return the grid that was packed."""
    k = _GRID_JOINTS
    return Grid(floats[0], floats[1 : 1 + k], ints[:k], ints[k : 2 * k], ints[2 * k :])


class PoolArrays(NamedTuple):
    """The distinct solutions of T targets, as compiled code reads and writes them.

    Attributes:
        grid: What makes them distinct.
        positions: (T, C, n) solutions in the order in which they were found [rad or m].
        errors: (T, C, 2) their distance [m] and angle [rad] from the target.
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

    Args:
        num_targets: T.
        capacity: Most solutions kept for a target.
        num_joints: n.
        grid: (floats, ints) of `Grid.packed`.

    Attributes:
        positions: (T, C, n) solutions in the order in which they were found [rad or m].
        errors: (T, C, 2) their distance [m] and angle [rad] from the target, where known.
        visits: (T, C) how often each solution was found.
        counts: (T,) number of solutions.
    """

    def __init__(
        self,
        num_targets: int,
        capacity: int,
        num_joints: int,
        grid: tuple[NDArray[np.float64], NDArray[np.int64]],
    ):
        """Make an empty pool."""
        buckets = min(1 << (capacity - 1).bit_length(), _MOST_BUCKETS)
        self.positions = np.empty((num_targets, capacity, num_joints))
        self.errors = np.empty((num_targets, capacity, 2))
        self.visits = np.empty((num_targets, capacity), np.int64)
        self.counts = np.zeros(num_targets, np.int64)
        self.grid = grid
        self._heads = np.full((num_targets, buckets), -1, np.int32)
        self._before = np.empty((num_targets, capacity), np.int32)

    @property
    def arrays(self) -> tuple[Any, ...]:
        """Everything but the grid, in the order of `PoolArrays`, for compiled code."""
        return (
            self.positions, self.errors, self.visits, self.counts, self._heads, self._before
        )  # fmt: skip

    def add(self, positions: NDArray[np.float64], target_of_row: NDArray[np.int64]) -> None:
        """Keep those of the (S, n) configurations that are new, while there is room.

        Args:
            positions: (S, n) configurations [rad or m].
            target_of_row: (S,) index of the target that each is meant for.
        """
        _add(*self.grid, *self.arrays, positions, target_of_row)


@kernel()
def _add(floats, ints, kept, errors, visits, counts, heads, before, positions, target_of_row):
    grid = unpack_grid(borrow(floats), borrow(ints))
    kept, errors, visits, counts = borrow(kept), borrow(errors), borrow(visits), borrow(counts)
    pool = PoolArrays(grid, kept, errors, visits, counts, borrow(heads), borrow(before))
    positions = borrow(positions)
    for s in range(len(positions)):
        t = target_of_row[s]
        known = find_known(pool, t, positions[s])
        if known >= 0:
            visits[t, known] += 1
        elif counts[t] < kept.shape[1]:
            insert(pool, t, positions[s])


@njit(forceinline=True)
def find_known(pool, t, q):
    """Return the index of a solution of target t that is the same as q, or -1."""
    if pool.heads.shape[1] <= _LARGE:
        return _find(pool, t, q, 0)
    a0, a1 = _cells(pool.grid, q, _FEW)
    b0, b1 = _cells(pool.grid, q, _FEW + 1)
    c0, c1 = _cells(pool.grid, q, _FEW + 2)
    for a in range(a0, a1 + 1):
        for b in range(b0, b1 + 1):
            for c in range(c0, c1 + 1):
                known = _find(pool, t, q, _further(pool.grid, a, b, c))
                if known >= 0:
                    return known
    return -1


@njit(forceinline=True)
def _find(pool, t, q, further):
    """Look in the cells along the grid's first joints, given what the others add to the hash."""
    a0, a1 = _cells(pool.grid, q, 0)
    b0, b1 = _cells(pool.grid, q, 1)
    c0, c1 = _cells(pool.grid, q, 2)
    for a in range(a0, a1 + 1):
        for b in range(b0, b1 + 1):
            for c in range(c0, c1 + 1):
                known = pool.heads[t, _bucket(pool, a, b, c, further)]
                while known >= 0:
                    if _same(pool, t, known, q):
                        return known
                    known = pool.before[t, known]
    return -1


@njit(forceinline=True)
def insert(pool, t, q):
    """Put q behind the solutions of target t, which must have room; return its index."""
    grid, further = pool.grid, 0
    if pool.heads.shape[1] > _LARGE:
        further = _further(
            grid, _cell(grid, q, _FEW), _cell(grid, q, _FEW + 1), _cell(grid, q, _FEW + 2)
        )
    bucket = _bucket(pool, _cell(grid, q, 0), _cell(grid, q, 1), _cell(grid, q, 2), further)
    place = pool.counts[t]
    for v in range(q.shape[0]):
        pool.positions[t, place, v] = q[v]
    pool.visits[t, place] = 1
    pool.before[t, place] = pool.heads[t, bucket]
    pool.heads[t, bucket] = place
    pool.counts[t] = place + 1
    return place


@njit(forceinline=True)
def _place(grid, q, k):
    """Return where a configuration is along joint k of the grid, in cells."""
    x = q[grid.joints[k]]
    if grid.cells[k]:
        x -= _TURN * math.floor(x * (1.0 / _TURN))
    return x * grid.per_unit[k]


@njit(forceinline=True)
def _cell(grid, q, k):
    return _around(grid, math.floor(_place(grid, q, k)), k)


@njit(forceinline=True)
def _cells(grid, q, k):
    """Return the first and the last cell along joint k with configurations that may be q."""
    x, near = _place(grid, q, k), grid.distance * grid.per_unit[k]
    low, high = math.floor(x - near), math.floor(x + near)
    if grid.cells[k] and high - low >= grid.cells[k]:
        return 0, grid.cells[k] - 1
    return low, high


@njit(forceinline=True)
def _around(grid, cell, k):
    """Bring a cell back that is beyond the end of a turn; it is never more than one beyond."""
    if grid.cells[k]:
        if cell < 0:
            cell += grid.cells[k]
        elif cell >= grid.cells[k]:
            cell -= grid.cells[k]
    return cell


@njit(forceinline=True)
def _bucket(pool, a, b, c, further):
    """Hash a cell; cells round a circular joint meet after a turn."""
    grid = pool.grid
    a, b, c = _around(grid, a, 0), _around(grid, b, 1), _around(grid, c, 2)
    mixed = (a * 73856093) ^ (b * 19349663) ^ (c * 83492791) ^ further
    return (mixed ^ (mixed >> 15)) & (pool.heads.shape[1] - 1)


@njit(forceinline=True)
def _further(grid, a, b, c):
    """Return the part of the hash that the grid's further joints have."""
    a, b, c = _around(grid, a, _FEW), _around(grid, b, _FEW + 1), _around(grid, c, _FEW + 2)
    mixed = (a * 2654435761) ^ (b * 40503073) ^ (c * 2246822519)
    return mixed ^ (mixed >> 13)


@njit(forceinline=True)
def _same(pool, t, known, q):
    for v in range(q.shape[0]):
        gap = abs(pool.positions[t, known, v] - q[v])
        if gap >= pool.grid.distance:
            if not pool.grid.circular[v]:
                return False
            if abs(gap - _TURN * np.rint(gap / _TURN)) >= pool.grid.distance:
                return False
    return True
