"""Subproblems 1, 3 and 4 of Paden and Kahan: angles that bring a turned vector where it should be.

B. Paden, Kinematics and control of robot manipulators, 1986; in the form of A. Elias and J. Wen,
IK-Geo: Unified robot inverse kinematics using subproblem decomposition, 2022 (arXiv 2211.05737).
Vectors are tuples of three numbers, which numba keeps in registers and compiles far faster than
arrays. `turn(k, t, p)` is the vector p turned by the angle t about the unit axis k.
"""

import math

from numba import njit

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

_TOUCH = 1e-7
"""A circle that misses by less than this share of its radius touches: two equal roots."""


@njit
def vector(rows, i):
    """Return row i of an array (N, 3)."""
    return rows[i, 0], rows[i, 1], rows[i, 2]


@njit
def plus(a, b):
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@njit
def minus(a, b):
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@njit
def cross(a, b):
    """Return the cross product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@njit
def dot(a, b):
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit
def times(matrix, p):
    """Return the product of an array (3, 3) and a vector."""
    return dot(vector(matrix, 0), p), dot(vector(matrix, 1), p), dot(vector(matrix, 2), p)


@njit
def perpendicular(k, p):
    """Return the part of p that is perpendicular to the unit axis k."""
    along = dot(k, p)
    return p[0] - along * k[0], p[1] - along * k[1], p[2] - along * k[2]


@njit
def turn(k, t, p):
    """Turn p by the angle t about the unit axis k (Rodrigues' formula)."""
    c, s = math.cos(t), math.sin(t)
    along = (1.0 - c) * dot(k, p)
    q = cross(k, p)
    return (
        c * p[0] + s * q[0] + along * k[0],
        c * p[1] + s * q[1] + along * k[1],
        c * p[2] + s * q[2] + along * k[2],
    )


@njit
def angle_between(p1, p2, k):
    """Return t with turn(k, t, p1) nearest to p2 (subproblem 1)."""
    return math.atan2(dot(k, cross(p1, p2)), dot(p1, p2) - dot(k, p1) * dot(k, p2))


@njit
def angles_to_plane(h, p, k, d):
    """Return the two t with dot(h, turn(k, t, p)) = d (subproblem 4), and whether there are any.

    A touching circle gives the same angle twice.
    """
    a = dot(h, p) - dot(h, k) * dot(k, p)
    b = dot(h, cross(k, p))
    rest = d - dot(h, k) * dot(k, p)
    radius = math.hypot(a, b)
    if radius < 1e-12 or abs(rest) > radius * (1.0 + _TOUCH):
        return (0.0, 0.0), False
    middle, half = math.atan2(b, a), math.acos(min(1.0, max(-1.0, rest / radius)))
    return (middle + half, middle - half), True


@njit
def angles_to_distance(p1, p2, k, d):
    """Return the two t with |turn(k, t, p1) - p2| = d (subproblem 3), see `angles_to_plane`."""
    return angles_to_plane(p2, p1, k, (dot(p1, p1) + dot(p2, p2) - d * d) / 2.0)
