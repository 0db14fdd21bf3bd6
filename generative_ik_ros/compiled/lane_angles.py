"""Angles of points in the plane in vector lanes: what `math.atan2` does, twenty times as fast.

With p = tan(b / 2) for the largest angle b, arctan(x) is the sum over odd k of
2 (-1)^((k - 1) / 2) p^k / k T_k(x / tan b), T_k Chebyshev's polynomials: with b of 22.5 degrees a
term is 25 times less than the one before, and twelve of them give all digits.
"""

import math

import numpy as np

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lanes import absolute, where_less

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

_TERMS = 12
_WIDEST = math.tan(math.pi / 8.0)


def _coefficients() -> tuple[float, ...]:
    """Return those of x, x^3, x^5, ... in arctan(x), for |x| up to `_WIDEST`."""
    p, series = math.tan(math.pi / 16.0), np.zeros(2 * _TERMS)
    odd = np.arange(1, 2 * _TERMS, 2)
    series[odd] = 2.0 * (-1.0) ** (odd // 2) * p**odd / odd
    powers = np.polynomial.chebyshev.cheb2poly(series)[odd] / _WIDEST**odd
    return tuple(powers.tolist())


_ARCTAN = _coefficients()


@inlined
def angle_of(cosine, sine):
    """Return the angle of (cosine, sine), of any length, in each lane [rad]; of zero it is 0."""
    x, y = absolute(cosine), absolute(sine)
    less, more = where_less(x, y, x, y), where_less(x, y, y, x)
    # Beyond 22.5 degrees what is left to 45 is looked for.
    far = more * _WIDEST
    over = where_less(far, less, less - more, less)
    under = where_less(far, less, less + more, more)
    t = over / where_less(0.0, under, under, 1.0)
    square = t * t
    total = square * _ARCTAN[11] + _ARCTAN[10]
    for k in (9, 8, 7, 6, 5, 4, 3, 2, 1, 0):
        total = total * square + _ARCTAN[k]
    angle = t * total + where_less(far, less, math.pi / 4.0, 0.0 * t)
    angle = where_less(x, y, math.pi / 2.0 - angle, angle)
    angle = where_less(cosine, 0.0, math.pi - angle, angle)
    return where_less(sine, 0.0, -1.0 * angle, angle)
