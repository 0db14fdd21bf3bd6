"""Angles of points on the unit circle in vector lanes: what `math.atan2` does, without a division.

The angle is turned into the first eighth of the circle, then back by the middle of that half of it
in which it lies. The sine of what is left is at most that of 11.25 degrees, where seven terms of
the arc sine give all digits if they are Chebyshev's.
"""

import math

import numpy as np

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lanes import absolute, where_less

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

_TERMS = 7
_HALF = math.pi / 16.0
_LOW, _HIGH = _HALF, 3.0 * _HALF
_BETWEEN = math.tan(2.0 * _HALF)


def _coefficients() -> tuple[float, ...]:
    """Return those of x, x^3, x^5, ... in arcsin(x), for |x| up to the sine of `_HALF`."""
    most, taylor = math.sin(_HALF), np.zeros(4 * _TERMS)
    for k in range(2 * _TERMS):
        taylor[2 * k + 1] = math.comb(2 * k, k) / (4.0**k * (2 * k + 1)) * most ** (2 * k + 1)
    # What Chebyshev's later terms add is less than rounding.
    first = np.polynomial.chebyshev.poly2cheb(taylor)[: 2 * _TERMS]
    odd = np.arange(1, 2 * _TERMS, 2)
    powers = np.polynomial.chebyshev.cheb2poly(first)[odd] / most**odd
    return tuple(powers.tolist())


_ARCSIN = _coefficients()


@inlined
def angle_of(cosine, sine):
    """Return the angle of (cosine, sine), of length 1, in each lane [rad]."""
    x, y = absolute(cosine), absolute(sine)
    less, more = where_less(x, y, x, y), where_less(x, y, y, x)
    limit = more * _BETWEEN
    middle = where_less(limit, less, _HIGH, _LOW + 0.0 * x)
    c = where_less(limit, less, math.cos(_HIGH), math.cos(_LOW) + 0.0 * x)
    s = where_less(limit, less, math.sin(_HIGH), math.sin(_LOW) + 0.0 * x)
    left = less * c - more * s
    square = left * left
    total = square * _ARCSIN[6] + _ARCSIN[5]
    for k in (4, 3, 2, 1, 0):
        total = total * square + _ARCSIN[k]
    angle = left * total + middle
    angle = where_less(x, y, math.pi / 2.0 - angle, angle)
    angle = where_less(cosine, 0.0, math.pi - angle, angle)
    return where_less(sine, 0.0, -1.0 * angle, angle)
