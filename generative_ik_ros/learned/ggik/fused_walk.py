"""Goals and quasi-random numbers in, configurations out: a walk as one CPU kernel; numba."""

# pyright: reportArgumentType=false, reportCallIssue=false, reportIndexIssue=false
# pyright: reportGeneralTypeIssues=false

import math

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
from generative_ik_ros.learned.ggik.circle import EDGE, PARTS, SHIFT, SLOPE
from generative_ik_ros.learned.ggik.fused import ask, choose
from generative_ik_ros.learned.ggik.steps import FITTED, SAME, SIGHTS, SLIDE, TILT

_F = np.float32
_ZERO, _ONE, _TILT, _LEAST_NORM = _F(0.0), _F(1.0), _F(TILT), _F(1e-9)
_TURN = 2.0 * math.pi
_POINT, _FRAME, _AXIS, _MIDDLE, _SIDE, _TURNS, _ROWS = 0, 3, 12, 15, 18, 21, 22
"""Rows of what is known of a seed: joint j's point, frame j, joint j's view, its turn."""


@kernel(error_model="numpy")
def walk(net, arm, goals, numbers, turning, bounds, skipped, begin, end, positions):  # noqa: ANN001, ANN201
    """Write configurations, for some of the chunks of all goals.

    Args:
        net: A `FusedWalk`.
        arm: A `FusedLinks`.
        goals: (T, 9) point, z and x of the end, see `Links.goal`, float32; shares of the length.
        numbers: (chunks, F, CHUNK) uniform numbers of the F joints that are free, float32.
        turning: (n,) which variables may be whole turns from the bounds.
        bounds: (2, n) lower and upper bounds of the request [rad or m].
        skipped: So many seeds of the first chunk are left out.
        begin: First chunk to do; goal t has the chunks from t * len(numbers) on.
        end: Chunk to stop at.
        positions: (T, K, n) configurations inside the bounds [rad or m], float64, written.
    """
    chunks = len(numbers)
    joints, hidden, told = len(arm.kinds), net.starts.shape[1], len(net.tells)
    components = told // PARTS
    s = np.empty(_ROWS * CHUNK, np.float32)
    seen = np.empty(SIGHTS * CHUNK, np.float32)
    row = np.empty(hidden * CHUNK, np.float32)
    other = np.empty(hidden * CHUNK, np.float32)
    raw = np.empty(max(hidden, told) * CHUNK, np.float32)
    first = np.empty(told * CHUNK, np.float32)
    drawn = np.empty(3 * CHUNK, np.float32)
    values = np.zeros((positions.shape[2], CHUNK))
    known = -1  # the goal whose first answer `first` holds: it is that of all its seeds
    for chunk in range(begin, end):
        t, at = chunk // chunks, chunk % chunks
        goal = goals[t]
        s[: _AXIS * CHUNK] = _ZERO
        for i in (0, 4, 8):
            s[(_FRAME + i) * CHUNK : (_FRAME + i + 1) * CHUNK] = _ONE
        for joint in range(joints):
            for v in range(VECTORS):
                _view(arm, joint, s, v)
            kind = arm.kinds[joint]
            if kind == SAME:
                _repeat(arm, joint, values, s)
            elif kind == FITTED:
                for v in range(VECTORS):
                    _fit(arm, joint, goal, s, v)
            else:
                for v in range(VECTORS):
                    _look(goal, s, seen, v)
                if joint > 0 or known != t:
                    ask(net, joint, seen, row, other, raw)
                if joint == 0:
                    if known != t:
                        first[:] = raw[: len(first)]
                        known = t
                    raw[: len(first)] = first
                chance = numbers[at, arm.number[joint]]
                for v in range(VECTORS):
                    choose(raw, components, v, chance, drawn)
                _turn(net, arm, joint, seen, drawn, s)
            if kind != SAME:
                _keep(arm, joint, s, values)
            for v in range(VECTORS):
                _place(arm, joint, s, v)
        _write(values, turning, at * CHUNK - skipped, bounds, positions[t])


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


