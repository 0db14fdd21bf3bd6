"""Vectors as tuples of three numbers, which may be lanes, in compiled code.

numba keeps tuples in registers and compiles them far faster than arrays. An angle is the point
(cosine, sine) on the unit circle.
"""

from generative_ik_ros.compiled.kernel import inlined

# ruff: noqa: ANN001, ANN201  (types inside compiled code are numba's, not Python's)


@inlined
def dot(a, b):
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def cross(a, b):
    """Return the vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
