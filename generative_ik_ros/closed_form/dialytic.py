"""Six equations in three angles made one determinant in one of them, and its coefficients.

With half-angle tangents of y and z each equation has degree two in both; all of them once more
times the tangent of y make 12 equations that are linear in 12 products (Sylvester's dialytic
elimination). Their determinant is a trigonometric polynomial of degree 8 in x, because only four
of Raghavan and Roth's functions turn with it; its values at 17 angles tell its coefficients
exactly, without loss of precision, as they are spread evenly over the circle.
"""

import math

from generative_ik_ros.closed_form.determinants import (
    COSINES,
    SAMPLES,
    SINES,
    determinants,
)
from generative_ik_ros.compiled.kernel import inlined

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

DEGREE = 8


@inlined
def coefficients(powers, strides, lanes, values, cosines, sines):
    """Write the determinant's coefficients of cos(k x) and sin(k x), k from 0 to 8.

    Args:
        powers: See `determinants`, as the next three.
        strides: See there.
        lanes: See there.
        values: See there.
        cosines: (9,) out.
        sines: (9,) out.

    Returns:
        How far rounding may have moved the polynomial, about.
    """
    return waves(values, determinants(powers, strides, lanes, values), cosines, sines)


@inlined
def waves(values, noise, cosines, sines):
    """Write the coefficients of a polynomial from its values at `SAMPLES` angles.

    Args:
        values: (`SAMPLES`,) or more.
        noise: How far one of them may be off.
        cosines: (degree + 1,) out.
        sines: (degree + 1,) out.

    Returns:
        How far the polynomial may be off anywhere, about.
    """
    degree = len(cosines) - 1
    for k in range(degree + 2):
        c, s = 0.0, 0.0
        for j in range(SAMPLES):
            at = (j * k) % SAMPLES
            c += values[j] * COSINES[at]
            s += values[j] * SINES[at]
        share = (1.0 if k == 0 else 2.0) / SAMPLES
        if k > degree:
            return noise + degree * share * math.hypot(c, s)
        cosines[k], sines[k] = share * c, share * s
    return noise


@inlined
def tangents(vector):
    """Return y and z as (cosine, sine) from products of powers of their tangents.

    Args:
        vector: Six products, of the tangent of y and of 1 with powers of z's from the second down.
    """
    aa = ab = bb = 0.0
    for i in range(3):
        high, low = vector[i], vector[i + 3]
        aa, ab, bb = aa + high * high, ab + high * low, bb + low * low
    y = _doubled(aa, ab, bb)
    aa = ab = bb = 0.0
    for i in range(2):
        for k in range(2):
            high, low = vector[3 * i + k], vector[3 * i + k + 1]
            aa, ab, bb = aa + high * high, ab + high * low, bb + low * low
    return y, _doubled(aa, ab, bb)


@inlined
def _doubled(aa, ab, bb):
    """Return the angle of twice the arc tangent of high by low, from their products."""
    high, low = (aa, ab) if aa > bb else (ab, bb)
    square = high * high + low * low
    if square == 0.0:
        return 1.0, 0.0
    return (low * low - high * high) / square, 2.0 * high * low / square