@kernel(error_model="numpy")
def _view(arm, joint, s, v):  # noqa: ANN001, ANN202
    """See what joint j can do; a frame is stored row by row."""
    axis, middle = arm.axis[joint], arm.middle[joint]
    for i in range(3):
        one = _get(s, _FRAME + 3 * i, v)
        store(s, VECTORS * (_AXIS + i) + v, _dot(one, axis))
        store(s, VECTORS * (_MIDDLE + i) + v, _dot(one, middle))
    a, b = _get(s, _AXIS, v), _get(s, _MIDDLE, v)
    _put(
        s, _SIDE, v,
        a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
    )  # fmt: skip


@kernel(error_model="numpy")
def _look(goal, s, seen, v):  # noqa: ANN001, ANN202
    """Write what the goal looks like from a joint, see `Sight`."""
    axis, middle, side = _get(s, _AXIS, v), _get(s, _MIDDLE, v), _get(s, _SIDE, v)
    point, up = _get(s, _POINT, v), goal[3:6]
    ax, ay, az = goal[0] - point[0], goal[1] - point[1], goal[2] - point[2]
    away = (ax, ay, az)
    aim = (ax + _TILT * up[0], ay + _TILT * up[1], az + _TILT * up[2])
    # Across the axis: along its two directions there, the middle and its side.
    along, aside = _dot(aim, middle), _dot(aim, side)
    norm = larger(square_root(along * along + aside * aside), spread(_LEAST_NORM))
    along, aside = along / norm, aside / norm
    far, beside, high = _dot(away, middle), _dot(away, side), _dot(away, axis)
    up_far, up_beside, up_high = _dot(middle, up), _dot(side, up), _dot(axis, up)
    _put(seen, 0, v, along * far + aside * beside, along * beside - aside * far, high)
    store(seen, VECTORS * 3 + v, square_root(_dot(away, away)))
    _put(
        seen, 4, v,
        along * up_far + aside * up_beside, along * up_beside - aside * up_far, up_high,
    )  # fmt: skip
    store(seen, VECTORS * 7 + v, along)
    store(seen, VECTORS * 8 + v, _ZERO - aside)


@kernel(error_model="numpy")
def _fit(arm, joint, goal, s, v):  # noqa: ANN001, ANN202
    """Write the turn of a joint that follows from the goal, see `fitted`."""
    middle, side = _get(s, _MIDDLE, v), _get(s, _SIDE, v)
    point, up, x = _get(s, _POINT, v), goal[3:6], goal[6:9]
    away = (goal[0] - point[0], goal[1] - point[1], goal[2] - point[2])
    if joint + 1 == len(arm.kinds):
        if arm.slides[joint]:
            turn = _dot(away, _get(s, _AXIS, v)) - arm.along[joint]
        else:
            turn = arc_tangent(_dot(side, x), _dot(middle, x))
    else:
        ahead, across = arm.axis[joint + 1], arm.across[joint]
        along, aside = _dot(middle, up), _dot(side, up)
        even = across * _dot(away, middle) + ahead[0] * along + ahead[1] * aside
        odd = across * _dot(away, side) + ahead[0] * aside - ahead[1] * along
        turn = arc_tangent(odd, even)
    store(s, VECTORS * _TURNS + v, turn)


@kernel(error_model="numpy")
def _turn(net, arm, joint, seen, drawn, s):  # noqa: ANN001, ANN202
    """Write the turns that drawn components mean, see `CircleMixture.sample` and `meant`."""
    cells = len(net.spreads) - 1
    half = np.float64(arm.half[joint])
    for lane in range(CHUNK):
        tells = np.float64(drawn[CHUNK + lane])
        place = cells / (1.0 + math.exp(-(SLOPE * tells + SHIFT)))
        cell = min(int(place), cells - 1)
        share = place - cell
        width = (1.0 - share) * net.spreads[cell] + share * net.spreads[cell + 1]
        angle = drawn[lane] + width * _normal(np.float64(drawn[2 * CHUNK + lane]))
        if arm.slides[joint]:
            turn = angle / (SLIDE * math.pi) * half
        else:
            at, aside = seen[7 * CHUNK + lane], seen[8 * CHUNK + lane]
            turn = angle - math.atan2(aside, at)
            turn -= _TURN * math.floor(turn / _TURN + 0.5)
        if turn > half:
            turn = 2.0 * half - turn
        if turn < -half:
            turn = -2.0 * half - turn
        s[_TURNS * CHUNK + lane] = min(max(turn, -half), half)


