"""Newton steps on a six-joint chain of lines: branches that are nearly right made exact."""

import math

from generative_ik_ros.closed_form.header import AXES, OWN, write
from generative_ik_ros.closed_form.lane_subproblems import anywhere, choose
from generative_ik_ros.closed_form.subproblems import cross, dot, minus, plus, times, turn, vector
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lane_algebra import cosine_and_sine
from generative_ik_ros.compiled.lanes import (
    WIDTH,
    absolute,
    load,
    spread,
    square_root,
    store,
    store_choice,
    where_less,
)

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

MAX_BRANCHES = 16
_REGULAR = 1e-6
"""Where the Jacobian has a smaller pivot the arm is as good as singular."""
_SAME = 1e-6
"""Branches no further apart than this are one [rad]."""
_STEPS = 8
_RIGHT = 1e-11
"""A branch is right if its error is below this [rad and shares of the arm's length]."""
_SINGULAR = 1e-13
_FAR = 0.3
"""A branch that has to move further than this was none [rad]."""
_SYSTEM, _COLUMNS, _LEAST = 6, 7, 48
"""Rows of lanes: six angles, a system of six equations, and what `polished` returns."""
MEMORY = 49 * WIDTH
"""Numbers that `kept` works with."""


@inlined
def kept(parameters, rotation, shift, size, lanes, out, count):
    """Write at most eight branches that are nearly right, made exact.

    Those are left out that do not become right, that are known, and what is beyond sixteen.

    Args:
        parameters: See `polished`, as the next two.
        rotation: See there.
        shift: See there.
        size: How many branches there are, at least one.
        lanes: Memory; their angles are in the first lanes of the first six rows [rad].
        out: (16, 6) in and out: branches, see `write`.
        count: How many there are.

    Returns:
        How many branches are written, and whether all were regular and new ones.
    """
    for j in range(6):
        for lane in range(size, WIDTH):
            lanes[j * WIDTH + lane] = lanes[j * WIDTH]
    store(lanes, _LEAST, polished(parameters, rotation, shift, lanes))
    good, mirrored = True, parameters[0] != 0.0
    for lane in range(size):
        least = lanes[_LEAST * WIDTH + lane]
        good = good and least >= _REGULAR
        if least < 0.0:
            continue
        if _known(out, count, mirrored, lanes, lane):
            good = False
        elif count < MAX_BRANCHES:
            write(out, count, mirrored, lanes[lane::WIDTH])
            count += 1
    return count, good


@inlined
def _known(out, count, mirrored, lanes, lane):
    """Return whether a branch is among those written."""
    for i in range(count):
        apart = 0.0
        for j in range(6):
            gap = out[i, 5 - j if mirrored else j] - lanes[j * WIDTH + lane]
            apart = max(apart, abs(gap - 2.0 * math.pi * math.floor(gap / (2.0 * math.pi) + 0.5)))
        if apart < _SAME:
            return True
    return False


@inlined
def polished(parameters, rotation, shift, lanes):
    """Correct the six angles of eight branches in place.

    Args:
        parameters: A `header.header` followed by a point on each axis (6, 3).
        rotation: Rows of the rotation that the joints shall make together.
        shift: The translation.
        lanes: Memory; the angles are in the first six rows [rad].

    Returns:
        The least pivot of each one's Jacobian; -1 if the angles have not become right.
    """
    under_way, moved, result = spread(1.0), spread(0.0), spread(-1.0)
    for _ in range(_STEPS):
        error = _linearized(parameters, rotation, shift, lanes)
        least = _solved(lanes)
        right = where_less(error, _RIGHT, under_way, 0.0)
        result = choose(right, least, result)
        under_way = where_less(least, _SINGULAR, 0.0, under_way - right)
        for j in range(6):
            step = choose(under_way, load(lanes, _at(j, 6)), 0.0)
            store(lanes, j, load(lanes, j) + step)
            size = absolute(step)
            moved = where_less(moved, size, size, moved)
        under_way = where_less(_FAR, moved, 0.0, under_way)
        if not anywhere(under_way):
            break
    return result


