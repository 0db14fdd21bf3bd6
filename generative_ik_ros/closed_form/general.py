"""Six revolute joints of no special kind: up to 16 branches from one polynomial.

`elimination` prepares six equations in three angles, `dialytic` makes them one trigonometric
polynomial in one of the three, and `trigonometric` finds all of its zeros. The other angles
follow one after the other; Newton steps on the whole chain bring each branch to full precision.
"""

import math

import numpy as np

from generative_ik_ros.closed_form import newton
from generative_ik_ros.closed_form.determinants import MEMORY, ROOM, SIZE, VECTOR, null_vectors
from generative_ik_ros.closed_form.dialytic import (
    DEGREE,
    coefficients,
    halved,
    tangents,
)
from generative_ik_ros.closed_form.elimination import FUNCTIONS
from generative_ik_ros.closed_form.header import AXES, OWN, carried
from generative_ik_ros.closed_form.subproblems import (
    cross,
    dot,
    minus,
    plus,
    radians,
    times,
    transposed,
    turn,
    turn_back,
    vector,
)
from generative_ik_ros.closed_form.trigonometric import MOST_ZEROS, all_zeros
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.compiled.lanes import WIDTH

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

LAYOUT = 3 * (OWN + 6)
"""Where dropped joint, strides and number of columns are, then what tells the first eliminated
joint, then rows and columns; see `elimination.Elimination`."""
_TOLD = LAYOUT + 6
_ROWS = _TOLD + 2 * FUNCTIONS + 2
_SAFETY = 300.0
"""Below so many times its rounding the polynomial may be zero."""


@kernel()
def general_arm(parameters, tip_pose, out):
    """Find all branches; see `Family`."""
    rotation, shift = carried(parameters, tip_pose)
    back = transposed(rotation)
    loop = back, minus((0.0, 0.0, 0.0), times(back, shift))
    powers, zeros = np.empty((3, 3, 6, 3)), np.empty(MOST_ZEROS)
    values, lanes = np.empty(ROOM), np.empty(MEMORY)
    cosines, sines = np.empty(DEGREE + 1), np.empty(DEGREE + 1)
    angles, branches = np.empty(6), np.empty(newton.MEMORY)
    _equations(parameters, loop, np.empty((27, FUNCTIONS)), np.empty(162), powers)
    noise = coefficients(powers, lanes, values, cosines, sines)
    size, sure = all_zeros(cosines, sines, _SAFETY * noise, zeros)
    count = 0
    for i in range(size):
        if i % WIDTH == 0:
            null_vectors(powers, zeros, i, size, lanes)
        for k in range(SIZE):
            values[k] = lanes[(VECTOR + k) * WIDTH + i % WIDTH]
        _followed(parameters, loop, zeros[i], tangents(values), angles)
        for k in range(6):
            branches[k * WIDTH + i % WIDTH] = angles[k]
        if i % WIDTH == WIDTH - 1 or i == size - 1:
            some = i % WIDTH + 1
            count, good = newton.kept(parameters, rotation, shift, some, branches, out, count)
            sure = sure and good
    # The others are complex and come in pairs.
    return count if sure and count % 2 == 0 else -1 - count


@inlined
def _equations(parameters, loop, moved, products, powers):
    """Write the equations for a pose, in half-angle tangents."""
    stride_x, stride_e = int(parameters[LAYOUT + 1]), int(parameters[LAYOUT + 2])
    width = int(parameters[LAYOUT + 3])
    height = 162 // width
    first = _ROWS + height * FUNCTIONS
    for k in range(width):
        _moved(parameters, first + k * FUNCTIONS, loop, moved, k)
    for r in range(height):
        for k in range(width):
            total = 0.0
            for j in range(FUNCTIONS):
                total += parameters[_ROWS + r * FUNCTIONS + j] * moved[k, j]
            products[r * width + k] = total
    for x in range(3):
        for e in range(6):
            halved(products, 0, stride_x, stride_e, e, x, powers)


