"""Signed distances from points to boxes, capsules and cylinders, compiled, one or eight at a time.

Boxes have rounded edges: the box of a sphere is a point, that of a capsule is a line. Everything
here takes numbers and vector lanes alike.
"""

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lanes import absolute, square_root, where_less

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

BOX, CYLINDER = 0, 1


@inlined
def signed_distance(kind, primitive, x, y, z):
    """Return how far points are from the surface of primitives, negative inside [m].

    Args:
        kind: BOX or CYLINDER.
        primitive: Position (3), rotation row by row (9), half lengths (3) - of a cylinder the
            radius, the radius again, and half its length - and the radius of its edges, in the
            frame of the points [m].
        x: Coordinates of the points [m].
        y: Likewise.
        z: Likewise.
    """
    dx, dy, dz = x - primitive[0], y - primitive[1], z - primitive[2]
    a = dx * primitive[3] + dy * primitive[6] + dz * primitive[9]
    b = dx * primitive[4] + dy * primitive[7] + dz * primitive[10]
    c = absolute(dx * primitive[5] + dy * primitive[8] + dz * primitive[11]) - primitive[14]
    if kind == CYLINDER:
        a = square_root(a * a + b * b) - primitive[12]
        b = a
        out = positive(a)
        outside = out * out
    else:
        a, b = absolute(a) - primitive[12], absolute(b) - primitive[13]
        left, right = positive(a), positive(b)
        outside = left * left + right * right
    up = positive(c)
    deepest = larger(larger(a, b), c)
    inside = deepest - positive(deepest)
    return square_root(outside + up * up) + inside - primitive[15]


@inlined
def positive(value):
    """Return what is above 0 of a number, else 0."""
    return where_less(value, 0.0, 0.0, value)


@inlined
def larger(a, b):
    """Return the larger of two numbers."""
    return where_less(a, b, b, a)
