"""All closed-form branches of a six-axis arm with parallel or intersecting axes, compiled."""

import math

import numpy as np
from numba import njit

from generative_ik_ros.closed_form.subproblems import (
    angle_between,
    angles_to_distance,
    angles_to_plane,
    dot,
    minus,
    perpendicular,
    plus,
    times,
    turn,
    vector,
)
from generative_ik_ros.compiled.kernel import kernel

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

_NONE = (0.0, 0.0, 0.0)


@kernel()
def three_parallel(parameters, tip_pose, out):
    """Find the branches of an arm like UR's: joints 2, 3 and 4 parallel, 5 and 6 intersect.

    See `Family`; parameters are an `AxesAtZero.flat` with the common point of joints 5 and 6.
    """
    axes, points, whole, wrist = _placed(parameters, tip_pose)
    return _three_parallel(axes, points, whole, wrist, out)


@kernel()
def wrist_parallel(parameters, tip_pose, out):
    """Find the branches with a spherical wrist (joints 4 to 6) and joints 2 and 3 parallel."""
    axes, points, whole, wrist = _placed(parameters, tip_pose)
    shoulders = np.empty((4, 3))
    size = _parallel_shoulder(axes, points, wrist, shoulders)
    return _wrists(axes, whole, shoulders[:size], out)


@kernel()
def wrist_shoulder(parameters, tip_pose, out):
    """Find the branches with a spherical wrist (joints 4 to 6) where joints 1 and 2 intersect."""
    axes, points, whole, wrist = _placed(parameters, tip_pose)
    shoulders = np.empty((4, 3))
    size = _meeting_shoulder(axes, points, wrist, shoulders)
    return _wrists(axes, whole, shoulders[:size], out)


@njit
def _placed(parameters, tip_pose):
    """Return axes, points, the six rotations' product, and where a wrist point has to be."""
    axes, points = parameters[:18].reshape(6, 3), parameters[18:36].reshape(6, 3)
    tip_at_zero = parameters[36:52].reshape(4, 4)
    whole = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            whole[i, j] = dot(vector(tip_pose, i), vector(tip_at_zero, j))
    lever = minus(_position(tip_at_zero), vector(points, 5))
    return axes, points, whole, minus(_position(tip_pose), times(whole, lever))


@njit
def _wrists(axes, whole, shoulders, out):
    """Fill in the branches of given first three joints (k, 3) and return how many."""
    count = 0
    for s in range(len(shoulders)):
        count = _wrist(axes, whole, vector(shoulders, s), out, count)
    return count


@njit
def _position(pose):
    return pose[0, 3], pose[1, 3], pose[2, 3]


@njit
def _three_parallel(axes, points, whole, wrist, found):
    """Fill in the branches of an arm like UR's and return how many."""
    base, h = vector(axes, 0), vector(axes, 1)
    bend, flange = vector(axes, 4), vector(axes, 5)
    # Turns about the common direction, whatever the signs of the three axes.
    sign3 = math.copysign(1.0, dot(h, vector(axes, 2)))
    sign4 = math.copysign(1.0, dot(h, vector(axes, 3)))
    origin, shoulder, elbow = vector(points, 0), vector(points, 1), vector(points, 2)
    fourth_point, wrist_point = vector(points, 3), vector(points, 5)
    upper = perpendicular(h, minus(elbow, shoulder))
    fore = perpendicular(h, minus(fourth_point, elbow))
    # Any direction perpendicular to the common one tells by how much joints 2 to 4 turn together.
    aside = perpendicular(h, bend)
    out, count = minus(wrist, origin), 0
    firsts, there = angles_to_plane(h, out, base, dot(h, minus(wrist_point, origin)))
    if not there:
        return 0
    for angle in firsts:
        first = -angle
        pointing = turn(base, -first, times(whole, flange))
        fifths, there = angles_to_plane(h, flange, bend, dot(h, pointing))
        if not there:
            continue
        common = times(whole.T, turn(base, first, h))
        for fifth in fifths:
            sixth = -angle_between(turn(bend, -fifth, h), common, flange)
            total = angle_between(aside, _middle(axes, whole, first, fifth, sixth, aside), h)
            last = _middle(axes, whole, first, fifth, sixth, minus(wrist_point, fourth_point))
            goal = minus(minus(turn(base, -first, out), minus(shoulder, origin)), last)
            flat = perpendicular(h, goal)
            reach = math.sqrt(dot(flat, flat))
            thirds, there = angles_to_distance(fore, minus(_NONE, upper), h, reach)
            if not there:
                continue
            for third in thirds:
                second = angle_between(plus(upper, turn(h, third, fore)), flat, h)
                found[count, 0], found[count, 1], found[count, 2] = first, second, sign3 * third
                found[count, 3] = sign4 * (total - second - third)
                found[count, 4], found[count, 5] = fifth, sixth
                count += 1
    return count


