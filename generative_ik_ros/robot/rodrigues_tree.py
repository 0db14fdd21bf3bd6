"""A tree with several tips as the independent forward kinematics takes it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.joints import MovingJoints
from generative_ik_ros.robot.rodrigues import rodrigues_parts
from generative_ik_ros.robot.tree_layout import TreeLayout


class RodriguesTree(NamedTuple):
    """A tree of m joints with G goals; as `RodriguesChain` and `GoalTree` have them.

    Attributes:
        rotations: (m, 3, 3) rotation of each joint's frame in the one before it, at zero.
        sine_part: (m, 3, 3) what the sine of its position adds.
        versine_part: (m, 3, 3) what one minus the cosine adds.
        shifts: (m, 3) origin of the joint's frame [m].
        axes: (m, 3) the joint's axis in the frame before it.
        prismatic: (m,) whether the joint is prismatic.
        variable: (m,) index of the variable that drives the joint.
        multiplier: (m,) joint position per variable.
        offset: (m,) joint position where the variable is 0.
        begin: (m,) slot of the frame that the joint begins from; -1, -2 as in `GoalTree`.
        slot: (m,) slot in which its moved frame is kept, or -1.
        tip_slot: (G,) slot of the frame that carries the tip; -1: the base.
        tip: (G, 4, 4) the tip in that frame.
        reference_slot: (G,) slot of the frame that carries the reference; below 0: the base.
        reference: (G, 4, 4) the reference in that frame.
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
    begin: NDArray[np.int64]
    slot: NDArray[np.int64]
    tip_slot: NDArray[np.int64]
    tip: NDArray[np.float64]
    reference_slot: NDArray[np.int64]
    reference: NDArray[np.float64]

    @classmethod
    def of(cls, robot: MovingJoints, layout: TreeLayout) -> "RodriguesTree":
        """Precompute what Rodrigues' formula needs of each joint, as it was read."""
        return cls(
            *rodrigues_parts(robot.joint_origins, robot.joint_axes),
            **robot.joint_drives,
            begin=layout.begin.astype(np.int64),
            slot=layout.slot.astype(np.int64),
            tip_slot=layout.tip_slot.astype(np.int64),
            tip=np.array(layout.tip),
            reference_slot=layout.reference_slot.astype(np.int64),
            reference=np.array(layout.reference),
        )
