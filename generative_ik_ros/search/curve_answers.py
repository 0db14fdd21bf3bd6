"""Answers from the curves that a redundant arm's solutions form, compiled; see `curve_samples`."""

import numpy as np

from generative_ik_ros.closed_form.locked_joint import UNIT, lever_of, write_pose_without
from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import called, inlined, kernel
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.search.budget import MANY_ON_CURVES
from generative_ik_ros.search.curve_samples import (
    RICH,
    CurveCall,
    coarse_for,
    first_samples,
    leave_free,
    numbers_of_samples,
    refine_samples,
    samples_in,
)
from generative_ik_ros.search.form_call import DONE, LEFT, UNDONE, unpack_form
from generative_ik_ros.search.verified_rows import keep_exact, leave_rest
from generative_ik_ros.select.full_turns import turn_towards
from generative_ik_ros.select.order import WORK, diverse_ranks
from generative_ik_ros.select.verify import numbers_for_eight

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false

ROOM, _ROOM_FOR_ALL = 512, 16384
"""Samples that there is room for besides one for each solution wanted, and where all solutions
are."""
_VERY_MANY = 1000
"""Where more solutions are wanted than this, all that there are are looked for at once."""
EACH_COUNTS = 5
"""Where fewer solutions are found than this, and than are wanted, a search may find another."""
CHOICE = 15
"""Solutions of an arm's curves that are looked for at the least, to choose the most diverse."""
_NEAR = 0.55
"""Samples are no further apart than this on their curves [rad], nearer where more are wanted."""
_FINEST, _FINEST_OF_ALL = 1.3, 0.25
"""Nor nearer than so many distinct distances, for there are few solutions left between; and where
all are wanted, so that those that are kept lie close."""
_SLOWEST, _FASTEST = 0.8, 0.1
"""Bounds of the factor by which samples come nearer at a time."""
_SOME_SAME, _A_LITTLE_MORE = 0.65, 0.92
"""The same where some solutions are not distinct: it aims at a few more than are missing."""
_BARELY = 1.002
"""Distinct distances by which solutions are apart at the least where all are wanted: they move a
little when they are made exact."""
_WIDEST = 0.03
"""Largest distance between angles if there are few solutions [rad]."""
_EMPTY = 4.0
"""So many times further apart may angles be that have no branches."""
_SOME = 3
"""But not where fewer of the angles that are begun with have solutions: then a singular
configuration may be near, and long curves lie within little of the locked joint."""
_CLOSE = 0.15
"""Where samples come nearer than this, short curves are worth as much as further samples [rad]."""
_OTHERS = 6
"""Joints besides the locked one."""


@kernel(error_model="numpy")
def curve_kernel(floats, ints, flags, poses, first, last, notes, positions, errors):
    """Answer for poses `first` to before `last` that are undone.

    Args:
        floats: A packed FormCall, as the next two.
        ints: See there.
        flags: See there.
        poses: (T, 4, 4) tip in base [m].
        first: Target.
        last: Target.
        notes: (T, 5) in and out: number of solutions, the state, whether these are all, how many
            branches the closed form had, and how many of them are distinct solutions.
        positions: (T, N, n) out: solutions in order, NaN where there is none [rad or m].
        errors: (T, N, 2) out: theirs [m and rad].
    """
    form, wanted = unpack_form(floats, ints, flags), positions.shape[1]
    problem, circular, n = form.problem, form.circular, form.box.shape[1]
    some, own = 0, problem.verifier.shifts.shape[0]
    # About a free axis the caller looks at turns.
    for v in range(n if n == own else 0):
        some += circular[v] and form.joints.upper[v] - form.joints.lower[v] < np.inf
    looked_for = max(wanted, CHOICE) if n == own else wanted
    room = room_for(looked_for)
    size, whole = numbers_of_samples(room)
    numbers, integers = np.empty(size), np.empty(whole, np.int64)
    lanes, targets = (
        np.empty(numbers_for_eight(own)),
        np.empty((max(2, wanted) if own < n else 1, 4, 4)),
    )
    samples = samples_in(borrow(numbers), borrow(integers), room)
    joints = form.joints
    call = CurveCall(form.address, form.parameters, form.box, circular, form.distance, own)
    notes, positions, errors, poses = (
        borrow(notes), borrow(positions), borrow(errors), borrow(poses)
    )  # fmt: skip
    for t in range(first, last):
        if notes[t, 1] == UNDONE:
            _answer(
                call, problem, joints, form.exact, some > 0, poses[t], samples, looked_for,
                borrow(targets), borrow(lanes), notes[t], positions[t], errors[t],
            )  # fmt: skip
    # Until here the memory must be there, which the compiler does not see.
    numbers[0], integers[0], lanes[0], targets[0, 0, 0] = 0.0, 0, 0.0, 0.0


