"""Arms with prismatic joints among the three before a spherical wrist (mirrored: behind it).

Gantries, Stanford's arm, cylindrical ones: joints 1 to 3 bring the wrist's centre c to its target
t, by lines, circles and planes. Each order of prismatic (P) and revolute (R) joints is a case:

    PPP  three linear equations                          1 solution
    PPR, RPP  a turn into a plane, two linear equations  2
    PRP  height and distance of joint 2's axis, both linear but for one square  2
    RPR  two equations across the slide for two angles   4, `angle_pairs`
    PRR, RRP  a slide and a turn, seen from joint 2      4, `slides`
"""

import math

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.angle_pairs import coupled_pairs, decoupled_pairs
from generative_ik_ros.closed_form.axes import AxesAtZero
from generative_ik_ros.closed_form.header import AXES, OWN, carried
from generative_ik_ros.closed_form.lane_subproblems import (
    anywhere,
    column_in_lanes,
    rows_in_lanes,
)
from generative_ik_ros.closed_form.slides import (
    ANGLE_FIRST,
    BOTH,
    SLIDE_BY_DISTANCE,
    SLIDE_BY_HEIGHT,
    slide_pairs,
    slides,
)
from generative_ik_ros.closed_form.spherical_wrist import arc_of
from generative_ik_ros.closed_form.subproblems import (
    MOST,
    angle_between,
    angles_on_line,
    arc,
    dot,
    minus,
    perpendicular,
    plus,
    radians,
    times,
    turn,
    turn_back,
    vector,
)
from generative_ik_ros.closed_form.wrist import write_wrist
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.compiled.lane_algebra import half_angle
from generative_ik_ros.compiled.lane_angles import angle_of
from generative_ik_ros.robot.rigid import turn as rigid_turn

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

_PRR, _RPR, _PPR, _RRP, _PRP, _RPP, _PPP = range(1, 8)
"""Orders of joints: 1, 2 and 4 are added for joints 1, 2 and 3 where these are prismatic."""
_OF_SECOND, _OF_FIRST = 0, 1
"""Of the order RPR: the row that has one angle only, and which; else `BOTH`."""
_POINTS, _CENTRE, _BEND, _ROWS = OWN + 1, OWN + 4, OWN + 5, OWN + 6
_SINGULAR = 1e-6
"""Volume of the directions in which three joints move the wrist that is none [shares]."""


def prismatic_form(lines: AxesAtZero):  # noqa: ANN201 (what `six_joints` takes apart)
    """Recognise a spherical wrist after three joints, some of them prismatic, that can place it.

    Returns:
        Name, kernel, the lines as they are moved, and own vectors; None if it is another arm.
    """
    sliding = lines.prismatic
    if sliding[3:].any() or lines.parallel(3, 4) or lines.parallel(4, 5):
        return None
    if not lines.meet(3, 4, 5) or not _can_place(lines):
        return None
    order, which = int(sliding[:3] @ (1, 2, 4)), BOTH
    lines = lines.met(3, 4, 5)
    if order in (_PRR, _RRP):
        lines, which = _around_joint_2(lines, *((0, 2) if order == _PRR else (2, 0)))
    elif order == _RPR and lines.perpendicular(1, 0):
        lines, which = lines.squared(1, 0), _OF_SECOND
    elif order == _RPR and lines.perpendicular(1, 2):
        lines, which = lines.squared(1, 2), _OF_FIRST
    points, rows = lines.points / lines.length, _rows(lines.axes, order, which)
    layout = [order, which, np.abs(rows).sum(axis=1).max()]
    bend = arc_of(*lines.axes[3:])
    own = np.array([layout, *points[:3], points[5], bend, *rows])
    places = ["{" + str(joint) + "}" for joint in np.flatnonzero(sliding)]
    some = "s" if len(places) > 1 else ""
    name = "spherical wrist of joints {3}, {4} and {5}, joint"
    name += f"{some} {' and '.join(places[:2])} prismatic"
    if len(places) == 3:
        name = name.replace(" and {1}", ", {1} and {2}")
    return name, prismatic_wrist, lines, own


def _around_joint_2(lines: AxesAtZero, slide: int, circle: int) -> tuple[AxesAtZero, int]:
    """Return what follows first, see `slides`, and the lines moved for it."""
    if lines.perpendicular(slide, 1):
        return lines.squared(slide, 1), ANGLE_FIRST
    if lines.parallel(circle, 1):
        return lines.aligned(circle, 1), SLIDE_BY_HEIGHT
    if lines.meet(circle, 1):
        return lines.met(circle, 1), SLIDE_BY_DISTANCE
    return lines, BOTH


