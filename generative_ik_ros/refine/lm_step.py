"""One iteration of damped least squares for eight seeds in SIMD lanes: errors, then a step.

Orientation is a unit quaternion throughout, so a rotation error of 180 degrees needs no special
case. The damping grows with the squared error: it needs no line search and vanishes at a solution
(T. Sugihara, Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method, IEEE
T-RO 27(5), 2011). The kernels that call this decide which seed is in which lane, and for how long.
"""

from typing import NamedTuple

from generative_ik_ros.compiled import WIDTH
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lane_algebra import (
    advance,
    half_angle,
    multiply_quaternions,
    solve_damped,
    store_six,
)
from generative_ik_ros.compiled.lanes import load, spread, square_root, store, where_less

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false


class Rows(NamedTuple):
    """Layout of a kernel's buffer, in rows of eight lanes; the variables come first.

    Attributes:
        axes: Six rows for each joint: its axis and origin.
        jacobian: Six rows for each variable.
        target: Seven rows: x y z, quaternion xyzw.
        alive: 1 where the lane may move, else 0.
        damping: Damping per squared error.
        stretch: Rotation error that is minimised, in units of its chord.
        position_error: [m].
        orientation_error: Chord of the angle [rad].
        end: Number of rows.
    """

    axes: int
    jacobian: int
    target: int
    alive: int
    damping: int
    stretch: int
    position_error: int
    orientation_error: int
    end: int


LEAST_DAMPING = 1e-9
"""Damping at zero error. It keeps the normal equations solvable at a singularity."""


@inlined
def rows_of(chain):
    """Lay out the rows of a buffer."""
    axes = chain.scale.shape[0]
    jacobian = axes + 6 * chain.origins.shape[0]
    k = jacobian + 6 * chain.scale.shape[0]
    return Rows(axes, jacobian, k, k + 7, k + 8, k + 9, k + 10, k + 11, k + 12)


@inlined
def clear(buffer, rows, options):
    """Fill a buffer whose lanes hold no seed yet with numbers that are safe to compute with."""
    buffer[:] = 0.0
    buffer[(rows.target + 6) * WIDTH : (rows.target + 7) * WIDTH] = 1.0
    buffer[rows.damping * WIDTH : (rows.damping + 1) * WIDTH] = options.damping
    buffer[rows.stretch * WIDTH : (rows.stretch + 1) * WIDTH] = 1.0


@inlined
def squared_error(options, position, orientation):
    """Return the weighted squared error of a distance [m] and an angle or its chord [rad]."""
    return (options.position_weight * position) ** 2 + (
        options.orientation_weight * orientation
    ) ** 2


@inlined
def within_tolerances(options, position, chord):
    """Say whether a distance [m] and an angle's chord [rad] are; what is free always is."""
    return (options.position_weight == 0.0 or position <= options.position_tolerance) and (
        options.orientation_weight == 0.0 or chord <= options.orientation_tolerance
    )


@inlined
def errors(chain, buffer, rows):
    """Compute the tip's pose, and store its distance and angle from the target.

    Returns:
        Tip position, position error and orientation error (the axis times the chord), in lanes.
    """
    px, py, pz, qx, qy, qz, qw = _forward(chain, buffer, rows.axes)
    ex = load(buffer, rows.target) - px
    ey = load(buffer, rows.target + 1) - py
    ez = load(buffer, rows.target + 2) - pz
    zero = spread(0.0)
    gx, gy, gz, gw = multiply_quaternions(
        load(buffer, rows.target + 3), load(buffer, rows.target + 4),
        load(buffer, rows.target + 5), load(buffer, rows.target + 6),
        zero - qx, zero - qy, zero - qz, qw,
    )  # fmt: skip
    sign = where_less(gw, 0.0, -2.0, 2.0)
    ox, oy, oz = gx * sign, gy * sign, gz * sign
    store(buffer, rows.position_error, square_root(ex * ex + ey * ey + ez * ez))
    store(buffer, rows.orientation_error, square_root(ox * ox + oy * oy + oz * oz))
    return (px, py, pz), (ex, ey, ez), (ox, oy, oz)


@inlined
def step(chain, options, buffer, rows, lower, upper, tip, position_error, orientation_error):
    """Move the lanes that are alive one step towards their targets, inside the bounds."""
    linear = options.position_weight
    e0, e1, e2 = position_error[0] * linear, position_error[1] * linear, position_error[2] * linear
    angular = load(buffer, rows.stretch) * options.orientation_weight
    e3, e4, e5 = (
        orientation_error[0] * angular, orientation_error[1] * angular,
        orientation_error[2] * angular,
    )  # fmt: skip
    _columns(chain, options, buffer, rows.axes, rows.jacobian, tip[0], tip[1], tip[2])
    _hold_at_limits(buffer, rows.jacobian, lower, upper, e0, e1, e2, e3, e4, e5)
    squared = e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3 + e4 * e4 + e5 * e5
    damp = squared * load(buffer, rows.damping) + LEAST_DAMPING
    y = solve_damped(buffer, rows.jacobian, lower.shape[0], damp, e0, e1, e2, e3, e4, e5)
    _move(chain, buffer, rows.jacobian, rows.alive, options.max_step, lower, upper, y)


