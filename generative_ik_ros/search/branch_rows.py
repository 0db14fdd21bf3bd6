"""The branches of a pose that lie within the bounds of a search, verified, compiled."""

import numpy as np

from generative_ik_ros.compiled.addresses import call_arrays_kernel
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.select.full_turns import turn_towards
from generative_ik_ros.select.verify import pose_error

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false

_BESIDE = 1e-3
"""Branches no further than this outside a limit may be solutions on it, within the tolerances
[rad or m]."""
_FALSE = 2e-2
"""Branches with a larger error are none [m and rad]; rounded descriptions are off by less."""


@inlined
def find_branches(address, parameters, box, circular, periodic, verifier, pose, found, errors):
    """Write what is within the bounds of all branches of a pose to the first rows of `found`.

    Args:
        address: Of the family's code, see `Branches`.
        parameters: What it takes.
        box: (6, n) see `SearchSpace`.
        circular: (n,) likewise.
        periodic: (n,) joints of which a full turn leaves the links where they are.
        verifier: The chain for independent forward kinematics.
        pose: (4, 4) tip in base [m].
        found: (K, n) out [rad or m].
        errors: (K, 2) out: their errors [m and rad].

    Returns:
        How many are written, whether the pose has no others, and how many there were.
    """
    count = call_arrays_kernel(address, parameters, pose, found)
    proved, kept = count >= 0, 0
    if not proved:
        count = -1 - count
    for k in range(count):
        for v in range(found.shape[1]):
            found[kept, v] = found[k, v]
        if _turn_inside(box, circular, periodic, found[kept]):
            position, angle = pose_error(verifier, found[kept], pose)
            if position < _FALSE and angle < _FALSE:
                errors[kept, 0], errors[kept, 1] = position, angle
                kept += 1
            else:
                proved = False
    return kept, proved, count


@inlined
def _turn_inside(box, circular, periodic, q):
    """Turn a branch into the bounds, or say that it is not there.

    Circular joints come as near to the reference as they can; in the others there is room for one
    turn at most.
    """
    for v in range(q.shape[0]):
        lower, upper, x = box[0, v], box[1, v], q[v]
        if circular[v]:
            x = turn_towards(x, box[4, v], lower, upper)
        elif not lower <= x <= upper:
            above, below = x - upper, lower - x
            if periodic[v]:
                x += TURN * np.ceil(below / TURN)
                above, below = x - upper, lower - (x - TURN)
                if above > 0.0:
                    above = below = min(above, below)
                    x = upper if x - upper == above else lower
                else:
                    below = 0.0
            if max(above, below) > _BESIDE:
                return False
            x = min(max(x, lower), upper)
        q[v] = x
    return True


@inlined
def drop_duplicates(found, errors, count, circular, distance):
    """Keep the first of rows that are the same solution, see `SolutionPool`; return how many."""
    kept = 0
    for k in range(count):
        new = True
        for i in range(kept):
            new = new and not _is_same(found[i], found[k], circular, distance)
        if new:
            for v in range(found.shape[1]):
                found[kept, v] = found[k, v]
            errors[kept, 0], errors[kept, 1] = errors[k, 0], errors[k, 1]
            kept += 1
    return kept


@inlined
def _is_same(one, other, circular, distance):
    for v in range(one.shape[0]):
        gap = abs(one[v] - other[v])
        if circular[v]:
            gap = abs(gap - TURN * np.rint(gap / TURN))
        if gap >= distance:
            return False
    return True
