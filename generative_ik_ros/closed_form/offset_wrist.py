"""Arms whose wrist has an offset: axes 1 and 2, 3 and 4, 4 and 5 intersect, 2 and 3 are parallel.

Joints 4 and 5 do not move the point where their axes intersect, and joint 4 keeps the angle
between them. So both follow from joint 6, and say where joints 2 and 3 point axis 4: its
direction in their plane has two given scalar products and length one, which is a trigonometric
polynomial of degree 4 in joint 6. At each of its zeros joint 1 may also point the other way.
"""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form import newton
from generative_ik_ros.closed_form.axes import NEAR, AxesAtZero
from generative_ik_ros.closed_form.determinants import COSINES, ROOM, SINES
from generative_ik_ros.closed_form.dialytic import waves
from generative_ik_ros.closed_form.header import AXES, OWN, carried
from generative_ik_ros.closed_form.lane_subproblems import NONE, angles_between, anywhere, choose
from generative_ik_ros.closed_form.subproblems import dot, minus, plus, times, turn_back, vector
from generative_ik_ros.closed_form.trigonometric import MOST_ZEROS, all_zeros
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.compiled.lane_algebra import cosine_and_sine
from generative_ik_ros.compiled.lane_angles import angle_of
from generative_ik_ros.compiled.lanes import (
    WIDTH,
    absolute,
    largest_of,
    load,
    spread,
    square_root,
    store,
    where_less,
)

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

_DEGREE = 4
_FOUR = WIDTH // 2
"""Zeros that are followed side by side."""
_FRAME = OWN + 6
"""Where own vectors begin, after a point on each axis."""
_SAFETY = 100.0
"""Below so many times what it may be off the polynomial may be zero."""
_ROUNDING = 4e-15
_SINGULAR = 1e-8
"""Squared distance of the wrist from axis 1, and of its plane's determinant, that are too small
[shares of the arm's length]."""


def own_vectors(lines: AxesAtZero) -> tuple[NDArray[np.float64], float] | None:
    """Return what this family adds to `header`, (14, 3), and how far lines were moved for it.

    None if the arm is of another kind.
    """
    axes, points = lines.axes, lines.points / lines.length
    meetings = [lines.meeting(*pair) for pair in ((0, 1), (2, 3), (3, 4))]
    if lines.parallel(0, 1) or lines.parallel(3, 4) or not lines.parallel(1, 2):
        return None
    if max(far for _, far in meetings) > NEAR:
        return None
    shoulder, elbow, wrist = (point / lines.length for point, _ in meetings)
    up, signs = axes[0], np.array([1.0, np.sign(axes[1] @ axes[2])])
    across = signs @ axes[1:3]
    across -= up * (up @ across)
    across /= np.linalg.norm(across)
    forth = axes[3] - across * (across @ axes[3])
    forth /= np.linalg.norm(forth)
    elbow = elbow - across * (across @ (elbow - shoulder))
    fore = forth @ (wrist - elbow)
    moved = [
        *(far for _, far in meetings),
        *np.linalg.norm(axes[1:3] - np.outer(signs, across), axis=1),
        np.linalg.norm(forth - axes[3]),
        np.linalg.norm(elbow + fore * forth - wrist),
    ]
    upper = elbow - shoulder
    if max(moved) > NEAR or min(abs(fore), np.linalg.norm(upper)) < NEAR:
        return None
    frame = np.array([np.cross(across, up), across, up])
    own = [
        *frame, shoulder, elbow + fore * forth, [fore, upper @ upper, axes[3] @ axes[4]],
        [*(frame[::2] @ forth), signs[0]], [*(frame[::2] @ upper), signs[1]],
    ]  # fmt: skip
    return np.vstack([points, own]), float(max(moved))


