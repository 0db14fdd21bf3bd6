"""Solutions of a closed form, verified eight at a time before they are returned, compiled."""

import numpy as np

from generative_ik_ros.compiled import WIDTH
from generative_ik_ros.compiled.kernel import called, inlined
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.search.exact_rows import make_exact
from generative_ik_ros.select.verify_kernel import gap_in_lane, measure_eight, put_in_lane

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an inlined function returns.
# pyright: reportGeneralTypeIssues=false

_FALSE = 2e-2
"""Branches with a larger error are none [m and rad]."""


@called
def keep_exact(problem, call, exact, targets, lanes, positions, errors, size):
    """Keep what is a solution, or becomes one when it is made exact; return how many are distinct.

    Args are those of `keep_verified`, but for the CurveCall and the error above which rows are
    made exact [m and rad].
    """
    own = call.own
    count, largest = keep_verified(problem, own, targets, lanes, positions, errors, size, True)
    if largest <= exact:
        return count
    lower, upper = call.box[2][:own], call.box[3][:own]
    make_exact(problem, lower, upper, exact, targets, positions, count)
    count, _ = keep_verified(problem, own, targets, lanes, positions, errors, count, False)
    return _drop_met(call, positions, errors, count)


@called
def _drop_met(call, positions, errors, count):
    """Keep the first of rows that have met: beside a singular configuration they move far.

    Returns:
        How many are left.
    """
    joint, kept = int(call.parameters[0]), 0
    if not 0 <= joint < call.own:
        joint = 0
    places, met = np.empty(count), np.zeros(count, np.bool_)
    for k in range(count):
        places[k] = positions[k, joint]
        if call.circular[joint]:
            places[k] -= TURN * np.floor(places[k] / TURN)
    order = np.argsort(places)
    for a in range(count):
        i = order[a]
        for b in range(a + 1, a + count):
            j = order[b % count]
            ahead = places[j] - places[i] + (TURN if b >= count else 0.0)
            if ahead >= call.distance or (b >= count and not call.circular[joint]):
                break
            if is_same(positions[i], positions[j], call.own, call.circular, call.distance):
                met[max(i, j)] = True
    for k in range(count):
        if not met[k]:
            for v in range(positions.shape[1]):
                positions[kept, v] = positions[k, v]
            errors[kept, 0], errors[kept, 1] = errors[k, 0], errors[k, 1]
            kept += 1
    return kept


@inlined
def is_same(one, other, own, circular, distance):
    """Say whether two configurations are the same solution by their first `own` joints."""
    for v in range(own):
        apart = abs(one[v] - other[v])
        if circular[v]:
            apart = abs(apart - TURN * np.rint(apart / TURN))
        if apart >= distance:
            return False
    return True


@called
def keep_verified(problem, own, targets, lanes, positions, errors, size, rough):
    """Measure solutions, and keep what is one, or may become one if they are rough.

    Targets of each move with their solutions.

    Args:
        problem: Chain and tolerances.
        own: Number of the chain's joints.
        targets: (1, 4, 4) or (size, 4, 4) where the tip is to be, of all or of each [m].
        lanes: Memory, see `numbers_for_eight`.
        positions: (K, own or more) solutions; those that are kept move to the begin.
        errors: (K, 2) out: their errors [m and rad].
        size: How many solutions there are.
        rough: Whether they are made exact later.

    Returns:
        How many are left, and the largest of their errors [m and rad].
    """
    kept, largest, each = 0, 0.0, targets.shape[0] > 1
    for first in range(0, size, WIDTH):
        count = min(WIDTH, size - first)
        for lane in range(WIDTH):
            k = first + min(lane, count - 1)
            put_in_lane(lanes, lane, positions[k], own, targets[k if each else 0])
        measure_eight(problem.verifier, lanes, own)
        for lane in range(count):
            k = first + lane
            position, angle = gap_in_lane(lanes, lane)
            good = (
                position <= problem.position_tolerance and angle <= problem.orientation_tolerance
            )
            if good or (rough and max(position, angle) < _FALSE):
                for v in range(positions.shape[1]):
                    positions[kept, v] = positions[k, v]
                if each and kept < k:
                    for i in range(4):
                        for j in range(4):
                            targets[kept, i, j] = targets[k, i, j]
                errors[kept, 0], errors[kept, 1] = position, angle
                largest = max(largest, position, angle)
                kept += 1
    return kept, largest


@inlined
def leave_rest(positions, errors, count):
    """Mark what is behind the first solutions as none."""
    for k in range(count, positions.shape[0]):
        errors[k, 0] = errors[k, 1] = float("nan")
        for v in range(positions.shape[1]):
            positions[k, v] = float("nan")