@inlined
def _moved(numbers, at, loop, out, row):
    """Write the functions (15,) at a place as a rigid motion makes them; `elimination.motion`."""
    rows, shift = loop
    point = times(rows, (numbers[at], numbers[at + 1], numbers[at + 2]))
    square, one = numbers[at + 3], numbers[at + 4]
    line = times(rows, (numbers[at + 5], numbers[at + 6], numbers[at + 7]))
    along = numbers[at + 8]
    moment = times(rows, (numbers[at + 9], numbers[at + 10], numbers[at + 11]))
    last = times(rows, (numbers[at + 12], numbers[at + 13], numbers[at + 14]))
    far, ahead = dot(shift, shift), dot(shift, line)
    aside, level = cross(shift, moment), cross(shift, line)
    out[row, 3] = square + 2.0 * dot(shift, point) + far * one
    out[row, 4], out[row, 8] = one, along + ahead
    for j in range(3):
        out[row, j] = point[j] + shift[j] * one
        out[row, 5 + j] = line[j]
        out[row, 9 + j] = moment[j] + level[j]
        out[row, 12 + j] = (
            last[j] - 2.0 * aside[j] + far * line[j] - 2.0 * shift[j] * (ahead + along)
        )


@inlined
def _followed(parameters, loop, zero, others, angles):
    """Write all six angles from the three of the equations."""
    dropped = int(parameters[LAYOUT])
    start, line = vector(parameters, OWN + dropped), vector(parameters, AXES + dropped)
    rows, shift = loop
    point, direction = start, line
    known = (math.cos(zero), math.sin(zero)), others[0], others[1]
    for i in range(3):
        k = 2 - i
        joint = dropped + 3 + k
        if joint == 5:
            point, direction = plus(times(rows, point), shift), times(rows, direction)
        joint %= 6
        axis, foot = vector(parameters, AXES + joint), vector(parameters, OWN + joint)
        point = plus(turn(axis, known[k], minus(point, foot)), foot)
        direction = turn(axis, known[k], direction)
        angles[joint] = radians(known[k])
    if dropped == 3:
        point, direction = plus(times(rows, point), shift), times(rows, direction)
    c, s = _told(parameters, point, direction)
    axis, foot = vector(parameters, AXES + dropped + 1), vector(parameters, OWN + dropped + 1)
    place = plus(turn_back(axis, (c, s), minus(start, foot)), foot)
    target = turn_back(axis, (c, s), line)
    angles[dropped + 1] = math.atan2(s, c)
    axis, foot = vector(parameters, AXES + dropped + 2), vector(parameters, OWN + dropped + 2)
    p, q = minus(point, foot), minus(place, foot)
    c = dot(p, q) - dot(axis, p) * dot(axis, q)
    c += dot(direction, target) - dot(axis, direction) * dot(axis, target)
    s = dot(axis, cross(p, q)) + dot(axis, cross(direction, target))
    angles[dropped + 2] = math.atan2(s, c)
    angles[dropped] = _last(parameters, rows, dropped, angles)


@inlined
def _told(parameters, point, direction):
    """Return cosine and sine of the first eliminated joint from the dropped axis's place."""
    along, square = dot(point, direction), dot(point, point)
    moment, c, s = cross(point, direction), parameters[_TOLD], parameters[_TOLD + 1]
    at = _TOLD + 2
    for j in range(3):
        last = square * direction[j] - 2.0 * along * point[j]
        for value, k in ((point[j], j), (direction[j], 5 + j), (moment[j], 9 + j), (last, 12 + j)):
            c += parameters[at + k] * value
            s += parameters[at + FUNCTIONS + k] * value
    c += parameters[at + 3] * square + parameters[at + 4] + parameters[at + 8] * along
    s += parameters[at + FUNCTIONS + 3] * square + parameters[at + FUNCTIONS + 4]
    s += parameters[at + FUNCTIONS + 8] * along
    return c, s


@inlined
def _last(parameters, rows, dropped, angles):
    """Return the angle of the dropped joint, from the rotation that the others leave."""
    axis = vector(parameters, AXES + dropped)
    aside = cross(axis, (1.0, 0.0, 0.0) if abs(axis[0]) < 0.7 else (0.0, 1.0, 0.0))
    turned = aside
    for k in range(1, 6):
        joint = (dropped + k) % 6
        if joint == 0:
            turned = times(transposed(rows), turned)
        turned = turn_back(
            vector(parameters, AXES + joint),
            (math.cos(angles[joint]), math.sin(angles[joint])),
            turned,
        )
    if dropped == 0:
        turned = times(transposed(rows), turned)
    c = dot(aside, turned) - dot(axis, aside) * dot(axis, turned)
    return math.atan2(dot(axis, cross(aside, turned)), c)
