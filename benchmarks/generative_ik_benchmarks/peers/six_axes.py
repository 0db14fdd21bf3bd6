"""A six-axis arm's lines and a pose come in, all branches of its closed form go out; compiled."""

import math

import numpy as np
from numba import njit

from generative_ik_benchmarks.peers.subproblems import (
    angle_between,
    angles_to_distance,
    angles_to_plane,
    dot,
    rotation,
    turn,
)
from generative_ik_ros.compiled.kernel import kernel

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

THREE_PARALLEL, WRIST_PARALLEL, WRIST_SHOULDER = range(3)
_BRANCHES = 8


@kernel()
def branches(family, axes, points, tip_at_zero, tip_in_base):
    """Return all configurations (k, 6), k at most 8, that bring the tip to a pose.

    Args:
        family: THREE_PARALLEL: joints 2, 3 and 4 parallel, 5 and 6 meet, the UR arms. The others
            have a spherical wrist, joints 4, 5 and 6 meet: WRIST_PARALLEL joints 2 and 3 are
            parallel, WRIST_SHOULDER joints 1 and 2 meet.
        axes: (6, 3) directions at zero, in the base.
        points: (6, 3) a point on each axis at zero; where axes meet, their common one [m].
        tip_at_zero: (4, 4) the tip's pose at zero.
        tip_in_base: (4, 4) the pose wanted.
    """
    # The product of the six turns, and where the last point that does not depend on joint 6 is.
    turned, at_zero = tip_in_base[:3, :3].copy(), tip_at_zero[:3, :3].copy()
    whole = turned @ at_zero.T
    wrist = tip_in_base[:3, 3] - whole @ (tip_at_zero[:3, 3] - points[5])
    found, count = np.empty((_BRANCHES, 6)), 0
    if family == THREE_PARALLEL:
        return found[: _three_parallel(axes, points, whole, wrist, found)]
    shoulders = np.empty((4, 3))
    if family == WRIST_PARALLEL:
        size = _parallel_shoulder(axes, points, wrist, shoulders)
    else:
        size = _meeting_shoulder(axes, points, wrist, shoulders)
    for s in range(size):
        count = _wrist(axes, whole, shoulders[s], found, count)
    return found[:count]


@njit
def _three_parallel(axes, points, whole, wrist, found):
    """Fill in the branches of an arm like UR's and return how many."""
    h, count = axes[1], 0
    # Turns about the common direction, whatever the signs of the three axes.
    sign3, sign4 = math.copysign(1.0, dot(h, axes[2])), math.copysign(1.0, dot(h, axes[3]))
    out = wrist - points[0]
    firsts, there = angles_to_plane(h, out, axes[0], dot(h, points[5] - points[0]))
    if not there:
        return 0
    for first in -firsts:
        turned = rotation(axes[0], first).T @ whole
        fifths, there = angles_to_plane(h, axes[5], axes[4], dot(h, turned @ axes[5]))
        if not there:
            continue
        for fifth in fifths:
            before = rotation(axes[4], fifth)
            sixth = -angle_between(before.T @ h, turned.T @ h, axes[5])
            middle = turned @ rotation(axes[5], sixth).T @ before.T
            # Any direction across the common one tells by how much joints 2 to 4 turn together.
            aside = axes[4] - dot(h, axes[4]) * h
            total = angle_between(aside, middle @ aside, h)
            goal = turn(axes[0], -first, out) - (points[1] - points[0])
            goal = goal - middle @ (points[5] - points[3])
            upper, fore = points[2] - points[1], points[3] - points[2]
            flat = goal - dot(h, goal) * h
            upper = upper - dot(h, upper) * h
            fore = fore - dot(h, fore) * h
            thirds, there = angles_to_distance(fore, -upper, h, math.sqrt(dot(flat, flat)))
            if not there:
                continue
            for third in thirds:
                second = angle_between(upper + turn(h, third, fore), flat, h)
                found[count, 0], found[count, 1], found[count, 2] = first, second, sign3 * third
                found[count, 3] = sign4 * (total - second - third)
                found[count, 4], found[count, 5] = fifth, sixth
                count += 1
    return count


@njit
def _parallel_shoulder(axes, points, wrist, shoulders):
    """Fill in the first three joints where the second and third are parallel."""
    h, count = axes[1], 0
    sign3 = math.copysign(1.0, dot(h, axes[2]))
    out = wrist - points[0]
    firsts, there = angles_to_plane(h, out, axes[0], dot(h, points[5] - points[0]))
    if not there:
        return 0
    upper, fore = points[2] - points[1], points[5] - points[2]
    for first in -firsts:
        goal = turn(axes[0], -first, out) - (points[1] - points[0])
        thirds, there = angles_to_distance(fore, -upper, h, math.sqrt(dot(goal, goal)))
        if not there:
            continue
        for third in thirds:
            second = angle_between(upper + turn(h, third, fore), goal, h)
            shoulders[count, 0], shoulders[count, 1] = first, second
            shoulders[count, 2] = sign3 * third
            count += 1
    return count


@njit
def _meeting_shoulder(axes, points, wrist, shoulders):
    """Fill in the first three joints where the first and second meet."""
    count = 0
    out = wrist - points[0]
    upper, fore = points[2] - points[0], points[5] - points[2]
    thirds, there = angles_to_distance(fore, -upper, axes[2], math.sqrt(dot(out, out)))
    if not there:
        return 0
    for third in thirds:
        arm = upper + turn(axes[2], third, fore)
        # Subproblem 2 by subproblem 4: joint 2 leaves the component along its own axis as it is.
        firsts, there = angles_to_plane(axes[1], out, axes[0], dot(axes[1], arm))
        if not there:
            continue
        for first in -firsts:
            second = angle_between(arm, turn(axes[0], -first, out), axes[1])
            shoulders[count, 0], shoulders[count, 1], shoulders[count, 2] = first, second, third
            count += 1
    return count


@njit
def _wrist(axes, whole, shoulder, found, count):
    """Add the two branches of a spherical wrist to given first three joints."""
    turned = whole
    for i in range(3):
        turned = rotation(axes[i], shoulder[i]).T @ turned
    fifths, there = angles_to_plane(axes[3], axes[5], axes[4], dot(axes[3], turned @ axes[5]))
    if not there:
        return count
    for fifth in fifths:
        before = rotation(axes[4], fifth)
        fourth = angle_between(before @ axes[5], turned @ axes[5], axes[3])
        left = rotation(axes[3], fourth).T @ turned
        aside = axes[4] - dot(axes[5], axes[4]) * axes[5]
        sixth = angle_between(aside, before.T @ (left @ aside), axes[5])
        found[count, :3] = shoulder
        found[count, 3], found[count, 4], found[count, 5] = fourth, fifth, sixth
        count += 1
    return count