@njit
def _middle(axes, whole, first, fifth, sixth, p):
    """Turn p as joints 2 to 4 together do, given the other three."""
    before = turn(vector(axes, 5), -sixth, turn(vector(axes, 4), -fifth, p))
    return turn(vector(axes, 0), -first, times(whole, before))


@njit
def _parallel_shoulder(axes, points, wrist, shoulders):
    """Fill in the first three joints where the second and third are parallel."""
    base, h, count = vector(axes, 0), vector(axes, 1), 0
    sign3 = math.copysign(1.0, dot(h, vector(axes, 2)))
    origin, shoulder, elbow = vector(points, 0), vector(points, 1), vector(points, 2)
    out = minus(wrist, origin)
    firsts, there = angles_to_plane(h, out, base, dot(h, minus(vector(points, 5), origin)))
    if not there:
        return 0
    upper, fore = minus(elbow, shoulder), minus(vector(points, 5), elbow)
    for angle in firsts:
        goal = minus(turn(base, angle, out), minus(shoulder, origin))
        reach = math.sqrt(dot(goal, goal))
        thirds, there = angles_to_distance(fore, minus(_NONE, upper), h, reach)
        if not there:
            continue
        for third in thirds:
            second = angle_between(plus(upper, turn(h, third, fore)), goal, h)
            shoulders[count, 0], shoulders[count, 1] = -angle, second
            shoulders[count, 2] = sign3 * third
            count += 1
    return count


@njit
def _meeting_shoulder(axes, points, wrist, shoulders):
    """Fill in the first three joints where the first and second intersect."""
    base, shoulder, elbow = vector(axes, 0), vector(axes, 1), vector(axes, 2)
    out, count = minus(wrist, vector(points, 0)), 0
    upper = minus(vector(points, 2), vector(points, 0))
    fore = minus(vector(points, 5), vector(points, 2))
    reach = math.sqrt(dot(out, out))
    thirds, there = angles_to_distance(fore, minus(_NONE, upper), elbow, reach)
    if not there:
        return 0
    for third in thirds:
        arm = plus(upper, turn(elbow, third, fore))
        # Subproblem 2 by subproblem 4: joint 2 leaves the component along its own axis as it is.
        firsts, there = angles_to_plane(shoulder, out, base, dot(shoulder, arm))
        if not there:
            continue
        for angle in firsts:
            second = angle_between(arm, turn(base, angle, out), shoulder)
            shoulders[count, 0], shoulders[count, 1], shoulders[count, 2] = -angle, second, third
            count += 1
    return count


@njit
def _wrist(axes, whole, shoulder, found, count):
    """Add the two branches of a spherical wrist to given first three joints."""
    roll, bend, flange = vector(axes, 3), vector(axes, 4), vector(axes, 5)
    pointing = _undone(axes, shoulder, times(whole, flange))
    fifths, there = angles_to_plane(roll, flange, bend, dot(roll, pointing))
    if not there:
        return count
    aside = perpendicular(flange, bend)
    turned = _undone(axes, shoulder, times(whole, aside))
    for fifth in fifths:
        fourth = angle_between(turn(bend, fifth, flange), pointing, roll)
        sixth = angle_between(aside, turn(bend, -fifth, turn(roll, -fourth, turned)), flange)
        found[count, 0], found[count, 1], found[count, 2] = shoulder
        found[count, 3], found[count, 4], found[count, 5] = fourth, fifth, sixth
        count += 1
    return count


@njit
def _undone(axes, shoulder, p):
    """Turn p back by the first three joints."""
    for i in range(3):
        p = turn(vector(axes, i), -shoulder[i], p)
    return p
