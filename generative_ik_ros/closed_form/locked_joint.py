"""Arms with seven joints whose first or last joint, locked, leaves one of the six-joint families.

With joint 1 of an iiwa or joint 7 of a Panda at some angle, the other six joints are an arm with a
closed form, whose parameters do not depend on that angle: only the target is turned with it. So
all configurations of a pose are the branches of one arm at all angles of the locked joint. The
same goes for an arm on a rail or a lift, whose position shifts the target.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros._core import ClosedForm
from generative_ik_ros.closed_form.axes import AxesAtZero
from generative_ik_ros.closed_form.header import as_if_exact, length_of
from generative_ik_ros.closed_form.six_joints import Form, special_form
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.vectors import dot
from generative_ik_ros.robot.rigid import inverse

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

PRISMATIC, UNIT, _REACH, _START, OWN = 7, 8, 9, 10, 13
"""Numbers of the locked joint before those of the other six: after its index, axis and point,
whether it is prismatic; the change of it that counts as 1 rad [rad or m]; and, if it is prismatic,
how far the others bring the tip from the first of them, and where that one is [m]."""
_SLACK = 1e-3
"""Bounds of what the others reach are wider by this share, for lines that are moved."""
_LEVER, _LONGEST_UNIT = 2.0, 1.0
"""A prismatic joint's unit is how far the others reach, halved, but not more [m]."""


@dataclass(frozen=True)
class LockedJoint:
    """The closed form of seven joints, one of which is locked.

    Attributes:
        name: What a user may read.
        kernel: The code of the family of the other six, see `Family`.
        parameters: (OWN + p,) the locked joint's index, its axis and a point on it [m], in the
            base if it is the first, in the tip if it is the last; what `OWN` lists; then what the
            kernel takes.
        joint: Index of the locked joint.
        moved: See `Family`.
    """

    name: str
    kernel: ClosedForm
    parameters: NDArray[np.float64]
    joint: int
    moved: float


def find_locked_joint(lines: AxesAtZero) -> LockedJoint | None:
    """Return which end to lock of seven axes, None if neither leaves six of a special kind."""
    found = [(form, joint) for joint in (0, 6) if (form := _form_without(lines, joint))]
    if not found:
        return None
    form, joint = min(found, key=lambda one: round(one[0].moved / 1e-12))
    axis, point = lines.axes[joint], lines.points[joint]
    if joint:
        to_tip = inverse(lines.tip)
        axis, point = to_tip[:3, :3] @ axis, to_tip[:3, :3] @ point + to_tip[:3, 3]
    about = _about(lines, joint)
    own = as_if_exact(form.parameters)
    parameters = np.concatenate([[float(joint)], axis, point, about, own])
    kind = "prismatic joint" if lines.prismatic[joint] else "joint"
    name = f"{kind} {joint + 1} locked: {form.name}"
    return LockedJoint(name, form.kernel, parameters, joint, form.moved)


def locked_at_tip(
    axis: NDArray[np.float64], parameters: NDArray[np.float64], *, slides: bool = False
) -> NDArray[np.float64]:
    """Return the parameters of six joints with a seventh one at the tip's origin.

    Args:
        axis: (3,) of the seventh, in the tip.
        parameters: Of the six, see `Family`.
        slides: Whether the seventh is prismatic.
    """
    own = as_if_exact(parameters)
    about = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    if slides:
        # Who uses it has bounds, so that the arm's reach need not be asked for.
        about[:3] = 1.0, length_of(own) / _LEVER, np.inf
    return np.concatenate([[6.0], axis, np.zeros(3), about, own])


def _about(lines: AxesAtZero, joint: int) -> NDArray[np.float64]:
    """Return what `OWN` lists of the joint to lock."""
    left = lines.without(joint)
    if not lines.prismatic[joint] or left.prismatic.any():
        # What else is prismatic brings the tip anywhere.
        unit = min(left.length / _LEVER, _LONGEST_UNIT) if lines.prismatic[joint] else 1.0
        return np.array([lines.prismatic[joint], unit, np.inf, 0.0, 0.0, 0.0])
    # Revolute joints leave points on two consecutive axes as far apart as they are.
    corners = np.vstack([left.points, lines.tip[:3, 3]])
    reach = np.linalg.norm(np.diff(corners, axis=0), axis=1).sum()
    return np.array([1.0, min(reach / _LEVER, _LONGEST_UNIT), reach, *left.points[0]])


def _form_without(lines: AxesAtZero, joint: int) -> Form | None:
    """Return the family of the six axes that are left without an end, if it is a special one."""
    return special_form(lines.without(joint), 1 if joint == 0 else 0)


