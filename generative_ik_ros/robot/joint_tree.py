"""Joints that branch as arrays: forward kinematics and Jacobians of several tips, and of loops."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.robot.closures import Closure
from generative_ik_ros.robot.joints import MovingJoints


@dataclass(frozen=True, eq=False)
class JointTree(MovingJoints):
    """The joints between a base and several tips, without the robot; arrays are read-only.

    There are G goals, tips whose poses in their references matter: first the K tips that a user
    gives poses of, then the L closures, whose poses in their references are within bounds
    whenever loops are closed. The moving joints come parents before children, depth first.
    `MovingJoints` says what the arrays hold that are not listed here.
    """

    joint_parent: Ints
    """(m,) index of the joint before each, -1 for the base."""
    tip_joint: Ints
    """(G,) the last joint above each tip, -1 for the base."""
    tip_in_joint: Floats
    """(G, 4, 4) each tip in that joint's moved frame [m]."""
    reference_joint: Ints
    """(G,) the last joint above each reference, -1 for the base."""
    reference_in_joint: Floats
    """(G, 4, 4) each reference in that joint's moved frame [m]."""
    closures: tuple[Closure, ...]
    """What keeps loops closed and couplings within their bounds."""

    @property
    def num_tips(self) -> int:
        """Number K of tips."""
        return len(self.tip_joint) - len(self.closures)

    def forward(self, q: ArrayLike) -> Floats:
        """Compute the tips' poses; shares no code with the solvers, so that it can check them.

        Args:
            q: (..., n) joint positions [rad or m]; limits are not checked.

        Returns:
            (..., K, 4, 4) each tip in its reference link [m].

        Raises:
            InvalidArgumentError: The last axis of `q` is not n long, or `q` is not numeric.
        """
        return self.goal_poses(q)[..., : self.num_tips, :, :].copy()

    def goal_poses(self, q: ArrayLike) -> Floats:
        """Return the poses of tips and closures (..., G, 4, 4)."""
        q, goals = self._as_positions(q), len(self.tip_joint)
        poses = np.empty((*q.shape[:-1], goals, 4, 4))
        rows = np.ascontiguousarray(q).reshape(-1, self.num_joints)
        _core.forward(self.core, rows, poses.reshape(-1, goals, 4, 4))
        return poses

    @cached_property
    def core(self) -> _core.JointTree:
        """The tree as the native core takes it."""
        tips = self.tip_joint, self.tip_in_joint
        references = self.reference_joint, self.reference_in_joint
        return self._core_tree(self.joint_parent, tips, references)

    def jacobian(self, q: ArrayLike) -> Floats:
        """Compute the geometric Jacobian of each tip against its reference link.

        Column j holds, per unit velocity of variable j and in the axes of the base link, the
        velocity of the tip less that of the point of its reference link which is where the tip
        is, and the difference of their angular velocities.

        Args:
            q: (..., n) joint positions [rad or m]; limits are not checked.

        Returns:
            (..., K, 6, n): three linear rows [m/rad or m/m], then three angular rows
            [rad/rad or rad/m].

        Raises:
            InvalidArgumentError: The last axis of `q` is not n long, or `q` is not numeric.
        """
        return self.tip_and_jacobian(q)[1]

    def tip_and_jacobian(self, q: ArrayLike) -> tuple[Floats, Floats]:
        """Return `forward(q)` and `jacobian(q)`, computed in one pass."""
        tips, jacobians = self._goals_and_jacobians(q)
        return tips[..., : self.num_tips, :, :], jacobians[..., : self.num_tips, :, :]

    def closures_and_jacobian(self, q: ArrayLike) -> tuple[Floats, Floats]:
        """Return the tips of the closures in their references, and how they move.

        Returns:
            (..., L, 4, 4) poses [m], and (..., L, 6, n) Jacobians as `jacobian` returns them, but
            in the axes of the references.
        """
        tips, jacobians = self._goals_and_jacobians(q, in_reference=True)
        return tips[..., self.num_tips :, :, :], jacobians[..., self.num_tips :, :, :]

    def goal_targets(self, targets: Floats) -> Floats:
        """Return targets of all goals (B, G, 4, 4), from those of the tips (B, K, 4, 4)."""
        if not self.closures:
            return targets
        goals = np.empty((len(targets), len(self.tip_joint), 4, 4))
        goals[:, : self.num_tips], goals[:, self.num_tips :] = targets, np.eye(4)
        return goals

    def joint_frames(self, q: Floats) -> Floats:
        """Return the joints' moved frames and, last, so that -1 finds it, the base's own.

        Args:
            q: (..., n) joint positions [rad or m].

        Returns:
            (..., m + 1, 4, 4) in the base [m].
        """
        count = len(self.joint_parent) + 1
        frames = np.empty((*q.shape[:-1], count, 4, 4))
        rows = np.ascontiguousarray(q).reshape(-1, self.num_joints)
        self.core.joint_frames(rows, frames.reshape(-1, count, 4, 4))
        return frames
