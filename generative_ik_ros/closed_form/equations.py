"""The equations of a general six-joint arm for a pose, from what `elimination` prepares.

They are the product of a matrix, what a rigid motion does to functions, and another matrix; the
motion is applied to eight columns at once, and the product is taken for eight rows at once.
"""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.elimination import FUNCTIONS, Elimination
from generative_ik_ros.closed_form.header import OWN
from generative_ik_ros.closed_form.subproblems import cross, dot, times
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lanes import WIDTH, load, spread, store

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

LAYOUT = 3 * (OWN + 6)
"""Where the dropped joint, four strides, and the number of columns are in the parameters."""
TOLD = LAYOUT + 6
"""Where what tells the first eliminated joint is: cosine, sine, and a row for each."""
_ROWS = 12
"""Where rows begin, and columns behind them, in lanes."""
_MOST_COLUMNS = 27
MOVED = FUNCTIONS * 4 * WIDTH
"""Numbers to work with."""
COEFFICIENTS = _MOST_COLUMNS * WIDTH
"""Numbers of the equations."""


def own_numbers(elimination: Elimination) -> NDArray[np.float64]:
    """Return what the parameters have behind a header and a point on each axis.

    Functions of rows and of columns lie side by side in lanes. Coefficients do so for the rows,
    column by column.
    """
    dropped, rows, columns = elimination.dropped, elimination.rows, elimination.columns
    rows, columns = rows.reshape(-1, FUNCTIONS).T, columns.reshape(FUNCTIONS, -1)
    before = ("e", "xe", "xej", "xejk")[-1 - dropped]
    strides, stride = {}, 1
    for names in before, "".join(name for name in "xjk" if name not in before):
        for name in reversed(names):
            strides[name] = stride
            stride *= 6 if name == "e" else 3
        stride = _in_lanes(rows).shape[1]
    layout = dropped, *(strides[name] for name in "xejk"), columns.shape[1]
    told = *elimination.offset, *elimination.cosine_and_sine.ravel()
    numbers = np.zeros(_ROWS * WIDTH - LAYOUT)
    numbers[: len(layout) + len(told)] = *layout, *told
    return np.concatenate([numbers, _in_lanes(rows).ravel(), _in_lanes(columns).ravel()])


def _in_lanes(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix with as many columns of zeros as it takes to fill the lanes."""
    return np.pad(matrix, ((0, 0), (0, -matrix.shape[1] % WIDTH)))


@inlined
def strides_of(parameters):
    """Return how far apart coefficients are, see `determinants.determinants`."""
    x, e = int(parameters[LAYOUT + 1]), int(parameters[LAYOUT + 2])
    return x, e, int(parameters[LAYOUT + 3]), int(parameters[LAYOUT + 4])


@inlined
def write_equations(parameters, loop, moved, out):
    """Write the coefficients of the equations for a pose.

    Args:
        parameters: See `own_numbers`.
        loop: Rotation, as rows, and shift of what takes the target back to the tip at zero.
        moved: (`MOVED`,) memory.
        out: (`COEFFICIENTS`,) out.
    """
    count = int(parameters[LAYOUT + 5])
    wide = (count + WIDTH - 1) // WIDTH
    high = (6 * _MOST_COLUMNS // count + WIDTH - 1) // WIDTH
    columns = _ROWS + FUNCTIONS * high
    for block in range(wide):
        _move(parameters, columns + block, wide, loop, moved, block)
    for k in range(count):
        for block in range(high):
            total = spread(0.0)
            for j in range(FUNCTIONS):
                row = load(parameters, _ROWS + j * high + block)
                total = total + row * moved[j * wide * WIDTH + k]
            store(out, k * high + block, total)


@inlined
def _move(numbers, at, wide, loop, out, to):
    """Write eight columns of functions as a rigid motion makes them; see `elimination.motion`."""
    rows, shift = loop
    point = times(rows, _three(numbers, at, wide, 0))
    square, one = load(numbers, at + 3 * wide), load(numbers, at + 4 * wide)
    line, along = times(rows, _three(numbers, at, wide, 5)), load(numbers, at + 8 * wide)
    moment = times(rows, _three(numbers, at, wide, 9))
    last = times(rows, _three(numbers, at, wide, 12))
    far, ahead = dot(shift, shift), dot(shift, line)
    aside, level = cross(shift, moment), cross(shift, line)
    store(out, to + 3 * wide, square + 2.0 * dot(shift, point) + far * one)
    store(out, to + 4 * wide, one)
    store(out, to + 8 * wide, along + ahead)
    both = 2.0 * (ahead + along)
    for j in range(3):
        store(out, to + j * wide, point[j] + shift[j] * one)
        store(out, to + (5 + j) * wide, line[j])
        store(out, to + (9 + j) * wide, moment[j] + level[j])
        rest = last[j] - 2.0 * aside[j] + far * line[j] - shift[j] * both
        store(out, to + (12 + j) * wide, rest)


@inlined
def _three(numbers, at, wide, first):
    """Return three functions of eight columns."""
    at += first * wide
    return load(numbers, at), load(numbers, at + wide), load(numbers, at + 2 * wide)
