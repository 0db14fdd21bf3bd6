"""Answers from the branches of many poses of a region, compiled; see `surfaces`."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.locked_joint import (
    OWN,
    PRISMATIC,
    bounds_within_reach,
    pose_without_turn,
    write_pose_without,
)
from generative_ik_ros.closed_form.six_joints import MAX_BRANCHES
from generative_ik_ros.compiled.addresses import call_address
from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import called, inlined, kernel
from generative_ik_ros.compiled.lane_algebra import cosine_and_sine, store_three
from generative_ik_ros.compiled.lanes import WIDTH, load, store
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.search.form_call import DONE, LEFT, UNDONE, unpack_form
from generative_ik_ros.search.region_poses import SIZE, coordinate, region_poses
from generative_ik_ros.search.verified_rows import keep_exact, leave_rest
from generative_ik_ros.select.full_turns import turn_towards
from generative_ik_ros.select.order import WORK, diverse_ranks
from generative_ik_ros.select.verify import numbers_for_eight

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false

_RICH, _RICH_OF_MANY = 2, 3
"""Solutions that are sampled for each one that is wanted of seven joints, if these are few, and
more than a few."""
_FEW = 100
_FEWEST = 0.15
"""Branches of a pose at the least, on average: where there are fewer, a search finds them
sooner."""
_A_FEW = 64
"""Poses after which that is looked at."""
_NOWHERE = 1e300
"""Unit of a pose's number, so that it counts in no distance."""
_OTHERS = 6
"""Joints besides a locked one."""
_OWN_COORDINATE = 6
"""The coordinate of the sequence that a locked joint's angle is taken from."""
_WHICH, _ROWS, _PLACE, _SHARE, _EIGHT = 0, 1, 10, 13, 14
"""Rows of lanes: numbers of eight poses, their rotations, positions and own coordinates."""


class CurveCall(NamedTuple):
    """What solutions depend on besides the pose."""

    address: int
    parameters: NDArray[np.float64]
    box: NDArray[np.float64]
    circular: NDArray[np.bool_]
    distance: float
    own: int
    """Number of the arm's joints; one more is the free coordinate of a region."""


@kernel(error_model="numpy")
def surface_kernel(floats, ints, flags, poses, first, last, notes, positions, errors):
    """Answer for poses `first` to before `last` that are undone, a packed FormCall first.

    The others are those of `CurveProblem.answer_all`. A row of positions has, behind the joints,
    the number of the region's pose that it is a solution of.
    """
    form, wanted = unpack_form(floats, ints, flags), positions.shape[1]
    problem, parameters, n = form.problem, form.parameters, form.box.shape[1]
    joints = form.joints
    call = CurveCall(form.address, parameters, form.box, form.circular, form.distance, n)
    # Of six joints the parameters say it, in the place of a locked joint's axis.
    rich = int(parameters[1]) * wanted
    if parameters[0] >= 0.0:
        rich = (_RICH if wanted <= _FEW else _RICH_OF_MANY) * wanted
    found, targets = np.empty((rich + MAX_BRANCHES, n + 1)), np.empty((wanted, 4, 4))
    branches, memory = np.empty((MAX_BRANCHES, _OTHERS)), np.empty((2, 4, 4))
    lanes, eight = np.empty(numbers_for_eight(n)), np.empty(_EIGHT * WIDTH)
    notes, positions, errors, poses = (
        borrow(notes), borrow(positions), borrow(errors), borrow(poses)
    )  # fmt: skip
    for t in range(first, last):
        note = notes[t]
        if note[1] != UNDONE:
            continue
        size, note[3] = _sampled(
            call, poses[t], borrow(found), borrow(branches), borrow(memory), borrow(eight)
        )  # fmt: skip
        note[4] = size
        if size < wanted or not _choose(joints, call, found[:size], positions[t]):
            note[1] = LEFT
            continue
        region = parameters[OWN : OWN + SIZE]
        _write_targets(region, poses[t], positions[t], wanted, borrow(eight), borrow(targets))
        note[0] = keep_exact(
            problem, call, form.exact, borrow(targets), borrow(lanes), positions[t], errors[t],
            wanted,
        )  # fmt: skip
        note[1] = DONE if note[0] == wanted else LEFT
        leave_rest(positions[t], errors[t], note[0])
    # Until here the memory must be there, which the compiler does not see.
    found[0, 0], targets[0, 0, 0], branches[0, 0] = 0.0, 0.0, 0.0
    memory[0, 0, 0], lanes[0], eight[0] = 0.0, 0.0, 0.0


