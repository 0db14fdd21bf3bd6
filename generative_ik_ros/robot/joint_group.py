"""A planning group of a robot: its joints in MoveIt's order, and its chains."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import RobotDescriptionError, UnknownNameError, listed
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.elements import Joint
from generative_ik_ros.robot.fold import path
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
    """

    name: str
    description: RobotDescription
    base_link: str
    tip_link: str
    joint_names: tuple[str, ...]

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
        members = semantic.members(name)
        joints: set[str] = set()
        for member in members:
            joints.update(_known("joint", member.joints, description.joint_named))
            for link in _known("link", member.links, description.links):
                if link in description.parent_joint:
                    joints.add(description.parent_joint[link].name)
            for base, tip in member.chains:
                _known("link", (base, tip), description.links)
                joints.update(joint.name for joint, _ in path(description, base, tip))
        ordered = [joint for joint in _top_down(description) if joint.name in joints]
        moving = tuple(joint.name for joint in ordered if joint.moves)
        if not moving:
            raise RobotDescriptionError(f"no joint of group '{name}' moves")
        (whole, *_) = members
        if len(members) == 1 and len(whole.chains) == 1 and not whole.joints + whole.links:
            base, tip = whole.chains[0]
        else:
            base = _common_root(description, ordered)
            tip = _only_tip(description, semantic, name, ordered)
        return cls(name, description, base, tip, moving)

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
        chain = KinematicChain.from_urdf(description, base_link or None, tip_link or None)
        on_path = [joint for joint, _ in path(description, chain.base_link, chain.tip_link)]
        names = dict.fromkeys(joint.name for joint in on_path if joint.moves)
        names.update(dict.fromkeys(chain.names))
        return cls(name, description, chain.base_link, chain.tip_link, tuple(names))

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
        _known("link", (tip,), self.description.links)
        passed = path(self.description, self.base_link, tip)
        moving = [joint.name for joint, _ in passed if joint.moves]
        if not set(moving) & set(self.joint_names):
            raise RobotDescriptionError(f"group '{self.name}' does not move link '{tip}'")
        chain = KinematicChain.from_urdf(self.description, self.base_link, tip)
        foreign = [name for name in (*moving, *chain.names) if name not in self.joint_names]
        if foreign:
            raise RobotDescriptionError(
                f"link '{tip}' is moved by joints that are not in group '{self.name}' as well: "
                + listed(dict.fromkeys(foreign))
            )
        return chain

    @cached_property
    def default_positions(self) -> NDArray[np.float64]:
        """(G,) 0 for each joint where its limits allow it, else the middle of them [rad or m]."""
        values = []
        for joint in map(self.description.joint_named.__getitem__, self.joint_names):
            inside = joint.lower <= 0.0 <= joint.upper
            values.append(0.0 if inside else 0.5 * (joint.lower + joint.upper))
        return np.array(values)

    def indices(self, chain: KinematicChain) -> NDArray[np.int64]:
        """Return the index of each of a chain's n variables in the group's order, (n,)."""
        return np.array([self.joint_names.index(name) for name in chain.names], np.int64)

    def with_mimics(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
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


def _known(kind: str, names: Iterable[str], choices: Iterable[str]) -> Iterable[str]:
    names, choices = tuple(names), choices if isinstance(choices, Mapping) else set(choices)
    for name in names:
        if name not in choices:
            raise UnknownNameError(kind, name, sorted(choices))
    return names


def _top_down(description: RobotDescription) -> Iterator[Joint]:
    """Yield every joint, depth first, siblings by name: the order of MoveIt's variables."""
    todo = [description.root]
    while todo:
        link = todo.pop()
        if link in description.parent_joint:
            yield description.parent_joint[link]
        below = sorted(description.child_joints.get(link, ()), key=lambda joint: joint.name)
        todo.extend(joint.child for joint in reversed(below))


def _common_root(description: RobotDescription, joints: list[Joint]) -> str:
    """Return the lowest link that is above all of the joints."""
    ways = [description.joints_above(joint.child)[::-1] for joint in joints]
    shared = [
        each[0].parent for each in zip(*ways, strict=False) if len({j.parent for j in each}) == 1
    ]
    return shared[-1]


def _only_tip(
    description: RobotDescription,
    semantic: SemanticDescription,
    name: str,
    joints: list[Joint],
) -> str:
    """Return the link that carries the end effector, or the end of a serial group, or ""."""
    mounts = {tool.parent_link for tool in semantic.end_effectors if tool.parent_group == name}
    if len(mounts) == 1 and mounts <= set(description.links):
        return mounts.pop()
    last = joints[-1].child
    above = description.joints_above(last)
    return last if all(joint in above for joint in joints) else ""
