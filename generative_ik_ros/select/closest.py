"""Refined seeds in, the configuration that came closest to each target remembered."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

# ruff: noqa: ANN001, ANN202  (types inside compiled code are numba's, not Python's)


class ClosestSoFar:
    """The best configuration seen for each of T targets, whether or not it is a solution.

    Args:
        start: (T, n) configurations to begin with.
        position_weight: Weight of a distance [1/m].
        orientation_weight: Weight of an angle [1/rad].

    Attributes:
        positions: (T, n) the configurations with the least weighted error [rad or m].
    """

    def __init__(
        self, start: NDArray[np.float64], position_weight: float, orientation_weight: float
    ):
        """Begin with configurations of unknown error."""
        self.positions = start.copy()
        self._squared_error = np.full(len(start), np.inf)
        self._weights = position_weight, orientation_weight

    def consider(
        self,
        positions: NDArray[np.float64],
        position_error: NDArray[np.float64],
        orientation_error: NDArray[np.float64],
        target_of_row: NDArray[np.int64],
    ) -> None:
        """Remember those of the (S, n) configurations that are closer than all before."""
        _consider(
            self.positions, self._squared_error, *self._weights,
            positions, position_error, orientation_error, target_of_row,
        )  # fmt: skip


@njit(nogil=True, cache=True)
def _consider(
    kept, squared_error, position_weight, orientation_weight,
    positions, position_error, orientation_error, target_of_row,
):  # fmt: skip
    for s in range(len(positions)):
        if not (position_error[s] < np.inf and orientation_error[s] < np.inf):
            continue
        error = (position_weight * position_error[s]) ** 2
        error += (orientation_weight * orientation_error[s]) ** 2
        t = target_of_row[s]
        if error < squared_error[t]:
            squared_error[t] = error
            kept[t] = positions[s]
