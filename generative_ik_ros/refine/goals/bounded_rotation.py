"""How far a rotation is outside a region's bounds, and which ways it is held, in vector lanes.

Each function returns an error, the rotation vector's chord from the tip to the nearest rotation
inside as components along three directions, these directions, and the error's length (D. Berenson,
S. Srinivasa, J. Kuffner, Task Space Regions, IJRR 30(12), 2011). A direction in which the tip may
turn is 0, so that the local solver does not hold it there.
"""

import math

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lane_algebra import half_angle, multiply_quaternions
from generative_ik_ros.compiled.lanes import (
    load,
    nearest_integer,
    spread,
    square_root,
    where_less,
)
from generative_ik_ros.compiled.vectors import cross, dot
from generative_ik_ros.refine.goals.arctangent import arctangent
from generative_ik_ros.refine.goals.vectors import (
    any_normal,
    axes_of,
    length,
    pick_less,
    scaled,
)

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

_TURN = 2.0 * math.pi


@inlined
def chord(target, tip):
    """Return the rotation from tip to target, unit quaternions: axis times 2 sin(angle / 2)."""
    zero = spread(0.0)
    gx, gy, gz, gw = multiply_quaternions(
        target[0], target[1], target[2], target[3],
        zero - tip[0], zero - tip[1], zero - tip[2], tip[3],
    )  # fmt: skip
    sign = where_less(gw, 0.0, -2.0, 2.0)
    return gx * sign, gy * sign, gz * sign


@inlined
def in_cone(buffer, row, target_axes, tip_axes):
    """Measure against a cone about an axis; `row` holds the axis, cosine and sine of its angle."""
    a, b = _mixed(buffer, row, tip_axes), _mixed(buffer, row, target_axes)
    cosine, normal = dot(a, b), cross(a, b)
    sine = length(normal)
    # The sine is exact where the angle is small, the cosine where it is not.
    half_cosine = square_root(where_less(-1.0, cosine, (cosine + 1.0) * 0.5, 0.0))
    half_sine = where_less(
        0.0, cosine, sine / (2.0 * where_less(0.5, half_cosine, half_cosine, 0.5)),
        square_root(where_less(cosine, 1.0, (1.0 - cosine) * 0.5, 0.0)),
    )  # fmt: skip
    apart = where_less(1e-15, sine, sine, 1.0)
    normal = pick_less(1e-15, sine, scaled(normal, 1.0 / apart), any_normal(a))
    cone_cosine, cone_sine = load(buffer, row + 3), load(buffer, row + 4)
    excess = (half_sine * cone_cosine - half_cosine * cone_sine) * 2.0
    # An open cone holds the axis only outside, and only one way; one without width both ways.
    closed = where_less(0.0, cone_sine, 0.0, 1.0)
    outside = where_less(0.0, excess, 1.0, closed)
    zero = spread(0.0)
    error = where_less(0.0, excess, excess, zero)
    sideways = scaled(cross(normal, a), closed)
    return (error, zero, zero), scaled(normal, outside), sideways, (zero, zero, zero), error


@inlined
def in_angles(buffer, row, target, target_axes, tip, tip_axes):
    """Measure against bounds of roll, pitch and yaw; `row` holds the lower, then the upper."""
    x, y = tip_axes[0], tip_axes[1]
    x0, x1, x2 = dot(target_axes[0], x), dot(target_axes[1], x), dot(target_axes[2], x)
    y2, z2 = dot(target_axes[2], y), dot(target_axes[2], tip_axes[2])
    roll, yaw = arctangent(y2, z2), arctangent(x1, x0)
    pitch = arctangent(x2 * -1.0, square_root(x0 * x0 + x1 * x1))
    r, p, w = (
        _clamp(buffer, row, 0, roll),
        _clamp(buffer, row, 1, pitch),
        _clamp(buffer, row, 2, yaw),
    )
    # The same rotation has another triple of angles.
    r2 = _clamp(buffer, row, 0, roll + math.pi)
    p2 = _clamp(buffer, row, 1, math.pi - pitch)
    w2 = _clamp(buffer, row, 2, yaw + math.pi)
    far, far2 = r[1] + p[1] + w[1], r2[1] + p2[1] + w2[1]
    r, p, w = (
        pick_less(far2, far, r2, r), pick_less(far2, far, p2, p), pick_less(far2, far, w2, w)
    )  # fmt: skip
    sr, cr = half_angle(r[0])
    sp, cp = half_angle(p[0])
    sw, cw = half_angle(w[0])
    zero = spread(0.0)
    yawed = multiply_quaternions(target[0], target[1], target[2], target[3], zero, zero, sw, cw)
    pitched = multiply_quaternions(yawed[0], yawed[1], yawed[2], yawed[3], zero, sp, zero, cp)
    nearest = multiply_quaternions(
        pitched[0], pitched[1], pitched[2], pitched[3], sr, zero, zero, cr
    )
    error = chord(nearest, tip)
    about_pitch = axes_of(yawed[0], yawed[1], yawed[2], yawed[3])[1]
    about_roll = axes_of(nearest[0], nearest[1], nearest[2], nearest[3])[0]
    # Within the plane of the other two axes, what is normal to the free one of them is held.
    first = pick_less(w[2], r[2], about_roll, target_axes[2])
    first_held, second_held = (1.0 - r[2]) * (1.0 - w[2]), 1.0 - r[2] * w[2]
    second = scaled(cross(about_pitch, first), second_held)
    about_pitch, first = scaled(about_pitch, 1.0 - p[2]), scaled(first, first_held)
    gaps = dot(error, about_pitch), dot(error, first), dot(error, second)
    return gaps, about_pitch, first, second, length(error)


@inlined
def _mixed(buffer, row, axes):
    """Return the frame's axis that three rows of the buffer choose."""
    a, b, c = load(buffer, row), load(buffer, row + 1), load(buffer, row + 2)
    x, y, z = axes
    return (
        a * x[0] + b * y[0] + c * z[0],
        a * x[1] + b * y[1] + c * z[1],
        a * x[2] + b * y[2] + c * z[2],
    )


@inlined
def _clamp(buffer, row, k, angle):
    """Return an angle's nearest value inside its bounds, its squared excess, 1 if it is free."""
    lower, upper = load(buffer, row + k), load(buffer, row + 3 + k)
    angle = angle - nearest_integer((angle - (lower + upper) * 0.5) * (1.0 / _TURN)) * _TURN
    inside = where_less(angle, lower, lower, where_less(upper, angle, upper, angle))
    excess = angle - inside
    free = where_less(lower, angle, where_less(angle, upper, 1.0, 0.0), 0.0)
    return inside, excess * excess, free