@called
def _answer(
    call, problem, joints, exact, turns, pose, samples, looked_for, targets, lanes, note,
    positions, errors,
):  # fmt: skip
    """Answer for one pose; turns: whether joints have room for several.

    Targets are memory for the pose, or for one for each solution.
    """
    found, note[3], settled = solutions_on_curves(call, pose, samples, looked_for)
    note[4] = count = len(found)
    # Where few are wanted and fewer found, each one counts; where full turns do, others list them.
    wanted = len(positions)
    doubtful = turns or (wanted < looked_for and count < EACH_COUNTS)
    if count == 0 or not settled or (count < wanted and doubtful):
        note[1] = LEFT
        return
    note[0] = _choose(call, problem, joints, exact, pose, found, targets, lanes, positions, errors)
    if note[0] < min(wanted, count):
        # Some have met, or are none: all the others are made exact, too, to take their places.
        rows, gaps = np.empty((count, found.shape[1])), np.empty((count, 2))
        poses = np.empty((count if len(targets) > 1 else 1, 4, 4))
        some = borrow(rows), borrow(gaps)
        size = _choose(
            call, problem, joints, exact, pose, found, borrow(poses), lanes, *some
        )  # fmt: skip
        note[0] = min(wanted, size)
        positions[: note[0]], errors[: note[0]] = rows[: note[0]], gaps[: note[0]]
    note[1] = LEFT if note[0] == 0 or (note[0] < wanted and doubtful) else DONE
    leave_rest(positions, errors, note[0])


@called
def _choose(call, problem, joints, exact, pose, found, targets, lanes, positions, errors):
    """Write the most diverse solutions that there is room for, exact; return how many.

    Args are `_answer`'s, and `found` all solutions.
    """
    size = _put_in_order(joints, found, positions)
    targets[0] = pose
    for k in range(size if len(targets) > 1 else 0):
        angle = positions[k, int(call.parameters[0])]
        write_pose_without(call.parameters, pose, angle, targets[k])
    return keep_exact(problem, call, exact, targets, lanes, positions, errors, size)


@called
def _put_in_order(joints, found, positions):
    """Write the most diverse solutions first; return how many."""
    place = min(len(positions), len(found))
    ranks = diverse_ranks(
        found, joints.lower, joints.upper, joints.periodic, joints.units, place, WORK
    )
    for k in range(place):
        for v in range(found.shape[1]):
            positions[k, v] = found[ranks[k], v]
    return place


@inlined
def room_for(wanted):
    """Return how many samples `solutions_on_curves` takes memory for."""
    return ROOM + min(wanted, _VERY_MANY)


@called
def solutions_on_curves(call, pose, samples, wanted):
    """Find distinct solutions all over the curves of a pose, at least as many as are wanted.

    Args:
        call: See `CurveCall`.
        pose: (4, 4) tip in base [m].
        samples: Memory for `room_for(wanted)` of them.
        wanted: How many solutions.

    Returns:
        The solutions, how many branches there were, and whether that is all: it is not where the
        closed form is singular at most angles, where there is no more room, or where there are
        fewer than are wanted and a singular configuration leaves joints free.
    """
    if wanted > _VERY_MANY:
        return _all_on_curves(call, pose)
    rows, total, settled = _enough_on_curves(call, pose, samples, wanted)
    if settled and MANY_ON_CURVES < wanted and len(rows) < wanted:
        every, further, known = _all_on_curves(call, pose)
        total += further
        if known:
            rows = every
    return rows, total, settled


@called
def _all_on_curves(call, pose):
    """Find as many distinct solutions as there are; returns what `solutions_on_curves` does.

    What is found does not depend on how many are wanted, so who asks for more never gets less.
    """
    size, whole = numbers_of_samples(_ROOM_FOR_ALL)
    numbers, integers = np.empty(size), np.empty(whole, np.int64)
    samples = samples_in(borrow(numbers), borrow(integers), _ROOM_FOR_ALL)
    call = CurveCall(
        call.address, call.parameters, call.box, call.circular, _BARELY * call.distance, call.own
    )
    # A power of two times smaller or larger than that distance, so that solutions are no further
    # apart where the locked joint moves furthest.
    coarse = coarse_for(_VERY_MANY) * call.parameters[UNIT]
    step = call.distance / 2.0 ** np.ceil(np.log2(call.distance / coarse))
    near = _FINEST_OF_ALL * call.distance
    size, _, total = first_samples(call, pose, samples, step, np.inf, step)
    size, added = refine_samples(call, pose, samples, size, near, _WIDEST, _WIDEST)
    total += added
    rows, sums = np.empty((total, call.box.shape[1])), np.empty(total)
    count = _distinct(call, samples, rows, borrow(sums))
    _, unsure = _sure_of(samples, size)
    settled = size < len(samples.angles) and unsure == 0 and not leave_free(call, samples)
    # Until here the memory must be there, which the compiler does not see.
    numbers[0], integers[0] = 0.0, 0
    return rows[:count], total, settled


