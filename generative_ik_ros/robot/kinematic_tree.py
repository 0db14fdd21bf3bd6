"""The kinematic tree from one link of a robot to several tips that share joints."""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from os import PathLike
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.arguments import listed_items
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError, check_names, shown
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.closing import (
    check_closed,
    closed_configurations,
    closed_near,
    rank_of_closures,
    region_errors,
)
from generative_ik_ros.robot.closures import Closure, closures_of
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.fixed import fixed_positions
from generative_ik_ros.robot.floating_base import BASE_JOINTS, check_bounds, with_floating_base
from generative_ik_ros.robot.fold import (
    Folded,
    MissingLimits,
    fold,
    joint_arrays,
    read_only,
)
from generative_ik_ros.robot.joint_tree import JointTree
from generative_ik_ros.robot.joints import LONGEST_TRAVEL
from generative_ik_ros.robot.limits import JointLimits, with_limits
from generative_ik_ros.robot.loop_files import Loops, with_loops
from generative_ik_ros.robot.parallelograms import parallel_sides
from generative_ik_ros.robot.plausibility import warn_of_implausible
from generative_ik_ros.robot.tree_arguments import checked_references, checked_tips


@dataclass(frozen=True, eq=False)
class KinematicTree(JointTree):
    """The joints between a base link and K tip links; immutable, arrays are read-only.

    Each tip's pose is given in a reference link, by default the base; two hands that hold a tray
    have a goal relative to each other. A joint that moves no tip relative to its reference is not
    a variable; it is held at the position nearest to zero.

    If joints between the base and a tip are in loops or couplings, all joints of these are
    variables, and only configurations that close the loops are solutions (docs/loops.md).

    `JointTree` says what its arrays hold and how a configuration becomes poses.

    Attributes:
        description: The robot.
        base_link: Link in whose axes the Jacobian is given.
        tip_links: The K links whose poses are given.
        reference_links: For each tip, the link in whose frame its pose is given.
        chains: For each tip, the chain from its reference link to it.
        base_joints: The joints of a floating base, world_x, world_y, world_z, world_yaw,
            world_pitch and world_roll, by which the robot's old root stands in the new one at
            Trans(x, y, z) Rz(yaw) Ry(pitch) Rx(roll); none where the base does not float.
        mobility: Number of joints that can be chosen independently: n less the constraints of
            closures.
    """

    description: RobotDescription
    base_link: str
    tip_links: tuple[str, ...]
    reference_links: tuple[str, ...]
    chains: tuple[KinematicChain, ...]
    base_joints: tuple[str, ...]
    mobility: int

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
        loops: Loops | None = None,
    ) -> "KinematicTree":
        """Cut the tree between a link and several tips out of a robot.

        Args:
            source: URDF text (starts with "<"), a path, or a description read before.
            base_link: Link to give poses in, anywhere in the robot; its root when None.
            tip_links: Names of 1 to 16 links.
            reference_links: By tip, the link that its pose is given in, if it is not the base.
            floating_base: Lower and upper bounds (6,) of x y z [m] roll pitch yaw [rad] of the
                robot's root in a new root link "world", see `robot.floating_base`; a free angle
                has infinite bounds, and a coordinate with equal bounds is held there. It replaces
                a floating or planar joint at the root.
            fixed: As in `KinematicChain.from_urdf`.
            joint_limits: As in `KinematicChain.from_urdf`.
            soft_limits: As in `KinematicChain.from_urdf`.
            missing_limits: As in `KinematicChain.from_urdf`.
            loops: Joints that close loops of links, and couplings of several joints, which URDF
                cannot describe: a mapping, or a YAML file with one (docs/loops.md).

        Raises:
            RobotDescriptionError: The robot is not usable, has links or joints that a floating
                base would add, more than 64 joints move, none moves a tip, or loops do not close.
            UnknownNameError: A link, a joint, or a tip in `reference_links` does not exist.
            InvalidArgumentError: There are no tips or too many, one is named twice, or `fixed`,
                `joint_limits` or `floating_base` are unusable; the message says why.

        Warns:
            GenerativeIKWarning: The description is probably not what was meant.
        """
        description, pinned = with_loops(RobotDescription.of(source), loops), {}
        description = with_limits(description, joint_limits, soft_limits=soft_limits)
        if floating_base is not None:
            description, pinned = with_floating_base(description, check_bounds(floating_base))
        tips = checked_tips(description, base_link, tip_links)
        base = description.root if base_link is None else base_link
        references = checked_references(description, base, tips, reference_links)
        standing = pinned | fixed_positions(description, fixed)
        tree = _closed(
            partial(cls._between, description, base, tips, references, standing, missing_limits)
        )
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
        sides: tuple[Closure, ...] = (),
    ) -> "KinematicTree":
        """Return the tree between a base and tips that are given in their references.

        `sides` of parallelograms stay parallel.
        """
        chains = tuple(
            KinematicChain.between(description, reference, tip, standing, missing_limits)
            for tip, reference in zip(tips, references, strict=True)
        )
        closures, with_slides, variables = closures_of(
            description, base, list(zip(references, tips, strict=True)), standing
        )
        closures += sides
        ends = [(tip, _HERE) for tip in tips], [(reference, _HERE) for reference in references]
        for closure in closures:
            for end, link, frame in zip(
                ends, closure.links[::-1], closure.frames[::-1], strict=True
            ):
                end.append((link, frame))
        links = [link for end in ends for link, _ in end]
        folded = fold(with_slides, base, links, standing, variables)
        arrays = joint_arrays(with_slides, folded, missing_limits)
        return cls(
            **read_only(arrays | _places(folded, *ends)),
            fixed=standing,
            description=description,
            base_link=base,
            tip_links=tips,
            reference_links=references,
            chains=chains,
            base_joints=(),
            closures=closures,
            mobility=len(arrays["names"]),
        )

    @cached_property
    def reach(self) -> float:
        """Largest distance of a tip from the first joint after its reference link, or more [m]."""
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
        """Whether this is a chain: one tip, whose pose is given in the base, and no closures."""
        return self.reference_links == (self.base_link,) and not self.closures

    @cached_property
    def has_own_joints(self) -> bool:
        """Whether each tip has joints of its own: none moves two of them, and there are no loops.

        Then each chain is a problem of its own.
        """
        return not self.closures and sum(chain.num_joints for chain in self.chains) == len(
            {name for chain in self.chains for name in chain.names}
        )

    @property
    def base_follows(self) -> bool:
        """Whether a floating base can move in all directions, and with it all tips; no loops."""
        in_base = set(self.reference_links) == {self.base_link} and not self.closures
        return in_base and set(BASE_JOINTS) <= set(self.names)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal characters that name the canonical chains and the variables they share.

        Mounting and tools do not count, for they only move targets. That of a single tip is its
        chain's.
        """
        if self.num_tips == 1 and not self.closures:
            return self.chains[0].fingerprint
        shared: list[object] = [
            (chain.fingerprint, [self.names.index(name) for name in chain.names])
            for chain in self.chains
        ]
        if self.closures:
            arrays = (
                self.joint_origins,
                self.joint_axes,
                self.tip_in_joint,
                self.reference_in_joint,
            )
            shared += [np.round(array, 9).tolist() for array in arrays]
            shared += [self.joint_parent.tolist(), self.tip_joint.tolist()]
            shared += [closure.region.key for closure in self.closures]
        return hashlib.sha256(repr(("canonical tree 1", shared)).encode()).hexdigest()[:16]

    @property
    def actuated_joints(self) -> tuple[str, ...]:
        """The variables that have motors, where the description says so (MJCF), else all.

        Joints that loops move have none.
        """
        named = self.description.joint_named
        return tuple(name for name in self.names if named[name].actuated is not False)

    def close(self, q: ArrayLike, hold: Collection[str] = ()) -> Floats:
        """Move joints until all loops are closed, within the limits.

        Args:
            q: (..., n) configurations to begin from [rad or m].
            hold: Joints that stay where they are, such as those with motors; all may move by
                default, as little as is needed.

        Returns:
            (..., n) configurations [rad or m].

        Raises:
            UnknownNameError: A joint in `hold` is no variable.
            InvalidArgumentError: `q` has another shape, or a loop cannot be closed from there.
        """
        hold = listed_items("hold", hold, str, "names of joints")
        check_names("joint", hold, self.names)
        q = self.check_positions(q)
        held = np.array([name in hold for name in self.names])
        closed, left = closed_near(self, q.reshape(-1, self.num_joints), held)
        check_closed(self, left)
        return closed.reshape(q.shape)

    def closure_errors(self, q: ArrayLike) -> tuple[Floats, Floats]:
        """Measure how far loops are from being closed, by the independent forward kinematics.

        Args:
            q: (..., n) joint positions [rad or m].

        Returns:
            (..., L) distances [m] and angles [rad] of the closures from their regions.

        Raises:
            InvalidArgumentError: The last axis of `q` is not n long, or `q` is not numeric.
        """
        return region_errors(self.closures, self.goal_poses(q)[..., self.num_tips :, :, :])

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
End = tuple[str, Floats]
"""A link, and a frame (4, 4) on it [m]."""
_HERE = np.eye(4)
_Given = TypeVar("_Given")


def check_kinematics(chain: _Given) -> _Given:
    """Return a chain or tree.

    Raises:
        InvalidArgumentError: It is neither.
    """
    if not isinstance(chain, Kinematics):
        raise InvalidArgumentError(
            f"chain must be a KinematicChain or a KinematicTree, not {shown(chain)}"
        )
    return chain


def _closed(between: Callable[..., KinematicTree]) -> KinematicTree:
    """Return a tree whose loops close somewhere, as machines do; `between` makes it of sides."""
    tree = between()
    if not tree.closures:
        return tree
    closed = closed_configurations(tree)
    values = {**tree.fixed, **dict(zip(tree.names, closed[0], strict=True))}
    if sides := tuple(parallel_sides(tree.description, tree.closures, values, tree.base_link)):
        tree = between(sides)
        closed = closed_configurations(tree)
    return replace(tree, mobility=tree.num_joints - rank_of_closures(tree, closed))


def _places(folded: Folded, tips: Sequence[End], references: Sequence[End]) -> dict[str, Any]:
    """Return the parents of the joints, and where tips and references are, by field name."""
    arrays: dict[str, Any] = {"joint_parent": np.array(folded.parents, np.int64)}
    for end, frames in (("tip", tips), ("reference", references)):
        joints = [folded.places[link][0] for link, _ in frames]
        poses = [folded.places[link][1] @ frame for link, frame in frames]
        arrays[f"{end}_joint"] = np.array(joints, np.int64)
        arrays[f"{end}_in_joint"] = np.array(poses)
    return arrays
