"""Rows of single precision numbers in, elementary functions of them out; numba, vectorised.

Loops over a row of fixed length with no calls and no branches in them: LLVM makes them vector
instructions, and each place of a row is computed alike wherever it stands.
"""

# pyright: reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

_F = np.float32
_LOG2E, _LN2, _HALF, _ONE, _TWO = _F(1.44269504), _F(0.69314718), _F(0.5), _F(1.0), _F(2.0)
_E2, _E3, _E4, _E5, _E6 = (_F(1.0 / n) for n in (2, 6, 24, 120, 720))
_S3, _S5, _S7, _S9, _S11 = (_F(c / n) for c, n in zip(
    (-1, 1, -1, 1, -1), (6, 120, 5040, 362880, 39916800), strict=True))  # fmt: skip
_L3, _L5, _L7, _L9 = (_F(1.0 / n) for n in (3, 5, 7, 9))
_LOW, _ZERO = _F(-80.0), _F(0.0)
_BIAS, _SHIFT = _F(127.0), _F(2.0**23)
_QUARTER, _HALF_TURN = _F(np.pi / 2.0), _F(np.pi)
_LEAK = _F(0.01)


@intrinsic
def _from_bits(typing_context, bits):  # noqa: ANN001, ANN202
    """Read 32 bits as a number."""

    def generate(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        return builder.bitcast(arguments[0], ir.FloatType())

    return types.float32(types.int32), generate


@njit(inline="always")
def exponential(x):  # noqa: ANN001, ANN201
    """Return e^x for x up to 80, to a few units in the last place."""
    x = max(x, _LOW)
    whole = np.floor(x * _LOG2E + _HALF)
    r = x - whole * _LN2
    series = _ONE + r * (_ONE + r * (_E2 + r * (_E3 + r * (_E4 + r * (_E5 + r * _E6)))))
    # 2^whole: its exponent bits, computed as a number, which takes fewer instructions.
    return series * _from_bits(np.int32((whole + _BIAS) * _SHIFT))


@njit(inline="always")
def softplus(x):  # noqa: ANN001, ANN201
    """Return log(1 + e^x) as max(x, 0) + 2 atanh(z), z = u / (2 + u), u = e^-|x|."""
    u = exponential(-abs(x))
    z = u / (_TWO + u)
    square = z * z
    series = _ONE + square * (_L3 + square * (_L5 + square * (_L7 + square * _L9)))
    return max(x, _ZERO) + _TWO * z * series


@njit(inline="always")
def sine(angle):  # noqa: ANN001, ANN201
    """Return the sine of an angle in [-pi, pi]."""
    away = abs(angle)
    near = min(away, _HALF_TURN - away)
    square = near * near
    series = _ONE + square * (
        _S3 + square * (_S5 + square * (_S7 + square * (_S9 + square * _S11)))
    )
    return near * series if angle >= _ZERO else -near * series


@njit(inline="always")
def cosine(angle):  # noqa: ANN001, ANN201
    """Return the cosine of an angle in [-pi, pi]."""
    near = _QUARTER - abs(angle)
    square = near * near
    series = _ONE + square * (
        _S3 + square * (_S5 + square * (_S7 + square * (_S9 + square * _S11)))
    )
    return near * series


@njit(inline="always")
def leaky(x):  # noqa: ANN001, ANN201
    """Return the leaky rectified linear unit."""
    return max(x, _LEAK * x)