@called
def _enough_on_curves(call, pose, samples, wanted):
    """Do what `solutions_on_curves` does, with samples no nearer than it takes."""
    near, least = _NEAR * max(1.0, 100.0 / wanted), _FINEST * call.distance
    coarse = coarse_for(wanted) * call.parameters[UNIT]
    size, some, total = first_samples(call, pose, samples, coarse, RICH * wanted, 0.0)
    count, settled, rows = 0, False, np.empty((0, call.box.shape[1]))
    # Where nothing is found at first, short curves are looked for at once.
    widest = _WIDEST if some == 0 else np.inf
    empty = 1.0 if some < _SOME else _EMPTY
    while True:
        size, added = refine_samples(
            call, pose, samples, size, near, widest, widest * empty
        )  # fmt: skip
        total += added
        if total == 0:
            break
        if total >= wanted or near <= least:
            rows, sums = np.empty((total, rows.shape[1])), np.empty(total)
            count = _distinct(call, samples, rows, borrow(sums))
            if count >= wanted or (near <= least and widest < np.inf):
                settled = True
                break
            if near <= least:
                widest = _WIDEST
        if size == len(samples.angles):
            break
        share = min(_SLOWEST, total / wanted)
        if total >= wanted:
            share = max(_SOME_SAME, _A_LITTLE_MORE * count / wanted)
        near = max(least, near * max(_FASTEST, share))
        if near < _CLOSE:
            widest = _WIDEST
    some, unsure = _sure_of(samples, size)
    most = some if count >= wanted else 0
    if count < wanted and settled:
        settled = not leave_free(call, samples)
    return rows[:count], total, settled and 2 * unsure <= most


@inlined
def _sure_of(samples, size):
    """Return at how many samples there are branches, and at how many of these it is singular."""
    some, unsure = 0, 0
    for i in range(size):
        some += samples.counts[i] > 0
        unsure += samples.unsure[i] and samples.counts[i] > 0
    return some, unsure


@inlined
def _distinct(call, samples, rows, sums):
    """Write the solutions at all samples that are distinct; return how many.

    Args:
        call: See `CurveCall`.
        samples: All of them.
        rows: (N, n) memory for as many as there are.
        sums: (N,) likewise, for the sum of joints that cannot turn around: mostly it says already
            that two are not the same.
    """
    joint, own = int(call.parameters[0]), call.own
    first = 1 if joint == 0 else 0
    round_it, begin, distance = call.circular[joint], samples.angles[0], call.distance
    # No joint of the arm is the free coordinate of a region, which is all of them together.
    reach = distance if joint < own else _OTHERS * distance * lever_of(call.parameters)
    circular = 0
    for v in range(_OTHERS):
        circular |= int(call.circular[v + first]) << v
    i, count = 0, 0
    # Of a whole turn the last angle is the first.
    while i >= 0 and not (round_it and samples.after[i] < 0):
        angle, left, k = samples.angles[i], samples.inside[i], -1
        while left != 0:
            k, here = k + 1, left & 1
            left >>= 1
            if not here:
                continue
            branch, total = samples.rows[i, k], 0.0
            for v in range(_OTHERS):
                total += 0.0 if (circular >> v) & 1 else branch[v]
            new, j = True, count - 1
            while new and j >= 0 and angle - rows[j, joint] < reach:
                if abs(total - sums[j]) < _OTHERS * distance:
                    new = not _alike(rows[j], branch, first, circular, distance)
                j -= 1
            j = 0
            while new and round_it and j < count and rows[j, joint] - begin < reach:
                if angle - rows[j, joint] <= TURN - reach:
                    break
                new = not _alike(rows[j], branch, first, circular, distance)
                j += 1
            if new:
                for v in range(_OTHERS):
                    rows[count, v + first] = branch[v]
                rows[count, joint], sums[count] = angle, total
                count += 1
        i = samples.after[i]
    if round_it:
        box = call.box
        for k in range(count):
            rows[k, joint] = turn_towards(
                rows[k, joint], box[4, joint], box[0, joint], box[1, joint]
            )
    return count


@inlined
def _alike(row, branch, first, circular, distance):
    """Say whether a branch (6,) is the same solution as a row, but for the locked joint.

    Bit v of `circular` says whether a full turn of its joint v changes nothing.
    """
    for v in range(_OTHERS):
        apart = abs(row[v + first] - branch[v])
        if (circular >> v) & 1:
            apart = abs(apart - TURN * np.rint(apart / TURN))
        if apart >= distance:
            return False
    return True
