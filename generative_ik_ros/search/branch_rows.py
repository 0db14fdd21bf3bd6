"""The branches of a pose that lie within the bounds of a search, verified, compiled."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.addresses import call_arrays_kernel
from generative_ik_ros.compiled.kernel import called, inlined
from generative_ik_ros.paths.null_space import weighted_jacobian
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.select.full_turns import turn_towards
from generative_ik_ros.select.verify import gap

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false

_BESIDE = 1e-3
"""Branches no further than this outside a limit may be solutions on it, within the tolerances
[rad or m]; near a singularity the distance at which solutions are the same counts."""
_FALSE = 2e-2
"""Branches with a larger error are none [m and rad]; rounded descriptions are off by less."""
_SINGULAR = 1e-6
"""Where the square of an error, in tolerances, is below this, it is taken for none."""
_REGULAR = 1.5
"""How many times its tolerance an error must become, at the least, where a branch is regular."""


class Memory(NamedTuple):
    """What it takes to look for the branches of a pose.

    Attributes:
        found: (K, n) branches [rad or m].
        gaps: (K, 2) their errors [m and rad].
        axes: (m, 6) see `place_joints`.
        jacobian: (6, n).
        gram: (n, n).
        ones: (n,).
    """

    found: NDArray[np.float64]
    gaps: NDArray[np.float64]
    axes: NDArray[np.float64]
    jacobian: NDArray[np.float64]
    gram: NDArray[np.float64]
    ones: NDArray[np.float64]


@inlined
def numbers_of_memory(most, m, n):
    """Return how many numbers a Memory takes."""
    return most * (n + 2) + 6 * m + 6 * n + n * n + n


@inlined
def memory_in(numbers, most, m, n):
    """Lay out a Memory in a flat array."""
    ends = most * n, most * (n + 2), most * (n + 2) + 6 * m
    jacobian = ends[2] + 6 * n
    gram = jacobian + n * n
    for k in range(gram, numbers.shape[0]):
        numbers[k] = 1.0
    return Memory(
        numbers[: ends[0]].reshape((most, n)),
        numbers[ends[0] : ends[1]].reshape((most, 2)),
        numbers[ends[1] : ends[2]].reshape((m, 6)),
        numbers[ends[2] : jacobian].reshape((6, n)),
        numbers[jacobian:gram].reshape((n, n)),
        numbers[gram:],
    )


@called
def find_branches(
    address, parameters, box, circular, periodic, problem, distance, pose, memory, thorough
):
    """Write what is within the bounds of all branches of a pose to the first rows of `found`.

    Args:
        address: Of the family's code, see `Branches`.
        parameters: What it takes.
        box: (6, n) see `SearchSpace`.
        circular: (n,) likewise.
        periodic: (n,) joints of which a full turn leaves the links where they are.
        problem: Chain and tolerances.
        distance: Solutions with no joint further apart are the same [rad or m].
        pose: (4, 4) tip in base [m].
        memory: Memory; out: the branches and their errors.
        thorough: Whether to look for singular branches, and to measure errors.

    Returns:
        How many are written, whether the pose has no others, and how many there were. It may have
        others at a singularity, where joints move by more than the distance while the tip stays
        within the tolerances.
    """
    found, gaps = memory.found, memory.gaps
    count = call_arrays_kernel(address, parameters, pose, found)
    proved, kept = count >= 0, 0
    if not proved:
        count = -1 - count
    for k in range(count):
        for v in range(found.shape[1]):
            found[kept, v] = found[k, v]
        q = found[kept]
        beside = _turn_inside(box, circular, periodic, max(distance, _BESIDE), q)
        if not thorough:
            # They are measured when they are needed.
            kept += beside <= _BESIDE
            continue
        tip = weighted_jacobian(problem.verifier, q, memory.ones, memory.axes, memory.jacobian)
        least = _least_error(problem, memory.jacobian, memory.gram, distance)
        proved = proved and least > _REGULAR
        if beside * least <= _REGULAR * distance or beside <= _BESIDE:
            gaps[kept, 0], gaps[kept, 1] = gap(tip, pose)
            if beside > 0.0 or max(gaps[kept, 0], gaps[kept, 1]) < _FALSE:
                kept += 1
            else:
                proved = False
    return kept, proved, count


@inlined
def _least_error(problem, jacobian, gram, distance):
    """Return the error, in tolerances, that joints make which move by the distance; or less.

    With errors in such units, it is the least singular value s of the Jacobian: 1 / s^2 is at
    most the trace of the inverse of J^T J, which Cholesky's factor gives.
    """
    n = gram.shape[0]
    per_linear = distance / problem.position_tolerance
    per_angular = distance / problem.orientation_tolerance
    for i in range(n):
        for j in range(i + 1):
            linear, angular = 0.0, 0.0
            for r in range(3):
                linear += jacobian[r, i] * jacobian[r, j]
                angular += jacobian[3 + r, i] * jacobian[3 + r, j]
            gram[i, j] = per_linear * per_linear * linear + per_angular * per_angular * angular
    trace = 0.0
    for i in range(n):
        for j in range(i + 1):
            total = gram[i, j]
            for k in range(j):
                total -= gram[i, k] * gram[j, k]
            if i > j:
                gram[i, j] = total * gram[j, j]
            elif total > _SINGULAR:
                # The reciprocals of the diagonal.
                gram[i, i] = 1.0 / math.sqrt(total)
            else:
                return 0.0
    # The inverse of the factor, column by column, above the diagonal.
    for j in range(n):
        trace += gram[j, j] * gram[j, j]
        for i in range(j + 1, n):
            total = gram[i, j] * gram[j, j]
            for k in range(j + 1, i):
                total += gram[i, k] * gram[j, k]
            gram[j, i] = -total * gram[i, i]
            trace += gram[j, i] * gram[j, i]
    return 1.0 / math.sqrt(trace)


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
        new = True
        for i in range(kept):
            new = new and not is_same(found[i], found[k], circular, distance)
        if new:
            for v in range(found.shape[1]):
                found[kept, v] = found[k, v]
            errors[kept, 0], errors[kept, 1] = errors[k, 0], errors[k, 1]
            kept += 1
    return kept


@inlined
def is_same(one, other, circular, distance):
    """Say whether two configurations are the same solution."""
    for v in range(one.shape[0]):
        apart = abs(one[v] - other[v])
        if circular[v]:
            apart = abs(apart - TURN * np.rint(apart / TURN))
        if apart >= distance:
            return False
    return True
