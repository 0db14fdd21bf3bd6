"""Answers by closed form, compiled: all branches of a pose, their full turns, and their order."""

import numpy as np
from numba import njit

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.search.branch_rows import drop_duplicates, find_branches
from generative_ik_ros.search.problem import unpack
from generative_ik_ros.select.full_turns import MOST_COMBINED, combinations, further_turns
from generative_ik_ros.select.order import WORK, diverse_ranks
from generative_ik_ros.select.verify import pose_error

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false

UNDONE, DONE, ROUGH, LEFT = range(4)
"""States of a target: not looked at, answered, with branches that are not exact, and left to the
search, because it may have solutions that the closed form does not know of."""


@kernel(error_model="numpy")
def answer_kernel(
    address, parameters, exact, certain, floats, ints, box, circular, lower, upper, periodic,
    units, distance, weights, nearest, poses, first, last, state, rough, notes, positions, errors,
):  # fmt: skip
    """Answer for poses `first` to before `last`, as far as they are in some state.

    Args:
        address: See `Branches`, as the next three.
        parameters: See there.
        exact: See there.
        certain: See there.
        floats: A packed Problem.
        ints: Likewise.
        box: (6, n) see `SearchSpace`.
        circular: (n,) likewise.
        lower: (n,) the chain's limits, infinite for continuous joints.
        upper: (n,) likewise.
        periodic: (n,) see `MovingJoints`.
        units: (n,) its joint units.
        distance: Solutions with no joint further apart are the same [rad or m].
        weights: (n,) what a rad or m counts in the distance from the reference.
        nearest: Whether solutions nearest to the reference come first, or the most diverse.
        poses: (T, 4, 4) tip in base [m].
        first: Target.
        last: Target.
        state: UNDONE; or ROUGH, where branches have been polished since.
        rough: (T, K, n) in and out: branches that are not exact [rad or m].
        notes: (T, 5) in and out: number of solutions, the state, whether these are all, how many
            branches the closed form had, and how many of them are distinct solutions.
        positions: (T, N, n) out: solutions in order, NaN where there is none [rad or m].
        errors: (T, N, 2) out: theirs [m and rad].
    """
    problem = unpack(borrow(floats), borrow(ints))
    box, poses = borrow(box), borrow(poses)
    own, own_errors = np.empty((rough.shape[1], rough.shape[2])), np.empty((rough.shape[1], 2))
    found, gaps = borrow(own), borrow(own_errors)
    turned = np.flatnonzero(circular & np.isfinite(lower) & np.isfinite(upper))
    wanted = positions.shape[1]
    inmost = wanted == 1 and not nearest
    for t in range(first, last):
        note = notes[t]
        if note[1] != state:
            continue
        if state == UNDONE:
            count, proved, note[3] = find_branches(
                address, borrow(parameters), box, borrow(circular), borrow(periodic),
                problem.verifier, poses[t], found, gaps,
            )  # fmt: skip
            proved = proved and certain
            if not proved and (count == 0 or not inmost):
                note[1] = LEFT
                continue
            if inmost and count > 1:
                count = _keep_inmost(found, gaps, count, exact, lower, upper, units)
                proved = False
            if _largest(gaps, count) > exact:
                _keep_rough(rough[t], note, found, count, proved)
                continue
        else:
            count, proved = note[0], note[2] != 0
            count = _true_ones(problem, poses[t], rough[t], count, found, gaps)
            if inmost and count == 0:
                note[1] = LEFT
                continue
        count = drop_duplicates(found, gaps, count, borrow(circular), distance)
        place, limited, total = 0, turned, 1.0 * count
        if count > 0 and len(turned) > 0:
            total = combinations(found[:count], box[0], box[1], turned)
            while total > MOST_COMBINED and len(limited) > 1:
                limited = limited[:-1]
                total = combinations(found[:count], box[0], box[1], limited)
        note[4] = count
        note[1], note[2] = DONE, proved and total <= wanted and len(limited) == len(turned)
        if not nearest and count > 0:
            place = min(wanted, count)
            if count > 1:
                ranks = diverse_ranks(
                    found[:count], lower, upper, periodic, units, place, WORK
                )  # fmt: skip
                for k in range(place):
                    _put(found[ranks[k]], gaps[ranks[k]], positions[t, k], errors[t, k])
            else:
                _put(found[0], gaps[0], positions[t, 0], errors[t, 0])
            if place < wanted and total > count:
                more = further_turns(
                    positions[t, :place], box[4], box[0], box[1], limited, wanted - place
                )
                place = _put_verified(problem, poses[t], more, positions[t], errors[t], place)
        elif count > 0:
            place = _put_nearest(
                problem, box, poses[t], found[:count], gaps, limited, weights, positions[t],
                errors[t],
            )  # fmt: skip
        note[0] = place
        positions[t, place:], errors[t, place:] = np.nan, np.nan
    # Until here the memory must be there, which the compiler does not see.
    own[0, 0] = own_errors[0, 0] = 0.0