@inlined
def _sampled(call, target, found, branches, poses, eight):
    """Write the solutions at poses of the region, until there are enough.

    Returns:
        How many, and how many poses were looked at.
    """
    joint, region = int(call.parameters[0]), call.parameters[OWN : OWN + SIZE]
    box, count, k = call.box, 0, 0
    enough = found.shape[0] - MAX_BRANCHES
    least, most, angle = 0.0, 0.0, 0.0
    if joint >= 0:
        least, most = box[0, joint], box[1, joint]
        if call.circular[joint]:
            least, most = box[4, joint] - TURN / 2.0, box[4, joint] + TURN / 2.0
    slides, inside = joint >= 0 and call.parameters[PRISMATIC] != 0.0, True
    while count < enough and not (k >= _A_FEW and count < _FEWEST * k):
        lane, at = k % WIDTH, poses[0]
        if lane == 0:
            for v in range(WIDTH):
                eight[v] = k + v
            turned = joint >= 0 and not slides
            inside = _place_eight(call.parameters, region, target, turned, least, most, eight)
        if inside:
            _write_pose(eight, lane, at)
            lower, upper, share = least, most, eight[_SHARE * WIDTH + lane]
            if slides:
                lower, upper = bounds_within_reach(call.parameters, at, least, most)
            angle = lower + share * (upper - lower)
            if slides:
                at = poses[1]
                write_pose_without(call.parameters, poses[0], angle, at)
            size = call_address(
                call.address, call.parameters[OWN + SIZE :].ctypes.data, at.ctypes.data,
                branches.ctypes.data,
            )  # fmt: skip
            for b in range(-1 - size if size < 0 else size):
                if _bounded(call, joint, branches[b], angle, found[count]):
                    found[count, box.shape[1]] = k
                    count += 1
        k += 1
    return count, k


@inlined
def _place_eight(parameters, region, target, turned, least, most, eight):
    """Place eight poses of the region side by side; return whether they may be within reach.

    Where a revolute joint is locked, they are where the others bring the tip.

    Args:
        parameters: Of the closed form.
        region: What `region_poses` takes.
        target: (4, 4) pose [m].
        turned: Whether a revolute joint is locked.
        least: Lower bound of the locked joint [rad].
        most: Upper bound [rad].
        eight: Rows of lanes, in: which poses; out: the others.
    """
    which = load(eight, _WHICH)
    rows, place, inside = region_poses(region, target, which)
    share = coordinate(region, which, _OWN_COORDINATE)
    if turned:
        angle = cosine_and_sine(share * (most - least) + least)
        rows, place = pose_without_turn(parameters, rows, place, angle)
    store_three(eight, _ROWS, rows[0])
    store_three(eight, _ROWS + 3, rows[1])
    store_three(eight, _ROWS + 6, rows[2])
    store_three(eight, _PLACE, place)
    store(eight, _SHARE, share)
    return inside


@inlined
def _write_pose(eight, lane, out):
    """Write one of eight poses."""
    for i in range(3):
        for j in range(3):
            out[i, j] = eight[(_ROWS + 3 * i + j) * WIDTH + lane]
        out[i, 3] = eight[(_PLACE + i) * WIDTH + lane]


@inlined
def _write_targets(region, target, rows, size, eight, targets):
    """Write the poses of the region that some rows are solutions of."""
    last = rows.shape[1] - 1
    for first in range(0, size, WIDTH):
        for lane in range(WIDTH):
            eight[lane] = rows[min(first + lane, size - 1), last]
        _place_eight(region, region, target, False, 0.0, 0.0, eight)
        for lane in range(min(WIDTH, size - first)):
            _write_pose(eight, lane, targets[first + lane])


@inlined
def _bounded(call, joint, branch, angle, out):
    """Write a branch with the locked joint's angle; return whether it is within the bounds."""
    box, v = call.box, 0
    for w in range(box.shape[1]):
        lower, upper = box[0, w], box[1, w]
        q = angle
        if w != joint:
            q = branch[v]
            v += 1
        if call.circular[w]:
            q = turn_towards(q, box[4, w], lower, upper)
        else:
            if not lower <= q <= upper:
                q = max(lower, q + TURN * np.ceil((lower - q) / TURN))
            if not q <= upper:
                return False
        out[w] = q
    return True


@called
def _choose(joints, call, found, positions):
    """Write the most diverse solutions; return whether they are certainly distinct.

    Each is no nearer to those before it than the last is to its nearest.
    """
    n, last = call.box.shape[1], positions.shape[0] - 1
    lower, upper = np.empty(n + 1), np.empty(n + 1)
    periodic, units = np.zeros(n + 1, np.bool_), np.empty(n + 1)
    lower[:n], upper[:n], units[:n] = joints.lower, joints.upper, joints.units
    periodic[:n] = joints.periodic
    lower[n], upper[n], units[n] = -np.inf, np.inf, _NOWHERE
    ranks = diverse_ranks(found, lower, upper, periodic, units, last + 1, WORK)
    for k in range(last + 1):
        for v in range(n + 1):
            positions[k, v] = found[ranks[k], v]
    same = 0.0
    for v in range(n):
        same += (call.distance / (1.0 if periodic[v] else units[v])) ** 2
    for k in range(last):
        apart, v = 0.0, 0
        while apart <= same and v < n:
            gap = positions[k, v] - positions[last, v]
            gap = 2.0 * np.sin(0.5 * gap) if periodic[v] else gap / units[v]
            apart, v = apart + gap * gap, v + 1
        if apart <= same:
            return False
    return True
