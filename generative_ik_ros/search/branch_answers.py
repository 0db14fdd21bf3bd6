"""Answers by closed form, compiled: all branches of a pose, their full turns, and their order."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.compiled.addresses import call_address
from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import called, inlined, kernel
from generative_ik_ros.search.branch_rows import (
    FEW,
    PROVED,
    drop_duplicates,
    find_branches,
    memory_in,
    numbers_of_memory,
)
from generative_ik_ros.search.exact_rows import make_exact
from generative_ik_ros.search.form_call import PackedForm, unpack_form
from generative_ik_ros.search.verified_rows import keep_verified, leave_rest
from generative_ik_ros.select.full_turns import MOST_COMBINED, combinations, further_turns, least
from generative_ik_ros.select.order import WORK, diverse_ranks
from generative_ik_ros.select.pool import squared_distance
from generative_ik_ros.select.verify import pose_error

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false

UNDONE, DONE, LEFT = range(3)
"""States of a target: not looked at, answered, and left to the search, because it may have
solutions that the closed form does not know of."""


class Call(NamedTuple):
    """What a call asks of a chain's closed form; see `answer_kernel`."""

    packed: PackedForm
    weights: NDArray[np.float64]
    nearest: bool
    check: int
    context: int
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
    n, m = form.box.shape[1], form.problem.verifier.shifts.shape[0]
    numbers = np.empty(numbers_of_memory(form.most, m, n))
    memory = memory_in(borrow(numbers), form.most, n)
    packed = borrow(floats), borrow(ints), borrow(flags)
    any_one = positions.shape[1] == 1 and not nearest
    call = Call(packed, borrow(weights), nearest, check, context, any_one)
    notes, positions, errors = borrow(notes), borrow(positions), borrow(errors)
    for t in range(first, last):
        if notes[t, 1] == UNDONE:
            _answer(call, poses[t : t + 1], memory, notes[t], positions[t], errors[t])
    # Until here the memory must be there, which the compiler does not see.
    numbers[0] = 0.0


@inlined
def _unpacked(call):
    """Return the closed form of a call."""
    floats, ints, flags = call.packed
    return unpack_form(floats, ints, flags)


@called
def _answer(call, target, memory, note, positions, errors):
    """Answer for one pose (1, 4, 4)."""
    form = _unpacked(call)
    found, gaps, pose, wanted = memory.found, memory.gaps, target[0], len(positions)
    any_one = call.any_one and call.check == 0
    count, beside, others, note[3], measured = find_branches(
        call.packed, form.slack, pose, memory, any_one
    )  # fmt: skip
    if not measured:
        _keep_inmost(form, pose, found, gaps, count)
        count, beside, others = 1, 0, FEW
    proved, rough = others == PROVED and form.certain, _largest(gaps, count - beside) > form.exact
    few = others == FEW and form.certain and not call.nearest
    known = proved or (count > 0 and (few or call.any_one))
    missing = call.nearest or call.check != 0 or rough or count < wanted
    # Steps to make them exact would lead what lies beside branches to these.
    if (missing and not known) or (rough and beside > 0):
        note[1] = LEFT
        return
    there = count
    if rough:
        make_exact(form.problem, form.box[2], form.box[3], form.exact, target, found, count)
        count = keep_verified(
            form.problem, found.shape[1], target, memory.lanes, found, gaps, count, False
        )[0]  # fmt: skip
    if call.check != 0 and count > 0:
        count, decided = _free_ones(call, found, gaps, count)
        proved = proved and decided
        if not decided and not call.any_one:
            count = 0
    if call.nearest:
        _put_nearest_first(call, form.box[4], memory, count)
    count = drop_duplicates(found, gaps, count, form.circular, form.distance)
    none_left = there > 0 and count == 0 and (call.any_one or call.check != 0)
    if none_left or (count < wanted and not known):
        # To be tried again, with whatever else the search can do.
        note[1] = LEFT
        return
    note[0], total, every = _put_in_order(call, target, memory, count, positions, errors)
    # A turn outside the limits that is none on them may be one if other joints move, too.
    note[1] = LEFT if note[0] < min(total, wanted) else DONE
    note[2], note[4] = proved and every and note[0] == total, count
    leave_rest(positions, errors, note[0])