def _rows(axes: NDArray[np.float64], order: int, which: int) -> NDArray[np.float64]:
    """Return what scalar products tell of a point (3, 3).

    Slides of two or three prismatic joints and the distance from their plane; of joints in the
    order RPR the places across the slide, the row with one angle first, and the slide.
    """
    if order in (_PPR, _RPP, _PPP):
        some = {_PPR: (0, 1), _RPP: (1, 2), _PPP: (0, 1, 2)}[order]
        columns = [axes[joint] for joint in some]
        if len(columns) == 2:
            normal = np.cross(columns[0], columns[1])
            columns.append(normal / np.linalg.norm(normal))
        return np.linalg.inv(np.column_stack(columns)).astype(np.float64)
    if order == _RPR:
        aside = np.cross(axes[1], np.eye(3)[np.abs(axes[1]).argmin()])
        if which != BOTH:
            aside = axes[0 if which == _OF_SECOND else 2]
        aside = aside / np.linalg.norm(aside)
        return np.array([aside, np.cross(axes[1], aside), axes[1]])
    return np.zeros((3, 3))


def _can_place(lines: AxesAtZero) -> bool:
    """Return whether joints 1 to 3 move the wrist in all directions, in some configuration."""
    wrist, _ = lines.meeting(3, 4, 5)
    for q in np.random.default_rng(0).uniform(-1.0, 1.0, (8, 3)):
        place, ways = wrist / lines.length, np.empty((3, 0))
        for joint in (2, 1, 0):
            axis, point = lines.axes[joint], lines.points[joint] / lines.length
            if lines.prismatic[joint]:
                place, way = place + q[joint] * axis, axis
            else:
                rotation = rigid_turn(axis, np.pi * q[joint])[:3, :3]
                place, ways = point + rotation @ (place - point), rotation @ ways
                way = np.cross(axis, place - point)
            ways = np.column_stack([way, ways])
        if abs(np.linalg.det(ways)) > _SINGULAR:
            return True
    return False


@kernel()
def prismatic_wrist(parameters, tip_pose, out):
    """Find all branches; see `Family`."""
    rotation, shift = carried(parameters, tip_pose)
    target = plus(times(rotation, vector(parameters, _CENTRE)), shift)
    exists, places, off, sure = _places(parameters, target, parameters[2], out)
    if not anywhere(exists):
        return 0 if sure else -1
    order, length, bend = int(parameters[3 * OWN]), 1.0 / parameters[1], vector(parameters, _BEND)
    first, q1 = _turn_or_slide(places[0], order & 1, length)
    second, q2 = _turn_or_slide(places[1], order & 2, length)
    third, q3 = _turn_or_slide(places[2], order & 4, length)
    known, off = (first, second, third), off + parameters[2]
    return write_wrist(
        parameters, rotation, bend, known, (q1, q2, q3), off, exists, sure, out
    )  # fmt: skip


@inlined
def _turn_or_slide(place, slides_along, length):
    """Return how far a joint turns, as points on the unit circle, and its values [rad or m]."""
    half_sine, half_cosine = half_angle(place)
    cosine = half_cosine * half_cosine - half_sine * half_sine
    turning = 0.0 if slides_along else 1.0
    turned = cosine * turning + (1.0 - turning), half_sine * half_cosine * (2.0 * turning)
    return turned, place * (length if slides_along else 1.0)


@inlined
def _places(parameters, target, error, out):
    """Return what joints 1 to 3 can be.

    Returns:
        A flag: which lanes there are, see `lane_subproblems`; the three joints [rad, and shares of
        the length]; how far they are expected to be off; and whether that is sure.
    """
    order = int(parameters[3 * OWN])
    if order == _RPR:
        return _across_joint_2(parameters, target, error, out)
    if order == _PRR or order == _RRP:
        count, sure = _beside_joint_2(parameters, target, order == _PRR, error, out)
    elif order == _PRP:
        count, sure = _along_joint_2(parameters, target, error, out)
    else:
        count, sure = _in_plane(parameters, target, order, error, out)
    places = column_in_lanes(out, 0), column_in_lanes(out, 1), column_in_lanes(out, 2)
    return rows_in_lanes(count), places, column_in_lanes(out, 4), sure


@inlined
def _write_place(out, i, first, second, third, off):
    """Write what joints 1 to 3 are."""
    out[i, 0], out[i, 1], out[i, 2], out[i, 4] = first, second, third, off


@inlined
def _in_plane(parameters, target, order, error, out):
    """Two or three prismatic joints in a row, and a turn into their plane."""
    a, b = vector(parameters, _ROWS), vector(parameters, _ROWS + 1)
    normal, centre = vector(parameters, _ROWS + 2), vector(parameters, _CENTRE)
    worst = parameters[3 * OWN + 2]
    if order == _PPP:
        way = minus(target, centre)
        _write_place(out, 0, dot(a, way), dot(b, way), dot(normal, way), error * worst)
        return 1, error * worst < MOST
    joint = 2 if order == _PPR else 0
    axis, foot = vector(parameters, AXES + joint), vector(parameters, _POINTS + joint)
    turned, still = (centre, target) if order == _PPR else (target, centre)
    turned, still = minus(turned, foot), minus(still, foot)
    middle, c, s = arc(normal, axis, turned)
    # What comes before the slides is turned back.
    way = 1.0 if order == _PPR else -1.0
    count, angles, off, sure = angles_on_line(c, way * s, dot(normal, still) - middle, error)
    for i in range(count):
        u = angles[i]
        between = minus(turn(axis, (u[0], way * u[1]), turned), still)
        q, r = -way * dot(a, between), -way * dot(b, between)
        beside = worst * (error + off)
        if order == _PPR:
            _write_place(out, i, q, r, radians(u), off + beside)
        else:
            _write_place(out, i, radians(u), q, r, off + beside)
    return count, sure


