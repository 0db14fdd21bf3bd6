"""The matrices of `dialytic` at eight angles at once: determinants, and null vectors at zeros.

Such a matrix is [P Q R 0; 0 P Q R], with blocks of six rows and three columns. Three Householder
reflections make P upper triangular in both halves at once, and what is left is a matrix of six
rows. They take no choice of pivots, which lanes could only make together.
"""

import math

import numpy as np

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lanes import (
    WIDTH,
    absolute,
    largest_of,
    load,
    spread,
    square_root,
    store,
    where_less,
)

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false, reportArgumentType=false

SAMPLES = 19
"""Two more than there are coefficients; what they show of the next one is rounding."""
_BLOCKS = (SAMPLES + WIDTH - 1) // WIDTH
_ANGLES = 2.0 * np.pi * np.arange(_BLOCKS * WIDTH) / SAMPLES
COSINES, SINES = np.cos(_ANGLES), np.sin(_ANGLES)
ROOM = _BLOCKS * WIDTH
"""Numbers for the determinants."""
_EPSILON = 2.2e-16
SIZE = 6
_REST = 9 * SIZE
"""Row of the memory from which the matrix is that is left; all are column by column."""
VECTOR = _REST + SIZE * SIZE
"""Row from which null vectors are."""
_COSINE, _SINE = VECTOR + SIZE, VECTOR + SIZE + 1
MEMORY = (VECTOR + SIZE + 2) * WIDTH
"""Numbers to work with."""
_NONE = 1e-300
_SMALLEST = 1e-17
"""A diagonal element of zero is taken for this share of the largest."""


@inlined
def determinants(powers, strides, lanes, values):
    """Write the determinants at `SAMPLES` angles.

    Args:
        powers: Coefficients of x = (1, cos, sin), equation and powers of y's and of z's tangent,
            from the second down; see `elimination.Elimination`.
        strides: How far apart two of each of these four are.
        lanes: (`MEMORY`,) memory.
        values: (`ROOM`,) out.

    Returns:
        How far rounding may have moved one of them, about.
    """
    most = spread(0.0)
    for block in range(_BLOCKS):
        first, rest = _triangular(powers, strides, load(COSINES, block), load(SINES, block), lanes)
        product, largest, least = first
        value = product * product * rest[0]
        store(values, block, value)
        # To first order rounding in the matrix moves a determinant by so much.
        error = absolute(value) * (largest / least + rest[1] / rest[2])
        most = where_less(most, error, error, most)
    return _EPSILON * largest_of(most)


@inlined
def null_vectors(powers, strides, angles, first, count, lanes):
    """Write the vectors that what is left at some angles maps to almost zero, from row `VECTOR`.

    It is one step of inverse iteration, from a vector that the reflections make a random one.

    Args:
        powers: See `determinants`, as the next.
        strides: See there.
        angles: (count,) at which the determinant vanishes [rad].
        first: The first of eight; beyond the end the last is repeated.
        count: How many there are.
        lanes: See `determinants`.
    """
    for lane in range(WIDTH):
        angle = angles[min(first + lane, count - 1)]
        lanes[_COSINE * WIDTH + lane] = math.cos(angle)
        lanes[_SINE * WIDTH + lane] = math.sin(angle)
    _, rest = _triangular(powers, strides, load(lanes, _COSINE), load(lanes, _SINE), lanes)
    least, largest = rest[1] * _SMALLEST + _NONE, spread(0.0)
    for k in range(SIZE):
        i = SIZE - 1 - k
        value, pivot = spread(1.0), load(lanes, _REST + SIZE * i + i)
        for j in range(i + 1, SIZE):
            value = value - load(lanes, _REST + SIZE * j + i) * load(lanes, VECTOR + j)
        floor = where_less(pivot, 0.0, least * -1.0, least)
        value = value / where_less(least, absolute(pivot), pivot, floor)
        store(lanes, VECTOR + i, value)
        size = absolute(value)
        largest = where_less(largest, size, size, largest)
    for i in range(SIZE):
        store(lanes, VECTOR + i, load(lanes, VECTOR + i) / largest)


