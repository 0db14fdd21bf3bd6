"""The branches of a pose that lie within the bounds of a search, verified, compiled."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.addresses import call_address
from generative_ik_ros.compiled.borrow import shaped
from generative_ik_ros.compiled.kernel import called, inlined
from generative_ik_ros.compiled.lanes import WIDTH
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.search.branch_lanes import measure, rows_of_lanes
from generative_ik_ros.search.branch_probes import REGULAR, follow
from generative_ik_ros.search.form_call import unpack_form
from generative_ik_ros.select.full_turns import turn_towards

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false

_BESIDE = 1e-3
"""Branches no further than this outside a limit may be solutions on it, within the tolerances
[rad or m]; near a singularity the distance at which solutions are the same counts."""
_FALSE = 2e-2
"""Branches with a larger error are none [m and rad]; rounded descriptions are off by less."""

PROVED, FEW, OPEN = range(3)
"""What is known of solutions of a pose beside those found: there are none; at most such as lie
nearer to one of them than solutions are told apart, or between two; nothing."""
MOST_BESIDE = 24
"""Most solutions beside branches; where there are more of them, a search has to choose."""


class Memory(NamedTuple):
    """What it takes to look for the branches of a pose.

    Attributes:
        found: (K, n) branches [rad or m].
        gaps: (K, 2) their errors [m and rad].
        outside: (K,) by how much they were outside the bounds [rad or m].
        least: (K,) the error, in tolerances, that a joint makes which moves by the distance at
            which solutions are told apart, whatever the others do; or less.
        loosest: (K,) which joint that is, where the error is small.
        lanes: For `measure`.
    """

    found: NDArray[np.float64]
    gaps: NDArray[np.float64]
    outside: NDArray[np.float64]
    least: NDArray[np.float64]
    loosest: NDArray[np.float64]
    lanes: NDArray[np.float64]


@inlined
def numbers_of_memory(most, m, n):
    """Return how many numbers a Memory takes."""
    return most * (n + 5) + WIDTH * rows_of_lanes(m, n)


@inlined
def memory_in(numbers, most, n):
    """Lay out a Memory in a flat array."""
    gaps, alone = most * n, most * (n + 2)
    return Memory(
        shaped(numbers[:gaps], (most, n)),
        shaped(numbers[gaps:alone], (most, 2)),
        numbers[alone : alone + most],
        numbers[alone + most : alone + 2 * most],
        numbers[alone + 2 * most : alone + 3 * most],
        numbers[alone + 3 * most :],
    )


@called
def find_branches(packed, slack, pose, memory, any_one):
    """Write what is within the bounds of all branches of a pose to the first rows of `found`.

    Args:
        packed: A FormCall as `pack_form` packs it: its parts would take longer to pass on.
        slack: See `measure`.
        pose: (4, 4) tip in base [m].
        memory: Memory; out: the branches and their errors.
        any_one: Whether one of several will do: then neither are their errors measured, nor is
            there a look for singular ones.

    Returns:
        How many are written; how many of these, the last ones, are no branches, but solutions
        beside them; what is known of others (`PROVED`, `FEW`, `OPEN`); how many branches there
        were; whether errors are measured.
    """
    floats, ints, flags = packed
    form, found = unpack_form(floats, ints, flags), memory.found
    problem, box, circular, distance = form.problem, form.box, form.circular, form.distance
    outside, least, periodic = memory.outside, memory.least, form.joints.periodic
    count = call_address(
        form.address, form.parameters.ctypes.data, pose.ctypes.data, found.ctypes.data
    )
    others = PROVED if count >= 0 else OPEN
    if count < 0:
        count = -1 - count
    inside = 0
    for k in range(count):
        outside[k] = _turn_inside(box, circular, periodic, max(distance, _BESIDE), found[k])
        inside += outside[k] <= _BESIDE
    thorough = not (any_one and inside > 1)
    if thorough and count > 0:
        doubt = measure(packed, slack, pose, count, memory)
        others = max(others, FEW if doubt == 1.0 else OPEN if doubt > 1.0 else PROVED)
    kept, few, curves = _keep_inside(memory, count, distance, thorough)
    others, total = max(others, few), kept
    if curves:
        for k in range(kept):
            if least[k] <= REGULAR and others < OPEN:
                joint = int(memory.loosest[k])
                total, alone, known = follow(
                    problem, box, circular, distance, pose, joint, found, memory.gaps, k, total
                )
                others = max(others, PROVED if alone else FEW if known else OPEN)
    return total, total - kept, others, count, thorough


@inlined
def _keep_inside(memory, count, distance, thorough):
    """Move the branches that may be solutions to the front.

    Returns:
        How many; what is known of others; whether there are nearly singular ones.
    """
    found, gaps, outside, least = memory.found, memory.gaps, memory.outside, memory.least
    kept, others, curves = 0, PROVED, False
    for k in range(count):
        # Without errors, those that are nearly inside have to be measured when they are needed.
        keep = outside[k] <= _BESIDE
        if thorough:
            keep = keep or outside[k] * least[k] <= REGULAR * distance
            if keep and outside[k] == 0.0 and max(gaps[k, 0], gaps[k, 1]) >= _FALSE:
                keep, others = False, OPEN
            if least[k] <= REGULAR:
                curves = True
                if least[k] == 0.0 or not keep:
                    others = OPEN
        if keep:
            for v in range(found.shape[1]):
                found[kept, v] = found[k, v]
            gaps[kept, 0], gaps[kept, 1] = gaps[k, 0], gaps[k, 1]
            least[kept], memory.loosest[kept] = least[k], memory.loosest[k]
            kept += 1
    return kept, others, curves


@inlined
def _turn_inside(box, circular, periodic, most, q):
    """Turn a branch into the bounds, or put it on them; return by how much it was outside.

    Circular joints come as near to the reference as they can; in the others there is room for one
    turn at most. What is outside by more than `most` [rad or m] stays there, by infinity.
    """
    outside = 0.0
    for v in range(q.shape[0]):
        lower, upper, x = box[0, v], box[1, v], q[v]
        if circular[v]:
            x = turn_towards(x, box[4, v], lower, upper)
        elif not lower <= x <= upper:
            if periodic[v]:
                x += TURN * np.ceil((lower - x) / TURN)
                if x > upper and lower - (x - TURN) < x - upper:
                    x -= TURN
            beside = max(x - upper, lower - x, 0.0)
            if not beside <= most:
                return np.inf
            outside = max(outside, beside)
            x = min(max(x, lower), upper)
        q[v] = x
    return outside


@inlined
def drop_duplicates(found, errors, count, circular, distance):
    """Keep the first of rows that are the same solution, see `SolutionPool`; return how many."""
    kept = 0
    for k in range(count):
        new, i = True, kept
        while new and i > 0:
            i -= 1
            new = not is_same(found[i], found[k], found.shape[1], circular, distance)
        if new:
            for v in range(found.shape[1]):
                found[kept, v] = found[k, v]
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
