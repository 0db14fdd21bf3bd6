"""Rotations and a small linear system in vector lanes, for the compiled refinement kernel."""

import math

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lanes import load, nearest_integer, spread, store

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

_PI_HIGH, _PI_LOW = 3.1415926535897931, 1.2246467991473532e-16
_SINE = tuple((-1.0) ** k / math.factorial(2 * k + 1) for k in range(10))
_COSINE = tuple((-1.0) ** k / math.factorial(2 * k) for k in range(11))


@inlined
def half_angle(angle):
    """Return sine and cosine of angle / 2 up to one common sign, which a rotation does not see."""
    half = angle * 0.5
    turns = nearest_integer(half * (1.0 / math.pi))
    x = half - turns * _PI_HIGH - turns * _PI_LOW
    s = x * x
    sine = s * _SINE[9] + _SINE[8]
    for k in (7, 6, 5, 4, 3, 2, 1, 0):
        sine = sine * s + _SINE[k]
    cosine = s * _COSINE[10] + _COSINE[9]
    for k in (8, 7, 6, 5, 4, 3, 2, 1, 0):
        cosine = cosine * s + _COSINE[k]
    return sine * x, cosine


@inlined
def rotate(qx, qy, qz, qw, x, y, z):
    """Rotate the vector (x, y, z) by a unit quaternion."""
    tx = (qy * z - qz * y) * 2.0
    ty = (qz * x - qx * z) * 2.0
    tz = (qx * y - qy * x) * 2.0
    return (
        x + qw * tx + qy * tz - qz * ty,
        y + qw * ty + qz * tx - qx * tz,
        z + qw * tz + qx * ty - qy * tx,
    )


@inlined
def multiply_quaternions(ax, ay, az, aw, bx, by, bz, bw):
    """Multiply two quaternions."""
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


@inlined
def advance(px, py, pz, qx, qy, qz, qw, pose):
    """Move a frame on by a fixed pose (x y z, quaternion xyzw)."""
    dx, dy, dz = rotate(qx, qy, qz, qw, pose[0], pose[1], pose[2])
    qx, qy, qz, qw = multiply_quaternions(qx, qy, qz, qw, pose[3], pose[4], pose[5], pose[6])
    return px + dx, py + dy, pz + dz, qx, qy, qz, qw


@inlined
def store_three(buffer, row, a):
    """Store a vector in three rows."""
    store(buffer, row, a[0])
    store(buffer, row + 1, a[1])
    store(buffer, row + 2, a[2])


@inlined
def store_six(buffer, row, a, b):
    """Store two vectors in six rows."""
    store_three(buffer, row, a)
    store_three(buffer, row + 3, b)


@inlined
def solve_damped(buffer, row_jacobian, n, damp, e0, e1, e2, e3, e4, e5):
    """Solve (J J^T + damp I) y = e in six unknowns by an LDL^T factorisation."""
    zero = spread(0.0)
    a00, a11, a22, a33, a44, a55 = damp, damp, damp, damp, damp, damp
    a10, a20, a21, a30, a31, a32 = zero, zero, zero, zero, zero, zero
    a40, a41, a42, a43 = zero, zero, zero, zero
    a50, a51, a52, a53, a54 = zero, zero, zero, zero, zero
    for v in range(n):
        c = row_jacobian + 6 * v
        j0, j1, j2 = load(buffer, c), load(buffer, c + 1), load(buffer, c + 2)
        j3, j4, j5 = load(buffer, c + 3), load(buffer, c + 4), load(buffer, c + 5)
        a00, a10, a11 = a00 + j0 * j0, a10 + j1 * j0, a11 + j1 * j1
        a20, a21, a22 = a20 + j2 * j0, a21 + j2 * j1, a22 + j2 * j2
        a30, a31, a32, a33 = a30 + j3 * j0, a31 + j3 * j1, a32 + j3 * j2, a33 + j3 * j3
        a40, a41, a42, a43 = a40 + j4 * j0, a41 + j4 * j1, a42 + j4 * j2, a43 + j4 * j3
        a50, a51, a52, a53 = a50 + j5 * j0, a51 + j5 * j1, a52 + j5 * j2, a53 + j5 * j3
        a44, a54, a55 = a44 + j4 * j4, a54 + j5 * j4, a55 + j5 * j5
    # l.. are the factor's entries, b.. those entries times their pivot, d. the pivots' inverses
    d0 = 1.0 / a00
    l10, l20, l30, l40, l50 = a10 * d0, a20 * d0, a30 * d0, a40 * d0, a50 * d0
    d1 = 1.0 / (a11 - l10 * a10)
    b21, b31 = a21 - l20 * a10, a31 - l30 * a10
    b41, b51 = a41 - l40 * a10, a51 - l50 * a10
    l21, l31, l41, l51 = b21 * d1, b31 * d1, b41 * d1, b51 * d1
    d2 = 1.0 / (a22 - l20 * a20 - l21 * b21)
    b32 = a32 - l30 * a20 - l31 * b21
    b42, b52 = a42 - l40 * a20 - l41 * b21, a52 - l50 * a20 - l51 * b21
    l32, l42, l52 = b32 * d2, b42 * d2, b52 * d2
    d3 = 1.0 / (a33 - l30 * a30 - l31 * b31 - l32 * b32)
    b43 = a43 - l40 * a30 - l41 * b31 - l42 * b32
    b53 = a53 - l50 * a30 - l51 * b31 - l52 * b32
    l43, l53 = b43 * d3, b53 * d3
    d4 = 1.0 / (a44 - l40 * a40 - l41 * b41 - l42 * b42 - l43 * b43)
    b54 = a54 - l50 * a40 - l51 * b41 - l52 * b42 - l53 * b43
    l54 = b54 * d4
    d5 = 1.0 / (a55 - l50 * a50 - l51 * b51 - l52 * b52 - l53 * b53 - l54 * b54)
    y1 = e1 - l10 * e0
    y2 = e2 - l20 * e0 - l21 * y1
    y3 = e3 - l30 * e0 - l31 * y1 - l32 * y2
    y4 = e4 - l40 * e0 - l41 * y1 - l42 * y2 - l43 * y3
    y5 = (e5 - l50 * e0 - l51 * y1 - l52 * y2 - l53 * y3 - l54 * y4) * d5
    y4 = y4 * d4 - l54 * y5
    y3 = y3 * d3 - l43 * y4 - l53 * y5
    y2 = y2 * d2 - l32 * y3 - l42 * y4 - l52 * y5
    y1 = y1 * d1 - l21 * y2 - l31 * y3 - l41 * y4 - l51 * y5
    y0 = e0 * d0 - l10 * y1 - l20 * y2 - l30 * y3 - l40 * y4 - l50 * y5
    return y0, y1, y2, y3, y4, y5
