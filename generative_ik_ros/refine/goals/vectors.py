"""Vectors of three in vector lanes, and frames built from them."""

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lanes import absolute, square_root, where_less
from generative_ik_ros.compiled.vectors import dot

# ruff: noqa: ANN001, ANN201  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false


@inlined
def scaled(a, factor):
    """Return a vector times a number."""
    return a[0] * factor, a[1] * factor, a[2] * factor


@inlined
def length(a):
    """Return the Euclidean norm."""
    return square_root(dot(a, a))


@inlined
def pick_less(a, b, x, y):
    """Return in each lane the vector x where a < b, else y."""
    return where_less(a, b, x[0], y[0]), where_less(a, b, x[1], y[1]), where_less(a, b, x[2], y[2])


@inlined
def any_normal(a):
    """Return a unit vector normal to a unit vector."""
    # Crossed with z, unless it is close to z, else with x.
    flat = pick_less(
        absolute(a[2]), 0.9, (a[1], a[0] * -1.0, a[2] * 0.0), (a[0] * 0.0, a[2], a[1] * -1.0)
    )
    return scaled(flat, 1.0 / length(flat))


@inlined
def axes_of(qx, qy, qz, qw):
    """Return the three axes of a frame whose rotation is a unit quaternion."""
    x = 1.0 - (qy * qy + qz * qz) * 2.0, (qx * qy + qz * qw) * 2.0, (qx * qz - qy * qw) * 2.0
    y = (qx * qy - qz * qw) * 2.0, 1.0 - (qx * qx + qz * qz) * 2.0, (qy * qz + qx * qw) * 2.0
    z = (qx * qz + qy * qw) * 2.0, (qy * qz - qx * qw) * 2.0, 1.0 - (qx * qx + qy * qy) * 2.0
    return x, y, z
