"""A slide and a turn that bring two points to the same height and distance, compiled.

Joint 2 keeps the distance of what it moves from a point on its axis, and its height along the
axis. On one side of it a prismatic joint moves a point along a line, s = x + q a; on the other a
revolute one moves a point round a circle, y = f + turn(k, u, p). All are seen from joint 2:

    h . s = h . y    and    |s| = |y|

That is a line and a quadratic equation where one of them has one unknown only, else a quartic in
the angle. The pairs, each with how far it is expected to be off, go to the first rows of the
memory for branches: cosine, sine, and the slide.
"""

import math

from generative_ik_ros.closed_form.subproblems import (
    MOST,
    SAFE,
    TOUCH,
    angles_on_line,
    arc,
    dot,
    plus,
    turn,
)
from generative_ik_ros.closed_form.trigonometric import (
    END,
    START,
    derivatives,
    largest_derivative,
    next_zero,
)
from generative_ik_ros.compiled.kernel import inlined

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

ANGLE_FIRST, SLIDE_BY_HEIGHT, SLIDE_BY_DISTANCE, BOTH = range(4)
"""What follows first: the angle from the height, the line being at right angles to the axis; the
slide from the height, the circle being parallel to it; the slide from the distance, as the axes of
both turns intersect; or both from a quartic."""
_MOST = 4
_ROUNDING = 3e-14
"""Of the quartic, as a share of its coefficients."""
_FAR = 1e4
"""Slides longer than this are none [shares of the arm's length, in which its travel counts]."""


@inlined
def slides(a, b, c, error):
    """Solve a q q + 2 b q + c = 0.

    Args:
        a: A coefficient.
        b: Another.
        c: Another.
        error: How far all three are expected to be off.

    Returns:
        How many solutions there are, the two, how far they are expected to be off, and whether
        that is sure: it is not where the two are one, or nearly, then that one is returned.
    """
    square = b * b - a * c
    noise = error * (2.0 * abs(b) + abs(a) + abs(c))
    margin = max(SAFE * noise, TOUCH * max(a * a, b * b))
    if square < -margin:
        return 0, (0.0, 0.0), 0.0, True
    sure = square > margin
    root = math.sqrt(max(square, 0.0))
    longer = -(b + math.copysign(root, b))
    if abs(longer) < 1e-30:
        return 1, (0.0, 0.0), 0.0, False
    count, first, second = 1, c / longer, 0.0
    if abs(longer) < _FAR * abs(a):
        second = longer / a
        count = 2 if root > 0.0 else 1
    farther = 1.0 + max(abs(first), abs(second))
    off = error * farther * farther / (2.0 * root) if sure else 0.0
    if off > MOST:
        off, sure = 0.0, False
    if abs(first) > _FAR:
        return 0, (0.0, 0.0), 0.0, sure
    return count, (first, second), off, sure


@inlined
def slide_pairs(which, line, circle, h, error, out):
    """Write the pairs.

    Args:
        which: `ANGLE_FIRST` to `BOTH`.
        line: x and a, see above; a is a unit vector.
        circle: f, k, p, and 1 or -1, by which the angle is multiplied.
        h: Direction of joint 2's axis.
        error: How far all of that is expected to be off.
        out: Memory for branches.

    Returns:
        How many, and whether that is sure.
    """
    x, along = line
    f, k, p, way = circle
    rise, forth, squares = dot(h, along), dot(x, along), dot(x, x)
    middle, a, b = arc(h, k, p)
    height, b = dot(h, f) + middle - dot(h, x), way * b
    middle, c, d = arc(f, k, p)
    apart, d = dot(f, f) + dot(p, p) + 2.0 * middle, way * d
    # rise q = height + a cos u + b sin u
    # squares + 2 forth q + q q = apart + 2 (c cos u + d sin u)
    size = math.sqrt(dot(f, f)) + math.sqrt(dot(p, p))
    if which == BOTH:
        return _quartic(rise, forth, squares, height, a, b, apart, c, d, size, error, out)
    count, sure = 0, True
    if which == ANGLE_FIRST:
        number, angles, off, sure = angles_on_line(a, b, -height, error)
        for i in range(number):
            y = plus(f, turn(k, (angles[i][0], way * angles[i][1]), p))
            some, found, beside, certain = slides(
                1.0, forth, squares - dot(y, y), error + 2.0 * size * off
            )
            sure = sure and certain
            for j in range(some):
                _put(out, count, angles[i], found[j], off + beside)
                count += 1
        return count, sure
    if which == SLIDE_BY_HEIGHT:
        number, found, off = 1, (height / rise, 0.0), error / abs(rise)
    else:
        number, found, off, sure = slides(1.0, forth, squares - apart, error)
    for i in range(number):
        q = found[i]
        if which == SLIDE_BY_HEIGHT:
            level = (squares + 2.0 * forth * q + q * q - apart) / 2.0
            some, angles, beside, certain = angles_on_line(
                c, d, level, error + (abs(forth) + abs(q)) * off
            )
        else:
            some, angles, beside, certain = angles_on_line(a, b, rise * q - height, error + off)
        sure = sure and certain
        for j in range(some):
            _put(out, count, angles[j], q, off + beside)
            count += 1
    return count, sure


@inlined
def _put(out, count, angle, q, off):
    """Write a pair."""
    out[count, 0], out[count, 1], out[count, 2], out[count, 4] = angle[0], angle[1], q, off


@inlined
def _quartic(rise, forth, squares, height, a, b, apart, c, d, size, error, out):
    """Write the pairs where both equations have both unknowns."""
    # (rise q)^2 + 2 rise forth (rise q) = rise^2 (...), with rise q of the first equation.
    square, twice = rise * rise, 2.0 * rise * forth
    cosines = (
        height * height + (a * a + b * b) / 2.0 + twice * height + square * (squares - apart),
        2.0 * height * a + twice * a - 2.0 * square * c,
        (a * a - b * b) / 2.0,
    )
    sines = (0.0, 2.0 * height * b + twice * b - 2.0 * square * d, a * b)
    bound = largest_derivative(cosines, sines, 2)
    noise = _ROUNDING * (abs(cosines[0]) + bound)
    noise += 4.0 * error * abs(rise) * (1.0 + abs(rise)) * (size + math.sqrt(squares))
    if bound < 1e-30:
        return 0, abs(cosines[0]) > noise
    sixth = largest_derivative(cosines, sines, 6)
    count, sure, angle = 0, True, START
    while angle < END and count < _MOST:
        zero, angle, simple = next_zero(cosines, sines, sixth, angle, SAFE * noise)
        if zero >= END:
            break
        u = math.cos(zero), math.sin(zero)
        _, slope, _, _, _, _ = derivatives(cosines, sines, zero)
        off = noise / max(abs(slope), noise)
        off += (error + off * (abs(a) + abs(b))) / abs(rise)
        if off > MOST:
            off, simple = 0.0, False
        sure = sure and simple
        _put(out, count, u, (height + a * u[0] + b * u[1]) / rise, off)
        count += 1
    return count, sure
