"""Two angles from two equations that are linear in their cosines and sines, compiled.

    a cos u + b sin u + p cos v + q sin v = d,    two rows (a, b, p, q, d)

Both the first three joints of an arm with a spherical wrist and joints 1 and 5 of one with three
parallel axes come down to this (subproblem 6 of Elias and Wen; 5 and 2 are cases of it). Where
one of the rows has one angle only, two circles and lines do; else a quartic in one angle.
Each of the four pairs is in a lane, see `lane_subproblems`.
"""

import math

from generative_ik_ros.closed_form.lane_subproblems import (
    angle_on_line,
    anywhere,
    column_in_lanes,
    first_choice,
    rows_in_lanes,
    second_choice,
)
from generative_ik_ros.closed_form.subproblems import MOST, SAFE
from generative_ik_ros.closed_form.trigonometric import (
    END,
    START,
    derivatives,
    largest_derivative,
    next_zero,
)
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lanes import spread_over_four

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

_MOST = 4
_ROUNDING = 3e-14
"""Of the quartic, as a share of its coefficients."""


@inlined
def decoupled_pairs(single, other, of_second, error):
    """Return the pairs where one row has one angle only.

    Args:
        single: That row.
        other: The other row.
        of_second: Whether its angle is the second, v.
        error: How far the rows are expected to be off.

    Returns:
        A flag: whether the pair exists; its angles u and v; how far they are expected to be off;
        and whether all that is sure.
    """
    a, b, p, q, d = single
    g, h, m, n, e = other
    if of_second:
        a, b, g, h, m, n = p, q, m, n, g, h
    a, b, d = spread_over_four(a), spread_over_four(b), spread_over_four(d)
    exists, one, off, certain = angle_on_line(a, b, d, error, first_choice())
    sure = not anywhere(1.0 - certain)
    level = e - g * one[0] - h * one[1]
    also, two, beside, certain = angle_on_line(
        spread_over_four(m), spread_over_four(n), level, off + error, second_choice()
    )
    sure = sure and not anywhere(exists * (1.0 - certain))
    if of_second:
        one, two = two, one
    return exists * also, one, two, off + beside, sure


@inlined
def coupled_pairs(row, other, error, out):
    """Return the pairs where both rows have both angles and (p, q) is parallel in neither.

    See `decoupled_pairs`; `out` is memory (4, 5).
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
    sixth = largest_derivative(cosines, sines, 6)
    count, sure, angle = 0, True, START
    if bound < 1e-30:
        sure, angle = abs(cosines[0]) > error, END
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
        out[count, 4] = off
        out[count, 0], out[count, 1] = c, s
        out[count, 2], out[count, 3] = x / length, y / length
        count += 1
    one = column_in_lanes(out, 0), column_in_lanes(out, 1)
    two = column_in_lanes(out, 2), column_in_lanes(out, 3)
    return rows_in_lanes(count), one, two, column_in_lanes(out, 4), sure
