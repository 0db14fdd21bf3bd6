"""The links and joints of a robot, read from its description, checked and frozen."""

from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path

from generative_ik_ros.errors import RobotDescriptionError, check_names, listed, short
from generative_ik_ros.robot.description_source import LIMITS, read_source
from generative_ik_ros.robot.elements import (
    CollisionShape,
    Coupling,
    Joint,
    Loop,
    Parts,
    Visual,
)
from generative_ik_ros.robot.formats import read_parts


@dataclass(frozen=True, eq=False)
class RobotDescription:
    """The kinematic tree and the shapes of a robot.

    Attributes:
        name: The robot's name in the description, "" where it has none.
        links: Link names in the order of the description.
        joints: Joints in the order of the description.
        root: The link that is no joint's child.
        visuals: The shapes of each link that has any.
        collisions: The collision shapes of each link that has any; malformed ones included.
        file: The file it was read from, None for text.
        loops: Joints that close loops of links.
        couplings: Joints whose weighted sums stay within bounds.
    """

    name: str
    links: tuple[str, ...]
    joints: tuple[Joint, ...]
    root: str
    visuals: Mapping[str, tuple[Visual, ...]]
    collisions: Mapping[str, tuple[CollisionShape, ...]] = field(default_factory=dict)
    file: Path | None = None
    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()

    @cached_property
    def joint_named(self) -> Mapping[str, Joint]:
        """The joints by name."""
        return {joint.name: joint for joint in self.joints}

    @cached_property
    def parent_joint(self) -> Mapping[str, Joint]:
        """The joint above each link, by the link's name; the root has none."""
        return {joint.child: joint for joint in self.joints}

    @cached_property
    def child_joints(self) -> Mapping[str, tuple[Joint, ...]]:
        """The joints below each link, by the link's name; leaf links are left out."""
        below: dict[str, list[Joint]] = {}
        for joint in self.joints:
            below.setdefault(joint.parent, []).append(joint)
        return {link: tuple(joints) for link, joints in below.items()}

    def joints_above(self, link: str) -> list[Joint]:
        """Return the joints between a link and the root, from the link upwards."""
        joints = []
        while link in self.parent_joint:
            joints.append(self.parent_joint[link])
            link = joints[-1].parent
        return joints

    def check_links(self, *names: str | None) -> None:
        """Check that the robot has links of these names, of which None are left out.

        Raises:
            UnknownNameError: It does not.
        """
        for name in names:
            if name is not None:
                check_names("link", [name], self.links)

    def driver(self, joint: Joint, given: Container[str] = ()) -> tuple[Joint, float, float]:
        """Follow mimics from a joint to the one that drives it.

        Args:
            joint: One of the robot's joints.
            given: Names of joints to stop at, though they mimic others.

        Returns:
            The driver, which is the joint itself where it does not mimic another, and multiplier
            and offset: position = multiplier * position of the driver + offset.
        """
        multiplier, offset = 1.0, 0.0
        while joint.mimic is not None and joint.name not in given:
            offset += multiplier * joint.mimic.offset
            multiplier *= joint.mimic.multiplier
            joint = self.joint_named[joint.mimic.joint]
        return joint, multiplier, offset

    def __repr__(self) -> str:
        """Say in a line how large the robot is."""
        return (
            f"RobotDescription('{self.name}', {len(self.links)} links, {len(self.joints)} joints)"
        )

    @classmethod
    def from_urdf(
        cls, source: str | PathLike[str], *, xacro_args: Mapping[str, str] | None = None
    ) -> "RobotDescription":
        """Read a URDF, SDF or MJCF from its text or from a file, which may be a xacro file.

        The root element says which it is. Meshes, and every other address in the description, are
        never opened; only MJCF and xacro files may include others.

        Args:
            source: Text (starts with "<") or a path. A file whose name ends with ".xacro" is
                expanded, which evaluates expressions in it: it has to be a trusted one.
            xacro_args: Values of the arguments of a xacro file, by name.

        Raises:
            RobotDescriptionError: The description cannot be read or is no sound tree of links.
            MissingDependencyError: It is MJCF or a xacro file, whose readers are not installed.
            InvalidArgumentError: There are `xacro_args`, but it is no xacro file.
        """
        text = read_source(source, xacro_args)
        file = None if text is source else Path(source)
        # What xacro has made is read as text: it is no file.
        parts = read_parts(text, file if isinstance(text, bytes) else None)
        return replace(cls._of(parts), file=file)

    @classmethod
    def of(cls, source: "str | PathLike[str] | RobotDescription") -> "RobotDescription":
        """Return a description that was read before as it is, and read any other source.

        Raises:
            RobotDescriptionError, MissingDependencyError: As `from_urdf`.
        """
        return source if isinstance(source, RobotDescription) else cls.from_urdf(source)

    @classmethod
    def from_urdf_text(cls, text: str | bytes) -> "RobotDescription":
        """Read a description from its text; for text from the network, which must not name a file.

        Args:
            text: URDF, SDF or MJCF text.

        Raises:
            RobotDescriptionError, MissingDependencyError: As `from_urdf`.
        """
        return cls._of(read_parts(text))

    @classmethod
    def _of(cls, parts: Parts) -> "RobotDescription":
        """Return a robot of some parts, once they are found to make a tree."""
        _check_names(parts)
        if len(parts.loops) + len(parts.couplings) > LIMITS.max_loops:
            raise RobotDescriptionError(
                f"the robot has more than {LIMITS.max_loops} closed loops and couplings"
            )
        root = _root(parts.links, parts.joints)
        joints = _with_known_drivers(parts.joints)
        _check_mimics(joints)
        return cls(root=root, **parts._replace(joints=joints)._asdict())