@inlined
def bounds_within_reach(parameters, pose, lower, upper):
    """Return the bounds of the locked joint between which the others may reach the tip.

    Args:
        parameters: See `LockedJoint`.
        pose: (4, 4) tip in base [m].
        lower: Of the locked joint [rad or m].
        upper: Likewise.

    Returns:
        Both; the same one twice if the others reach the tip nowhere.
    """
    reach = parameters[_REACH] * (1.0 + _SLACK)
    if parameters[PRISMATIC] == 0.0 or reach == np.inf:
        return lower, upper
    x, y, z = _direction(parameters, pose)
    a, b, c = (
        pose[0, 3] - parameters[_START],
        pose[1, 3] - parameters[_START + 1],
        pose[2, 3] - parameters[_START + 2],
    )
    nearest = a * x + b * y + c * z
    square = reach * reach - (a * a + b * b + c * c - nearest * nearest)
    half = math.sqrt(max(0.0, square))
    first, last = max(lower, nearest - half), min(upper, nearest + half)
    return (first, last) if square > 0.0 and first < last else (lower, lower)


@inlined
def _direction(parameters, pose):
    """Return the axis of a locked prismatic joint in the base."""
    x, y, z = parameters[1], parameters[2], parameters[3]
    if parameters[0] != 0.0:
        x, y, z = (
            pose[0, 0] * x + pose[0, 1] * y + pose[0, 2] * z,
            pose[1, 0] * x + pose[1, 1] * y + pose[1, 2] * z,
            pose[2, 0] * x + pose[2, 1] * y + pose[2, 2] * z,
        )
    return x, y, z


@inlined
def write_pose_without(parameters, pose, angle, out):
    """Write where the six other joints have to bring the tip when the locked one is at an angle.

    Args:
        parameters: See `LockedJoint`.
        pose: (4, 4) tip in base [m].
        angle: Of the locked joint [rad], or its position [m].
        out: (4, 4) memory.
    """
    if parameters[PRISMATIC] != 0.0:
        shift = _direction(parameters, pose)
        for i in range(3):
            for j in range(3):
                out[i, j] = pose[i, j]
            out[i, 3] = pose[i, 3] - angle * shift[i]
        return
    rows = (
        (pose[0, 0], pose[0, 1], pose[0, 2]),
        (pose[1, 0], pose[1, 1], pose[1, 2]),
        (pose[2, 0], pose[2, 1], pose[2, 2]),
    )
    place = pose[0, 3], pose[1, 3], pose[2, 3]
    turned = math.cos(angle), math.sin(angle)
    rows, place = pose_without_turn(parameters, rows, place, turned)
    for i in range(3):
        for j in range(3):
            out[i, j] = rows[i][j]
        out[i, 3] = place[i]


@inlined
def pose_without_turn(parameters, rows, place, angle):
    """Return where the six other joints have to bring the tip; all may be lanes of numbers.

    Args:
        parameters: See `LockedJoint`, of a revolute one.
        rows: The tip's rotation in the base, row by row.
        place: Where the tip is [m].
        angle: Of the locked joint (cosine, sine).

    Returns:
        Rows and place.
    """
    x, y, z = parameters[1], parameters[2], parameters[3]
    point = parameters[4], parameters[5], parameters[6]
    c, s = angle[0], -1.0 * angle[1]
    rest = 1.0 - c
    r = (
        (c + rest * (x * x), rest * (x * y) - s * z, rest * (x * z) + s * y),
        (rest * (y * x) + s * z, c + rest * (y * y), rest * (y * z) - s * x),
        (rest * (z * x) - s * y, rest * (z * y) + s * x, c + rest * (z * z)),
    )
    shift = (
        point[0] - dot(r[0], point), point[1] - dot(r[1], point), point[2] - dot(r[2], point)
    )  # fmt: skip
    if parameters[0] == 0.0:
        moved = dot(r[0], place), dot(r[1], place), dot(r[2], place)
        return (
            (_combined(r[0], rows), _combined(r[1], rows), _combined(r[2], rows)),
            (moved[0] + shift[0], moved[1] + shift[1], moved[2] + shift[2]),
        )
    return (
        (_combined(rows[0], r), _combined(rows[1], r), _combined(rows[2], r)),
        (
            place[0] + dot(rows[0], shift),
            place[1] + dot(rows[1], shift),
            place[2] + dot(rows[2], shift),
        ),
    )


@inlined
def _combined(a, rows):
    """Return the sum of three rows, each times a number."""
    return (
        a[0] * rows[0][0] + a[1] * rows[1][0] + a[2] * rows[2][0],
        a[0] * rows[0][1] + a[1] * rows[1][1] + a[2] * rows[2][1],
        a[0] * rows[0][2] + a[1] * rows[1][2] + a[2] * rows[2][2],
    )
