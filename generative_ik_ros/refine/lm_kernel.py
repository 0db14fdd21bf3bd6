"""Compiled damped least squares: seeds and targets in, refined configurations and errors out.

Eight seeds run side by side in vector lanes, each at an iteration of its own: a lane whose seed
has converged or stalled takes the next seed at once. Orientation is a unit quaternion throughout,
so that a rotation error of 180 degrees is an ordinary value. The damping grows with the squared
error, which needs no line search and vanishes at a solution (T. Sugihara, Solvability-unconcerned
inverse kinematics by the Levenberg-Marquardt method, IEEE T-RO 27(5), 2011).
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from generative_ik_ros.refine.lane_algebra import (
    advance,
    half_angle,
    multiply_quaternions,
    solve_damped,
)
from generative_ik_ros.refine.lanes import WIDTH, load, spread, square_root, store, where_less

# ruff: noqa: ANN001, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false


class KernelChain(NamedTuple):
    """A chain as the kernel wants it: joints turn about or slide along their z axes.

    Attributes:
        origins: (m, 7) joint frame in the previous joint's moved frame: x y z, quaternion xyzw.
        prismatic: (m,) whether the joint slides.
        variable: (m,) index of the variable that drives the joint.
        multiplier: (m,) joint position per variable.
        offset: (m,) joint position where the variable is 0.
        tip: (7,) tip in the last joint's moved frame.
        scale: (n,) size of a comparable step of each variable: 1 rad, or a length [m].
    """

    origins: NDArray[np.float64]
    prismatic: NDArray[np.bool_]
    variable: NDArray[np.int64]
    multiplier: NDArray[np.float64]
    offset: NDArray[np.float64]
    tip: NDArray[np.float64]
    scale: NDArray[np.float64]


class KernelOptions(NamedTuple):
    """Numbers that steer the iteration.

    Attributes:
        position_weight: Weight of a position error [1/m]; 0 leaves the position free.
        orientation_weight: Weight of an orientation error [1/rad]; 0 leaves it free.
        position_tolerance: [m].
        orientation_tolerance: [rad].
        max_iterations: After so many iterations a seed is given up.
        damping: Damping per squared weighted error.
        max_step: Largest step of a joint in one iteration, in units of its scale.
        stall_window: Every so many iterations the error must have fallen ...
        stall_ratio: ... to this share of what it was, squared errors compared.
        thorough: Whether to follow a seed all the way to its local minimum: a step that makes
            the error worse is taken back and the damping raised (Marquardt's rule).
    """

    position_weight: float
    orientation_weight: float
    position_tolerance: float
    orientation_tolerance: float
    max_iterations: int
    damping: float
    max_step: float
    stall_window: int
    stall_ratio: float
    thorough: bool


# Damping that remains at zero error. It keeps the normal equations solvable at a singularity.
_LEAST_DAMPING = 1e-9
# Marquardt's rule: damping after a good and after a bad step, and when to stop.
_LESS, _MORE, _MOST = 0.2, 8.0, 1e8
_NO_PROGRESS = 1e-12


@njit(forceinline=True)
def _forward(chain, buffer, row_axes):
    """Place the tip; leave each joint's axis and origin in six rows of the buffer."""
    zero = spread(0.0)
    px, py, pz = zero, zero, zero
    qx, qy, qz, qw = zero, zero, zero, spread(1.0)
    for j in range(chain.origins.shape[0]):
        px, py, pz, qx, qy, qz, qw = advance(px, py, pz, qx, qy, qz, qw, chain.origins[j])
        ax = (qx * qz + qw * qy) * 2.0
        ay = (qy * qz - qw * qx) * 2.0
        az = 1.0 - (qx * qx + qy * qy) * 2.0
        row = row_axes + 6 * j
        store(buffer, row, ax)
        store(buffer, row + 1, ay)
        store(buffer, row + 2, az)
        store(buffer, row + 3, px)
        store(buffer, row + 4, py)
        store(buffer, row + 5, pz)
        value = load(buffer, chain.variable[j]) * chain.multiplier[j] + chain.offset[j]
        if chain.prismatic[j]:
            px, py, pz = px + ax * value, py + ay * value, pz + az * value
        else:
            s, c = half_angle(value)
            qx, qy, qz, qw = qx * c + qy * s, qy * c - qx * s, qz * c + qw * s, qw * c - qz * s
    return advance(px, py, pz, qx, qy, qz, qw, chain.tip)


@njit(forceinline=True)
def _columns(chain, options, buffer, row_axes, row_jacobian, px, py, pz):
    """Write the weighted geometric Jacobian, six rows a variable: linear, then angular."""
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


@njit(forceinline=True)
def _hold_at_limits(buffer, row_jacobian, lower, upper, e0, e1, e2, e3, e4, e5):
    """Take out the columns of the joints that sit at a limit and would be pushed beyond it."""
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


@njit(forceinline=True)
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


@njit(nogil=True, cache=True, error_model="numpy")
def refine_kernel(
    chain, options, lower, upper, targets, target_of_seed, wanted, seeds,
    positions, position_error, orientation_error, converged, iterations,
):  # fmt: skip
    """Refine a run of seeds and write what became of each of them.

    Args:
        chain: KernelChain of m joints and n variables.
        options: KernelOptions.
        lower: (n,) bounds of the variables; may be infinite.
        upper: (n,) likewise.
        targets: (T, 7) tip in base: x y z, quaternion xyzw.
        target_of_seed: (S,) index of each seed's target.
        wanted: (T,) once so many seeds of a target have converged, its other seeds are left out.
        seeds: (S, n) start configurations inside the bounds.
        positions: (S, n) out: where each seed ended.
        position_error: (S,) out [m].
        orientation_error: (S,) out [rad], measured as the chord 2 sin(angle / 2).
        converged: (S,) out: both errors within their tolerances.
        iterations: (S,) out; 0 marks a seed that was left out.
    """
    m, n = chain.origins.shape[0], lower.shape[0]
    row_axes, row_jacobian = n, n + 6 * m
    row_target = row_jacobian + 6 * n
    row_alive, row_damping, row_stretch = row_target + 7, row_target + 8, row_target + 9
    row_position_error, row_orientation_error = row_target + 10, row_target + 11
    buffer = np.zeros((row_target + 12) * WIDTH)
    lane_seed = np.full(WIDTH, -1)
    lane_iterations = np.zeros(WIDTH, np.int64)
    lane_past_error = np.zeros(WIDTH)
    lane_taken_back = np.zeros(WIDTH, np.bool_)
    found = np.zeros(targets.shape[0], np.int64)
    next_seed, active = 0, 0
    zero = spread(0.0)
    px, py, pz = zero, zero, zero
    ex, ey, ez, ox, oy, oz = zero, zero, zero, zero, zero, zero
    buffer[(row_target + 6) * WIDTH : (row_target + 7) * WIDTH] = 1.0
    buffer[row_damping * WIDTH : (row_damping + 1) * WIDTH] = options.damping
    buffer[row_stretch * WIDTH : (row_stretch + 1) * WIDTH] = 1.0
    while True:
        if active > 0:
            px, py, pz, qx, qy, qz, qw = _forward(chain, buffer, row_axes)
            ex = load(buffer, row_target) - px
            ey = load(buffer, row_target + 1) - py
            ez = load(buffer, row_target + 2) - pz
            gx, gy, gz, gw = multiply_quaternions(
                load(buffer, row_target + 3), load(buffer, row_target + 4),
                load(buffer, row_target + 5), load(buffer, row_target + 6),
                zero - qx, zero - qy, zero - qz, qw,
            )  # fmt: skip
            sign = where_less(gw, 0.0, -2.0, 2.0)
            ox, oy, oz = gx * sign, gy * sign, gz * sign
            store(buffer, row_position_error, square_root(ex * ex + ey * ey + ez * ez))
            store(buffer, row_orientation_error, square_root(ox * ox + oy * oy + oz * oz))
        for lane in range(WIDTH):
            seed = lane_seed[lane]
            buffer[row_alive * WIDTH + lane] = 1.0
            if seed >= 0:
                position = buffer[row_position_error * WIDTH + lane]
                orientation = buffer[row_orientation_error * WIDTH + lane]
                lane_iterations[lane] += 1
                done = (
                    options.position_weight == 0.0 or position <= options.position_tolerance
                ) and (
                    options.orientation_weight == 0.0
                    or orientation <= options.orientation_tolerance
                )
                if options.thorough:
                    # The rotation vector, not its chord: its square has the gradient J^T e.
                    angle = 2.0 * math.asin(min(1.0, 0.5 * orientation))
                    stretch = angle / orientation if orientation > 1e-12 else 1.0
                    buffer[row_stretch * WIDTH + lane] = stretch
                else:
                    angle = orientation
                error = (options.position_weight * position) ** 2 + (
                    options.orientation_weight * angle
                ) ** 2
                target = target_of_seed[seed]
                past = lane_past_error[lane]
                given_up = (
                    lane_iterations[lane] >= options.max_iterations
                    or not error < np.inf
                    or found[target] >= wanted[target]
                )
                if options.thorough:
                    damping = buffer[row_damping * WIDTH + lane]
                    if lane_taken_back[lane]:
                        lane_taken_back[lane] = False
                    elif not done and not error < past:
                        lane_taken_back[lane] = True
                        given_up |= damping > _MOST
                        for v in range(n):
                            buffer[v * WIDTH + lane] = positions[seed, v]
                        buffer[row_damping * WIDTH + lane] = damping * _MORE
                        buffer[row_alive * WIDTH + lane] = 0.0
                        if not given_up:
                            continue
                        position, orientation = position_error[seed], orientation_error[seed]
                    else:
                        given_up |= past - error < _NO_PROGRESS * error
                        lane_past_error[lane] = error
                        buffer[row_damping * WIDTH + lane] = max(damping * _LESS, options.damping)
                elif lane_iterations[lane] % options.stall_window == 0:
                    given_up |= error > options.stall_ratio * past
                    lane_past_error[lane] = error
                if options.thorough or done or given_up:
                    for v in range(n):
                        positions[seed, v] = buffer[v * WIDTH + lane]
                    position_error[seed], orientation_error[seed] = position, orientation
                if not (done or given_up):
                    continue
                converged[seed] = done
                iterations[seed] = lane_iterations[lane]
                found[target] += done
                active -= 1
                lane_seed[lane] = -1
            # The errors at hand are the last seed's: the new one must not move by them.
            buffer[row_alive * WIDTH + lane] = 0.0
            while next_seed < seeds.shape[0] and (
                found[target_of_seed[next_seed]] >= wanted[target_of_seed[next_seed]]
            ):
                next_seed += 1
            if next_seed < seeds.shape[0]:
                target = target_of_seed[next_seed]
                for v in range(n):
                    buffer[v * WIDTH + lane] = seeds[next_seed, v]
                for k in range(7):
                    buffer[(row_target + k) * WIDTH + lane] = targets[target, k]
                lane_seed[lane], lane_iterations[lane] = next_seed, 0
                lane_past_error[lane], lane_taken_back[lane] = np.inf, False
                buffer[row_damping * WIDTH + lane] = options.damping
                next_seed += 1
                active += 1
        if active == 0:
            return
        linear = options.position_weight
        e0, e1, e2 = ex * linear, ey * linear, ez * linear
        angular = load(buffer, row_stretch) * options.orientation_weight
        e3, e4, e5 = ox * angular, oy * angular, oz * angular
        _columns(chain, options, buffer, row_axes, row_jacobian, px, py, pz)
        _hold_at_limits(buffer, row_jacobian, lower, upper, e0, e1, e2, e3, e4, e5)
        squared = e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3 + e4 * e4 + e5 * e5
        damp = squared * load(buffer, row_damping) + _LEAST_DAMPING
        y = solve_damped(buffer, row_jacobian, n, damp, e0, e1, e2, e3, e4, e5)
        _move(chain, buffer, row_jacobian, row_alive, options.max_step, lower, upper, y)
