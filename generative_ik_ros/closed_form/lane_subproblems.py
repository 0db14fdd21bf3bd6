"""The subproblems of eight branches side by side, compiled; see `subproblems`.

A pose has at most eight branches: two angles three times. Lane 4 i + 2 j + k is that of choices i,
j and k, so nothing depends on how many there are; what does not exist is marked. What depends on i
and j alone takes half of the time in four lanes, 2 i + j. Flags are lanes of 1 and 0.
"""

from generative_ik_ros.closed_form.subproblems import MOST, NO_TURN, SAFE, TOUCH, cross, dot
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lanes import (
    absolute,
    doubled,
    lanes_below,
    spread,
    spread_over_four,
    square_root,
    where_less,
    with_lane,
)

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

NONE = 1e-60
"""The square of a length that is taken for none."""


@inlined
def first_choice():
    """Return 1 in the lanes of the first of two angles, -1 in those of the second: choice i."""
    return with_lane(with_lane(spread_over_four(1.0), 2, -1.0), 3, -1.0)


@inlined
def second_choice():
    """Return the same of choice j."""
    return with_lane(with_lane(spread_over_four(1.0), 1, -1.0), 3, -1.0)


@inlined
def third_choice():
    """Return the same of choice k, in eight lanes."""
    ways = spread(1.0)
    ways = with_lane(with_lane(ways, 1, -1.0), 3, -1.0)
    return with_lane(with_lane(ways, 5, -1.0), 7, -1.0)


@inlined
def doubled_vector(p):
    """Do what `doubled` does with a vector."""
    return doubled(p[0]), doubled(p[1]), doubled(p[2])


@inlined
def choose(flag, x, y):
    """Return x in the lanes where a flag is set, y elsewhere."""
    return where_less(0.5, flag, x, y)


@inlined
def anywhere(flag):
    """Say whether a flag is set in any lane."""
    return set_in(flag) != 0


@inlined
def set_in(flag):
    """Return a whole number whose bit k says whether a flag is set in lane k."""
    return lanes_below(0.5, flag)


@inlined
def angles_between(p, q, k, error):
    """Do what `angle_between` does; return angles, how far they are off, and a flag."""
    v, w = cross(k, p), cross(k, q)
    c, s = dot(v, w), dot(k, cross(v, w))
    square = c * c + s * s
    per_size = 1.0 / square_root(where_less(NONE, square, square, 1.0))
    off = error * square_root(per_size)
    c, s = where_less(NONE, square, c * per_size, NO_TURN[0]), s * per_size
    sure = where_less(off, MOST, square * 0.0 + 1.0, 0.0)
    defined = where_less(TOUCH * TOUCH, square, sure, 0.0)
    return (c, s), off * defined, defined


@inlined
def angle_on_line(a, b, d, error, choice):
    """Solve a cos u + b sin u = d in each lane (subproblem 4; 3, of distances, has the same form).

    Args:
        a: A coefficient.
        b: Another.
        d: The right side.
        error: How far all three are expected to be off.
        choice: Which angle to return where there are two: 1 for the first, -1 for the second.

    Returns:
        A flag: whether the angle exists; the angle; how far it is expected to be off [rad]; and
        a flag: whether that is sure. It is not where the line touches the circle or misses it by
        no more than the error, then the nearest angle is returned, or where almost any angle
        solves the equation.
    """
    one, square = choice * choice, a * a + b * b
    radius, margin = square_root(square), error * SAFE + one * 0.0
    margin = where_less(margin, TOUCH, TOUCH, margin)
    away = absolute(d)
    missed = where_less(radius + margin, away, one, 0.0)
    any_angle = where_less(margin, radius, 0.0, one)
    rest = where_less(d, radius, d, radius)
    rest = where_less(rest, -1.0 * radius, -1.0 * radius, rest)
    half = square_root((radius - rest) * (radius + rest))
    per_square = 1.0 / where_less(1e-200, square, square, 1.0)
    aside = choice * half
    c, s = (a * rest - b * aside) * per_square, (b * rest + a * aside) * per_square
    only = where_less(0.0, half, any_angle, one)
    exists = where_less(choice, 0.0, 1.0 - only, one) * (1.0 - missed)
    sure = where_less(TOUCH, square, where_less(margin, radius - away, one, 0.0), 0.0)
    sure = where_less(error, half * MOST, sure, 0.0)
    off = error / where_less(1e-200, half, half, 1.0) * sure
    angle = choose(any_angle, NO_TURN[0], c), choose(any_angle, NO_TURN[1], s)
    return exists, angle, off, choose(missed, one, sure)


@inlined
def rows_in_lanes(count):
    """Return a flag in four lanes: whether a lane is that of one of the first rows."""
    which = 1.5 - first_choice() - 0.5 * second_choice()
    return where_less(which, float(count), spread_over_four(1.0), 0.0)


@inlined
def column_in_lanes(rows, column):
    """Put the numbers in a column of four rows into four lanes."""
    lanes = with_lane(spread_over_four(rows[0, column]), 1, rows[1, column])
    return with_lane(with_lane(lanes, 2, rows[2, column]), 3, rows[3, column])