@kernel(error_model="numpy")
def _normal(unit):  # noqa: ANN001, ANN202
    """Turn a uniform number into a standard normal one.

    M. Giles, Approximating the erfinv function, GPU Computing Gems 2, 2012; to 1e-6.
    """
    unit = min(max(unit, EDGE), 1.0 - EDGE)
    x = 2.0 * unit - 1.0
    w = -math.log(4.0 * unit * (1.0 - unit))
    if w < 5.0:
        w -= 2.5
        p = 2.81022636e-08
        p = 3.43273939e-07 + p * w
        p = -3.5233877e-06 + p * w
        p = -4.39150654e-06 + p * w
        p = 0.00021858087 + p * w
        p = -0.00125372503 + p * w
        p = -0.00417768164 + p * w
        p = 0.246640727 + p * w
        p = 1.50140941 + p * w
    else:
        w = math.sqrt(w) - 3.0
        p = -0.000200214257
        p = 0.000100950558 + p * w
        p = 0.00134934322 + p * w
        p = -0.00367342844 + p * w
        p = 0.00573950773 + p * w
        p = -0.0076224613 + p * w
        p = 0.00943887047 + p * w
        p = 1.00167406 + p * w
        p = 2.83297682 + p * w
    return math.sqrt(2.0) * p * x


@kernel(error_model="numpy")
def _keep(arm, joint, s, values):  # noqa: ANN001, ANN202
    """Write a joint's variable."""
    for lane in range(CHUNK):
        turn = np.float64(s[_TURNS * CHUNK + lane])
        values[arm.variable[joint], lane] = arm.centre[joint] + arm.slope[joint] * turn


@kernel(error_model="numpy")
def _repeat(arm, joint, values, s):  # noqa: ANN001, ANN202
    """Write the turn that a joint's variable asks for."""
    for lane in range(CHUNK):
        away = values[arm.variable[joint], lane] - arm.centre[joint]
        s[_TURNS * CHUNK + lane] = away / arm.slope[joint]


@kernel(error_model="numpy")
def _place(arm, joint, s, v):  # noqa: ANN001, ANN202
    """Go on to the next joint, see `steps.place`."""
    turn = load(s, VECTORS * _TURNS + v)
    along, across = spread(arm.along[joint]), arm.across[joint]
    cosines, sines = spread(_ONE), spread(_ZERO)
    if arm.slides[joint]:
        along = along + turn
    else:
        near = half_turn_nearest(turn)
        cosines, sines = cosine(near), sine(near)
    for i in range(3):
        axis = load(s, VECTORS * (_AXIS + i) + v)
        middle = load(s, VECTORS * (_MIDDLE + i) + v)
        side = load(s, VECTORS * (_SIDE + i) + v)
        x, y = cosines * middle + sines * side, cosines * side - sines * middle
        point = load(s, VECTORS * (_POINT + i) + v)
        store(s, VECTORS * (_POINT + i) + v, point + across * x + along * axis)
        _put(s, _FRAME + 3 * i, v, x, y, axis)


@kernel(error_model="numpy")
def _write(values, turning, start, bounds, positions):  # noqa: ANN001, ANN202
    """Write a chunk's configurations: the turn nearest the bounds, then mirrored at them."""
    count, joints = positions.shape
    first, last = max(0, -start), min(CHUNK, count - start)
    for j in range(joints):
        lower, upper = bounds[0, j], bounds[1, j]
        centre, half = (lower + upper) / 2.0, (upper - lower) / 2.0
        for lane in range(first, last):
            away = values[j, lane] - centre
            if turning[j]:
                away -= _TURN * math.floor(away / _TURN + 0.5)
            if away > half:
                away = 2.0 * half - away
            if away < -half:
                away = -2.0 * half - away
            positions[start + lane, j] = min(max(centre + away, lower), upper)
