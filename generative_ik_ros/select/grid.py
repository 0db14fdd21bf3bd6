"""A grid of cells in joint space, by which the core finds a known solution again."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.rigid import TURN

_JOINTS = 6
"""Joints whose positions choose a cell, of which small pools use the first three
(core/src/search/grid.hpp)."""
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
