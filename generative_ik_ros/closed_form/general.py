"""Six revolute joints of no special kind: up to 16 branches from one polynomial.

`elimination` prepares six equations in three angles, `dialytic` makes them one trigonometric
polynomial in one of the three, and `trigonometric` finds all of its zeros. The other angles
follow one after the other; Newton steps on the whole chain bring each branch to full precision.
"""

import math

import numpy as np

from generative_ik_ros.closed_form import newton
from generative_ik_ros.closed_form.determinants import MEMORY, ROOM, SIZE, VECTOR, null_vectors
from generative_ik_ros.closed_form.dialytic import DEGREE, coefficients, tangents
from generative_ik_ros.closed_form.elimination import FUNCTIONS
from generative_ik_ros.closed_form.equations import (
    COEFFICIENTS,
    LAYOUT,
    MOVED,
    TOLD,
    strides_of,
    write_equations,
)
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

_SAFETY = 100.0
"""Below so many times its rounding the polynomial may be zero."""


@kernel()
def general_arm(parameters, tip_pose, out):
    """Find all branches; see `Family`."""
    rotation, shift = carried(parameters, tip_pose)
    back = transposed(rotation)
    loop = back, minus((0.0, 0.0, 0.0), times(back, shift))
    powers, zeros = np.empty(COEFFICIENTS), np.empty(MOST_ZEROS)
    values, lanes = np.empty(ROOM), np.empty(max(MEMORY, MOVED))
    cosines, sines = np.empty(DEGREE + 1), np.empty(DEGREE + 1)
    angles, branches = np.empty(6), np.empty(newton.MEMORY)
    write_equations(parameters, loop, lanes, powers)
    strides = strides_of(parameters)
    noise = coefficients(powers, strides, lanes, values, cosines, sines)
    size, sure = all_zeros(cosines, sines, _SAFETY * noise, zeros)
    count = 0
    for i in range(size):
        if i % WIDTH == 0:
            null_vectors(powers, strides, zeros, i, size, lanes)
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
    moment, c, s = cross(point, direction), parameters[TOLD], parameters[TOLD + 1]
    at = TOLD + 2
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
