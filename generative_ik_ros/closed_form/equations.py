"""What the parameters of an arm of no special kind have of its `Elimination`.

For a pose the core applies a rigid motion to the columns and multiplies them with the rows:
`core/src/closed_form/equations.hpp`.
"""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.elimination import FUNCTIONS, Elimination
from generative_ik_ros.closed_form.header import OWN

_LAYOUT = 3 * (OWN + 6)
"""Where the dropped joint, four strides, and the number of columns are in the parameters; behind
them is what tells the first eliminated joint: cosine, sine, and a row for each."""
_ROW = 8
"""Numbers of a row."""
_FIRST = 12
"""The row that the rows of the matrix begin in, and its columns behind them."""


def own_numbers(elimination: Elimination) -> NDArray[np.float64]:
    """Return what the parameters have behind a header and a point on each axis.

    Functions of rows and of columns lie side by side. Coefficients do so for the rows, column by
    column.
    """
    dropped, rows, columns = elimination.dropped, elimination.rows, elimination.columns
    rows, columns = rows.reshape(-1, FUNCTIONS).T, columns.reshape(FUNCTIONS, -1)
    before = ("e", "xe", "xej", "xejk")[-1 - dropped]
    strides, stride = {}, 1
    for names in before, "".join(name for name in "xjk" if name not in before):
        for name in reversed(names):
            strides[name] = stride
            stride *= 6 if name == "e" else 3
        stride = _in_rows(rows).shape[1]
    layout = dropped, *(strides[name] for name in "xejk"), columns.shape[1]
    told = *elimination.offset, *elimination.cosine_and_sine.ravel()
    numbers = np.zeros(_FIRST * _ROW - _LAYOUT)
    numbers[: len(layout) + len(told)] = *layout, *told
    return np.concatenate([numbers, _in_rows(rows).ravel(), _in_rows(columns).ravel()])


def _in_rows(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix with as many columns of zeros as it takes to fill the rows."""
    return np.pad(matrix, ((0, 0), (0, -matrix.shape[1] % _ROW)))
