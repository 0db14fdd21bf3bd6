"""A grid of cells in joint space, by which compiled code finds a known solution again."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.robot.rigid import TURN

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)

FEW = 3
"""Joints whose positions choose a cell in small pools: enough to tell solutions apart, and few
cells to look in."""
_JOINTS = 6
"""The same in large pools, where three would leave hundreds of solutions in a cell."""
_CELL = 8.0
"""Size of a cell in distinct distances."""


class Grid(NamedTuple):
    """When two configurations are the same solution, and the cells that they lie in.

    Attributes:
        distance: Solutions with no joint further apart are the same [rad or m].
        per_unit: (6,) cells along each joint of the grid, per rad or m.
        joints: (6,) joints that span the grid; of small pools the first three.
        cells: (6,) number of cells around a circular joint; 0 for others.
        circular: (n,) joints on which a full turn makes no difference.
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
            circular: (n,) joints on which a full turn makes no difference.
            distinct_distance: [rad or m].
            span: (n,) range of each joint [rad or m]; the widest tell solutions apart best.
        """
        joints = np.resize(np.argsort(-span, kind="stable"), _JOINTS)
        # A chain of fewer joints than the grid has dimensions has one cell along the others.
        own = np.arange(_JOINTS) < len(span)
        size = np.full(_JOINTS, _CELL * min(distinct_distance, 1e6))
        around = circular[joints] & own
        cells = np.where(around, np.maximum(TURN // size, 1.0), 0.0)
        size = np.where(around, TURN / np.maximum(cells, 1.0), size)
        return cls(
            float(distinct_distance), np.where(own, 1.0 / size, 0.0), joints,
            cells.astype(np.int64), circular.astype(np.int64),
        )  # fmt: skip

    def packed(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Put all numbers into two arrays; each further array would cost call time."""
        return (
            np.concatenate([[self.distance], self.per_unit]),
            np.concatenate([self.joints, self.cells, self.circular]),
        )


@inlined
def unpack_grid(floats, ints):
    """Return the grid that was packed."""
    k = _JOINTS
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
