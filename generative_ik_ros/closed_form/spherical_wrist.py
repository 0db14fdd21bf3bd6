"""Arms with a spherical wrist: joints 4, 5 and 6 intersect (mirrored: joints 1, 2 and 3).

Only joints 1 to 3 move the wrist's centre (D. Pieper, The kinematics of manipulators under
computer control, 1968). Seen from joint 2, its distance from a point on that axis and its height
along it say what joints 1 and 3 can be; joint 2 follows, then the wrist from the rotation left.
"""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.angle_pairs import coupled_pairs, decoupled_pairs
from generative_ik_ros.closed_form.header import AXES, OWN, carried
from generative_ik_ros.closed_form.lane_subproblems import angles_between, anywhere
from generative_ik_ros.closed_form.subproblems import (
    arc,
    dot,
    minus,
    plus,
    times,
    turn,
    turn_back,
    vector,
)
from generative_ik_ros.closed_form.wrist import write_wrist
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.compiled.lane_angles import angle_of

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

DISTANCE_OF_1, DISTANCE_OF_3, HEIGHT_OF_1, HEIGHT_OF_3 = range(4)
"""The row that has one angle only, and which."""


def own_vectors(
    axes: NDArray[np.float64],
    feet: NDArray[np.float64],
    wrist: NDArray[np.float64],
    single: int,
) -> NDArray[np.float64]:
    """Return what this family adds to `header`, (8, 3).

    Args:
        axes: (6, 3) unit directions.
        feet: (3, 3) points on axes 1, 2 and 3, in shares of the reach: where one of them meets
            axis 2, both points are that one.
        wrist: (3,) the wrist's centre.
        single: `DISTANCE_OF_1` to `HEIGHT_OF_3`; of no meaning to `spherical_wrist_coupled`.
    """
    back, fore, ahead = feet[0] - feet[1], feet[2] - feet[1], wrist - feet[2]
    squares = (ahead @ ahead + fore @ fore - back @ back) / 2.0
    other = [squares, axes[1] @ (fore - back), float(single)]
    distance = arc_of(fore, axes[2], ahead)
    height = arc_of(axes[1], axes[2], ahead)
    bend = arc_of(axes[3], axes[4], axes[5])
    return np.array([feet[0], back, fore, ahead, distance, height, bend, other])


def arc_of(
    h: NDArray[np.float64], k: NDArray[np.float64], p: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what `arc` returns, of arrays."""
    middle = (h @ k) * (k @ p)
    return np.array([middle, h @ p - middle, h @ np.cross(k, p)])


@kernel()
def spherical_wrist(parameters, tip_pose, out):
    """Find all branches where axis 2 intersects, or is parallel to, axis 1 or 3; see `Family`."""
    rotation, shift = carried(parameters, tip_pose)
    distance, height = _rows(parameters, rotation, shift)
    error, single = parameters[2], parameters[3 * (OWN + 7) + 2]
    if single >= HEIGHT_OF_1:
        distance, height = height, distance
    of_third = single == DISTANCE_OF_3 or single == HEIGHT_OF_3
    pairs = decoupled_pairs(distance, height, of_third, error)
    return _branches(parameters, rotation, shift, pairs, out)


@kernel()
def spherical_wrist_coupled(parameters, tip_pose, out):
    """Find all branches where axis 2 is skew to 1 and 3: a quartic; see `Family`."""
    rotation, shift = carried(parameters, tip_pose)
    distance, height = _rows(parameters, rotation, shift)
    pairs = coupled_pairs(distance, height, parameters[2], out)
    return _branches(parameters, rotation, shift, pairs, out)


@inlined
def _from_joint_1(parameters, rotation, shift):
    """Return the wrist's target from the foot on axis 1."""
    ahead, third = vector(parameters, OWN + 3), vector(parameters, OWN + 2)
    foot, back = vector(parameters, OWN), vector(parameters, OWN + 1)
    centre = plus(plus(ahead, third), minus(foot, back))
    return minus(plus(times(rotation, centre), shift), foot)


@inlined
def _rows(parameters, rotation, shift):
    """Return the rows of `angle_pairs` for joints 1 and 3: distance and height, see above."""
    out = _from_joint_1(parameters, rotation, shift)
    axis, second = vector(parameters, AXES), vector(parameters, AXES + 1)
    squares, level, _ = vector(parameters, OWN + 7)
    o, a, b = arc(vector(parameters, OWN + 1), axis, out)
    p, q, r = vector(parameters, OWN + 4)
    distance = (a, -b, -q, -r, squares - dot(out, out) / 2.0 - o + p)
    o, a, b = arc(second, axis, out)
    p, q, r = vector(parameters, OWN + 5)
    return distance, (a, -b, -q, -r, level - o + p)


@inlined
def _branches(parameters, rotation, shift, pairs, out):
    """Write the branches of the pairs of joints 1 and 3, all of them side by side."""
    exists, first, third, off, sure = pairs
    if not anywhere(exists):
        return 0 if sure else -1
    axis1, axis2 = vector(parameters, AXES), vector(parameters, AXES + 1)
    axis3, target = vector(parameters, AXES + 2), _from_joint_1(parameters, rotation, shift)
    ahead = plus(turn(axis3, third, vector(parameters, OWN + 3)), vector(parameters, OWN + 2))
    goal = plus(turn_back(axis1, first, target), vector(parameters, OWN + 1))
    off = off + parameters[2]
    second, beside, defined = angles_between(ahead, goal, axis2, off)
    sure = sure and not anywhere(exists * (1.0 - defined))
    values = (
        angle_of(first[0], first[1]),
        angle_of(second[0], second[1]),
        angle_of(third[0], third[1]),
    )
    bend, known = vector(parameters, OWN + 6), (first, second, third)
    return write_wrist(
        parameters, rotation, bend, known, values, off + beside, exists, sure, out
    )  # fmt: skip
