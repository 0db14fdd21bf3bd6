"""Elementary functions of single precision numbers in vector lanes; numba."""

# pyright: reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false

import numpy as np
from numba import njit

from generative_ik_ros.compiled.lanes import absolute, floor, power_of_two, where_less

_F = np.float32
_LOG2E, _LN2, _HALF, _ONE, _TWO = _F(1.44269504), _F(0.69314718), _F(0.5), _F(1.0), _F(2.0)
_E2, _E3, _E4, _E5, _E6 = (_F(1.0 / n) for n in (2, 6, 24, 120, 720))
_S3, _S5, _S7, _S9, _S11 = (_F(c / n) for c, n in zip(
    (-1, 1, -1, 1, -1), (6, 120, 5040, 362880, 39916800), strict=True))  # fmt: skip
_L3, _L5, _L7, _L9 = (_F(1.0 / n) for n in (3, 5, 7, 9))
_LOW, _ZERO = _F(-80.0), _F(0.0)
_BIAS = _F(127.0)
_QUARTER, _HALF_TURN = _F(np.pi / 2.0), _F(np.pi)
_TURN, _PER_TURN, _TINY = _F(2.0 * np.pi), _F(0.5 / np.pi), _F(1e-30)
_ATAN = tuple(
    _F(c)
    for c in np.polynomial.Chebyshev.interpolate(
        lambda square: np.arctan(np.sqrt(square)) / np.sqrt(square), 8, [0.0, 1.0]
    )
    .convert(kind=np.polynomial.Polynomial)
    .coef
)
"""Of a polynomial in t^2 for atan(t) / t, t from 0 to 1."""
LEAK = _F(0.01)
"""Slope of the leaky rectified linear unit below 0."""


@njit(inline="always")
def larger(a, b):  # noqa: ANN001, ANN201
    """Return the larger number of each lane."""
    return where_less(a, b, b, a)


@njit(inline="always")
def smaller(a, b):  # noqa: ANN001, ANN201
    """Return the smaller number of each lane."""
    return where_less(a, b, a, b)


@njit(inline="always")
def exponential(x):  # noqa: ANN001, ANN201
    """Return e^x for x up to 80, to a few units in the last place."""
    x = larger(x, _LOW)
    whole = floor(x * _LOG2E + _HALF)
    r = x - whole * _LN2
    series = _ONE + r * (_ONE + r * (_E2 + r * (_E3 + r * (_E4 + r * (_E5 + r * _E6)))))
    return series * power_of_two(whole + _BIAS)


@njit(inline="always")
def softplus(x):  # noqa: ANN001, ANN201
    """Return log(1 + e^x) as max(x, 0) + 2 atanh(z), z = u / (2 + u), u = e^-|x|."""
    u = exponential(_ZERO - absolute(x))
    z = u / (_TWO + u)
    square = z * z
    series = _ONE + square * (_L3 + square * (_L5 + square * (_L7 + square * _L9)))
    return larger(x, _ZERO) + _TWO * z * series


@njit(inline="always")
def sine(angle):  # noqa: ANN001, ANN201
    """Return the sine of an angle in [-pi, pi]."""
    away = absolute(angle)
    near = smaller(away, _HALF_TURN - away)
    square = near * near
    series = _ONE + square * (
        _S3 + square * (_S5 + square * (_S7 + square * (_S9 + square * _S11)))
    )
    return where_less(angle, _ZERO, _ZERO - near, near) * series


@njit(inline="always")
def cosine(angle):  # noqa: ANN001, ANN201
    """Return the cosine of an angle in [-pi, pi]."""
    near = _QUARTER - absolute(angle)
    square = near * near
    series = _ONE + square * (
        _S3 + square * (_S5 + square * (_S7 + square * (_S9 + square * _S11)))
    )
    return near * series


@njit(inline="always")
def half_turn_nearest(angle):  # noqa: ANN001, ANN201
    """Wrap an angle to [-pi, pi] by full turns."""
    return angle - _TURN * floor(angle * _PER_TURN + _HALF)


@njit(inline="always")
def arc_tangent(y, x):  # noqa: ANN001, ANN201
    """Return the angle of the point (x, y) in [-pi, pi]; 0 at the origin."""
    high, wide = absolute(y), absolute(x)
    t = smaller(high, wide) / larger(larger(high, wide), _TINY)
    square = t * t
    series = _ATAN[7] + square * _ATAN[8]
    series = _ATAN[5] + square * (_ATAN[6] + square * series)
    series = _ATAN[3] + square * (_ATAN[4] + square * series)
    series = _ATAN[1] + square * (_ATAN[2] + square * series)
    angle = t * (_ATAN[0] + square * series)
    angle = where_less(wide, high, _QUARTER - angle, angle)
    angle = where_less(x, _ZERO, _HALF_TURN - angle, angle)
    return where_less(y, _ZERO, _ZERO - angle, angle)


@njit(inline="always")
def leaky(x, leak):  # noqa: ANN001, ANN201
    """Return the leaky rectified linear unit with slope `leak`, at most 1, below 0."""
    return larger(x, leak * x)
