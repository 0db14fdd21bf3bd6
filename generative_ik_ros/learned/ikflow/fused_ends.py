"""The outer joints in closed form, in vector lanes; numba.

What closing.py does, in single precision. The chain is a product of rotations about z axes (or
translations along them) and constant frames between them; three vectors are transformed by it
from the last joint inwards, the last frame's position and two of its axes.
"""

# pyright: reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false
# pyright: reportIndexIssue=false

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.compiled.lanes import load, spread, square_root, store
from generative_ik_ros.learned.fused_math import (
    arc_tangent,
    cosine,
    half_turn_nearest,
    larger,
    sine,
)
from generative_ik_ros.learned.ikflow.config import FlowConfig
from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.samplers.ends import Ends

_F = np.float32
_ONE, _TINY = _F(1.0), _F(1e-24)


class FusedEnds(NamedTuple):
    """The joints that the flow models, and what is known of the two that follow from them.

    Attributes:
        first: Whether the first joint follows in closed form.
        last: Whether the last joint does.
        start: (3, 3) position, x and y axis of the last frame before the first step [m].
        columns: (J,) coordinate of the flow that moves each step's joint, last joint first.
        values: (J, 2) the joint's value where the coordinate is 0, and its change up to 1
            [rad or m].
        prismatic: (J,) whether the joint is.
        frames: (J, 3, 4) constant frame before the joint [m].
        outer: (2, 2) of the first and the last joint: the position where the joint's value is 0
            [rad], and its direction, +1 or -1.
    """

    first: bool
    last: bool
    start: NDArray[np.float32]
    columns: NDArray[np.int64]
    values: NDArray[np.float32]
    prismatic: NDArray[np.bool_]
    frames: NDArray[np.float32]
    outer: NDArray[np.float32]

    @classmethod
    def of(cls, chain: KinematicChain, config: FlowConfig) -> "FusedEnds":
        """Prepare a chain."""
        ends, box, modelled = Ends.of(chain), JointBox.of(chain), config.modelled
        first = ends.first_variable in config.closed
        last = ends.last_variable in config.closed
        joints = len(chain.joint_variable)
        at_zero = _joint_frames(chain)
        between = [inverse(one) @ two for one, two in zip(at_zero, at_zero[1:], strict=False)]
        steps = range(joints - 2 if last else joints - 1, 0 if first else -1, -1)
        before = np.stack([between[j - 1] if j else np.eye(4) for j in steps])
        start = between[steps[0]]
        variables = [int(chain.joint_variable[j]) for j in steps]
        multiplier, offset = chain.joint_multiplier, chain.joint_offset
        half, middle = box.half[variables], box.middle[variables]
        least = offset[list(steps)] + multiplier[list(steps)] * (middle - half)
        zeros = -offset[[0, -1]] / multiplier[[0, -1]]
        return cls(
            first,
            last,
            start[:3, [3, 0, 1]].T.astype(_F),
            np.array([modelled.index(v) for v in variables]),
            np.stack([least, 2.0 * multiplier[list(steps)] * half], axis=1).astype(_F),
            chain.joint_prismatic[list(steps)],
            np.ascontiguousarray(before[:, :3], _F),
            np.stack([zeros, (ends.first_sign, ends.last_sign)], axis=1).astype(_F),
        )


def _joint_frames(chain: KinematicChain) -> list[NDArray[np.float64]]:
    """Return a frame on each joint's axis at zero, then the last frame, in the first joint's.

    Each has its z axis along the joint's; the last joint's and the last are the same.
    """
    canonical = chain.canonical
    frames = [np.eye(4)]
    for axis, point in zip(canonical.axis_directions, canonical.axis_points, strict=True):
        frame = np.eye(4)
        side = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        x = side / np.linalg.norm(side)
        frame[:3, :3] = np.stack([x, np.cross(axis, x), axis], axis=1)
        frame[:3, 3] = point
        frames.append(frame)
    last = canonical.last_joint_in_first_joint
    return [np.eye(4), *frames[2:-1], last, last]


@kernel(error_model="numpy")
def close_ends(ends, x, stride, v, pose, out):  # noqa: ANN001, ANN201
    """Write the positions of the joints that follow, for one vector of samples.

    Args:
        ends: A `FusedEnds`.
        x: Buffer of rows of lanes, coordinates of the flow in [0, 1].
        stride: Rows from one coordinate to the next.
        v: The vector's row of each coordinate.
        pose: (4, 4) last joint frame in the first joint frame [m].
        out: Buffer of rows of lanes as `x`: first joint, last joint [rad], written.
    """
    start, outer = ends.start, ends.outer
    px, py, pz = spread(start[0, 0]), spread(start[0, 1]), spread(start[0, 2])
    xx, xy, xz = spread(start[1, 0]), spread(start[1, 1]), spread(start[1, 2])
    yx, yy, yz = spread(start[2, 0]), spread(start[2, 1]), spread(start[2, 2])
    for i in range(len(ends.columns)):
        moved = ends.values[i, 0] + ends.values[i, 1] * load(x, stride * ends.columns[i] + v)
        if ends.prismatic[i]:
            pz = pz + moved
        else:
            angle = half_turn_nearest(moved)
            s, c = sine(angle), cosine(angle)
            px, py = c * px - s * py, s * px + c * py
            xx, xy = c * xx - s * xy, s * xx + c * xy
            yx, yy = c * yx - s * yy, s * yx + c * yy
        f = ends.frames[i]
        px, py, pz = (
            f[0, 3] + f[0, 0] * px + f[0, 1] * py + f[0, 2] * pz,
            f[1, 3] + f[1, 0] * px + f[1, 1] * py + f[1, 2] * pz,
            f[2, 3] + f[2, 0] * px + f[2, 1] * py + f[2, 2] * pz,
        )
        xx, xy, xz = (
            f[0, 0] * xx + f[0, 1] * xy + f[0, 2] * xz,
            f[1, 0] * xx + f[1, 1] * xy + f[1, 2] * xz,
            f[2, 0] * xx + f[2, 1] * xy + f[2, 2] * xz,
        )
        yx, yy, yz = (
            f[0, 0] * yx + f[0, 1] * yy + f[0, 2] * yz,
            f[1, 0] * yx + f[1, 1] * yy + f[1, 2] * yz,
            f[2, 0] * yx + f[2, 1] * yy + f[2, 2] * yz,
        )
    if ends.first:
        to_x, to_y = _F(pose[0, 3]), _F(pose[1, 3])
        across, along = to_y * px - to_x * py, to_x * px + to_y * py
        store(out, v, outer[0, 0] + outer[0, 1] * arc_tangent(across, along))
        scale = _ONE / square_root(larger(across * across + along * along, _TINY))
        s, c = across * scale, along * scale
        xx, xy = c * xx - s * xy, s * xx + c * xy
        yx, yy = c * yx - s * yy, s * yx + c * yy
    if ends.last:
        ax, ay, az = _F(pose[0, 0]), _F(pose[1, 0]), _F(pose[2, 0])
        bx, by, bz = _F(pose[0, 1]), _F(pose[1, 1]), _F(pose[2, 1])
        same = ax * xx + ay * xy + az * xz + bx * yx + by * yy + bz * yz
        across = ax * yx + ay * yy + az * yz - bx * xx - by * xy - bz * xz
        store(out, stride + v, outer[1, 0] + outer[1, 1] * arc_tangent(across, same))
