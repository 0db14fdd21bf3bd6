"""Samples of the curves that a redundant arm's solutions of a pose form, compiled.

At an angle of one locked joint, a closed form gives a point of each curve. Curves end at joint
limits, and meet in pairs where two branches merge. Between two angles another is taken wherever a
solution at one of them has no branch near it at the other, nor the branch with which it merges.
So samples lie evenly in joint space, and what lies between them is known up to their distance.
Angles of a prismatic joint are its positions, and a unit of it counts as 1 rad (`locked_joint`).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.locked_joint import (
    OWN,
    UNIT,
    bounds_within_reach,
    write_pose_without,
)
from generative_ik_ros.compiled.addresses import call_address
from generative_ik_ros.compiled.borrow import shaped
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.select.turns_kernel import turn_towards

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false

MOST_BRANCHES = 8
_OTHERS = 6
_NUMBERS = 2 + MOST_BRANCHES * _OTHERS
"""Of a sample."""
_COARSE, _MANY, _FINE = 0.24, 100, 10.0
"""Largest distance between the angles that are begun with [rad], a power of two times the largest
where solutions are few, for it is halved; and where more solutions than so many are wanted, the
same times their number: curves that lie between two angles are missed."""
RICH = 2.0
"""Every other angle will do if there are so many solutions for each one that is wanted."""
_CORNER, _CORNER_OF_FEW, _SHARE = 1e-2, 5e-4, 0.018
"""Curves in the corners of the limits are looked for unless they are shorter than the first, and
than the second where solutions are few [rad]; and than this share of how near samples have to be,
for a curve is worth looking for as other samples are."""
_LEAST = 1e-4
"""Angles that are no further apart have none taken between them [rad]."""
_UNKNOWN = -1.0
_FREE = 0.5
"""Where solutions at two such angles are further apart, joints are free between them; where
branches merge they are nearer [rad]."""


class CurveCall(NamedTuple):
    """What curves depend on besides the pose; see `curve_kernel`."""

    address: int
    parameters: NDArray[np.float64]
    box: NDArray[np.float64]
    circular: NDArray[np.bool_]
    distance: float
    own: int
    """Number of the arm's joints; one more is the free coordinate of a region."""


class Samples(NamedTuple):
    """Angles of the locked joint, and the branches of the other six.

    Attributes:
        angles: (S,) of the locked joint [rad or m].
        rows: (S, 8, 6) branches [rad or m], inside the bounds where they can be.
        counts: (S,) branches.
        inside: (S,) bit k says whether branch k is within the bounds.
        unsure: (S,) whether the closed form is singular there.
        beyond: (S, 8) for each branch two bits for each joint: whether it is beyond its lower, and
            its upper bound.
        after: (S,) the sample at the next larger angle, -1 if there is none.
        gaps: (S,) square of the distance up to which that one is near enough, see `_gap_to`; -1
            where it is not known yet.
        crossed: (S,) where it is, whether a branch may be within the bounds only between the two.
        pose: (4, 4) memory.
    """

    angles: NDArray[np.float64]
    rows: NDArray[np.float64]
    counts: NDArray[np.int64]
    inside: NDArray[np.int64]
    unsure: NDArray[np.int64]
    beyond: NDArray[np.int64]
    after: NDArray[np.int64]
    gaps: NDArray[np.float64]
    crossed: NDArray[np.int64]
    pose: NDArray[np.float64]


@inlined
def numbers_of_samples(most):
    """Return how many numbers, and how many whole numbers, some samples take."""
    return 16 + most * _NUMBERS, (5 + MOST_BRANCHES) * most


@inlined
def samples_in(numbers, ints, most):
    """Lay out the memory of some samples."""
    ends = most, 2 * most, most * _NUMBERS
    return Samples(
        numbers[: ends[0]],
        shaped(numbers[ends[1] : ends[2]], (most, MOST_BRANCHES, _OTHERS)),
        ints[:most],
        ints[most : 2 * most],
        ints[2 * most : 3 * most],
        shaped(ints[5 * most :], (most, MOST_BRANCHES)),
        ints[3 * most : 4 * most],
        numbers[ends[0] : ends[1]],
        ints[4 * most : 5 * most],
        shaped(numbers[ends[2] :], (4, 4)),
    )


@inlined
def coarse_for(wanted):
    """Return how far apart the angles are at the most that are begun with [rad]."""
    return _COARSE if wanted <= _MANY else _FINE / wanted


