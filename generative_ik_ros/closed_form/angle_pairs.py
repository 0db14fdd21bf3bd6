"""Two angles from two equations that are linear in their cosines and sines, compiled.

    a cos u + b sin u + p cos v + q sin v = d,    two rows (a, b, p, q, d)

Both the first three joints of an arm with a spherical wrist and joints 1 and 5 of one with three
parallel axes come down to this (subproblem 6 of Elias and Wen; 5 and 2 are cases of it). Where
one of the rows has one angle only, two circles and lines do; else a quartic in one angle.
The pairs, each with how far it is expected to be off, go to rows 4 to 7 of the memory for
branches, where `three_parallel` and `spherical_wrist` take them from to write two branches of each
at most.
"""

import math

from generative_ik_ros.closed_form.subproblems import MOST, SAFE, angles_on_line
from generative_ik_ros.closed_form.trigonometric import (
    END,
    START,
    derivatives,
    largest_derivative,
    next_zero,
)
from generative_ik_ros.compiled.kernel import inlined

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

FIRST_PAIR = 4
"""Row of the memory that the first pair goes to."""
_MOST = 4
_ROUNDING = 3e-14
"""Of the quartic, as a share of its coefficients."""


@inlined
def decoupled_pairs(single, other, of_second, error, out):
    """Write the pairs where one row has one angle only.

    Args:
        single: That row.
        other: The other row.
        of_second: Whether its angle is the second, v.
        error: How far the rows are expected to be off.
        out: Memory (8, n).

    Returns:
        How many pairs, and whether that is sure.
    """
    a, b, p, q, d = single
    g, h, m, n, e = other
    if of_second:
        a, b, g, h, m, n = p, q, m, n, g, h
    count, at = 0, 2 if of_second else 0
    size, firsts, off, sure = angles_on_line(a, b, d, error)
    for i in range(size):
        c, s = firsts[i]
        level = e - g * c - h * s
        also, seconds, beside, certain = angles_on_line(m, n, level, error + off)
        sure = sure and certain
        for j in range(also):
            row = FIRST_PAIR + count
            out[row, at], out[row, at + 1] = c, s
            out[row, 2 - at], out[row, 3 - at] = seconds[j]
            out[row, 4] = off + beside
            count += 1
    return count, sure


@inlined
def coupled_pairs(row, other, error, out):
    """Write the pairs where both rows have both angles and (p, q) is parallel in neither.

    See `decoupled_pairs`.
    """
    a, b, p, q, d = row
    g, h, m, n, e = other
    # By Cramer's rule (cos v, sin v) is linear in (cos u, sin u); its length has to be one.
    size = p * n - q * m
    x0, xc, xs = n * d - q * e, q * g - n * a, q * h - n * b
    y0, yc, ys = p * e - m * d, m * a - p * g, m * b - p * h
    cosines = (
        x0 * x0 + y0 * y0 + (xc * xc + yc * yc + xs * xs + ys * ys) / 2.0 - size * size,
        2.0 * (x0 * xc + y0 * yc),
        (xc * xc + yc * yc - xs * xs - ys * ys) / 2.0,
    )
    sines = (0.0, 2.0 * (x0 * xs + y0 * ys), xc * xs + yc * ys)
    bound = largest_derivative(cosines, sines, 2)
    largest = max(abs(p), abs(q), abs(m), abs(n))
    # At a zero (x, y) is as long as `size`.
    noise = _ROUNDING * (abs(cosines[0]) + bound) + 2.0 * error * largest * abs(size)
    depth = SAFE * noise
    if bound < 1e-30:
        return 0, abs(cosines[0]) > error
    sixth = largest_derivative(cosines, sines, 6)
    count, sure, angle = 0, True, START
    while angle < END and count < _MOST:
        zero, angle, simple = next_zero(cosines, sines, sixth, angle, depth)
        if zero >= END:
            break
        sure = sure and simple
        c, s = math.cos(zero), math.sin(zero)
        x, y = (x0 + xc * c + xs * s) / size, (y0 + yc * c + ys * s) / size
        length = math.sqrt(x * x + y * y)
        if length < 0.5:
            continue
        _, slope, _, _, _, _ = derivatives(cosines, sines, zero)
        off = noise / max(abs(slope), noise)
        # A turn of u moves the two lines, which cross in the point that v is.
        off += (error + off) * largest / abs(size)
        if off > MOST:
            off, sure = 0.0, False
        row = FIRST_PAIR + count
        out[row, 4] = off
        out[row, 0], out[row, 1], out[row, 2], out[row, 3] = c, s, x / length, y / length
        count += 1
    return count, sure
