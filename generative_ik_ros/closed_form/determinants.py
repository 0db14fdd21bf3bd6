"""The matrices of `dialytic` at eight angles at once: determinants, and null vectors at zeros."""

import math

import numpy as np

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lanes import WIDTH, absolute, load, spread, store, where_less

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false, reportArgumentType=false

SIZE = 12
SAMPLES = 19
"""Two more than there are coefficients; what they show of the next one is rounding."""
_BLOCKS = (SAMPLES + WIDTH - 1) // WIDTH
_ANGLES = 2.0 * np.pi * np.arange(_BLOCKS * WIDTH) / SAMPLES
COSINES, SINES = np.cos(_ANGLES), np.sin(_ANGLES)
ROOM = _BLOCKS * WIDTH
"""Numbers for the determinants."""
_EPSILON = 2.2e-16
VECTOR = SIZE * SIZE
"""Row of the memory from which null vectors are."""
_PRODUCT, _LARGEST, _LEAST, _COSINE, _SINE = (VECTOR + SIZE + k for k in range(5))
MEMORY = (VECTOR + SIZE + 5) * WIDTH
"""Numbers to work with."""
_SMALLEST = 1e-17
"""A pivot of zero is taken for this share of the largest."""


@inlined
def determinants(powers, lanes, values):
    """Write the determinants at `SAMPLES` angles.

    Args:
        powers: (3, 3, 6, 3) see `dialytic.halved`.
        lanes: (`MEMORY`,) memory.
        values: (`ROOM`,) out.

    Returns:
        How far rounding may have moved one of them, about.
    """
    noise = 0.0
    for block in range(_BLOCKS):
        _triangular(powers, load(COSINES, block), load(SINES, block), lanes)
        for lane in range(WIDTH):
            value = lanes[_PRODUCT * WIDTH + lane]
            ratio = lanes[_LARGEST * WIDTH + lane] / max(lanes[_LEAST * WIDTH + lane], 1e-300)
            values[block * WIDTH + lane] = value
            # To first order rounding in the matrix moves a determinant by so much.
            noise = max(noise, _EPSILON * abs(value) * ratio)
    return noise


@inlined
def null_vectors(powers, angles, first, count, lanes):
    """Write the vectors that the matrices at some angles map to almost zero, from row `VECTOR`.

    It is one step of inverse iteration, from a vector that the row operations make a random one.

    Args:
        powers: See `determinants`.
        angles: (count,) at which the determinant vanishes [rad].
        first: The first of eight; beyond the end the last is repeated.
        count: How many there are.
        lanes: See `determinants`.
    """
    for lane in range(WIDTH):
        angle = angles[min(first + lane, count - 1)]
        lanes[_COSINE * WIDTH + lane] = math.cos(angle)
        lanes[_SINE * WIDTH + lane] = math.sin(angle)
    _triangular(powers, load(lanes, _COSINE), load(lanes, _SINE), lanes)
    least, largest = load(lanes, _LARGEST) * _SMALLEST + 1e-300, spread(0.0)
    for k in range(SIZE):
        i = SIZE - 1 - k
        rest, pivot = spread(1.0), load(lanes, i * SIZE + i)
        for j in range(i + 1, SIZE):
            rest = rest - load(lanes, i * SIZE + j) * load(lanes, VECTOR + j)
        floor = where_less(pivot, 0.0, least * -1.0, least)
        rest = rest / where_less(least, absolute(pivot), pivot, floor)
        store(lanes, VECTOR + i, rest)
        size = absolute(rest)
        largest = where_less(largest, size, size, largest)
    for i in range(SIZE):
        store(lanes, VECTOR + i, load(lanes, VECTOR + i) / largest)


@inlined
def _triangular(powers, c, s, lanes):
    """Write the matrices at angles of cosines c and sines s, and make them upper triangular.

    The columns are powers of the tangents, of y from 3 and for each of z from 2 down. There is
    nothing in the lower left and upper right corners, 6 by 3, so three columns are eliminated in
    the upper half alone. The product, the largest and the least of the pivots are written, too.
    """
    zero = spread(0.0)
    for e in range(6):
        for k in range(3):
            for a in range(3):
                value = c * powers[1, a, e, k] + s * powers[2, a, e, k] + powers[0, a, e, k]
                store(lanes, e * SIZE + 3 * a + k, value)
                store(lanes, (6 + e) * SIZE + 3 * a + 3 + k, value)
            store(lanes, e * SIZE + 9 + k, zero)
    store(lanes, _PRODUCT, spread(1.0))
    store(lanes, _LARGEST, zero)
    store(lanes, _LEAST, spread(math.inf))
    _eliminated(lanes, 0, 3, 6, 9)
    _eliminated(lanes, 3, SIZE, SIZE, SIZE)


@inlined
def _eliminated(lanes, first, last, rows, columns):
    """Eliminate columns in the rows and columns before some, with row pivots."""
    product = load(lanes, _PRODUCT)
    largest, least = load(lanes, _LARGEST), load(lanes, _LEAST)
    for i in range(first, last):
        for k in range(i + 1, rows):
            here, there = load(lanes, i * SIZE + i), load(lanes, k * SIZE + i)
            size, other = absolute(here), absolute(there)
            product = where_less(size, other, product * -1.0, product)
            for j in range(i, columns):
                here, there = load(lanes, i * SIZE + j), load(lanes, k * SIZE + j)
                store(lanes, i * SIZE + j, where_less(size, other, there, here))
                store(lanes, k * SIZE + j, where_less(size, other, here, there))
        pivot = load(lanes, i * SIZE + i)
        size = absolute(pivot)
        product = product * pivot
        largest = where_less(largest, size, size, largest)
        least = where_less(size, least, size, least)
        inverse = where_less(0.0, size, 1.0 / pivot, 0.0)
        for k in range(i + 1, rows):
            factor = load(lanes, k * SIZE + i) * inverse
            for j in range(i + 1, columns):
                rest = load(lanes, k * SIZE + j) - factor * load(lanes, i * SIZE + j)
                store(lanes, k * SIZE + j, rest)
    store(lanes, _PRODUCT, product)
    store(lanes, _LARGEST, largest)
    store(lanes, _LEAST, least)