@called
def _put_in_order(call, target, memory, count, positions, errors):
    """Write solutions and their full turns in order.

    Returns:
        How many are written; how many there may be; whether these are all.
    """
    form = _unpacked(call)
    joints, wide, found, gaps = form.joints, form.wide, memory.found, memory.gaps
    wanted, limited, total = len(positions), form.turned, 1.0 * count
    if count == 0:
        return 0, 0.0, True
    if len(limited) > 0:
        total = combinations(found[:count], wide[0], wide[1], limited)
        while total > MOST_COMBINED and len(limited) > 1:
            limited = limited[:-1]
            total = combinations(found[:count], wide[0], wide[1], limited)
    if call.nearest:
        place = _put_nearest(call, target, memory, count, limited, positions, errors)
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
            place = _put_verified(
                form.problem, target, memory.lanes, more, positions, errors, place
            )  # fmt: skip
    return place, total, len(limited) == len(form.turned)


@called
def _further(call, found, limited, count):
    """Return at most so many full turns of solutions, those beside a limit on it."""
    form = _unpacked(call)
    box = form.box
    more = further_turns(found, box[4], form.wide[0], form.wide[1], limited, count)
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
def _keep_inmost(form, pose, found, gaps, count):
    """Move the branch furthest from its limits to the front."""
    joints, best, widest = form.joints, 0, -1.0
    for k in range(count):
        margin = np.inf
        for v in range(found.shape[1]):
            inside = min(found[k, v] - joints.lower[v], joints.upper[v] - found[k, v])
            margin = min(margin, inside / joints.units[v])
        if margin > widest:
            best, widest = k, margin
    gaps[best, 0], gaps[best, 1] = pose_error(form.problem.verifier, found[best], pose)
    _put(found[best], gaps[best], found[0], gaps[0])


@inlined
def _put_nearest_first(call, reference, memory, count):
    """Put solutions in the order of their distance from the reference."""
    found, gaps, distances = memory.found, memory.gaps, memory.outside
    for k in range(count):
        distances[k], i = squared_distance(found[k], reference, call.weights), k
        while i > 0 and distances[i] < distances[i - 1]:
            for v in range(found.shape[1]):
                found[i, v], found[i - 1, v] = found[i - 1, v], found[i, v]
            for v in range(2):
                gaps[i, v], gaps[i - 1, v] = gaps[i - 1, v], gaps[i, v]
            distances[i], distances[i - 1] = distances[i - 1], distances[i]
            i -= 1


@inlined
def _put(q, gap, to, to_gap):
    """Copy a solution and its errors."""
    for v in range(q.shape[0]):
        to[v] = q[v]
    to_gap[0], to_gap[1] = gap[0], gap[1]


@inlined
def _put_verified(problem, target, lanes, more, positions, errors, place):
    """Append those of configurations (M, n) that are solutions; return the new count."""
    size, n = more.shape
    for k in range(size):
        for v in range(n):
            positions[place + k, v] = more[k, v]
    ahead = positions[place:], errors[place:]
    return place + keep_verified(problem, n, target, lanes, *ahead, size, False)[0]


@called
def _put_nearest(call, target, memory, count, limited, positions, errors):
    """Write solutions and their full turns in the order of their distance from the reference.

    Returns:
        How many.
    """
    form = _unpacked(call)
    found, gaps, n, box = memory.found[:count], memory.gaps, memory.found.shape[1], form.box
    more = found[:0]
    if len(limited) > 0:
        more = _further(call, found, limited, len(positions))
    rows, row_gaps = np.empty((count + len(more), n)), np.empty((count + len(more), 2))
    for k in range(count):
        _put(found[k], gaps[k], rows[k], row_gaps[k])
    size = _put_verified(form.problem, target, memory.lanes, more, rows, row_gaps, count)
    distances = np.empty(size)
    for k in range(size):
        distances[k] = squared_distance(rows[k], box[4], call.weights)
    order = least(distances, len(positions))
    for k in range(len(order)):
        _put(rows[order[k]], row_gaps[order[k]], positions[k], errors[k])
    return len(order)
