"""Configurations from an autoregressive model as one CPU kernel; the same as `generator.py`."""

# pyright: reportArgumentType=false, reportCallIssue=false, reportIndexIssue=false
# pyright: reportGeneralTypeIssues=false

import math
from collections import namedtuple

import numpy as np
from numba import njit

from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.compiled.lanes import load, spread, square_root, store
from generative_ik_ros.learned.fused_chunks import CHUNK, VECTORS
from generative_ik_ros.learned.fused_math import (
    arc_tangent,
    cosine,
    half_turn_nearest,
    larger,
    sine,
)
from generative_ik_ros.learned.ggik.autoregressive.fused_known import nearest
from generative_ik_ros.learned.ggik.autoregressive.fused_network import choose_component, predict
from generative_ik_ros.learned.ggik.autoregressive.fused_normal import normal_quantile
from generative_ik_ros.learned.ggik.autoregressive.goal_features import (
    AXIS_SHARE,
    GOAL_FEATURES,
    PRISMATIC_ARC,
)
from generative_ik_ros.learned.ggik.autoregressive.kinematics import CLOSED_FORM, MIMIC
from generative_ik_ros.learned.ggik.autoregressive.tries import MISSED
from generative_ik_ros.learned.ggik.autoregressive.von_mises import PARTS, SHIFT, SLOPE
from generative_ik_ros.robot.rigid import TURN

_F = np.float32
_ZERO, _ONE, _SHARE, _LEAST_NORM = _F(0.0), _F(1.0), _F(AXIS_SHARE), _F(1e-9)
_ORIGIN, _FRAME, _Z, _X, _Y, _DISPLACEMENT, _ROWS = 0, 3, 12, 15, 18, 21, 22
"""Rows of the state of a seed: frame j (its axes row by row), joint frame j, displacement j."""
_Workspace = namedtuple("_Workspace", "state features row other raw first chosen")