@inlined
def _linearized(parameters, rotation, shift, lanes):
    """Write the twists of the joints and the one that is missing, and return how large it is."""
    zero, one = spread(0.0), spread(1.0)
    x, y, z, at = (one, zero, zero), (zero, one, zero), (zero, zero, one), (zero, zero, zero)
    for k in range(6):
        j = 5 - k
        axis, foot = vector(parameters, AXES + j), vector(parameters, OWN + j)
        angle = cosine_and_sine(load(lanes, j))
        x, y, z = turn(axis, angle, x), turn(axis, angle, y), turn(axis, angle, z)
        at = plus(turn(axis, angle, minus(at, foot)), foot)
        # Joints further out, as this one turns them with it.
        for i in range(j + 1, 6):
            line, place = _column(lanes, i)
            place = plus(turn(axis, angle, minus(place, foot)), foot)
            _put(lanes, i, turn(axis, angle, line), place)
        _put(
            lanes, j, (one * axis[0], one * axis[1], one * axis[2]),
            (one * foot[0], one * foot[1], one * foot[2]),
        )  # fmt: skip
    for i in range(6):
        line, place = _column(lanes, i)
        _put(lanes, i, line, cross(line, minus(at, place)))
    # x, y, z are the columns of the rotation that the joints make; the missing one is small.
    most, missing = zero, (zero, zero, zero)
    goals = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    columns = x, y, z
    for i in range(3):
        goal = times(rotation, goals[i])
        missing = plus(missing, cross(columns[i], goal))
        apart = minus(goal, columns[i])
        square = dot(apart, apart)
        most = where_less(most, square, square, most)
    gap = minus(shift, at)
    half = missing[0] * 0.5, missing[1] * 0.5, missing[2] * 0.5
    _put(lanes, 6, half, gap)
    square = dot(gap, gap)
    return square_root(where_less(most, square, square, most))


@inlined
def _at(i, j):
    """Return the row of lanes of an entry of the system."""
    return _SYSTEM + i * _COLUMNS + j


@inlined
def _put(lanes, i, upper, lower):
    """Write a column."""
    for j in range(3):
        store(lanes, _at(j, i), upper[j])
        store(lanes, _at(3 + j, i), lower[j])


@inlined
def _column(lanes, i):
    """Return a column, its upper half and its lower one."""
    return (
        (load(lanes, _at(0, i)), load(lanes, _at(1, i)), load(lanes, _at(2, i))),
        (load(lanes, _at(3, i)), load(lanes, _at(4, i)), load(lanes, _at(5, i))),
    )


@inlined
def _solved(lanes):
    """Solve six equations in place by elimination; return the least pivot."""
    least = spread(math.inf)
    for i in range(6):
        top = absolute(load(lanes, _at(i, i)))
        for k in range(i + 1, 6):
            # The largest comes up, row by row, as each lane has a pivot of its own.
            other = absolute(load(lanes, _at(k, i)))
            for j in range(i, _COLUMNS):
                a, b = load(lanes, _at(i, j)), load(lanes, _at(k, j))
                store_choice(lanes, _at(i, j), where_less(top, other, b, a))
                store_choice(lanes, _at(k, j), where_less(top, other, a, b))
            top = where_less(top, other, other, top)
        least = where_less(top, least, top, least)
        pivot = 1.0 / where_less(top, _SINGULAR, 1.0, load(lanes, _at(i, i)))
        for k in range(6):
            if k != i:
                factor = load(lanes, _at(k, i)) * pivot
                for j in range(i, _COLUMNS):
                    rest = load(lanes, _at(k, j)) - factor * load(lanes, _at(i, j))
                    store(lanes, _at(k, j), rest)
        for j in range(i, _COLUMNS):
            store(lanes, _at(i, j), load(lanes, _at(i, j)) * pivot)
    return least
