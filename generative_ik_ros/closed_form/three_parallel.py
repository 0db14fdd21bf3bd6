"""Arms with three parallel axes: joints 2, 3 and 4 (mirrored: 3, 4 and 5), as on UR arms.

Joints 2 to 4 move points in planes perpendicular to their axes. That leaves two equations for
joints 1 and 5; joint 6 follows, then the planar arm (after K. Hawkins, Analytic inverse
kinematics for the Universal Robots UR-5/UR-10 arms, 2013, and Elias and Wen, see `subproblems`).
"""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.angle_pairs import coupled_pairs, decoupled_pairs
from generative_ik_ros.closed_form.header import AXES, OWN, carried, write_branches
from generative_ik_ros.closed_form.lane_subproblems import (
    angle_on_line,
    angles_between,
    anywhere,
    doubled_vector,
    third_choice,
)
from generative_ik_ros.closed_form.spherical_wrist import arc_of
from generative_ik_ros.closed_form.subproblems import (
    arc,
    cross,
    dot,
    minus,
    perpendicular,
    plus,
    times,
    transposed,
    turn,
    turn_back,
    vector,
)
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.compiled.lane_angles import angle_of
from generative_ik_ros.compiled.lanes import doubled, spread

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false


def own_vectors(axes: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what this family adds to `header`, (11, 3).

    Args:
        axes: (6, 3) unit directions, 2 to 4 parallel or opposite.
        points: (6, 3) points on the axes, in shares of the reach; of 5 and 6 the same one if they
            intersect.
    """
    h, signs = axes[1], np.sign(axes[2:4] @ axes[1])
    lever, last = points[4] - points[5], points[3] - points[4]
    upper, fore = points[2] - points[1], points[3] - points[2]
    upper, fore = upper - h * (h @ upper), fore - h * (h @ fore)
    elbow = arc_of(upper, h, fore)
    elbow[0] = (upper @ upper + fore @ fore) / 2.0
    aside = np.cross(h, np.eye(3)[np.abs(h).argmin()])
    aside /= np.linalg.norm(aside)
    slide, bend = arc_of(h, axes[4], lever), arc_of(h, axes[4], axes[5])
    other = [h @ (points[4] - points[0]), *signs]
    start = points[0] - points[1]
    return np.array(
        [points[0], points[5], lever, last, start, upper, fore, elbow, aside, slide, bend, other]
    )


@kernel()
def three_parallel(parameters, tip_pose, out):
    """Find all branches where joints 5 and 6 intersect; see `Family`."""
    rotation, shift = carried(parameters, tip_pose)
    slide, bend = _rows(parameters, rotation, shift)
    pairs = decoupled_pairs(slide, bend, False, parameters[2])
    return _branches(parameters, rotation, shift, pairs, out)


@kernel()
def three_parallel_coupled(parameters, tip_pose, out):
    """Find all branches where joints 5 and 6 are skew: a quartic; see `Family`."""
    rotation, shift = carried(parameters, tip_pose)
    slide, bend = _rows(parameters, rotation, shift)
    pairs = coupled_pairs(slide, bend, parameters[2], out)
    return _branches(parameters, rotation, shift, pairs, out)


@inlined
def _from_joint_1(parameters, rotation, shift):
    """Return the target of the point on axis 6 from that on axis 1."""
    point = plus(times(rotation, vector(parameters, OWN + 1)), shift)
    return minus(point, vector(parameters, OWN))


@inlined
def _rows(parameters, rotation, shift):
    """Return the rows of `angle_pairs` for joints 1 and 5.

    Joints 2 to 4 change neither how far along their direction a point on axis 5 is, nor how much
    the flange's axis points along it.
    """
    axis, h = vector(parameters, AXES), vector(parameters, AXES + 1)
    flange = times(rotation, vector(parameters, AXES + 5))
    o, a, b = arc(h, axis, _from_joint_1(parameters, rotation, shift))
    p, q, r = vector(parameters, OWN + 9)
    slide = (a, -b, q, r, parameters[3 * (OWN + 11)] - o - p)
    o, a, b = arc(h, axis, flange)
    p, q, r = vector(parameters, OWN + 10)
    return slide, (a, -b, -q, -r, p - o)


@inlined
def _branches(parameters, rotation, shift, pairs, out):
    """Write the branches of the pairs of joints 1 and 5, all of them side by side."""
    exists, first, fifth, off, sure = pairs
    if not anywhere(exists):
        return 0 if sure else -1
    axis1, h = vector(parameters, AXES), vector(parameters, AXES + 1)
    axis5, axis6 = vector(parameters, AXES + 4), vector(parameters, AXES + 5)
    upper, fore = vector(parameters, OWN + 5), vector(parameters, OWN + 6)
    squares, a, b = vector(parameters, OWN + 7)
    aside, target = vector(parameters, OWN + 8), _from_joint_1(parameters, rotation, shift)
    _, sign3, sign4 = vector(parameters, OWN + 11)
    across, off = cross(h, aside), off + parameters[2]
    pointing = times(transposed(rotation), turn(axis1, first, h))
    sixth, beside, defined = angles_between(pointing, turn_back(axis5, fifth, h), axis6, off)
    off = off + beside
    sure = sure and not anywhere(exists * (1.0 - defined))
    # What joints 2 to 4 do together: by how much they turn, where they bring axis 4.
    turned = turn_back(axis6, sixth, turn_back(axis5, fifth, aside))
    turned = turn_back(axis1, first, times(rotation, turned))
    together = angle_of(dot(aside, turned), dot(across, turned))
    last = plus(turn_back(axis5, fifth, vector(parameters, OWN + 3)), vector(parameters, OWN + 2))
    last = plus(times(rotation, turn_back(axis6, sixth, last)), target)
    goal = plus(turn_back(axis1, first, last), vector(parameters, OWN + 4))
    goal = perpendicular(h, goal)
    level = doubled(dot(goal, goal) / 2.0 - squares)
    goal, off, exists = doubled_vector(goal), doubled(off), doubled(exists)
    also, third, beside, certain = angle_on_line(spread(a), spread(b), level, off, third_choice())
    sure = sure and not anywhere(exists * (1.0 - certain))
    exists = exists * also
    reach = plus(upper, turn(h, third, fore))
    second, _, defined = angles_between(reach, goal, h, off + beside)
    sure = sure and not anywhere(exists * (1.0 - defined))
    q2, q3 = angle_of(second[0], second[1]), angle_of(third[0], third[1])
    angles = (
        doubled(angle_of(first[0], first[1])),
        q2,
        sign3 * q3,
        sign4 * (doubled(together) - q2 - q3),
        doubled(angle_of(fifth[0], fifth[1])),
        doubled(angle_of(sixth[0], sixth[1])),
    )
    count = write_branches(out, exists, parameters[0] != 0.0, angles)
    return count if sure else -1 - count
