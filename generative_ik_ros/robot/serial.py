"""A serial chain as arrays: forward kinematics and the Jacobian of its tip."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.joints import LONGEST_TRAVEL, MovingJoints


@dataclass(frozen=True, eq=False)
class SerialChain(MovingJoints):
    """The joints on a path through a robot, without the robot; immutable, arrays are read-only.

    The tip's pose is the product over the m moving joints on the path

        joint_origins[0] M(0) joint_origins[1] M(1) ... joint_origins[m-1] M(m-1) tip_in_last_joint

    where M(i) rotates about, or translates along, `joint_axes[i]`. `MovingJoints` says what the
    other arrays hold.
    """

    tip_in_last_joint: Floats
    """(4, 4) tip link in the last joint's moved frame [m]."""

    @cached_property
    def core(self) -> _core.JointTree:
        """The chain as the native core takes it: a tree of one tip, which is given in the base."""
        m = len(self.joint_axes)
        tip = np.array([m - 1]), self.tip_in_last_joint[None]
        return self._core_tree(np.arange(m) - 1, tip, (np.array([-1]), np.eye(4)[None]))

    @cached_property
    def reach(self) -> float:
        """No point further than this from the first joint's origin is ever the tip's [m]."""
        return self._extent(np.inf)

    @cached_property
    def size(self) -> float:
        """The reach with at most 10 m of each prismatic joint's travel [m]."""
        return self._extent(LONGEST_TRAVEL)

    def _extent(self, longest_travel: float) -> float:
        fixed = np.linalg.norm(self.joint_origins[1:, :3, 3], axis=1).sum()
        prismatic = self.joint_prismatic
        variable = self.joint_variable[prismatic]
        ends = np.stack([self.lower[variable], self.upper[variable]])
        ends = self.joint_multiplier[prismatic] * ends + self.joint_offset[prismatic]
        travel = np.minimum(np.abs(ends).max(axis=0), longest_travel).sum()
        tool = np.linalg.norm(self.tip_in_last_joint[:3, 3])
        return float(fixed + travel + tool)

    def forward(self, q: ArrayLike) -> Floats:
        """Compute the tip's pose; shares no code with the solvers, so that it can check them.

        Args:
            q: (..., n) joint positions [rad or m]; limits are not checked.

        Returns:
            (..., 4, 4) tip in base [m].

        Raises:
            InvalidArgumentError: The last axis of `q` is not n long, or `q` is not numeric.
        """
        q = self._as_positions(q)
        poses = np.empty((*q.shape[:-1], 4, 4))
        rows = np.ascontiguousarray(q).reshape(-1, self.num_joints)
        _core.forward(self.core, rows, poses.reshape(-1, 4, 4))
        return poses

    def jacobian(self, q: ArrayLike) -> Floats:
        """Compute the geometric Jacobian of the tip.

        Column j is the velocity of the tip per unit velocity of variable j, expressed in the base
        frame, with the tip's origin as the reference point (pinocchio: LOCAL_WORLD_ALIGNED).

        Args:
            q: (..., n) joint positions [rad or m]; limits are not checked.

        Returns:
            (..., 6, n): three linear rows [m/rad or m/m], then three angular rows
            [rad/rad or rad/m].

        Raises:
            InvalidArgumentError: The last axis of `q` is not n long, or `q` is not numeric.
        """
        return self.tip_and_jacobian(q)[1]

    def tip_and_jacobian(self, q: ArrayLike) -> tuple[Floats, Floats]:
        """Return `forward(q)` and `jacobian(q)`, computed in one pass."""
        tips, jacobians = self._goals_and_jacobians(q)
        return tips[..., 0, :, :], jacobians[..., 0, :, :]
