"""Answers by closed form, compiled: all branches of a pose, their full turns, and their order."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.compiled.addresses import call_address
from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import called, inlined, kernel
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.search.branch_rows import (
    FEW,
    PROVED,
    drop_duplicates,
    find_branches,
    memory_in,
    numbers_of_memory,
)
from generative_ik_ros.search.exact_rows import make_exact
from generative_ik_ros.search.form_call import Joints, unpack_form
from generative_ik_ros.search.problem import Problem
from generative_ik_ros.select.full_turns import MOST_COMBINED, combinations, further_turns, least
from generative_ik_ros.select.order import WORK, diverse_ranks
from generative_ik_ros.select.verify import pose_error

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false

UNDONE, DONE, LEFT = range(3)
"""States of a target: not looked at, answered, and left to the search, because it may have
solutions that the closed form does not know of."""


class Call(NamedTuple):
    """What a call asks of a chain's closed form; see `answer_kernel`."""

    address: int
    parameters: NDArray[np.float64]
    exact: float
    certain: bool
    problem: Problem
    box: NDArray[np.float64]
    circular: NDArray[np.bool_]
    joints: Joints
    distance: float
    weights: NDArray[np.float64]
    nearest: bool
    check: int
    context: int
    slack: float
    """Turns outside the limits by no more than this may be solutions on them [rad]."""
    wide: NDArray[np.float64]
    """(2, n) limits further apart by that."""
    turned: NDArray[np.int64]
    """Joints that have room for several turns between these."""
    any_one: bool
    """Whether one solution is wanted, whichever."""


@kernel(error_model="numpy")
def answer_kernel(
    floats, ints, flags, weights, nearest, poses, first, last, notes, positions, errors, check,
    context,
):  # fmt: skip
    """Answer for poses `first` to before `last` that are undone.

    Args:
        floats: A packed FormCall, as the next two.
        ints: See there.
        flags: See there.
        weights: (n,) what a rad or m counts in the distance from the reference.
        nearest: Whether solutions nearest to the reference come first, or the most diverse.
        poses: (T, 4, 4) tip in base [m].
        first: Target.
        last: Target.
        notes: (T, 5) in and out: number of solutions, the state, whether these are all, how many
            branches the closed form had, and how many of them are distinct solutions.
        positions: (T, N, n) out: solutions in order, NaN where there is none [rad or m].
        errors: (T, N, 2) out: theirs [m and rad].
        check: Address of the collision check (see `check_at`), or 0.
        context: What it takes.
    """
    form, poses = unpack_form(floats, ints, flags), borrow(poses)
    problem, box, n = form.problem, form.box, form.box.shape[1]
    m, slack = problem.verifier.shifts.shape[0], 0.0
    if form.certain:
        slack = problem.orientation_tolerance
    wide, turned, some = np.empty((2, n)), np.empty(n, np.int64), 0
    for v in range(n):
        wide[0, v], wide[1, v] = box[0, v] - slack, box[1, v] + slack
        room = form.circular[v] or (form.joints.periodic[v] and wide[1, v] - wide[0, v] >= TURN)
        if room and form.joints.upper[v] - form.joints.lower[v] < np.inf:
            turned[some] = v
            some += 1
    numbers = np.empty(numbers_of_memory(form.most, m, n))
    memory = memory_in(borrow(numbers), form.most, n)
    call = Call(
        form.address, form.parameters, form.exact, form.certain, problem, box, form.circular,
        form.joints, form.distance, borrow(weights), nearest, check, context, slack, borrow(wide),
        borrow(turned)[:some], positions.shape[1] == 1 and not nearest,
    )  # fmt: skip
    notes, positions, errors = borrow(notes), borrow(positions), borrow(errors)
    for t in range(first, last):
        if notes[t, 1] == UNDONE:
            _answer(call, poses[t : t + 1], memory, notes[t], positions[t], errors[t])
    # Until here the memory must be there, which the compiler does not see.
    numbers[0], wide[0, 0], turned[0] = 0.0, 0.0, 0


@called
def _answer(call, target, memory, note, positions, errors):
    """Answer for one pose (1, 4, 4)."""
    found, gaps, pose, wanted = memory.found, memory.gaps, target[0], len(positions)
    given = (
        call.address, call.parameters, call.box, call.circular, call.joints.periodic,
        call.problem, call.distance, call.slack,
    )  # fmt: skip
    any_one = call.any_one and call.check == 0
    count, beside, others, note[3], measured = find_branches(*given, pose, memory, any_one)
    if not measured:
        _keep_inmost(call, pose, found, gaps, count)
        count, beside, others = 1, 0, FEW
    proved, rough = others == PROVED and call.certain, _largest(gaps, count - beside) > call.exact
    few = others == FEW and call.certain and not call.nearest
    known = proved or (count > 0 and (few or call.any_one))
    missing = call.nearest or call.check != 0 or rough or count < wanted
    # Steps to make them exact would lead what lies beside branches to these.
    if (missing and not known) or (rough and beside > 0):
        note[1] = LEFT
        return
    there = count
    if rough:
        make_exact(call.problem, call.box[2], call.box[3], call.exact, target, found, count)
        count = _true_ones(call.problem, pose, found, gaps, count)
    count = drop_duplicates(found, gaps, count, call.circular, call.distance)
    if call.check != 0 and count > 0:
        count, decided = _free_ones(call, found, gaps, count)
        proved = proved and decided
        if not decided and not call.any_one:
            count = 0
    none_left = there > 0 and count == 0 and (call.any_one or call.check != 0)
    if none_left or (count < wanted and not known):
        # To be tried again, with whatever else the search can do.
        note[1] = LEFT
        return
    note[0], total, every = _put_in_order(call, pose, found, gaps, count, positions, errors)
    # A turn outside the limits that is none on them may be one if other joints move, too.
    note[1] = LEFT if note[0] < min(total, wanted) else DONE
    note[2], note[4] = proved and every and note[0] == total, count
    for k in range(note[0], positions.shape[0]):
        errors[k, 0] = errors[k, 1] = np.nan
        for v in range(positions.shape[1]):
            positions[k, v] = np.nan


