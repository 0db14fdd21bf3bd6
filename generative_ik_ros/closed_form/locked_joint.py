"""Arms with seven joints whose first or last joint, locked, leaves one of the six-joint families.

With joint 1 of an iiwa or joint 7 of a Panda at some angle, the other six joints are an arm with a
closed form, whose parameters do not depend on that angle: only the target is turned with it. So
all configurations of a pose are the branches of one arm at all angles of the locked joint.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.axes import AxesAtZero
from generative_ik_ros.closed_form.six_joints import Form, special_form
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.robot.rigid import inverse

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

OWN = 7
"""Numbers of the locked joint before those of the other six."""


@dataclass(frozen=True)
class LockedJoint:
    """The closed form of seven joints, one of which is locked.

    Attributes:
        name: What a user may read.
        kernel: The compiled function of the other six, see `Family`.
        parameters: (7 + p,) the locked joint's index, its axis and a point on it [m], in the base
            if it is the first, in the tip if it is the last; then what the kernel takes.
        joint: Index of the locked joint.
        max_branches: Most branches at one angle.
        moved: See `Family`.
    """

    name: str
    kernel: Any
    parameters: NDArray[np.float64]
    joint: int
    max_branches: int
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
    parameters = np.concatenate([[float(joint)], axis, point, form.parameters])
    name = f"joint {joint + 1} locked: {form.name}"
    return LockedJoint(name, form.kernel, parameters, joint, form.max_branches, form.moved)


def locked_at_tip(
    axis: NDArray[np.float64], parameters: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the parameters of six joints with a seventh one at the tip's origin.

    Args:
        axis: (3,) of the seventh, in the tip.
        parameters: Of the six, see `Family`.
    """
    return np.concatenate([[6.0], axis, np.zeros(3), parameters])


def _form_without(lines: AxesAtZero, joint: int) -> Form | None:
    """Return the family of the six axes that are left without an end, if it is a special one."""
    left = np.delete(lines.axes, joint, axis=0), np.delete(lines.points, joint, axis=0)
    first = 1 if joint == 0 else 0
    return special_form(replace(lines, axes=left[0], points=left[1]), first)


@inlined
def write_pose_without(parameters, pose, angle, out):
    """Write where the six other joints have to bring the tip when the locked one is at an angle.

    Args:
        parameters: See `LockedJoint`.
        pose: (4, 4) tip in base [m].
        angle: Of the locked joint [rad].
        out: (4, 4) memory.
    """
    c, s = math.cos(angle), -math.sin(angle)
    x, y, z = parameters[1], parameters[2], parameters[3]
    px, py, pz = parameters[4], parameters[5], parameters[6]
    r = (
        (c + x * x * (1.0 - c), x * y * (1.0 - c) - z * s, x * z * (1.0 - c) + y * s),
        (y * x * (1.0 - c) + z * s, c + y * y * (1.0 - c), y * z * (1.0 - c) - x * s),
        (z * x * (1.0 - c) - y * s, z * y * (1.0 - c) + x * s, c + z * z * (1.0 - c)),
    )
    shift = (
        px - (r[0][0] * px + r[0][1] * py + r[0][2] * pz),
        py - (r[1][0] * px + r[1][1] * py + r[1][2] * pz),
        pz - (r[2][0] * px + r[2][1] * py + r[2][2] * pz),
    )
    if parameters[0] == 0.0:
        for i in range(3):
            for j in range(4):
                out[i, j] = r[i][0] * pose[0, j] + r[i][1] * pose[1, j] + r[i][2] * pose[2, j]
            out[i, 3] += shift[i]
    else:
        for i in range(3):
            a, b, d = pose[i, 0], pose[i, 1], pose[i, 2]
            for j in range(3):
                out[i, j] = a * r[0][j] + b * r[1][j] + d * r[2][j]
            out[i, 3] = pose[i, 3] + a * shift[0] + b * shift[1] + d * shift[2]
