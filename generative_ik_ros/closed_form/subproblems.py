"""Canonical subproblems: angles that bring turned vectors where they should be.

B. Paden, Kinematics and control of robot manipulators, 1986; in the form of A. Elias and J. Wen,
IK-Geo: Unified robot inverse kinematics using subproblem decomposition, 2022 (arXiv 2211.05737).
Vectors are tuples of three numbers, which numba keeps in registers and compiles far faster than
arrays. An angle is the point (cosine, sine) on the unit circle; `turn(k, u, p)` is the vector p
turned by the angle u about the unit axis k. Lengths are shares of the arm's length. Each answer
says how far it may be off, by rounding or because an arm is only nearly of its family, and what
is computed from it is off by as much again.
"""

import math

from generative_ik_ros.compiled.kernel import inlined

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

NO_TURN = (1.0, 0.0)
"""The angle zero."""
MOST = 0.05
"""An angle that may be off by more than this is not sure [rad]."""
SAFE = 8.0
"""Errors count as so many times what they are expected to be. With it nearly parallel and nearly
intersecting axes lose no branch, and few poses are marked."""
TOUCH = 1e-12
"""A line that misses or cuts a circle by less touches it, whatever the error."""


@inlined
def vector(numbers, i):
    """Return the numbers 3 i to 3 i + 2 of a flat array."""
    return numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]


@inlined
def plus(a, b):
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inlined
def minus(a, b):
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inlined
def cross(a, b):
    """Return the cross product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def dot(a, b):
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def times(rows, p):
    """Return the product of a matrix, three rows, and a vector."""
    return dot(rows[0], p), dot(rows[1], p), dot(rows[2], p)


@inlined
def transposed(rows):
    """Return the rows of the transposed matrix."""
    (a, b, c), (d, e, f), (g, h, i) = rows
    return (a, d, g), (b, e, h), (c, f, i)


@inlined
def perpendicular(k, p):
    """Return the part of p that is perpendicular to the unit axis k."""
    along = dot(k, p)
    return p[0] - along * k[0], p[1] - along * k[1], p[2] - along * k[2]


@inlined
def turn(k, angle, p):
    """Turn p by an angle (cosine, sine) about the unit axis k (Rodrigues' formula)."""
    c, s = angle
    along = (1.0 - c) * dot(k, p)
    q = cross(k, p)
    return (
        c * p[0] + s * q[0] + along * k[0],
        c * p[1] + s * q[1] + along * k[1],
        c * p[2] + s * q[2] + along * k[2],
    )


@inlined
def turn_back(k, angle, p):
    """Turn p by the opposite angle; the angle may be lanes of numbers."""
    return turn(k, (angle[0], -1.0 * angle[1]), p)


@inlined
def arc(h, k, p):
    """Return (o, a, b) with h . turn(k, u, p) = o + a cos u + b sin u."""
    middle = dot(h, k) * dot(k, p)
    return middle, dot(h, p) - middle, dot(h, cross(k, p))


@inlined
def radians(angle):
    """Return an angle (cosine, sine) of any length in radians."""
    return math.atan2(angle[1], angle[0])


@inlined
def angle_between(p, q, k, error):
    """Return the angle u about k that turns p nearest to q (subproblem 1).

    Args:
        p: A vector.
        q: Another.
        k: A unit axis.
        error: How far p and q are expected to be off.

    Returns:
        The angle, how far it is expected to be off [rad], and whether it is defined: it is not
        where p or q lies on the axis, then any angle does as well.
    """
    # First across the axis, so that what is near it keeps its digits.
    v, w = cross(k, p), cross(k, q)
    c, s = dot(v, w), dot(k, cross(v, w))
    size = math.sqrt(c * c + s * s)
    if size <= 1e-30:
        return NO_TURN, 0.0, False
    off = error / math.sqrt(size)
    defined = size > TOUCH and off < MOST
    return (c / size, s / size), off if defined else 0.0, defined


@inlined
def angles_on_line(a, b, d, error):
    """Solve a cos u + b sin u = d (subproblem 4; 3, of distances, has the same form).

    Args:
        a: A coefficient.
        b: Another.
        d: The right side.
        error: How far all three are expected to be off.

    Returns:
        How many angles there are, the two, how far they are expected to be off [rad], and whether
        that is sure: it is not where the line touches the circle or misses it by no more than the
        error, then the nearest angle is returned, or where almost any angle solves the equation.
    """
    square = a * a + b * b
    radius, margin = math.sqrt(square), max(SAFE * error, TOUCH)
    if abs(d) > radius + margin:
        return 0, (NO_TURN, NO_TURN), 0.0, True
    if radius <= margin:
        return 1, (NO_TURN, NO_TURN), 0.0, False
    rest = min(radius, max(-radius, d))
    half = math.sqrt((radius - rest) * (radius + rest))
    c, s = a * rest / square, b * rest / square
    x, y = b * half / square, a * half / square
    angles = (c - x, s + y), (c + x, s - y)
    sure = square > TOUCH and radius - abs(d) > margin and error < MOST * half
    return 1 if half == 0.0 else 2, angles, error / half if sure else 0.0, sure
