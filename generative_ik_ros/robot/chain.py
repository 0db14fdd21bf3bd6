"""The kinematic chain between two links of a robot, cut out of its URDF."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.fixed import fixed_positions
from generative_ik_ros.robot.fold import (
    MissingLimits,
    check_path,
    fold,
    joint_arrays,
    only_tip,
    read_only,
)
from generative_ik_ros.robot.joints import LONGEST_TRAVEL, MovingJoints
from generative_ik_ros.robot.limits import JointLimits, with_limits
from generative_ik_ros.robot.loop_files import Loops, with_loops
from generative_ik_ros.robot.loops import check_open
from generative_ik_ros.robot.plausibility import warn_of_gripper, warn_of_implausible
from generative_ik_ros.robot.rigid import inverse

if TYPE_CHECKING:
    from generative_ik_ros.robot.canonical import CanonicalChain


@dataclass(frozen=True, eq=False)
class KinematicChain(MovingJoints):
    """The joints between a base and a tip link of a robot; immutable, arrays are read-only.

    The tip's pose is the product over the m moving joints on the path

        joint_origins[0] M(0) joint_origins[1] M(1) ... joint_origins[m-1] M(m-1) tip_in_last_joint

    where M(i) rotates about, or translates along, `joint_axes[i]`. `MovingJoints` says what the
    other arrays hold.

    Attributes:
        tip_in_last_joint: (4, 4) tip link in the last joint's moved frame [m].
        description: The robot.
        base_link: Link in whose frame poses are given.
        tip_link: Link whose pose is given.
    """

    tip_in_last_joint: Floats
    description: RobotDescription
    base_link: str
    tip_link: str

    @classmethod
    def from_urdf(
        cls,
        source: str | PathLike[str] | RobotDescription,
        base_link: str | None = None,
        tip_link: str | None = None,
        *,
        fixed: Mapping[str, float] | None = None,
        joint_limits: JointLimits | None = None,
        soft_limits: bool = False,
        missing_limits: MissingLimits = "error",
        loops: Loops | None = None,
    ) -> "KinematicChain":
        """Cut the chain between two links out of a robot.

        Only the joints on the path, and those that they mimic, have to be usable: a floating
        joint or a missing limit elsewhere does not matter.

        Args:
            source: URDF text (starts with "<"), a path, or a description read before.
            base_link: Link to give poses in; the robot's root when None.
            tip_link: Link whose pose counts. When None, the one leaf below the base that moves
                against it; leaves that coincide in every configuration count as one.
            fixed: Positions [rad or m], by name, of joints that are held there instead of being
                variables; joints that mimic them are held, too. Positions up to 0.05 rad or
                0.005 m beyond a limit, as encoders read them, are accepted with a warning.
            joint_limits: Lower and upper limits [rad or m] by joint, narrower or wider, instead of
                those in the description; both infinite for none.
            soft_limits: Whether other joints stay within the soft limits of their
                `<safety_controller>`, too. 0 and 0 count as none, and continuous joints have none.
            missing_limits: What a revolute joint without limits is: "error" or "continuous".
            loops: As in `KinematicTree.from_urdf`, which also takes tips behind loops.

        Raises:
            RobotDescriptionError: The robot or the chain is not usable; the message says why.
            AmbiguousChainError: `tip_link` is None and several leaves move.
            ClosedLoopError: A loop or a coupling is between the links.
            UnknownNameError: The robot has no link or joint of that name.
            InvalidArgumentError: `missing_limits` is neither of its two values, a position in
                `fixed` is outside the limits, or `joint_limits` are not limits.

        Warns:
            GenerativeIKWarning: The description is probably not what was meant: a joint cannot
                move, limits look like degrees, or a closed loop couples joints; or the tip that
                was taken is a part of a gripper.
        """
        description = with_loops(RobotDescription.of(source), loops)
        description = with_limits(description, joint_limits, soft_limits=soft_limits)
        description.check_links(base_link, tip_link)
        base = description.root if base_link is None else base_link
        tip = only_tip(description, base) if tip_link is None else tip_link
        standing = fixed_positions(description, fixed)
        chain = cls.between(description, base, tip, standing, missing_limits)
        check_open(description, base, tip, standing)
        warn_of_implausible(chain, description, [(base, tip)])
        if tip_link is None:
            warn_of_gripper(description, base, tip)
        return chain

    @classmethod
    def between(
        cls,
        description: RobotDescription,
        base: str,
        tip: str,
        standing: Mapping[str, float],
        missing_limits: MissingLimits,
    ) -> "KinematicChain":
        """Return the chain between two links of a robot, with joints that stand, all checked.

        Raises:
            RobotDescriptionError, InvalidArgumentError: As `from_urdf` says.
        """
        check_path(description, base, tip, standing)
        folded = fold(description, base, (tip,), standing)
        arrays = joint_arrays(description, folded, missing_limits)
        arrays["tip_in_last_joint"] = folded.places[tip][1]
        return cls(
            **read_only(arrays),
            fixed=standing,
            description=description,
            base_link=base,
            tip_link=tip,
        )

    @property
    def tip_links(self) -> tuple[str]:
        """The tip link, as a tree has several."""
        return (self.tip_link,)

    @property
    def reference_links(self) -> tuple[str]:
        """The base link, in which the tip's pose is given, as a tree has one for each tip."""
        return (self.base_link,)

    @cached_property
    def core(self) -> _core.JointTree:
        """The chain for the native core: a tree with one tip, whose reference is the base."""
        m = len(self.joint_axes)
        tip = np.array([m - 1]), self.tip_in_last_joint[None]
        return self._core_tree(np.arange(m) - 1, tip, (np.array([-1]), np.eye(4)[None]))

    @cached_property
    def reach(self) -> float:
        """Largest distance that the tip can have from the first joint's origin, or more [m]."""
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

    @cached_property
    def canonical(self) -> "CanonicalChain":
        """The same chain from first to last joint frame, free of mounting and tool."""
        from generative_ik_ros.robot.canonical import CanonicalChain

        return CanonicalChain.of(self, self.tip_in_last_joint)

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal characters that name the canonical chain; see `CanonicalChain`."""
        return self.canonical.fingerprint

    def canonical_target(self, tip_in_base: Floats) -> Floats:
        """Turn poses of the tip into poses of the canonical chain, without mounting and tool.

        Args:
            tip_in_base: (..., 4, 4) poses [m].

        Returns:
            (..., 4, 4) the canonical last joint frame in the canonical first joint frame [m].
        """
        base_in_first_joint, last_joint_in_tip = self._mounting
        return base_in_first_joint @ tip_in_base @ last_joint_in_tip

    @cached_property
    def _mounting(self) -> tuple[Floats, Floats]:
        canonical = self.canonical
        return inverse(canonical.first_joint_in_base), inverse(canonical.tip_in_last_joint)

    def __repr__(self) -> str:
        return (
            f"KinematicChain('{self.description.name}', '{self.base_link}' -> "
            f"'{self.tip_link}', {self.num_joints} joints)"
        )
