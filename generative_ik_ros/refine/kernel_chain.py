"""A KinematicChain in, the arrays that the compiled kernel works on out."""

import math

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.refine.lm_step import KernelChain
from generative_ik_ros.robot.chain import KinematicChain


def kernel_chain(chain: KinematicChain, length: float) -> KernelChain:
    """Turn every joint's frame so that its axis is z, and poses into quaternions.

    Args:
        chain: The chain.
        length: Step [m] of a prismatic joint that is comparable to a turn by 1 rad.
    """
    previous = np.eye(4)
    origins = np.empty_like(chain.joint_origins)
    for i, origin in enumerate(chain.joint_origins):
        aligned = _frame_with_z(chain.joint_axes[i])
        origins[i] = previous.T @ origin @ aligned
        previous = aligned
    tip = previous.T @ chain.tip_in_last_joint
    return KernelChain(
        origins=pose_rows(origins),
        prismatic=np.array(chain.joint_prismatic),
        variable=np.array(chain.joint_variable, np.int64),
        multiplier=np.array(chain.joint_multiplier),
        offset=np.array(chain.joint_offset),
        tip=pose_rows(tip[None])[0],
        scale=np.where(chain.prismatic, length, 1.0),
    )


def _frame_with_z(axis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a (4, 4) pure rotation whose z axis is the given unit vector."""
    helper = np.eye(3)[np.argmin(np.abs(axis))]
    x = np.cross(helper, axis)
    x /= np.linalg.norm(x)
    frame = np.eye(4)
    frame[:3, :3] = np.stack([x, np.cross(axis, x), axis], axis=1)
    return frame


@kernel()
def pose_rows(poses):  # noqa: ANN001, ANN201
    """Turn (T, 4, 4) poses into (T, 7) rows x y z, quaternion xyzw, by Shepperd's method."""
    rows = np.empty((poses.shape[0], 7))
    for t in range(poses.shape[0]):
        r = poses[t]
        rows[t, 0], rows[t, 1], rows[t, 2] = r[0, 3], r[1, 3], r[2, 3]
        trace = r[0, 0] + r[1, 1] + r[2, 2]
        largest = max(trace, r[0, 0], r[1, 1], r[2, 2])
        # The component of largest magnitude is taken from the diagonal, the others divide by it.
        if largest == trace:
            x, y, z = r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]
            w = 1.0 + trace
        elif largest == r[0, 0]:
            x, y, z = 1.0 + r[0, 0] - r[1, 1] - r[2, 2], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]
            w = r[2, 1] - r[1, 2]
        elif largest == r[1, 1]:
            x, y, z = r[0, 1] + r[1, 0], 1.0 + r[1, 1] - r[0, 0] - r[2, 2], r[1, 2] + r[2, 1]
            w = r[0, 2] - r[2, 0]
        else:
            x, y, z = r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], 1.0 + r[2, 2] - r[0, 0] - r[1, 1]
            w = r[1, 0] - r[0, 1]
        length = math.sqrt(x * x + y * y + z * z + w * w)
        rows[t, 3], rows[t, 4], rows[t, 5], rows[t, 6] = (
            x / length, y / length, z / length, w / length
        )  # fmt: skip
    return rows