@inlined
def first_samples(call, pose, samples, coarse, enough, step):
    """Take samples evenly all over the bounds of the locked joint.

    Args:
        call: See `CurveCall`.
        pose: (4, 4) tip in base [m].
        samples: Memory for them.
        coarse: Distance between angles at the most [rad or m].
        enough: Number of solutions at every other angle for which these will do.
        step: Distance between angles, if it is not to divide the bounds evenly, else 0 [rad or m].

    Returns:
        How many, at how many of them there are solutions, and the number of these.
    """
    joint, box = int(call.parameters[0]), call.box
    lower, upper = bounds_within_reach(call.parameters, pose, box[0, joint], box[1, joint])
    if call.circular[joint]:
        lower, upper = box[4, joint] - TURN / 2.0, box[4, joint] + TURN / 2.0
    half = max(1, int(math.ceil((upper - lower) / (2.0 * coarse))))
    half = min(half, (len(samples.angles) - 1) // 2)
    span = max(upper - lower, 2 * half * step)
    size, some, total = 0, 0, 0
    for odd in range(2):
        if odd and total >= enough:
            break
        for k in range(half + 1 - odd):
            angle = min(upper, lower + span * (2 * k + odd) / (2 * half))
            count = _take(call, pose, samples, size, angle)
            some += count > 0
            total += count
            samples.after[size] = k + 1 if k < half else -1
            samples.gaps[size] = _UNKNOWN
            if odd:
                samples.after[k] = size
            size += 1
    return size, some, total


@inlined
def _take(call, pose, samples, i, angle):
    """Take sample i; return how many of its branches are within the bounds."""
    rows, box, circular = samples.rows[i], call.box, call.circular
    write_pose_without(call.parameters, pose, angle, samples.pose)
    count = call_address(
        call.address, call.parameters[OWN:].ctypes.data, samples.pose.ctypes.data,
        rows.ctypes.data,
    )  # fmt: skip
    samples.unsure[i] = count < 0
    if count < 0:
        count = -1 - count
    first = 1 if call.parameters[0] == 0.0 else 0
    inside, total = 0, 0
    for k in range(count):
        beyond = 0
        for v in range(_OTHERS):
            w = v + first
            lower, upper, q = box[0, w], box[1, w], rows[k, v]
            if circular[w]:
                q = turn_towards(q, box[4, w], lower, upper)
            else:
                if not lower <= q <= upper:
                    q = max(lower, q + TURN * np.ceil((lower - q) / TURN))
                if not q <= upper:
                    nearer_upper = q - upper < lower + TURN - q
                    beyond |= (2 if nearer_upper else 1) << (2 * v)
                    continue
            rows[k, v] = q
        samples.beyond[i, k] = beyond
        if beyond == 0:
            inside |= 1 << k
            total += 1
    samples.angles[i], samples.counts[i], samples.inside[i] = angle, count, inside
    return total


@inlined
def refine_samples(call, pose, samples, size, near, widest, empty):
    """Take samples between others until each solution has something near on its curve.

    Args:
        call: See `CurveCall`.
        pose: (4, 4) tip in base [m].
        samples: What there is, and memory for more.
        size: How many there are.
        near: Euclidean distance over all joints [rad].
        widest: Largest distance between angles [rad]; if finite, for ever shorter curves, too.
        empty: The same where neither of two angles has branches.

    Returns:
        How many samples there are, and the number of solutions that were added.
    """
    i, added, per_unit, square = 0, 0, 1.0 / call.parameters[UNIT], near * near
    corner = _CORNER_OF_FEW if widest < np.inf else max(_CORNER, _SHARE * near)
    while size < len(samples.angles):
        j = samples.after[i]
        if j < 0:
            break
        between = samples.angles[j] - samples.angles[i]
        gap = between * per_unit
        if samples.gaps[i] == _UNKNOWN:
            samples.gaps[i] = _gap_to(samples, i, j, gap * gap)
            samples.crossed[i] = _may_come_inside(samples, i, j)
        most = empty if samples.counts[i] == 0 and samples.counts[j] == 0 else widest
        split = gap > _LEAST and (gap > most or samples.gaps[i] > square)
        if split or (gap > corner and samples.crossed[i]):
            middle = samples.angles[i] + between / 2.0
            added += _take(call, pose, samples, size, middle)
            samples.after[i], samples.after[size] = size, j
            samples.gaps[i] = samples.gaps[size] = _UNKNOWN
            size += 1
        else:
            i = j
    return size, added


@inlined
def leave_free(call, samples):
    """Say whether angles are as near as they come where solutions are far apart.

    A singular configuration leaves other joints free there, and what lies between is more than the
    samples.
    """
    i, per_unit, free = 0, 1.0 / call.parameters[UNIT], False
    while samples.after[i] >= 0 and not free:
        j = samples.after[i]
        gap = (samples.angles[j] - samples.angles[i]) * per_unit
        free = gap <= _LEAST and samples.gaps[i] > _FREE * _FREE
        i = j
    return free


@inlined
def _gap_to(samples, i, j, square):
    """Return the square of the distance up to which samples i and j are near enough.

    It is such that each of their solutions has a branch so near at the other, or beside it.

    Args:
        samples: All of them.
        i: A sample.
        j: The next one.
        square: Of the distance between their angles.
    """
    some, gap, count = samples.inside[i] | samples.inside[j], 0.0, samples.counts[i]
    if some == 0:
        return gap
    if count == samples.counts[j]:
        # Branches keep their order where none merge.
        for k in range(count):
            if (some >> k) & 1:
                gap = max(gap, _square(samples.rows[i, k], samples.rows[j, k]))
        return square + gap
    return max(_farthest(samples, i, j, square), _farthest(samples, j, i, square))


@inlined
def _farthest(samples, i, j, square):
    """Return how far a solution of i is at the most from the nearest at j, or beside it."""
    one, other, gap = samples.rows[i], samples.rows[j], square
    for k in range(samples.counts[i]):
        if not (samples.inside[i] >> k) & 1:
            continue
        nearest = np.inf
        for m in range(samples.counts[j]):
            nearest = min(nearest, square + _square(one[k], other[m]))
        for m in range(samples.counts[i]):
            if m != k:
                nearest = min(nearest, _square(one[k], one[m]))
        gap = max(gap, nearest)
    return gap


@inlined
def _square(one, other):
    """Return the square of the distance of two branches."""
    total = 0.0
    for v in range(_OTHERS):
        apart = one[v] - other[v]
        apart -= TURN * np.rint(apart * (1.0 / TURN))
        total += apart * apart
    return total


@inlined
def _may_come_inside(samples, i, j):
    """Say whether a branch may be within the bounds between two samples where it is not.

    That is so where it is beyond different ones at the two, and where it merges with another.
    """
    if samples.counts[i] != samples.counts[j]:
        return True
    for k in range(samples.counts[i]):
        one, other = samples.beyond[i, k], samples.beyond[j, k]
        if one != 0 and other != 0 and one & other == 0:
            return True
    return False
