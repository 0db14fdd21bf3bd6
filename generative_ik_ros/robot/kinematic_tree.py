"""The kinematic tree from one link of a robot to several tips that share joints."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from generative_ik_ros import _core
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.fixed import fixed_positions
from generative_ik_ros.robot.floating_base import BASE_JOINTS, check_bounds, with_floating_base
from generative_ik_ros.robot.fold import Folded, MissingLimits, fold, joint_arrays, read_only
from generative_ik_ros.robot.joints import LONGEST_TRAVEL, MovingJoints
from generative_ik_ros.robot.limits import JointLimits, with_limits
from generative_ik_ros.robot.plausibility import warn_of_implausible
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.robot.rodrigues_tree import RodriguesTree
from generative_ik_ros.robot.tree_arguments import checked_references, checked_tips
from generative_ik_ros.robot.tree_layout import TreeLayout


@dataclass(frozen=True, eq=False)
class KinematicTree(MovingJoints):
    """The joints between a base link and K tip links; immutable, arrays are read-only.

    Each tip's pose is given in a reference link, which is the base unless it is told otherwise:
    two hands that hold a tray have a goal relative to each other. A joint that moves no tip
    against its reference is no variable; it stands at the position nearest to zero.

    The moving joints come parents before children, depth first. `MovingJoints` says what the
    arrays hold that are not listed here.

    Attributes:
        description: The robot.
        base_link: Link in whose axes the Jacobian is given.
        tip_links: The K links whose poses are given.
        reference_links: For each tip, the link in whose frame its pose is given.
        chains: For each tip, the chain from its reference link to it.
        base_joints: The joints of a floating base, world_x, world_y, world_z, world_yaw,
            world_pitch and world_roll, by which the robot's old root stands in the new one at
            Trans(x, y, z) Rz(yaw) Ry(pitch) Rx(roll); none where the base does not float.
        joint_parent: (m,) index of the joint before each, -1 for the base.
        tip_joint: (K,) the last joint above each tip, -1 for the base.
        tip_in_joint: (K, 4, 4) each tip in that joint's moved frame [m].
        reference_joint: (K,) the last joint above each reference link, -1 for the base.
        reference_in_joint: (K, 4, 4) each reference link in that joint's moved frame [m].
    """

    description: RobotDescription
    base_link: str
    tip_links: tuple[str, ...]
    reference_links: tuple[str, ...]
    chains: tuple[KinematicChain, ...]
    base_joints: tuple[str, ...]
    joint_parent: NDArray[np.int64]
    tip_joint: NDArray[np.int64]
    tip_in_joint: NDArray[np.float64]
    reference_joint: NDArray[np.int64]
    reference_in_joint: NDArray[np.float64]

    @classmethod
    def from_urdf(
        cls,
        source: str | PathLike[str] | RobotDescription,
        base_link: str | None = None,
        tip_links: Sequence[str] = (),
        *,
        reference_links: Mapping[str, str] | None = None,
        floating_base: ArrayLike | None = None,
        fixed: Mapping[str, float] | None = None,
        joint_limits: JointLimits | None = None,
        soft_limits: bool = False,
        missing_limits: MissingLimits = "error",
    ) -> "KinematicTree":
        """Cut the tree between a link and several tips out of a robot.

        Args:
            source: URDF text (starts with "<"), a path, or a description read before.
            base_link: Link to give poses in, anywhere in the robot; its root when None.
            tip_links: Names of 1 to 16 links.
            reference_links: By tip, the link that its pose is given in, if it is not the base.
            floating_base: Lower and upper bounds (6,) of x y z [m] roll pitch yaw [rad] of the
                robot's root in a new root link "world", see `robot.floating_base`; a free angle
                has both infinite, and where both are the same, the robot stands there. It takes
                the place of a floating or planar joint at the root.
            fixed: As in `KinematicChain.from_urdf`.
            joint_limits: As in `KinematicChain.from_urdf`.
            soft_limits: As in `KinematicChain.from_urdf`.
            missing_limits: As in `KinematicChain.from_urdf`.

        Raises:
            RobotDescriptionError: The robot is not usable, has links or joints that a floating
                base would add, more than 64 joints move, or none moves a tip.
            UnknownNameError: A link, a joint, or a tip in `reference_links` does not exist.
            InvalidArgumentError: There are no tips or too many, one is named twice, or `fixed`,
                `joint_limits` or `floating_base` cannot be.

        Warns:
            GenerativeIKWarning: The description is probably not what was meant.
        """
        description, pinned = RobotDescription.of(source), {}
        description = with_limits(description, joint_limits, soft_limits=soft_limits)
        if floating_base is not None:
            description, pinned = with_floating_base(description, check_bounds(floating_base))
        tips = checked_tips(description, base_link, tip_links)
        base = description.root if base_link is None else base_link
        references = checked_references(description, base, tips, reference_links)
        standing = pinned | fixed_positions(description, fixed)
        tree = cls._between(description, base, tips, references, standing, missing_limits)
        warn_of_implausible(tree, description, list(zip(references, tips, strict=True)))
        return tree if floating_base is None else replace(tree, base_joints=BASE_JOINTS)

    @classmethod
    def _between(
        cls,
        description: RobotDescription,
        base: str,
        tips: tuple[str, ...],
        references: tuple[str, ...],
        standing: Mapping[str, float],
        missing_limits: MissingLimits,
    ) -> "KinematicTree":
        """Return the tree between a base and tips that are given in their references."""
        chains = tuple(
            KinematicChain.between(description, reference, tip, standing, missing_limits)
            for tip, reference in zip(tips, references, strict=True)
        )
        variables = {name for chain in chains for name in chain.names}
        folded = fold(description, base, (*tips, *references), standing, variables)
        arrays = joint_arrays(description, folded, missing_limits)
        return cls(
            **read_only(arrays | _places(folded, tips, references)),
            fixed=standing,
            description=description,
            base_link=base,
            tip_links=tips,
            reference_links=references,
            chains=chains,
            base_joints=(),
        )

    @property
    def num_tips(self) -> int:
        """Number K of tips."""
        return len(self.tip_links)

    @cached_property
    def reach(self) -> float:
        """No tip is ever further than this from the first joint after its reference link [m]."""
        return max(chain.reach for chain in self.chains)

    @cached_property
    def size(self) -> float:
        """The reach with at most 10 m of each prismatic joint's travel [m].

        How far a floating base may travel does not count: that is the room, not the robot. That of
        a single tip is its chain's.
        """
        if self.num_tips == 1:
            return self.chains[0].size
        room = np.maximum(np.abs(self.lower), np.abs(self.upper)).clip(max=LONGEST_TRAVEL)
        travel = dict(zip(self.names, np.where(self.prismatic, room, 0.0), strict=True))
        return max(
            chain.size - sum(travel[name] for name in chain.names if name in self.base_joints)
            for chain in self.chains
        )

    @cached_property
    def is_chain(self) -> bool:
        """Whether this is a chain: one tip, whose pose is given in the base."""
        return self.reference_links == (self.base_link,)

    @property
    def base_follows(self) -> bool:
        """Whether a floating base can move in all directions, and with it all tips."""
        in_base = set(self.reference_links) == {self.base_link}
        return in_base and set(BASE_JOINTS) <= set(self.names)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal characters that name the canonical chains and the variables they share.

        Mounting and tools do not count, for they only move targets. That of a single tip is its
        chain's.
        """
        if self.num_tips == 1:
            return self.chains[0].fingerprint
        shared = [
            (chain.fingerprint, [self.names.index(name) for name in chain.names])
            for chain in self.chains
        ]
        return hashlib.sha256(repr(("canonical tree 1", shared)).encode()).hexdigest()[:16]

    def forward(self, q: ArrayLike) -> NDArray[np.float64]:
        """Compute the tips' poses; shares no code with the solvers, so that it can check them.

        Args:
            q: (..., n) joint positions [rad or m]; limits are not checked.

        Returns:
            (..., K, 4, 4) each tip in its reference link [m].

        Raises:
            InvalidArgumentError: The last axis of `q` is not n long, or `q` is not numeric.
        """
        q = self._as_positions(q)
        poses = np.empty((*q.shape[:-1], self.num_tips, 4, 4))
        rows = np.ascontiguousarray(q).reshape(-1, self.num_joints)
        _core.forward_tips(self.rodrigues, rows, poses.reshape(-1, self.num_tips, 4, 4))
        return poses

    @cached_property
    def layout(self) -> TreeLayout:
        """Which frames are kept while the joints are placed one after another."""
        tips = self.tip_joint, self.tip_in_joint
        references = self.reference_joint, self.reference_in_joint
        return TreeLayout.of(self.joint_parent, tips, references)

    @cached_property
    def rodrigues(self) -> RodriguesTree:
        """The tree for independent forward kinematics."""
        return RodriguesTree.of(self, self.layout)

    def jacobian(self, q: ArrayLike) -> NDArray[np.float64]:
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

    def tip_and_jacobian(self, q: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return `forward(q)` and `jacobian(q)`, computed in one pass."""
        frames = self._frames(self._as_positions(q))
        tips = frames[..., self.tip_joint, :, :] @ self.tip_in_joint
        references = frames[..., self.reference_joint, :, :] @ self.reference_in_joint
        columns = self._columns(frames[..., None, :-1, :, :], tips[..., :3, 3])
        columns = (columns * self._carries[:, None, :]) @ self._joints_by_variable
        return inverse(references) @ tips, columns

    @cached_property
    def _carries(self) -> NDArray[np.float64]:
        """(K, m) 1 where a joint carries the tip only, -1 where it carries its reference only."""
        carries = np.zeros((self.num_tips, len(self.joint_parent)))
        for row, tip, reference in zip(carries, self.tip_joint, self.reference_joint, strict=True):
            for joint, sign in ((tip, 1.0), (reference, -1.0)):
                while joint >= 0:
                    row[joint] += sign
                    joint = self.joint_parent[joint]
        return carries

    def _frames(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the joints' moved frames and, last, so that -1 finds it, the base's own.

        They are (..., m + 1, 4, 4) in the base.
        """
        base = np.broadcast_to(np.eye(4), (*q.shape[:-1], 4, 4))
        frames: list[NDArray[np.float64]] = []
        for i, parent in enumerate(self.joint_parent):
            frames.append(self._moved(base if parent < 0 else frames[parent], i, q))
        return np.stack([*frames, base], axis=-3)

    def __repr__(self) -> str:
        ends = ", ".join(
            f"'{tip}'" if reference == self.base_link else f"'{tip}' in '{reference}'"
            for tip, reference in zip(self.tip_links, self.reference_links, strict=True)
        )
        return (
            f"KinematicTree('{self.description.name}', '{self.base_link}' -> {ends}, "
            f"{self.num_joints} joints)"
        )


Kinematics = KinematicChain | KinematicTree
"""What places one tip, or several."""


def _places(folded: Folded, tips: Sequence[str], references: Sequence[str]) -> dict[str, Any]:
    """Return the parents of the joints, and where tips and reference links are, by field name."""
    arrays: dict[str, Any] = {"joint_parent": np.array(folded.parents, np.int64)}
    for end, links in (("tip", tips), ("reference", references)):
        joints, poses = zip(*(folded.places[link] for link in links), strict=True)
        arrays[f"{end}_joint"] = np.array(joints, np.int64)
        arrays[f"{end}_in_joint"] = np.array(poses)
    return arrays
