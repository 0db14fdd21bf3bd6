"""Arms with seven joints whose first or last joint, locked, leaves one of the six-joint families.

With joint 1 of an iiwa or joint 7 of a Panda at some angle, the other six joints are an arm with a
closed form, whose parameters do not depend on that angle: only the target is turned with it. So
all configurations of a pose are the branches of one arm at all angles of the locked joint. The
same goes for an arm on a rail or a lift, whose position shifts the target.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros._core import ClosedForm
from generative_ik_ros.closed_form.axes import AxesAtZero
from generative_ik_ros.closed_form.header import as_if_exact, length_of
from generative_ik_ros.closed_form.six_joints import Form, special_form
from generative_ik_ros.robot.rigid import inverse

_LEVER, _LONGEST_UNIT = 2.0, 1.0
"""A prismatic joint's unit is how far the others reach, halved, but not more [m]."""


@dataclass(frozen=True)
class LockedJoint:
    """The closed form of seven joints, one of which is locked.

    Attributes:
        name: What a user may read.
        kernel: The code of the family of the other six, see `Family`.
        parameters: (13 + p,) the locked joint's index, its axis and a point on it [m], in the base
            if it is the first, in the tip if it is the last; whether it is prismatic; the change
            of it that counts as 1 rad [rad or m]; if it is prismatic, how far the others bring the
            tip from the first of them, and where that one is [m]; then what the kernel takes.
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
    """Return what follows the axis and the point of the joint to lock, see `LockedJoint`."""
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
