"""Vectors and axes come in, the angles that bring them together go out: the classic subproblems.

B. Paden, Kinematics and control of robot manipulators, 1986; in the form of A. Elias and J. Wen,
IK-Geo: Unified robot inverse kinematics using subproblem decomposition, 2022 (arXiv 2211.05737).
`turn(k, t) p` is the vector p turned by the angle t about the unit axis k.
"""

import math

import numpy as np
from numba import njit

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

_TOUCH = 1e-7
"""A circle that misses by less than this share of its radius touches: two equal roots."""


@njit
def cross(a, b):
    """Return the cross product of two vectors (3,)."""
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


@njit
def dot(a, b):
    """Return the scalar product of two vectors (3,)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit
def turn(k, t, p):
    """Turn a vector (3,) by the angle t about the unit axis k (Rodrigues' formula)."""
    c, s = math.cos(t), math.sin(t)
    along = (1.0 - c) * dot(k, p)
    across = cross(k, p)
    return np.array([c * p[i] + s * across[i] + along * k[i] for i in range(3)])


@njit
def rotation(k, t):
    """Return the matrix (3, 3) of a turn by the angle t about the unit axis k."""
    matrix = np.empty((3, 3))
    for i in range(3):
        unit = np.zeros(3)
        unit[i] = 1.0
        matrix[:, i] = turn(k, t, unit)
    return matrix


@njit
def angle_between(p1, p2, k):
    """Return t with turn(k, t) p1 nearest to p2 (subproblem 1)."""
    return math.atan2(dot(k, cross(p1, p2)), dot(p1, p2) - dot(k, p1) * dot(k, p2))


@njit
def angles_to_plane(h, p, k, d):
    """Return the t with h . turn(k, t) p = d (subproblem 4), and whether there are any.

    They are (2,) angles; a touching circle gives the same one twice.
    """
    angles = np.zeros(2)
    a = dot(h, p) - dot(h, k) * dot(k, p)
    b = dot(h, cross(k, p))
    rest = d - dot(h, k) * dot(k, p)
    radius = math.hypot(a, b)
    if radius < 1e-12 or abs(rest) > radius * (1.0 + _TOUCH):
        return angles, False
    middle, half = math.atan2(b, a), math.acos(min(1.0, max(-1.0, rest / radius)))
    angles[0], angles[1] = middle + half, middle - half
    return angles, True


@njit
def angles_to_distance(p1, p2, k, d):
    """Return the t with |turn(k, t) p1 - p2| = d (subproblem 3), as `angles_to_plane` does."""
    return angles_to_plane(p2, p1, k, (dot(p1, p1) + dot(p2, p2) - d * d) / 2.0)