@kernel()
def offset_wrist(parameters, tip_pose, out):
    """Find all branches; see `Family`."""
    rotation, shift = carried(parameters, tip_pose)
    values, zeros, places = np.empty(ROOM), np.empty(MOST_ZEROS), np.empty((3, 6))
    cosines, sines = np.empty(_DEGREE + 1), np.empty(_DEGREE + 1)
    lanes = np.empty(newton.MEMORY)
    _write_places(parameters, rotation, shift, places)
    most = spread(0.0)
    for block in range(ROOM // WIDTH):
        value, size = _polynomial(parameters, places, load(COSINES, block), load(SINES, block))
        store(values, block, value)
        most = where_less(most, size, size, most)
    noise = waves(values, largest_of(most) * (_ROUNDING + parameters[2]), cosines, sines)
    size, sure = all_zeros(cosines, sines, _SAFETY * noise, zeros)
    count = 0
    for first in range(0, size, _FOUR):
        some = min(_FOUR, size - first)
        for lane in range(WIDTH):
            # Each zero twice: joint 1 towards the wrist and away from it.
            lanes[lane] = zeros[first + min(lane // 2, some - 1)]
            lanes[WIDTH + lane] = 1.0 - 2.0 * (lane % 2)
        sixth, side = load(lanes, 0), load(lanes, 1)
        regular = _followed(parameters, rotation, places, sixth, side, lanes)
        count, good = newton.kept(parameters, rotation, shift, 2 * some, lanes, out, count)
        sure = sure and good and not anywhere(1.0 - regular)
    return count if sure else -1 - count


@inlined
def _write_places(parameters, rotation, shift, places):
    """Write where joint 6 brings the wrist from the shoulder, and axis 5, in the arm's frame.

    Args:
        parameters: See `Family`.
        rotation: Rows of the rotation that all joints make together.
        shift: The translation.
        places: (3, 6) out: 1, cosine and sine of joint 6 times these make the two vectors.
    """
    axis, foot = vector(parameters, AXES + 5), vector(parameters, OWN + 5)
    wrist, shoulder = vector(parameters, _FRAME + 4), vector(parameters, _FRAME + 3)
    fifth = vector(parameters, AXES + 4)
    arm = minus(wrist, foot)
    for k in range(3):
        # The mean of two opposite angles, and what is added to it at 0 and at pi / 2.
        point, line = turn_back(axis, (0.0, 0.0), arm), turn_back(axis, (0.0, 0.0), fifth)
        if k == 0:
            point = minus(plus(times(rotation, plus(point, foot)), shift), shoulder)
        else:
            angle = (1.0, 0.0) if k == 1 else (0.0, 1.0)
            point = times(rotation, minus(turn_back(axis, angle, arm), point))
            line = minus(turn_back(axis, angle, fifth), line)
        line = times(rotation, line)
        for j in range(3):
            row = vector(parameters, _FRAME + j)
            places[k, j], places[k, 3 + j] = dot(row, point), dot(row, line)


@inlined
def _polynomial(parameters, places, c, s):
    """Return the polynomial's value, and how large the terms are that it is the sum of."""
    x, y, z, u, v, w = _six(places, c, s)
    across, along = x * x + y * y, x * u + y * v
    square = across + z * z
    fore, upper, bend = vector(parameters, _FRAME + 5)
    reach = (square + fore * fore - upper) * (0.5 / fore)
    level = across * w - z * along
    first, second = level * level, reach * reach * (along * along + across * w * w)
    third = bend * bend * square * across
    fourth = 2.0 * reach * bend * across * (along + z * w)
    return first - second - third + fourth, first + second + third + absolute(fourth)


@inlined
def _six(places, c, s):
    """Return the wrist from the shoulder and the direction of axis 5 at angles of joint 6."""
    return (
        places[0, 0] + c * places[1, 0] + s * places[2, 0],
        places[0, 1] + c * places[1, 1] + s * places[2, 1],
        places[0, 2] + c * places[1, 2] + s * places[2, 2],
        places[0, 3] + c * places[1, 3] + s * places[2, 3],
        places[0, 4] + c * places[1, 4] + s * places[2, 4],
        places[0, 5] + c * places[1, 5] + s * places[2, 5],
    )


@inlined
def _followed(parameters, rotation, places, zero, side, lanes):
    """Write all six angles of eight branches, joint 1 towards the wrist or away from it.

    Args:
        parameters: See `Family`.
        rotation: Rows of the rotation that all joints make together.
        places: See `_write_places`.
        zero: Angles of joint 6 [rad].
        side: 1 or -1.
        lanes: Memory; the angles are written to its first six rows.

    Returns:
        A flag, whether they follow: not where the wrist is on axis 1, or axis 5 points at the
        shoulder.
    """
    sixth = cosine_and_sine(zero)
    x, y, z, u, v, w = _six(places, sixth[0], sixth[1])
    across = square_root(x * x + y * y)
    regular = where_less(across, _SINGULAR, 0.0, spread(1.0))
    across = choose(regular, across, 1.0)
    fore, upper, bend = vector(parameters, _FRAME + 5)
    ahead, aside = side * across, side * (x * u + y * v) / across
    reach = (ahead * ahead + z * z + fore * fore - upper) * (0.5 / fore)
    plane = ahead * w - z * aside
    regular = where_less(absolute(plane), _SINGULAR, 0.0, regular)
    plane = choose(regular, plane, 1.0)
    # The direction of axis 4, ahead and up.
    a, b = (reach * w - z * bend) / plane, (ahead * bend - reach * aside) / plane
    c, s, sign2 = vector(parameters, _FRAME + 6)
    both = _of_length_one(a * c + b * s, a * s - b * c)
    a, b = ahead - a * fore, z - b * fore
    c, s, sign3 = vector(parameters, _FRAME + 7)
    second = _angle(a * c + b * s, a * s - b * c)
    first = side * x / across, side * y / across
    store(lanes, 0, _angle(first[0], first[1]))
    store(lanes, 1, second * sign2)
    store(lanes, 2, (angle_of(both[0], both[1]) - second) * sign3)
    store(lanes, 5, zero)
    up, level = vector(parameters, _FRAME + 2), vector(parameters, _FRAME + 1)
    axis4, axis5 = vector(parameters, AXES + 3), vector(parameters, AXES + 4)
    axis6 = vector(parameters, AXES + 5)
    line = times(rotation, turn_back(axis6, sixth, axis5))
    line = turn_back(level, both, turn_back(up, first, line))
    fourth, _, _ = angles_between(axis5, line, axis4, 0.0)
    line = times(rotation, turn_back(axis6, sixth, axis4))
    line = turn_back(level, both, turn_back(up, first, line))
    fifth, _, _ = angles_between(axis4, turn_back(axis4, fourth, line), axis5, 0.0)
    store(lanes, 3, angle_of(fourth[0], fourth[1]))
    store(lanes, 4, angle_of(fifth[0], fifth[1]))
    return regular


@inlined
def _angle(c, s):
    """Return the angle of a vector of any length."""
    c, s = _of_length_one(c, s)
    return angle_of(c, s)


@inlined
def _of_length_one(c, s):
    """Return a vector of any length as (cosine, sine); of none as the angle zero."""
    square = c * c + s * s
    size = square_root(where_less(NONE, square, square, 1.0))
    return where_less(NONE, square, c / size, 1.0), s / size