@inlined
def _triangular(powers, strides, c, s, lanes):
    """Write the blocks at angles of cosines c and sines s, and make them upper triangular.

    With [U A B; 0 C D] for [P Q R] and X = C / U what is left is [D - X A, -X B; C, D]: it maps
    the products with the first and no power of y's tangent to zero, and its determinant times
    that of U squared is the one of the whole, but for the sign.

    Returns:
        What `_reflected` does of U, and of what is left.
    """
    over_x, over_e, over_y, over_z = strides
    for a in range(3):
        for k in range(3):
            for e in range(SIZE):
                at = a * over_y + k * over_z + e * over_e
                value = c * powers[at + over_x] + s * powers[at + 2 * over_x] + powers[at]
                store(lanes, (3 * a + k) * SIZE + e, value)
    first = _reflected(lanes, 0, 3, 9)
    f, g, h = _inverse(lanes, 0), _inverse(lanes, 1), _inverse(lanes, 2)
    u, v, w = load(lanes, SIZE), load(lanes, 2 * SIZE), load(lanes, 2 * SIZE + 1)
    for i in range(3):
        # Rows of C and X.
        a, b, c = _row(lanes, 3, i + 3)
        x = a * f
        y = (b - x * u) * g
        z = (c - x * v - y * w) * h
        for k in range(3):
            d = load(lanes, (6 + k) * SIZE + i + 3)
            p, q, r = _column(lanes, 3 + k)
            store(lanes, _REST + k * SIZE + i, d - (x * p + y * q + z * r))
            p, q, r = _column(lanes, 6 + k)
            store(lanes, _REST + (3 + k) * SIZE + i, (x * p + y * q + z * r) * -1.0)
            store(lanes, _REST + k * SIZE + i + 3, load(lanes, (3 + k) * SIZE + i + 3))
            store(lanes, _REST + (3 + k) * SIZE + i + 3, d)
    return first, _reflected(lanes, _REST, SIZE, SIZE)


@inlined
def _inverse(lanes, k):
    """Return one by a diagonal element of U; 0 where there is none, as then U's determinant is."""
    pivot = load(lanes, k * SIZE + k)
    return where_less(_NONE, absolute(pivot), 1.0 / pivot, 0.0)


@inlined
def _row(lanes, k, i):
    """Return what is in row i of three columns from k on."""
    at = k * SIZE + i
    return load(lanes, at), load(lanes, at + SIZE), load(lanes, at + 2 * SIZE)


@inlined
def _column(lanes, k):
    """Return what is in the first three rows of a column."""
    return load(lanes, k * SIZE), load(lanes, k * SIZE + 1), load(lanes, k * SIZE + 2)


@inlined
def _reflected(lanes, at, count, columns):
    """Make the first columns of a matrix of six rows upper triangular by reflections.

    Args:
        lanes: Memory.
        at: Row from which the matrix is.
        count: Columns that are reflected into the first rows; below them nothing is written.
        columns: How many columns there are.

    Returns:
        The product, the largest and the least absolute value of the new diagonal.
    """
    product, largest, least = spread(1.0), spread(0.0), spread(math.inf)
    for i in range(count):
        here, square = at + SIZE * i, spread(0.0)
        for e in range(i, SIZE):
            x = load(lanes, here + e)
            square = square + x * x
        x, size = load(lanes, here + i), square_root(square)
        away = where_less(x, 0.0, size * -1.0, size)
        normal = x + away
        scale = where_less(0.0, size, 1.0 / (away * normal), 0.0)
        for j in range(i + 1, columns):
            there = at + SIZE * j
            x = normal * load(lanes, there + i)
            for e in range(i + 1, SIZE):
                x = x + load(lanes, here + e) * load(lanes, there + e)
            x = x * scale
            store(lanes, there + i, load(lanes, there + i) - x * normal)
            for e in range(i + 1, SIZE):
                store(lanes, there + e, load(lanes, there + e) - x * load(lanes, here + e))
        store(lanes, here + i, away * -1.0)
        product = product * away
        largest = where_less(largest, size, size, largest)
        least = where_less(size, least, size, least)
    return product, largest, least