@kernel(error_model="numpy")
def generate(net, arm, known, goals, numbers, shifts, periodic, bounds, skipped, begin, end,  # noqa: ANN001, ANN201
             positions):  # noqa: ANN001  # fmt: skip
    """Write configurations, for some of the chunks of all goals.

    A seed that misses its goal is drawn again, with shifted numbers; the best try is kept. Lanes
    do not depend on each other, so seeds take the next free one, again or for the first time.

    Args:
        net: A `FusedNetwork`.
        arm: A `FusedLinks`.
        known: A `FusedKnown`.
        goals: (T, 9) origin, z and x of frame m, see `Links.end_frame`, float32; lengths are
            shares of the arm's.
        numbers: (chunks, F, CHUNK) uniform numbers of the F joints that are sampled, float32.
        shifts: (tries, F) that each try adds to them, see `tries.shifts`, float32.
        periodic: (n,) which variables may be whole turns from the bounds.
        bounds: (2, n) lower and upper bounds of the request [rad or m].
        skipped: How many seeds of the first chunk are left out.
        begin: First chunk to do; goal t has the chunks from t * len(numbers) on.
        end: Chunk to stop at.
        positions: (T, K, n) configurations inside the bounds [rad or m], float64, written.
    """
    chunks, count = len(numbers), positions.shape[1]
    spare = _workspace(net)
    values = np.zeros((positions.shape[2], CHUNK))
    unit = np.empty((numbers.shape[1], CHUNK), np.float32)
    settled = np.empty(positions.shape[2])
    best = np.empty(count)
    seeds, tries = np.empty(CHUNK, np.int64), np.empty(CHUNK, np.int64)
    for t in range(begin // chunks, -(-end // chunks)):
        fresh = max((begin - t * chunks) * CHUNK - skipped, 0)
        stop = min((end - t * chunks) * CHUNK - skipped, count)
        known_goal = False  # whether the prediction of joint 0, that of all seeds, is at hand
        waiting = 0
        while fresh < stop or waiting > 0:
            while waiting < CHUNK and fresh < stop:
                seeds[waiting], tries[waiting], best[fresh] = fresh, 0, math.inf
                waiting, fresh = waiting + 1, fresh + 1
            for lane in range(CHUNK):
                one = min(lane, waiting - 1)
                place = seeds[one] + skipped
                for f in range(len(unit)):
                    value = numbers[place // CHUNK, f, place % CHUNK] + shifts[tries[one], f]
                    unit[f, lane] = value - _ONE if value >= _ONE else value
            _draw(net, arm, known, goals[t], unit, spare, known_goal, values)
            known_goal = True
            drawn, waiting = waiting, 0
            for lane in range(drawn):
                seed = seeds[lane]
                missed = _missed(goals[t], spare.state, lane)
                missed += _settle(values, lane, periodic, bounds, settled)
                if missed < best[seed]:
                    best[seed] = missed
                    positions[t, seed] = settled
                if missed > MISSED and tries[lane] + 1 < len(shifts):
                    seeds[waiting], tries[waiting] = seed, tries[lane] + 1
                    waiting += 1


@kernel(error_model="numpy")
def _workspace(net):  # noqa: ANN001, ANN202
    """Return the memory that drawing a chunk takes."""
    hidden, outputs = net.starts.shape[1], len(net.head_shifts)
    return _Workspace(
        np.empty(_ROWS * CHUNK, np.float32),
        np.empty(GOAL_FEATURES * CHUNK, np.float32),
        np.empty(hidden * CHUNK, np.float32),
        np.empty(hidden * CHUNK, np.float32),
        np.empty(max(hidden, outputs) * CHUNK, np.float32),
        np.empty(outputs * CHUNK, np.float32),
        np.empty(3 * CHUNK, np.float32),
    )


@kernel(error_model="numpy")
def _draw(net, arm, known, goal, unit, spare, known_goal, values):  # noqa: ANN001, ANN202
    """Write the variables (n, CHUNK) of a chunk, and the frames that they lead to."""
    s, features, raw, first = spare.state, spare.features, spare.raw, spare.first
    components = len(net.head_shifts) // PARTS
    s[: _Z * CHUNK] = _ZERO
    for i in (0, 4, 8):
        s[(_FRAME + i) * CHUNK : (_FRAME + i + 1) * CHUNK] = _ONE
    for joint in range(len(arm.decided_by)):
        for v in range(VECTORS):
            _joint_frame(arm, joint, s, v)
        kind = arm.decided_by[joint]
        if kind == MIMIC:
            _mimic(arm, joint, values, s)
        elif kind == CLOSED_FORM:
            for v in range(VECTORS):
                _closed_form(arm, joint, goal, s, v)
        else:
            for v in range(VECTORS):
                _view(goal, s, features, v)
            if joint > 0 or not known_goal:
                predict(net, joint, features, spare.row, spare.other, raw)
            if joint == 0:
                if not known_goal:
                    first[:] = raw[: len(first)]
                raw[: len(first)] = first
            for v in range(VECTORS):
                choose_component(raw, components, v, unit[arm.column[joint]], spare.chosen)
            _displacements(net, arm, known, joint, features, spare.chosen, s)
        if kind != MIMIC:
            _keep(arm, joint, s, values)
        for v in range(VECTORS):
            _next_frame(arm, joint, s, v)


@kernel(error_model="numpy")
def _missed(goal, s, lane):  # noqa: ANN001, ANN202
    """Return by how much a lane's last frame misses the goal, see `tries.missed`."""
    total = 0.0
    for row, column in ((_ORIGIN, 0), (_FRAME + 2, 3), (_FRAME, 6)):
        step = 1 if row == _ORIGIN else 3
        square = 0.0
        for i in range(3):
            square += (np.float64(s[(row + step * i) * CHUNK + lane]) - goal[column + i]) ** 2
        total += math.sqrt(square)
    return total


@njit(inline="always")
def _get(s, row, v):  # noqa: ANN001, ANN202
    """Return three rows, a vector in every lane."""
    return (
        load(s, VECTORS * row + v),
        load(s, VECTORS * (row + 1) + v),
        load(s, VECTORS * (row + 2) + v),
    )


@njit(inline="always")
def _put(s, row, v, x, y, z):  # noqa: ANN001, ANN202
    store(s, VECTORS * row + v, x)
    store(s, VECTORS * (row + 1) + v, y)
    store(s, VECTORS * (row + 2) + v, z)


@njit(inline="always")
def _dot(a, b):  # noqa: ANN001, ANN202
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(inline="always")
def _reflected(value, half):  # noqa: ANN001, ANN202
    """Reflect a value at the ends of [-half, half]."""
    if value > half:
        value = 2.0 * half - value
    if value < -half:
        value = -2.0 * half - value
    return min(max(value, -half), half)


@kernel(error_model="numpy")
def _joint_frame(arm, joint, s, v):  # noqa: ANN001, ANN202
    """Write the frame of joint j, see `JointFrame`."""
    axis, normal = arm.axis[joint], arm.mid_normal[joint]
    for i in range(3):
        one = _get(s, _FRAME + 3 * i, v)
        store(s, VECTORS * (_Z + i) + v, _dot(one, axis))
        store(s, VECTORS * (_X + i) + v, _dot(one, normal))
    a, b = _get(s, _Z, v), _get(s, _X, v)
    _put(
        s, _Y, v,
        a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
    )  # fmt: skip


@kernel(error_model="numpy")
def _view(goal, s, features, v):  # noqa: ANN001, ANN202
    """Write the features of the goal as seen from a joint, see `GoalView`."""
    axis, x, y = _get(s, _Z, v), _get(s, _X, v), _get(s, _Y, v)
    origin, goal_z = _get(s, _ORIGIN, v), goal[3:6]
    ax, ay, az = goal[0] - origin[0], goal[1] - origin[1], goal[2] - origin[2]
    away = (ax, ay, az)
    aim = (ax + _SHARE * goal_z[0], ay + _SHARE * goal_z[1], az + _SHARE * goal_z[2])
    # Perpendicular to the axis: by its components along x and y.
    along_x, along_y = _dot(aim, x), _dot(aim, y)
    norm = larger(square_root(along_x * along_x + along_y * along_y), spread(_LEAST_NORM))
    c, s_ = along_x / norm, along_y / norm
    away_x, away_y, away_z = _dot(away, x), _dot(away, y), _dot(away, axis)
    z_x, z_y, z_z = _dot(x, goal_z), _dot(y, goal_z), _dot(axis, goal_z)
    _put(features, 0, v, c * away_x + s_ * away_y, c * away_y - s_ * away_x, away_z)
    store(features, VECTORS * 3 + v, square_root(_dot(away, away)))
    _put(features, 4, v, c * z_x + s_ * z_y, c * z_y - s_ * z_x, z_z)
    store(features, VECTORS * 7 + v, c)
    store(features, VECTORS * 8 + v, _ZERO - s_)


@kernel(error_model="numpy")
def _closed_form(arm, joint, goal, s, v):  # noqa: ANN001, ANN202
    """Write the displacement of a joint that follows from the goal, see `closed_form`."""
    x, y = _get(s, _X, v), _get(s, _Y, v)
    origin, goal_z, goal_x = _get(s, _ORIGIN, v), goal[3:6], goal[6:9]
    away = (goal[0] - origin[0], goal[1] - origin[1], goal[2] - origin[2])
    if joint + 1 == len(arm.decided_by):
        if arm.prismatic[joint]:
            displacement = _dot(away, _get(s, _Z, v)) - arm.link_offset[joint]
        else:
            displacement = arc_tangent(_dot(y, goal_x), _dot(x, goal_x))
    else:
        next_axis, length = arm.axis[joint + 1], arm.link_length[joint]
        along_x, along_y = _dot(x, goal_z), _dot(y, goal_z)
        even = length * _dot(away, x) + next_axis[0] * along_x + next_axis[1] * along_y
        odd = length * _dot(away, y) + next_axis[0] * along_y - next_axis[1] * along_x
        displacement = arc_tangent(odd, even)
    store(s, VECTORS * _DISPLACEMENT + v, displacement)


@kernel(error_model="numpy")
def _displacements(net, arm, known, joint, features, chosen, s):  # noqa: ANN001, ANN202
    """Write displacements for the chosen components.

    See `VonMisesMixture.sample` and `goal_features.displacement_from`.
    """
    cells = len(net.spreads) - 1
    half = np.float64(arm.half_range[joint])
    for lane in range(CHUNK):
        level = np.float64(chosen[CHUNK + lane])
        place = cells / (1.0 + math.exp(-(SLOPE * level + SHIFT)))
        cell = min(int(place), cells - 1)
        share = place - cell
        width = (1.0 - share) * net.spreads[cell] + share * net.spreads[cell + 1]
        angle = chosen[lane] + width * normal_quantile(np.float64(chosen[2 * CHUNK + lane]))
        if arm.prismatic[joint]:
            displacement = angle / (PRISMATIC_ARC * math.pi) * half
        else:
            if known.counts[joint] > 0:
                angle = nearest(known, joint, features, lane, half, angle)
            c, s_ = features[7 * CHUNK + lane], features[8 * CHUNK + lane]
            displacement = angle - math.atan2(s_, c)
            displacement -= TURN * math.floor(displacement / TURN + 0.5)
        s[_DISPLACEMENT * CHUNK + lane] = _reflected(displacement, half)


@kernel(error_model="numpy")
def _keep(arm, joint, s, values):  # noqa: ANN001, ANN202
    """Write a joint's variable."""
    for lane in range(CHUNK):
        displacement = np.float64(s[_DISPLACEMENT * CHUNK + lane])
        values[arm.variable[joint], lane] = arm.mid_value[joint] + arm.slope[joint] * displacement


@kernel(error_model="numpy")
def _mimic(arm, joint, values, s):  # noqa: ANN001, ANN202
    """Write the displacement that a joint's variable asks for."""
    for lane in range(CHUNK):
        away = values[arm.variable[joint], lane] - arm.mid_value[joint]
        s[_DISPLACEMENT * CHUNK + lane] = away / arm.slope[joint]


@kernel(error_model="numpy")
def _next_frame(arm, joint, s, v):  # noqa: ANN001, ANN202
    """Go on to the next joint, see `kinematics.next_frame`."""
    displacement = load(s, VECTORS * _DISPLACEMENT + v)
    offset, length = spread(arm.link_offset[joint]), arm.link_length[joint]
    cosines, sines = spread(_ONE), spread(_ZERO)
    if arm.prismatic[joint]:
        offset = offset + displacement
    else:
        near = half_turn_nearest(displacement)
        cosines, sines = cosine(near), sine(near)
    for i in range(3):
        axis = load(s, VECTORS * (_Z + i) + v)
        mid_x = load(s, VECTORS * (_X + i) + v)
        mid_y = load(s, VECTORS * (_Y + i) + v)
        x, y = cosines * mid_x + sines * mid_y, cosines * mid_y - sines * mid_x
        origin = load(s, VECTORS * (_ORIGIN + i) + v)
        store(s, VECTORS * (_ORIGIN + i) + v, origin + length * x + offset * axis)
        _put(s, _FRAME + 3 * i, v, x, y, axis)


@kernel(error_model="numpy")
def _settle(values, lane, periodic, bounds, position):  # noqa: ANN001, ANN202
    """Write a lane's configuration, in the turn nearest the bounds, reflected at them.

    Returns by how much that moves its variables, together.
    """
    moved = 0.0
    for j in range(len(position)):
        lower, upper = bounds[0, j], bounds[1, j]
        centre, half = (lower + upper) / 2.0, (upper - lower) / 2.0
        away = values[j, lane] - centre
        if periodic[j]:
            away -= TURN * math.floor(away / TURN + 0.5)
        position[j] = min(max(centre + _reflected(away, half), lower), upper)
        moved += abs(position[j] - centre - away)
    return moved