@called
def _put_in_order(call, pose, found, gaps, count, positions, errors):
    """Write solutions and their full turns in order.

    Returns:
        How many are written; how many there may be; whether these are all.
    """
    joints, wide = call.joints, call.wide
    wanted, limited, total = len(positions), call.turned, 1.0 * count
    if count == 0:
        return 0, 0.0, True
    if len(limited) > 0:
        total = combinations(found[:count], wide[0], wide[1], limited)
        while total > MOST_COMBINED and len(limited) > 1:
            limited = limited[:-1]
            total = combinations(found[:count], wide[0], wide[1], limited)
    if call.nearest:
        place = _put_nearest(call, pose, found[:count], gaps, limited, positions, errors)
    else:
        place = min(wanted, count)
        if count == 1:
            _put(found[0], gaps[0], positions[0], errors[0])
        else:
            ranks = diverse_ranks(
                found[:count], joints.lower, joints.upper, joints.periodic, joints.units, place,
                WORK,
            )  # fmt: skip
            for k in range(place):
                _put(found[ranks[k]], gaps[ranks[k]], positions[k], errors[k])
        if place < wanted and total > count:
            more = _further(call, positions[:place], limited, wanted - place)
            place = _put_verified(call.problem, pose, more, positions, errors, place)
    return place, total, len(limited) == len(call.turned)


@called
def _further(call, found, limited, count):
    """Return at most so many full turns of solutions, those beside a limit on it."""
    box = call.box
    more = further_turns(found, box[4], call.wide[0], call.wide[1], limited, count)
    for k in range(more.shape[0]):
        for v in limited:
            more[k, v] = min(max(more[k, v], box[0, v]), box[1, v])
    return more


@inlined
def _free_ones(call, found, gaps, count):
    """Keep what is free of collisions; return how much, and whether spheres decided all.

    Where any one will do, the first that is free is kept, and no more is checked.
    """
    kept, decided = 0, True
    for k in range(count):
        if call.any_one and kept > 0:
            decided = False
            break
        verdict = call_address(call.check, call.context, found[k].ctypes.data, found.shape[1])
        decided = decided and verdict != Verdict.UNDECIDED
        if verdict == Verdict.FREE:
            _put(found[k], gaps[k], found[kept], gaps[kept])
            kept += 1
    return kept, decided


@inlined
def _largest(gaps, count):
    """Return the largest of the errors (count, 2)."""
    largest = 0.0
    for k in range(count):
        largest = max(largest, gaps[k, 0], gaps[k, 1])
    return largest


@inlined
def _keep_inmost(call, pose, found, gaps, count):
    """Move the branch furthest from its limits to the front."""
    joints, best, widest = call.joints, 0, -1.0
    for k in range(count):
        margin = np.inf
        for v in range(found.shape[1]):
            inside = min(found[k, v] - joints.lower[v], joints.upper[v] - found[k, v])
            margin = min(margin, inside / joints.units[v])
        if margin > widest:
            best, widest = k, margin
    gaps[best, 0], gaps[best, 1] = pose_error(call.problem.verifier, found[best], pose)
    _put(found[best], gaps[best], found[0], gaps[0])


@inlined
def _put(q, gap, to, to_gap):
    """Copy a solution and its errors."""
    for v in range(q.shape[0]):
        to[v] = q[v]
    to_gap[0], to_gap[1] = gap[0], gap[1]


@inlined
def _true_ones(problem, pose, found, gaps, count):
    """Move what is a solution to the front; return how many there are."""
    kept = 0
    for k in range(count):
        gap = pose_error(problem.verifier, found[k], pose)
        if gap[0] <= problem.position_tolerance and gap[1] <= problem.orientation_tolerance:
            _put(found[k], gap, found[kept], gaps[kept])
            kept += 1
    return kept


@called
def _put_verified(problem, pose, more, positions, errors, place):
    """Append those of configurations (M, n) that are solutions; return the new count."""
    for k in range(more.shape[0]):
        gap = pose_error(problem.verifier, more[k], pose)
        if gap[0] <= problem.position_tolerance and gap[1] <= problem.orientation_tolerance:
            _put(more[k], gap, positions[place], errors[place])
            place += 1
    return place


@called
def _put_nearest(call, pose, found, gaps, limited, positions, errors):
    """Write solutions and their full turns in the order of their distance from the reference.

    Returns:
        How many.
    """
    count, n, box = found.shape[0], found.shape[1], call.box
    more = found[:0]
    if len(limited) > 0:
        more = _further(call, found, limited, len(positions))
    rows, row_gaps = np.empty((count + len(more), n)), np.empty((count + len(more), 2))
    for k in range(count):
        _put(found[k], gaps[k], rows[k], row_gaps[k])
    size = _put_verified(call.problem, pose, more, rows, row_gaps, count)
    distances = np.zeros(size)
    for k in range(size):
        for v in range(n):
            distances[k] += ((rows[k, v] - box[4, v]) * call.weights[v]) ** 2
    order = least(distances, len(positions))
    for k in range(len(order)):
        _put(rows[order[k]], row_gaps[order[k]], positions[k], errors[k])
    return len(order)
