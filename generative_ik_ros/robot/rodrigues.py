"""A chain as the independent forward kinematics takes it: as it was read, for Rodrigues' formula.

`core/src/verify` places the tip by it. It shares no code with the local solver, which uses
quaternions on a chain with its axes rotated to z; so it can verify the solver's results.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.joints import MovingJoints

_Array = NDArray[np.float64]


class RodriguesChain(NamedTuple):
    """A chain of m joints.

    Attributes:
        rotations: (m, 3, 3) rotation of each joint's frame in the previous one, at zero.
        sine_part: (m, 3, 3) what the sine of its position adds.
        versine_part: (m, 3, 3) what one minus the cosine adds.
        shifts: (m, 3) origin of the joint's frame [m].
        axes: (m, 3) the joint's axis in the previous frame.
        prismatic: (m,) 1 if the joint is prismatic, 0 if it is revolute.
        variable: (m,) index of the variable that drives the joint.
        multiplier: (m,) joint position per variable.
        offset: (m,) joint position where the variable is 0.
        tip: (4, 4) tip in the last joint's frame.
    """

    rotations: NDArray[np.float64]
    sine_part: NDArray[np.float64]
    versine_part: NDArray[np.float64]
    shifts: NDArray[np.float64]
    axes: NDArray[np.float64]
    prismatic: NDArray[np.int64]
    variable: NDArray[np.int64]
    multiplier: NDArray[np.float64]
    offset: NDArray[np.float64]
    tip: NDArray[np.float64]

    @classmethod
    def of(cls, joints: MovingJoints, tip_in_last_joint: _Array) -> "RodriguesChain":
        """Precompute what Rodrigues' formula needs of each joint."""
        return cls(
            *rodrigues_parts(joints.joint_origins, joints.joint_axes),
            **joints.joint_drives,
            tip=np.array(tip_in_last_joint),
        )


def rodrigues_parts(
    origins: _Array, axes: _Array
) -> tuple[_Array, _Array, _Array, _Array, _Array]:
    """Return the first five fields of a RodriguesChain, from (m, 4, 4) origins and (m, 3) axes."""
    rotations = origins[:, :3, :3]
    # Column i of a cross product matrix is axis x e_i.
    skew = np.cross(axes[:, None, :], np.eye(3)).transpose(0, 2, 1)
    return (
        np.ascontiguousarray(rotations),
        np.ascontiguousarray(rotations @ skew),
        np.ascontiguousarray(rotations @ skew @ skew),
        np.ascontiguousarray(origins[:, :3, 3]),
        (rotations @ axes[:, :, None])[:, :, 0].copy(),
    )
