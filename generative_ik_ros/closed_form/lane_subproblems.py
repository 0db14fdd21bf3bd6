"""The subproblems of eight branches side by side, compiled; see `subproblems`.

A pose has at most eight branches: two angles three times. Lane 4 i + 2 j + k is that of choices i,
j and k, so nothing depends on how many there are; what does not exist is marked. Flags are lanes
of 1 and 0.
"""

from generative_ik_ros.closed_form.subproblems import MOST, NO_TURN, SAFE, TOUCH, cross, dot
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lanes import (
    absolute,
    lanes_below,
    spread,
    square_root,
    where_less,
    with_lane,
)

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false


@inlined
def first_choice():
    """Return 1 in the lanes of the first of two angles, -1 in those of the second: choice i."""
    ways = spread(1.0)
    ways = with_lane(with_lane(ways, 4, -1.0), 5, -1.0)
    return with_lane(with_lane(ways, 6, -1.0), 7, -1.0)


@inlined
def second_choice():
    """Return the same of choice j."""
    ways = spread(1.0)
    ways = with_lane(with_lane(ways, 2, -1.0), 3, -1.0)
    return with_lane(with_lane(ways, 6, -1.0), 7, -1.0)


@inlined
def third_choice():
    """Return the same of choice k."""
    ways = spread(1.0)
    ways = with_lane(with_lane(ways, 1, -1.0), 3, -1.0)
    return with_lane(with_lane(ways, 5, -1.0), 7, -1.0)


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
    return lanes_below(spread(0.5), flag)


@inlined
def angles_between(p, q, k, error):
    """Do what `angle_between` does; return angles, how far they are off, and a flag."""
    v, w = cross(k, p), cross(k, q)
    c, s = dot(v, w), dot(k, cross(v, w))
    size = square_root(c * c + s * s)
    per_root = 1.0 / square_root(where_less(1e-30, size, size, 1.0))
    per_size, off = per_root * per_root, error * per_root
    c, s = where_less(1e-30, size, c * per_size, NO_TURN[0]), s * per_size
    defined = where_less(TOUCH, size, where_less(off, MOST, size * 0.0 + 1.0, 0.0), 0.0)
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
    # One division, which takes as long as ten products, for what is divided by each of them.
    large, long = where_less(1e-100, square, square, 1.0), where_less(1e-100, half, half, 1.0)
    per_both = 1.0 / (large * long)
    per_square, aside = per_both * long, choice * half
    c, s = (a * rest - b * aside) * per_square, (b * rest + a * aside) * per_square
    only = where_less(0.0, half, any_angle, one)
    exists = where_less(choice, 0.0, 1.0 - only, one) * (1.0 - missed)
    sure = where_less(TOUCH, square, where_less(margin, radius - away, one, 0.0), 0.0)
    sure = where_less(error, half * MOST, sure, 0.0)
    off = error * (per_both * large) * sure
    angle = choose(any_angle, NO_TURN[0], c), choose(any_angle, NO_TURN[1], s)
    return exists, angle, off, choose(missed, one, sure)


@inlined
def rows_in_lanes(count):
    """Return a flag: whether lanes 2 i and 2 i + 1 are those of one of the first rows of four."""
    which = 1.5 - first_choice() - 0.5 * second_choice()
    return where_less(which, float(count), spread(1.0), 0.0)


@inlined
def column_in_lanes(rows, column):
    """Put number i of a column of four into lanes 2 i and 2 i + 1."""
    lanes = spread(rows[0, column])
    lanes = with_lane(with_lane(lanes, 2, rows[1, column]), 3, rows[1, column])
    lanes = with_lane(with_lane(lanes, 4, rows[2, column]), 5, rows[2, column])
    return with_lane(with_lane(lanes, 6, rows[3, column]), 7, rows[3, column])
