"""The links and joints of a robot, read from its URDF, checked and frozen."""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from os import PathLike
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import RobotDescriptionError
from generative_ik_ros.robot.urdf_checks import MOVING_TYPES, parse_urdf
from generative_ik_ros.robot.urdf_source import read_source, short

_GREY = (0.7, 0.7, 0.7, 1.0)


@dataclass(frozen=True)
class Mimic:
    """A joint follows another: position = multiplier * position of `joint` + offset.

    Attributes:
        joint: Name of the joint that is followed.
        multiplier: Factor, in units of this joint per unit of the other.
        offset: Position at the other joint's zero [rad or m].
    """

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint between a parent and a child link.

    Attributes:
        name: Unique among the robot's joints.
        type: One of "revolute", "continuous", "prismatic", "fixed", "floating", "planar".
        parent: Name of the parent link.
        child: Name of the child link.
        child_in_parent: (4, 4) child frame in the parent frame at position zero [m].
        axis: (3,) unit vector in the joint frame, which is the child frame at position zero.
        lower: Least position [rad or m]; -inf where none is given and for continuous joints.
        upper: Greatest position [rad or m]; inf where none is given and for continuous joints.
        mimic: The joint that this one follows, or None.
    """

    name: str
    type: str
    parent: str
    child: str
    child_in_parent: NDArray[np.float64]
    axis: NDArray[np.float64]
    lower: float
    upper: float
    mimic: Mimic | None

    @property
    def moves(self) -> bool:
        """Whether the joint is revolute, continuous or prismatic."""
        return self.type in MOVING_TYPES


@dataclass(frozen=True, eq=False)
class Visual:
    """A shape that is drawn for a link.

    Attributes:
        shape: "box", "cylinder", "sphere" or "mesh".
        size: Box x, y, z [m]; cylinder radius, length [m]; sphere radius [m]; mesh scale x, y, z.
        mesh_uri: The mesh's address as the description has it, never opened here; else "".
        visual_in_link: (4, 4) the shape's frame in the link's frame [m].
        rgba: Red, green, blue and opacity, each from 0 to 1.
    """

    shape: str
    size: tuple[float, ...]
    mesh_uri: str
    visual_in_link: NDArray[np.float64]
    rgba: tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class RobotDescription:
    """The kinematic tree and the visual shapes of a robot.

    Attributes:
        name: The robot's name in the description, "" where it has none.
        links: Link names in the order of the description.
        joints: Joints in the order of the description.
        root: The link that is no joint's child.
        visuals: The shapes of each link that has any.
    """

    name: str
    links: tuple[str, ...]
    joints: tuple[Joint, ...]
    root: str
    visuals: Mapping[str, tuple[Visual, ...]]

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

    @classmethod
    def from_urdf(cls, source: str | PathLike[str]) -> "RobotDescription":
        """Read a URDF from its text or from a file.

        Meshes, and every other address in the description, are never opened.

        Args:
            source: URDF text (starts with "<") or a path.

        Raises:
            RobotDescriptionError: The description cannot be read or is no sound tree of links.
        """
        return cls.from_urdf_text(read_source(source))

    @classmethod
    def from_urdf_text(cls, text: str | bytes) -> "RobotDescription":
        """Read a URDF from its text; for text from the network, which must not name a file.

        Args:
            text: URDF text.

        Raises:
            RobotDescriptionError: As `from_urdf`.
        """
        robot = _load(parse_urdf(text))
        links = tuple(link.name for link in robot.links)
        joints = tuple(_joint(joint) for joint in robot.joints)
        root = _root(links, joints)
        _check_mimics(joints)
        colors = {m.name: _rgba(m) for m in robot.materials if m.color is not None}
        for visual in (v for link in robot.links for v in link.visuals if v.material is not None):
            if visual.material.color is not None:
                colors.setdefault(visual.material.name, _rgba(visual.material))
        visuals = {
            link.name: tuple(_visual(visual, colors) for visual in link.visuals)
            for link in robot.links
            if link.visuals
        }
        return cls(robot.name, links, joints, root, visuals)


def _load(clean: ElementTree.Element) -> Any:  # noqa: ANN401 (yourdfpy.Robot)
    # Imported here: yourdfpy pulls in trimesh and scipy, 0.7 s on two cores.
    import yourdfpy

    document = BytesIO(ElementTree.tostring(clean, encoding="utf-8"))
    return yourdfpy.URDF.load(document, build_scene_graph=False, load_meshes=False).robot


def _joint(joint: Any) -> Joint:  # noqa: ANN401 (yourdfpy.Joint)
    lower, upper = 0.0, 0.0
    if joint.type in MOVING_TYPES:
        lower, upper = -np.inf, np.inf
    limit = joint.limit
    if limit is not None and joint.type in ("revolute", "prismatic"):
        given = [side for side in (limit.lower, limit.upper) if side is not None]
        if given:
            # URDF: a bound that is left out is zero. Both left out is taken for no limits.
            lower, upper = float(limit.lower or 0.0), float(limit.upper or 0.0)
    axis = np.array([1.0, 0.0, 0.0]) if joint.axis is None else np.array(joint.axis, float)
    mimic = joint.mimic
    return Joint(
        name=joint.name,
        type=joint.type,
        parent=joint.parent,
        child=joint.child,
        child_in_parent=_frozen(np.eye(4) if joint.origin is None else joint.origin),
        axis=_frozen(axis / np.linalg.norm(axis)),
        lower=lower,
        upper=upper,
        mimic=None
        if mimic is None
        else Mimic(mimic.joint, float(mimic.multiplier), float(mimic.offset)),
    )


def _visual(visual: Any, colors: Mapping[str, tuple]) -> Visual:  # noqa: ANN401
    geometry, uri = visual.geometry, ""
    if geometry.box is not None:
        shape, size = "box", geometry.box.size
    elif geometry.cylinder is not None:
        shape, size = "cylinder", (geometry.cylinder.radius, geometry.cylinder.length)
    elif geometry.sphere is not None:
        shape, size = "sphere", (geometry.sphere.radius,)
    else:
        shape, uri = "mesh", geometry.mesh.filename
        size = (1.0, 1.0, 1.0) if geometry.mesh.scale is None else geometry.mesh.scale
    rgba = _GREY
    if visual.material is not None:
        rgba = colors.get(visual.material.name, _GREY)
        if visual.material.color is not None:
            rgba = _rgba(visual.material)
    frame = np.eye(4) if visual.origin is None else visual.origin
    return Visual(shape, tuple(float(part) for part in size), uri, _frozen(frame), rgba)


def _rgba(material: Any) -> tuple[float, float, float, float]:  # noqa: ANN401
    red, green, blue, opacity = (float(part) for part in material.color.rgba)
    return red, green, blue, opacity


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
                f"'{parent_joint[joint.child].name}' and '{joint.name}'; a URDF is a tree"
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
            if joint.mimic.joint not in by_name:
                raise RobotDescriptionError(
                    f"joint '{joint.name}' mimics '{short(joint.mimic.joint)}', which is not "
                    f"defined; "
                    f"joints: {listed(by_name)}"
                )
            followed[joint.name] = None
            joint = by_name[joint.mimic.joint]
        sound.update(followed)


def listed(names: Any, most: int = 40) -> str:  # noqa: ANN401 (any collection of str)
    """Write names as a comma separated list, and how many more there are after `most`."""
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(short, names[:most])) + more


def _frozen(array: Any) -> NDArray[np.float64]:  # noqa: ANN401
    array = np.array(array, dtype=np.float64)
    array.flags.writeable = False
    return array
