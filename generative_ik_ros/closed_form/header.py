"""What the parameters of all six-joint families begin with, and what a kernel makes of it."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.axes import AxesAtZero
from generative_ik_ros.closed_form.lane_subproblems import set_in
from generative_ik_ros.closed_form.subproblems import dot, minus, times, transposed, vector
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lanes import lane_of

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

AXES = 5
"""Where the six axes are among the vectors of the parameters; what a family adds follows."""
OWN = AXES + 6
ROUNDING = 1e-15
"""How far what is computed may be off, for an arm that is exactly of a family."""


def header(lines: AxesAtZero, error: float, mirrored: bool) -> NDArray[np.float64]:
    """Return the vectors that all families' parameters begin with, (11, 3).

    Args:
        lines: The axes, of the mirrored arm if it is; the tip's pose is that of the chain.
        error: How far what is computed of them is expected to be off, see `subproblems`.
        mirrored: Whether the arm is solved from its tip to its base.
    """
    tip, scale = lines.tip, lines.length
    first = [float(mirrored), 1.0 / scale, error]
    return np.vstack([first, tip[:3, :3], tip[:3, 3] / scale, lines.axes])


def as_if_exact(parameters: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a family's parameters for an arm whose lines were not moved.

    Branches that nearly merge are then taken as they are, and their poses are not marked. On a
    curve that moves its ends by little, and the samples between them stay sure.
    """
    exact = parameters.copy()
    exact[2] = ROUNDING
    return exact


def length_of(parameters: NDArray[np.float64]) -> float:
    """Return the length of the arm that has a family's parameters [m]."""
    return 1.0 / float(parameters[1])


@inlined
def carried(parameters, tip_pose):
    """Return the motion that the six joints make together: the rows of its rotation, its shift.

    It takes the tip at zero to the target; of a mirrored arm it is the opposite motion.
    """
    mirrored, per_scale, _ = vector(parameters, 0)
    a, b, c = vector(parameters, 1), vector(parameters, 2), vector(parameters, 3)
    x, y, z = _row(tip_pose, 0), _row(tip_pose, 1), _row(tip_pose, 2)
    rows = (
        (dot(x, a), dot(x, b), dot(x, c)),
        (dot(y, a), dot(y, b), dot(y, c)),
        (dot(z, a), dot(z, b), dot(z, c)),
    )
    place = tip_pose[0, 3] * per_scale, tip_pose[1, 3] * per_scale, tip_pose[2, 3] * per_scale
    shift = minus(place, times(rows, vector(parameters, 4)))
    if mirrored != 0.0:
        rows = transposed(rows)
        shift = minus((0.0, 0.0, 0.0), times(rows, shift))
    return rows, shift


@inlined
def _row(pose, i):
    return pose[i, 0], pose[i, 1], pose[i, 2]


@inlined
def write(out, count, mirrored, joints):
    """Write the six angles of a branch, from the tip on if the arm is mirrored."""
    for j in range(6):
        out[count, 5 - j if mirrored else j] = joints[j]


@inlined
def write_branches(out, exists, mirrored, joints):
    """Write what `write` does of each branch that exists; return how many.

    Args:
        out: (8, n) memory.
        exists: A flag, see `lane_subproblems`.
        mirrored: Whether the angles are from the tip on.
        joints: Six angles, in lanes [rad].
    """
    lanes, count = set_in(exists), 0
    count = _put(out, count, lanes, 0, mirrored, joints)
    count = _put(out, count, lanes, 1, mirrored, joints)
    count = _put(out, count, lanes, 2, mirrored, joints)
    count = _put(out, count, lanes, 3, mirrored, joints)
    count = _put(out, count, lanes, 4, mirrored, joints)
    count = _put(out, count, lanes, 5, mirrored, joints)
    count = _put(out, count, lanes, 6, mirrored, joints)
    return _put(out, count, lanes, 7, mirrored, joints)


@inlined
def _put(out, count, lanes, k, mirrored, joints):
    """Write the branch in lane k if it exists; return how many there are then."""
    if not (lanes >> k) & 1:
        return count
    a, b, c = lane_of(joints[0], k), lane_of(joints[1], k), lane_of(joints[2], k)
    d, e, f = lane_of(joints[3], k), lane_of(joints[4], k), lane_of(joints[5], k)
    write(out, count, mirrored, (a, b, c, d, e, f))
    return count + 1