@inlined
def _forward(chain, buffer, row_axes):
    """Compute the tip's pose; store each joint's axis and origin in six rows of the buffer."""
    zero = spread(0.0)
    px, py, pz = zero, zero, zero
    qx, qy, qz, qw = zero, zero, zero, spread(1.0)
    for j in range(chain.origins.shape[0]):
        px, py, pz, qx, qy, qz, qw = advance(px, py, pz, qx, qy, qz, qw, chain.origins[j])
        px, py, pz, qx, qy, qz, qw = move_joint(
            chain, j, buffer, row_axes + 6 * j, px, py, pz, qx, qy, qz, qw
        )
    return advance(px, py, pz, qx, qy, qz, qw, chain.tip)


@inlined
def move_joint(chain, j, buffer, row, px, py, pz, qx, qy, qz, qw):
    """Store a joint's axis and origin in six rows, and move its frame as far as the joint is."""
    ax = (qx * qz + qw * qy) * 2.0
    ay = (qy * qz - qw * qx) * 2.0
    az = 1.0 - (qx * qx + qy * qy) * 2.0
    store_six(buffer, row, (ax, ay, az), (px, py, pz))
    value = load(buffer, chain.variable[j]) * chain.multiplier[j] + chain.offset[j]
    if chain.prismatic[j]:
        px, py, pz = px + ax * value, py + ay * value, pz + az * value
    else:
        s, c = half_angle(value)
        qx, qy, qz, qw = qx * c + qy * s, qy * c - qx * s, qz * c + qw * s, qw * c - qz * s
    return px, py, pz, qx, qy, qz, qw


@inlined
def _columns(chain, options, buffer, row_axes, row_jacobian, px, py, pz):
    """Write the weighted geometric Jacobian, six rows for each variable: linear, then angular."""
    for row in range(row_jacobian, row_jacobian + 6 * chain.scale.shape[0]):
        store(buffer, row, spread(0.0))
    for j in range(chain.origins.shape[0]):
        row = row_axes + 6 * j
        ax, ay, az = load(buffer, row), load(buffer, row + 1), load(buffer, row + 2)
        unit = chain.multiplier[j] * chain.scale[chain.variable[j]]
        linear, angular = options.position_weight * unit, options.orientation_weight * unit
        c = row_jacobian + 6 * chain.variable[j]
        if chain.prismatic[j]:
            vx, vy, vz = ax, ay, az
        else:
            rx, ry, rz = (
                px - load(buffer, row + 3),
                py - load(buffer, row + 4),
                pz - load(buffer, row + 5),
            )
            vx, vy, vz = ay * rz - az * ry, az * rx - ax * rz, ax * ry - ay * rx
            store(buffer, c + 3, load(buffer, c + 3) + ax * angular)
            store(buffer, c + 4, load(buffer, c + 4) + ay * angular)
            store(buffer, c + 5, load(buffer, c + 5) + az * angular)
        store(buffer, c, load(buffer, c) + vx * linear)
        store(buffer, c + 1, load(buffer, c + 1) + vy * linear)
        store(buffer, c + 2, load(buffer, c + 2) + vz * linear)


@inlined
def _hold_at_limits(buffer, row_jacobian, lower, upper, e0, e1, e2, e3, e4, e5):
    """Set the columns of joints to 0 that are at a limit and would be pushed beyond it."""
    for v in range(lower.shape[0]):
        c = row_jacobian + 6 * v
        j0, j1, j2 = load(buffer, c), load(buffer, c + 1), load(buffer, c + 2)
        j3, j4, j5 = load(buffer, c + 3), load(buffer, c + 4), load(buffer, c + 5)
        push = j0 * e0 + j1 * e1 + j2 * e2 + j3 * e3 + j4 * e4 + j5 * e5
        q = load(buffer, v)
        below, above = where_less(lower[v], q, 1.0, 0.0), where_less(q, upper[v], 1.0, 0.0)
        free = where_less(0.0, push, above, below)
        store(buffer, c, j0 * free)
        store(buffer, c + 1, j1 * free)
        store(buffer, c + 2, j2 * free)
        store(buffer, c + 3, j3 * free)
        store(buffer, c + 4, j4 * free)
        store(buffer, c + 5, j5 * free)


@inlined
def _move(chain, buffer, row_jacobian, row_alive, max_step, lower, upper, y):
    """Step each joint along J^T y, no further than allowed, and stay inside the limits."""
    alive = load(buffer, row_alive)
    for v in range(lower.shape[0]):
        c = row_jacobian + 6 * v
        step = load(buffer, c) * y[0] + load(buffer, c + 1) * y[1] + load(buffer, c + 2) * y[2]
        step = step + load(buffer, c + 3) * y[3] + load(buffer, c + 4) * y[4]
        step = step + load(buffer, c + 5) * y[5]
        step = where_less(step, -max_step, -max_step, where_less(max_step, step, max_step, step))
        q = load(buffer, v) + step * alive * chain.scale[v]
        q = where_less(q, lower[v], lower[v], where_less(upper[v], q, upper[v], q))
        store(buffer, v, q)