def _check_names(parts: Parts) -> None:
    for kind, names in (("link", parts.links), ("joint", [joint.name for joint in parts.joints])):
        for name, count in Counter(names).items():
            if count > 1:
                raise RobotDescriptionError(f"{count} {kind}s are named '{short(name)}'")
    if not parts.links:
        raise RobotDescriptionError("the robot has no links")


def _root(links: tuple[str, ...], joints: tuple[Joint, ...]) -> str:
    """Check that the joints make one tree of the links, and return the link at its root."""
    known, parent_joint = set(links), {}
    for joint in joints:
        for end in ("parent", "child"):
            link = getattr(joint, end)
            if link not in known:
                raise RobotDescriptionError(
                    f"joint '{joint.name}' has the {end} link '{short(link)}', which is not "
                    f"defined; links: {listed(links)}"
                )
        if joint.parent == joint.child:
            raise RobotDescriptionError(f"joint '{joint.name}' joins '{joint.child}' to itself")
        if joint.child in parent_joint:
            raise RobotDescriptionError(
                f"link '{joint.child}' is the child of two joints, "
                f"'{parent_joint[joint.child].name}' and '{joint.name}'; links must be a tree"
            )
        parent_joint[joint.child] = joint
    roots = [link for link in links if link not in parent_joint]
    if len(roots) > 1:
        raise RobotDescriptionError(
            f"the robot has {len(roots)} root links, it must have one: {listed(roots)}"
        )
    children: dict[str, list[str]] = {}
    for joint in joints:
        children.setdefault(joint.parent, []).append(joint.child)
    reached = list(roots)
    for link in reached:
        reached.extend(children.get(link, ()))
    if len(reached) < len(links):
        rest = [link for link in links if link not in set(reached)]
        raise RobotDescriptionError(f"these links form a loop: {listed(rest)}")
    return roots[0]


def _with_known_drivers(joints: tuple[Joint, ...]) -> tuple[Joint, ...]:
    """Return joints of which those that mimic none of them are for no chain, as in one hand."""
    names = {joint.name for joint in joints}
    return tuple(
        joint
        if joint.mimic is None or joint.mimic.joint in names
        else replace(
            joint,
            mimic=None,
            obstacle=f"mimics '{short(joint.mimic.joint)}', which is not defined",
        )
        for joint in joints
    )


def _check_mimics(joints: tuple[Joint, ...]) -> None:
    by_name = {joint.name: joint for joint in joints}
    sound: set[str] = set()
    for joint in joints:
        followed: dict[str, None] = {}
        while joint.mimic is not None and joint.name not in sound:
            if joint.mimic.joint == joint.name:
                raise RobotDescriptionError(f"joint '{joint.name}' mimics itself")
            if joint.name in followed:
                raise RobotDescriptionError(
                    f"joints mimic each other in a circle: {listed(followed)}"
                )
            followed[joint.name] = None
            joint = by_name[joint.mimic.joint]
        sound.update(followed)
