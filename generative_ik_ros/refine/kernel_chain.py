"""Kinematic chains and poses as the local solvers take them."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.chain import KinematicChain


class KernelChain(NamedTuple):
    """A chain whose m joints rotate about or slide along their z axes, with n variables.

    Attributes:
        origins: (m, 7) joint frame in the previous joint's moved frame: x y z, quaternion xyzw.
        prismatic: (m,) 1 if the joint is prismatic, 0 if it is revolute.
        variable: (m,) index of the variable that drives the joint.
        multiplier: (m,) joint position per variable.
        offset: (m,) joint position where the variable is 0.
        tip: (7,) tip in the last joint's moved frame.
        scale: (n,) comparable steps of the variables, see `MovingJoints.step_units`.
    """

    origins: NDArray[np.float64]
    prismatic: NDArray[np.int64]
    variable: NDArray[np.int64]
    multiplier: NDArray[np.float64]
    offset: NDArray[np.float64]
    tip: NDArray[np.float64]
    scale: NDArray[np.float64]


class KernelOptions(NamedTuple):
    """Parameters of the iteration.

    Attributes:
        position_weight: Weight of a position error [1/m]; 0 leaves the position free.
        orientation_weight: Weight of an orientation error [1/rad]; 0 leaves it free.
        position_tolerance: [m].
        orientation_tolerance: [rad], of the chord 2 sin(angle / 2).
        max_iterations: Iterations after which a seed is given up.
        damping: Damping per squared weighted error.
        max_step: Largest step of a joint in one iteration, in units of its scale.
        stall_window: Iterations between two checks of a seed's progress.
        stall_ratio: A seed is given up if its squared error has not fallen to this share of what
            it was at the last check.
    """

    position_weight: float
    orientation_weight: float
    position_tolerance: float
    orientation_tolerance: float
    max_iterations: int
    damping: float
    max_step: float
    stall_window: int
    stall_ratio: float

    def without_iterations(self) -> "KernelOptions":
        """Return those that only check seeds, and leave to the verification what is just exact."""
        # By this factor an error may seem to exceed its tolerance that does not when verified.
        just = 1.01
        return self._replace(
            position_tolerance=self.position_tolerance * just,
            orientation_tolerance=self.orientation_tolerance * just,
            max_iterations=1,
        )


def kernel_chain(chain: KinematicChain) -> KernelChain:
    """Turn every joint's frame so that its axis is z, and poses into quaternions."""
    previous = np.eye(4)
    origins = np.empty_like(chain.joint_origins)
    for i, origin in enumerate(chain.joint_origins):
        aligned = frame_with_z(chain.joint_axes[i])
        origins[i] = previous.T @ origin @ aligned
        previous = aligned
    tip = previous.T @ chain.tip_in_last_joint
    return KernelChain(
        origins=pose_rows(origins),
        **chain.joint_drives,
        tip=pose_rows(tip[None])[0],
        scale=chain.step_units,
    )


def pack_chain(chain: KernelChain) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Put all numbers of a chain into two arrays; each further array would cost call time."""
    floats = chain.origins, chain.multiplier, chain.offset, chain.tip, chain.scale
    ints = [[len(chain.origins), len(chain.scale)], chain.prismatic, chain.variable]
    return (
        np.concatenate([values.ravel() for values in floats]),
        np.concatenate(ints).astype(np.int64),
    )


def frame_with_z(axis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a (4, 4) pure rotation whose z axis is the given unit vector."""
    helper = np.eye(3)[np.argmin(np.abs(axis))]
    x = np.cross(helper, axis)
    x /= np.linalg.norm(x)
    frame = np.eye(4)
    frame[:3, :3] = np.stack([x, np.cross(axis, x), axis], axis=1)
    return frame


def quaternion(pose: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Return the rotation of a (4, 4) pose as a unit quaternion x, y, z, w (Shepperd's method).

    The component of largest magnitude is taken from the diagonal, and the others are divided by
    it (S. W. Shepperd, Quaternion from rotation matrix, 1978).
    """
    trace = pose[0, 0] + pose[1, 1] + pose[2, 2]
    largest = max(trace, pose[0, 0], pose[1, 1], pose[2, 2])
    if largest == trace:
        x, y, z = pose[2, 1] - pose[1, 2], pose[0, 2] - pose[2, 0], pose[1, 0] - pose[0, 1]
        w = 1.0 + trace
    elif largest == pose[0, 0]:
        x, y = 1.0 + pose[0, 0] - pose[1, 1] - pose[2, 2], pose[0, 1] + pose[1, 0]
        z, w = pose[0, 2] + pose[2, 0], pose[2, 1] - pose[1, 2]
    elif largest == pose[1, 1]:
        x, y = pose[0, 1] + pose[1, 0], 1.0 + pose[1, 1] - pose[0, 0] - pose[2, 2]
        z, w = pose[1, 2] + pose[2, 1], pose[0, 2] - pose[2, 0]
    else:
        x, y = pose[0, 2] + pose[2, 0], pose[1, 2] + pose[2, 1]
        z, w = 1.0 + pose[2, 2] - pose[0, 0] - pose[1, 1], pose[1, 0] - pose[0, 1]
    length = math.sqrt(x * x + y * y + z * z + w * w)
    return x / length, y / length, z / length, w / length


def pose_rows(poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn (T, 4, 4) poses into (T, 7) rows x y z, quaternion xyzw."""
    rows = np.empty((poses.shape[0], 7))
    for t in range(poses.shape[0]):
        rows[t, 0], rows[t, 1], rows[t, 2] = poses[t, 0, 3], poses[t, 1, 3], poses[t, 2, 3]
        rows[t, 3], rows[t, 4], rows[t, 5], rows[t, 6] = quaternion(poses[t])
    return rows
