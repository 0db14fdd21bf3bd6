"""A planning group of a robot: its joints in MoveIt's order, its chains and its tree."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.errors import RobotDescriptionError, listed
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.fold import path
from generative_ik_ros.robot.group_members import (
    common_root,
    group_joints,
    group_tips,
    only_tip_of,
    whole_chain,
)
from generative_ik_ros.robot.joints import MovingJoints
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.srdf import SemanticDescription


@dataclass(frozen=True, eq=False)
class JointGroup:
    """Some of a robot's joints, planned for together.

    Attributes:
        name: The group's name.
        description: The robot.
        base_link: Link above all of the group's joints; poses are given in it.
        tip_link: Link that the group moves, where that is clear; "" where it has to be named.
        joint_names: The group's joints that move, parents before children, siblings in
            alphabetical order, as MoveIt has them. Joints that mimic others are among them.
        tip_links: Links that the group's poses are for: its tip link, or where it has none of its
            own, those of its end effectors, chains and subgroups; () where they have to be named.
    """

    name: str
    description: RobotDescription
    base_link: str
    tip_link: str
    joint_names: tuple[str, ...]
    tip_links: tuple[str, ...] = ()

    @classmethod
    def from_srdf(
        cls, description: RobotDescription, semantic: SemanticDescription, name: str
    ) -> "JointGroup":
        """Find a group's joints in a robot.

        Raises:
            UnknownNameError: There is no such group, or the robot has none of a joint or link
                that it names.
            RobotDescriptionError: The group moves nothing.
        """
        ordered = group_joints(description, semantic, name)
        moving = tuple(joint.name for joint in ordered if joint.moves)
        if not moving:
            raise RobotDescriptionError(f"no joint of group '{name}' moves")
        chain = whole_chain(semantic, name)
        base, tip = chain or (
            common_root(description, ordered),
            only_tip_of(description, semantic, name, ordered),
        )
        tips = (tip,) if tip else group_tips(description, semantic, name)
        return cls(name, description, base, tip, moving, tips)

    @classmethod
    def from_links(
        cls, description: RobotDescription, name: str, base_link: str = "", tip_link: str = ""
    ) -> "JointGroup":
        """Make a group of all joints between two links; "" for the robot's one obvious chain.

        Raises:
            UnknownNameError: The robot has no link of that name.
            AmbiguousChainError: No tip link is given and the robot has several.
            RobotDescriptionError: The joints between the links cannot be used.
        """
        given = (base_link, tip_link)
        links = [None if isinstance(one, str) and not one else one for one in given]
        chain = KinematicChain.from_urdf(description, *links)
        on_path = [joint for joint, _ in path(description, chain.base_link, chain.tip_link)]
        names = dict.fromkeys(joint.name for joint in on_path if joint.moves)
        names.update(dict.fromkeys(chain.names))
        tip = chain.tip_link
        return cls(name, description, chain.base_link, tip, tuple(names), (tip,))

    def chain(self, tip_link: str = "") -> KinematicChain:
        """Return the chain by which the group moves a link; "" for the group's own tip.

        Raises:
            UnknownNameError: The robot has no such link.
            RobotDescriptionError: The group does not move the link, or joints of other groups
                move it too, or no link is named and the group has no tip of its own.
        """
        tip = tip_link or self.tip_link
        if not tip:
            raise RobotDescriptionError(
                f"group '{self.name}' has no one tip: name the link that the pose is for"
            )
        self.description.check_links(tip)
        moving = self._moving(self.base_link, tip)
        chain = KinematicChain.from_urdf(self.description, self.base_link, tip)
        self._check_own(tip, (*moving, *chain.names))
        return chain

    def tree(
        self, tip_links: Sequence[str] = (), reference_links: Mapping[str, str] | None = None
    ) -> KinematicTree:
        """Return the tree by which the group moves several links; () for the group's own tips.

        Args:
            tip_links: Names of the links.
            reference_links: As `KinematicTree.from_urdf` takes them.

        Raises:
            UnknownNameError: The robot has no such link.
            RobotDescriptionError: The group does not move a link, or joints of other groups move
                it too, or no links are named and the group has no tips of its own.
            InvalidArgumentError: There are too many links, or one is named twice.
        """
        tips = tip_links or self.tip_links
        if not tips:
            raise RobotDescriptionError(
                f"group '{self.name}' has no tips of its own: name the links that poses are for"
            )
        given = reference_links or {}
        for tip in tips:
            reference = given.get(tip, self.base_link)
            self.description.check_links(tip, reference)
            self._moving(reference, tip)
        tree = KinematicTree.from_urdf(
            self.description, self.base_link, tips, reference_links=reference_links
        )
        for chain in tree.chains:
            moving = self._moving(chain.base_link, chain.tip_link)
            self._check_own(chain.tip_link, (*moving, *chain.names))
        return tree

    def _moving(self, base: str, tip: str) -> list[str]:
        """Return the joints that move a link against another; the group's must be among them."""
        joints = path(self.description, base, tip)
        moving = [joint.name for joint, _ in joints if joint.moves]
        if not set(moving) & set(self.joint_names):
            raise RobotDescriptionError(f"group '{self.name}' does not move link '{tip}'")
        return moving

    def _check_own(self, tip: str, names: Iterable[str]) -> None:
        """Check that the joints which move a link are the group's."""
        foreign = [name for name in names if name not in self.joint_names]
        if foreign:
            raise RobotDescriptionError(
                f"link '{tip}' is moved by joints that are not in group '{self.name}' as well: "
                + listed(dict.fromkeys(foreign))
            )

    @cached_property
    def default_positions(self) -> Floats:
        """(G,) 0 for each joint where its limits allow it, else the middle of them [rad or m]."""
        values = []
        for joint in map(self.description.joint_named.__getitem__, self.joint_names):
            inside = joint.lower <= 0.0 <= joint.upper
            values.append(0.0 if inside else 0.5 * (joint.lower + joint.upper))
        return np.array(values)

    def indices(self, chain: MovingJoints) -> Ints:
        """Return the index of each of the n variables in the group's order, (n,)."""
        return np.array([self.joint_names.index(name) for name in chain.names], np.int64)

    def with_mimics(self, positions: Floats) -> Floats:
        """Return (..., G) positions with each mimic joint at the value that it mimics.

        A joint that mimics one outside the group keeps its value.
        """
        positions = positions.copy()
        for index, of, multiplier, offset in self._mimics:
            positions[..., index] = multiplier * positions[..., of] + offset
        return positions

    @cached_property
    def _mimics(self) -> tuple[tuple[int, int, float, float], ...]:
        found = []
        for index, name in enumerate(self.joint_names):
            joint = self.description.joint_named[name]
            driver, multiplier, offset = self.description.driver(joint)
            if driver is not joint and driver.name in self.joint_names:
                found.append((index, self.joint_names.index(driver.name), multiplier, offset))
        return tuple(found)
