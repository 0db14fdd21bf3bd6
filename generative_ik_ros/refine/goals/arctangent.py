"""The angle of a vector in the plane, in vector lanes."""

import math

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lanes import absolute, where_less

# ruff: noqa: ANN001, ANN201  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

_EIGHTH = math.tan(math.pi / 8.0)
_SERIES = tuple((-1.0) ** k / (2 * k + 1) for k in range(21))
"""The Taylor series of the arctangent: within tan(pi / 8) its rest is below 1e-16."""


@inlined
def arctangent(y, x):
    """Return the angle of the vector (x, y) in (-pi, pi], 0 where it is 0."""
    ax, ay = absolute(x), absolute(y)
    large = where_less(ax, ay, ay, ax)
    small = where_less(ax, ay, ax, ay)
    t = small / where_less(0.0, large, large, 1.0)
    # atan(t) = pi / 4 + atan((t - 1) / (t + 1)) beyond an eighth of a turn's half.
    r = where_less(_EIGHTH, t, (t - 1.0) / (t + 1.0), t)
    s = r * r
    angle = s * _SERIES[20] + _SERIES[19]
    for k in (18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0):
        angle = angle * s + _SERIES[k]
    angle = angle * r + where_less(_EIGHTH, t, 0.25 * math.pi, 0.0)
    angle = where_less(ax, ay, 0.5 * math.pi - angle, angle)
    angle = where_less(x, 0.0, math.pi - angle, angle)
    return where_less(y, 0.0, angle * -1.0, angle)
