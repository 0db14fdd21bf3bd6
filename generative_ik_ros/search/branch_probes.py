"""What goes on beside a nearly singular branch: nothing, or solutions along a curve.

Where only one direction moves the tip so little, what is within the tolerances lies along a
curve. If it reaches as far as solutions are told apart, it crosses the two places there where one
joint has moved by that distance: the least error that the others can make of it says whether it
does. It is followed from there, step by step.
"""

import math

import numpy as np

from generative_ik_ros.compiled.kernel import called, inlined
from generative_ik_ros.paths.null_space import weighted_jacobian
from generative_ik_ros.select.full_turns import turn_towards
from generative_ik_ros.select.verify import gap

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# A type checker does not see what compiled code takes and returns.
# pyright: reportCallIssue=false

REGULAR = 1.5
"""How many times its tolerance an error must become, at the least, where nothing else is a
solution; with both tolerances used up their squares add up to 2."""
_AHEAD = 1.02
"""Steps along a curve, in distances by which solutions are told apart."""
_STEPS = 10
_STILL, _FAR = 1e-8, 0.5
"""The least error is found where a step is shorter than the one, and is not where one is longer
than the other [rad or m]."""
_WEAK = 100.0
"""A further direction has to make so large an error, squared, within the distance."""


@called
def follow(problem, box, circular, distance, pose, loosest, found, gaps, row, kept):
    """Append solutions along the curve on which a branch lies.

    Args:
        problem: Chain and tolerances.
        box: (7, n) see `SearchSpace`.
        circular: (n,) likewise.
        distance: Solutions with no joint further apart are the same [rad or m].
        pose: (4, 4) tip in base [m].
        loosest: The joint that moves most along it.
        found: (K, n) in and out: solutions [rad or m].
        gaps: (K, 2) in and out: their errors [m and rad].
        row: The branch's.
        kept: How many rows there are.

    Returns:
        How many there are then; whether the branch stands alone; and whether there is no more.
        There may be if more than one direction is weak, or if there is no memory left.
    """
    n, alone = found.shape[1], True
    before, here, start = np.empty(n), np.empty(n), kept
    for way in (-1.0, 1.0):
        for v in range(n):
            before[v] = here[v] = found[row, v]
        joint, ahead, first = loosest, way, kept
        while True:
            for v in range(n):
                last = here[v]
                # The first time there is no direction to go on in.
                here[v] += here[v] - before[v]
                before[v] = last
            here[joint] = before[joint] + _AHEAD * distance * ahead
            error, position, angle = _least_error(problem, pose, here, joint, distance)
            if error < 0.0 or kept == found.shape[0]:
                return start, False, False
            alone = alone and (kept > first or error > REGULAR)
            inside = position <= problem.position_tolerance
            inside = inside and angle <= problem.orientation_tolerance
            for v in range(n):
                found[kept, v] = here[v]
                if circular[v]:
                    found[kept, v] = turn_towards(here[v], box[4, v], box[0, v], box[1, v])
                elif not box[0, v] <= here[v] <= box[1, v]:
                    inside = False
            if not inside:
                break
            gaps[kept, 0], gaps[kept, 1] = position, angle
            kept += 1
            for v in range(n):
                if abs(here[v] - before[v]) > abs(here[joint] - before[joint]):
                    joint = v
            ahead = math.copysign(1.0, here[joint] - before[joint])
    return kept, alone, True


@called
def _least_error(problem, pose, q, held, distance):
    """Move all joints but one so that they make the least error, by Gauss and Newton's method.

    Returns:
        It, in tolerances, -1 if it is not found; the distance [m] and the angle [rad] of the tip
        from the pose.
    """
    n, m = q.shape[0], problem.verifier.shifts.shape[0]
    jacobian, axes, ones = np.empty((6, n)), np.empty((m, 6)), np.ones(n)
    gram, step, errors = np.empty((n, n)), np.empty(n), np.empty(6)
    units = problem.position_tolerance, problem.orientation_tolerance
    for _ in range(_STEPS):
        tip = weighted_jacobian(problem.verifier, q, ones, axes, jacobian)
        _write_errors(tip, pose, errors)
        for r in range(6):
            errors[r] /= units[r // 3]
            for v in range(n):
                jacobian[r, v] *= distance / units[r // 3]
        if not _solved(jacobian, errors, held, gram, step):
            break
        most = 0.0
        for v in range(n):
            most = max(most, distance * abs(step[v]))
        if most > _FAR:
            break
        if most < _STILL:
            position, angle = gap(tip, pose)
            return math.sqrt(np.sum(errors * errors)), position, angle
        for v in range(n):
            q[v] += distance * step[v]
    return -1.0, np.inf, np.inf


@inlined
def _write_errors(tip, pose, errors):
    """Write what is missing of a pose: translation and, nearly, rotation vector (6,)."""
    r0, r1, r2, p = tip
    for k in range(3):
        errors[k], errors[3 + k] = pose[k, 3] - p[k], 0.0
    for k in range(3):
        x, y, z, a, b, c = r0[k], r1[k], r2[k], pose[0, k], pose[1, k], pose[2, k]
        errors[3] += (y * c - z * b) / 2.0
        errors[4] += (z * a - x * c) / 2.0
        errors[5] += (x * b - y * a) / 2.0


@inlined
def _solved(jacobian, errors, held, gram, step):
    """Write the step (n,) of all joints but one that makes errors least, by Cholesky's factor.

    Returns:
        Whether there is one: each joint has to make errors that the others do not.
    """
    n = step.shape[0]
    for r in range(6):
        jacobian[r, held] = 0.0
    for i in range(n):
        step[i] = 0.0
        for r in range(6):
            step[i] += jacobian[r, i] * errors[r]
        for j in range(i + 1):
            total = 0.0
            for r in range(6):
                total += jacobian[r, i] * jacobian[r, j]
            for k in range(j):
                total -= gram[i, k] * gram[j, k]
            if i == held and j == held:
                total = _WEAK
            if i > j:
                gram[i, j] = total / gram[j, j]
            elif total < _WEAK:
                return False
            else:
                gram[i, i] = math.sqrt(total)
        for k in range(i):
            step[i] -= gram[i, k] * step[k]
        step[i] /= gram[i, i]
    for k in range(n):
        i = n - 1 - k
        for j in range(i + 1, n):
            step[i] -= gram[j, i] * step[j]
        step[i] /= gram[i, i]
    return True