@inlined
def _largest(gaps, count):
    """Return the largest of the errors (count, 2)."""
    largest = 0.0
    for k in range(count):
        largest = max(largest, gaps[k, 0], gaps[k, 1])
    return largest


@inlined
def _keep_inmost(found, gaps, count, exact, lower, upper, units):
    """Keep the branch furthest from its limits, if there are any an exact one; return 1."""
    best, widest, best_exact = 0, -1.0, False
    for k in range(count):
        is_exact = max(gaps[k, 0], gaps[k, 1]) <= exact
        margin = np.inf
        for v in range(found.shape[1]):
            margin = min(margin, min(found[k, v] - lower[v], upper[v] - found[k, v]) / units[v])
        if is_exact > best_exact or (is_exact == best_exact and margin > widest):
            best, widest, best_exact = k, margin, is_exact
    _put(found[best], gaps[best], found[0], gaps[0])
    return 1


@inlined
def _put(q, gap, to, to_gap):
    """Copy a solution and its errors."""
    for v in range(q.shape[0]):
        to[v] = q[v]
    to_gap[0], to_gap[1] = gap[0], gap[1]


@inlined
def _keep_rough(rough, note, found, count, proved):
    """Note branches that are to be polished."""
    for k in range(count):
        for v in range(found.shape[1]):
            rough[k, v] = found[k, v]
    note[0], note[1], note[2] = count, ROUGH, proved


@inlined
def _true_ones(problem, pose, polished, count, found, gaps):
    """Copy those of polished branches that are solutions; return how many."""
    kept = 0
    for k in range(count):
        position, angle = pose_error(problem.verifier, polished[k], pose)
        if position <= problem.position_tolerance and angle <= problem.orientation_tolerance:
            for v in range(found.shape[1]):
                found[kept, v] = polished[k, v]
            gaps[kept, 0], gaps[kept, 1] = position, angle
            kept += 1
    return kept


@njit(error_model="numpy")
def _put_verified(problem, pose, more, positions, errors, place):
    """Append those of configurations (M, n) that are solutions; return the new count."""
    for k in range(len(more)):
        position, angle = pose_error(problem.verifier, more[k], pose)
        if position <= problem.position_tolerance and angle <= problem.orientation_tolerance:
            positions[place] = more[k]
            errors[place, 0], errors[place, 1] = position, angle
            place += 1
    return place


@njit(error_model="numpy")
def _put_nearest(problem, box, pose, found, gaps, limited, weights, positions, errors):
    """Write solutions and their full turns in the order of their distance from the reference.

    Returns:
        How many.
    """
    count, wanted, n = len(found), len(positions), found.shape[1]
    more = found[:0]
    if len(limited) > 0:
        more = further_turns(found, box[4], box[0], box[1], limited, wanted)
    rows, row_gaps = np.empty((count + len(more), n)), np.empty((count + len(more), 2))
    rows[:count], row_gaps[:count] = found, gaps[:count]
    size = _put_verified(problem, pose, more, rows, row_gaps, count)
    distances = np.empty(size)
    for k in range(size):
        distances[k] = np.sum(((rows[k] - box[4]) * weights) ** 2)
    order = np.argsort(distances, kind="mergesort")[:wanted]
    for k in range(len(order)):
        _put(rows[order[k]], row_gaps[order[k]], positions[k], errors[k])
    return len(order)