@inlined
def _along_joint_2(parameters, target, error, out):
    """A turn between two slides: they make up for height and distance of its axis."""
    first, axis = vector(parameters, AXES), vector(parameters, AXES + 1)
    third, foot = vector(parameters, AXES + 2), vector(parameters, _POINTS + 1)
    outer, inner = minus(target, foot), minus(vector(parameters, _CENTRE), foot)
    # rise q1 + fall q3 = height: the slides are those nearest to zero, and a multiple of others.
    rise, fall = dot(axis, first), dot(axis, third)
    square = rise * rise + fall * fall
    height = (dot(axis, outer) - dot(axis, inner)) / square
    u, v = perpendicular(axis, outer), perpendicular(axis, inner)
    a, b = perpendicular(axis, first), perpendicular(axis, third)
    q1, q3 = height * rise, height * fall
    u = u[0] - q1 * a[0], u[1] - q1 * a[1], u[2] - q1 * a[2]
    v = v[0] + q3 * b[0], v[1] + q3 * b[1], v[2] + q3 * b[2]
    size = math.sqrt(square)
    d1, d3 = fall / size, -rise / size
    error /= min(1.0, square)
    number, found, off, sure = slides(
        d1 * d1 * dot(a, a) - d3 * d3 * dot(b, b),
        -d1 * dot(a, u) - d3 * dot(b, v),
        dot(u, u) - dot(v, v),
        error,
    )
    for i in range(number):
        s = found[i]
        goal = u[0] - s * d1 * a[0], u[1] - s * d1 * a[1], u[2] - s * d1 * a[2]
        start = v[0] + s * d3 * b[0], v[1] + s * d3 * b[1], v[2] + s * d3 * b[2]
        second, beside, defined = angle_between(start, goal, axis, error + off)
        sure = sure and defined
        _write_place(out, i, q1 + s * d1, radians(second), q3 + s * d3, off + beside)
    return number, sure


@inlined
def _across_joint_2(parameters, target, error, out):
    """A slide between two turns: it does not move what is seen across it."""
    first, third = vector(parameters, AXES), vector(parameters, AXES + 2)
    foot, elbow = vector(parameters, _POINTS), vector(parameters, _POINTS + 2)
    outer, inner = minus(target, foot), minus(vector(parameters, _CENTRE), elbow)
    between, which = minus(elbow, foot), parameters[3 * OWN + 1]
    one, other = vector(parameters, _ROWS), vector(parameters, _ROWS + 1)
    o, a, b = arc(one, first, outer)
    p, c, d = arc(one, third, inner)
    row = (a, -b, -c, -d, dot(one, between) + p - o)
    o, a, b = arc(other, first, outer)
    p, c, d = arc(other, third, inner)
    beside = (a, -b, -c, -d, dot(other, between) + p - o)
    if which == BOTH:
        exists, u, v, off, sure = coupled_pairs(row, beside, error, out)
    else:
        exists, u, v, off, sure = decoupled_pairs(row, beside, which == _OF_SECOND, error)
    way = minus(turn_back(first, u, outer), between)
    q = dot(vector(parameters, _ROWS + 2), minus(way, turn(third, v, inner)))
    return exists, (angle_of(u[0], u[1]), q, angle_of(v[0], v[1])), off, sure


@inlined
def _beside_joint_2(parameters, target, slide_first, error, out):
    """A slide on one side of joint 2, and a turn on the other."""
    h, foot = vector(parameters, AXES + 1), vector(parameters, _POINTS + 1)
    near, far = vector(parameters, _POINTS), vector(parameters, _POINTS + 2)
    first, third = vector(parameters, AXES), vector(parameters, AXES + 2)
    centre, which = vector(parameters, _CENTRE), int(parameters[3 * OWN + 1])
    if slide_first:
        line = minus(target, foot), minus((0.0, 0.0, 0.0), first)
        circle = minus(far, foot), third, minus(centre, far), 1.0
    else:
        line = minus(centre, foot), third
        circle = minus(near, foot), first, minus(target, near), -1.0
    count, sure = slide_pairs(which, line, circle, h, error, out)
    for i in range(count):
        u, q, off = (out[i, 0], out[i, 1]), out[i, 2], out[i, 4]
        (x, along), (f, axis, p, way) = line, circle
        s = x[0] + q * along[0], x[1] + q * along[1], x[2] + q * along[2]
        y = plus(f, turn(axis, (u[0], way * u[1]), p))
        start, goal = (y, s) if slide_first else (s, y)
        second, beside, defined = angle_between(start, goal, h, error + off)
        sure = sure and defined
        if slide_first:
            _write_place(out, i, q, radians(second), radians(u), off + beside)
        else:
            _write_place(out, i, radians(u), radians(second), q, off + beside)
    return count, sure
