"""Links, joints and shapes from the XML of a URDF, with every value checked."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import RobotDescriptionError, short
from generative_ik_ros.robot.elements import (
    GREY,
    MOVING_TYPES,
    CollisionShape,
    Joint,
    Loop,
    Mimic,
    Visual,
)
from generative_ik_ros.robot.urdf_source import LIMITS, quoted, safe_tree

JOINT_TYPES = (*MOVING_TYPES, "fixed", "floating", "planar")

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_SIZES = {"box": {"size": 3}, "cylinder": {"radius": 1, "length": 1}, "sphere": {"radius": 1}}
"""Attributes of each shape, and how many numbers they hold."""
_SOLIDS = {**_SIZES, "capsule": {"radius": 1, "length": 1}}
"""The same for collision shapes."""

Color = tuple[float, float, float, float]


class Parts(NamedTuple):
    """What a URDF holds; see RobotDescription."""

    name: str
    links: tuple[str, ...]
    joints: tuple[Joint, ...]
    visuals: dict[str, tuple[Visual, ...]]
    collisions: dict[str, tuple[CollisionShape, ...]]
    loops: tuple[Loop, ...]


def read_urdf(text: str | bytes) -> Parts:
    """Read a robot's name, links, joints and shapes from its URDF.

    Inertial elements, transmissions, simulator and control extensions, comments, and malformed
    visual shapes are left out: an error in them is no reason to refuse a robot whose kinematics
    are sound. Malformed collision elements are kept as such, for those who check collisions.

    Args:
        text: The URDF document; no file or address that it names is ever opened.

    Raises:
        RobotDescriptionError: The text is too large, is not XML, declares a DOCTYPE or
            entities, is no expanded URDF, or an element of a joint or link is malformed.
    """
    root = safe_tree(text)
    links = tuple(_name(link, "link") for link in root.findall("link"))
    colors = _colors(root)
    visuals, collisions = {}, {}
    for name, link in zip(links, root.findall("link"), strict=True):
        if solids := tuple(_collision(element) for element in link.findall("collision")):
            collisions[name] = solids
        if shapes := [v for e in link.findall("visual") if (v := _visual(e, colors)) is not None]:
            visuals[name] = tuple(shapes)
    joints = tuple(_joint(element) for element in root.findall("joint"))
    for kind, names in (("link", links), ("joint", tuple(joint.name for joint in joints))):
        for name, count in Counter(names).items():
            if count > 1:
                raise RobotDescriptionError(f"{count} {kind}s are named '{short(name)}'")
    if not links:
        raise RobotDescriptionError("the robot has no links")
    name, loops = root.get("name", "")[: LIMITS.max_name], tuple(_loops(root, set(links)))
    return Parts(name, links, joints, visuals, collisions, loops)


def _joint(joint: Element) -> Joint:
    name = _name(joint, "joint")
    where = f"joint '{short(name)}'"
    kind = joint.get("type")
    if kind is None:
        raise RobotDescriptionError(f"{where} has no type; valid: {', '.join(JOINT_TYPES)}")
    if kind not in JOINT_TYPES:
        raise RobotDescriptionError(
            f"{where} has the unknown type '{short(kind)}'; valid: {', '.join(JOINT_TYPES)}"
        )

    def only(tag: str) -> Element | None:
        found = joint.findall(tag)
        if len(found) > 1:
            raise RobotDescriptionError(f"{where} has {len(found)} <{tag}> elements")
        return found[0] if found else None

    def link_of(end: str) -> str:
        element = only(end)
        link = None if element is None else element.get("link")
        if not link:
            raise RobotDescriptionError(f"{where} has no {end} link")
        return link

    parent, child = link_of("parent"), link_of("child")
    frame = _frame(only("origin"), where)
    moves = kind in MOVING_TYPES
    # Exporters write zero axes and stray limits on joints that do not use them.
    axis = _axis(only("axis") if moves else None, where)
    mimic = _mimic(only("mimic") if moves else None, where)
    limit = only("limit") if moves else None
    lower, upper = _limits(limit, kind, where) if moves else (0.0, 0.0)
    velocity = _velocity(limit) if moves else math.inf
    soft = _soft_limits(joint.find("safety_controller")) if moves else None
    given = limit is not None and "lower" in limit.attrib
    if kind == "revolute" and given and -lower == upper == math.inf:
        kind = "continuous"  # exporters write infinite limits where there are none
    return Joint(name, kind, parent, child, frame, axis, lower, upper, mimic, velocity, soft)


def _loops(root: Element, links: set[str]) -> Iterator[Loop]:
    """Yield the loops that Gazebo's and Drake's extensions close between links of the robot."""
    elements = [*root.findall("gazebo/joint"), *root.findall("loop_joint")]
    for element in elements[: LIMITS.max_loops]:
        ends = []
        for tag in ("parent", "child", "link1", "link2"):
            if (end := element.find(tag)) is not None:
                ends.append((end.get("link") or end.text or "").strip().rpartition("::")[2])
        if len(ends) == 2 and ends[0] != ends[1] and links.issuperset(ends):
            yield Loop(element.get("name", "")[: LIMITS.max_name], (ends[0], ends[1]))


def _axis(element: Element | None, where: str) -> NDArray[np.float64]:
    xyz = _attribute(element, "xyz", "1 0 0", 3, f"{where}: axis xyz")
    if math.hypot(*xyz) < 1e-6:
        raise RobotDescriptionError(f"{where} has a zero axis")
    axis = np.array(xyz)
    return _frozen(axis / np.linalg.norm(axis))


def _limits(element: Element | None, kind: str, where: str) -> tuple[float, float]:
    given = {
        side: _limit(element.attrib[side], f"{where}: limit {side}")
        for side in ("lower", "upper")
        if element is not None and side in element.attrib
    }
    if kind == "continuous" or not given:
        return -math.inf, math.inf
    # URDF: a bound that is left out is zero. Both left out is taken for no limits.
    return given.get("lower", 0.0) + 0.0, given.get("upper", 0.0) + 0.0


def _limit(text: str, where: str) -> float:
    word = text.strip().lower()
    if word.lstrip("+-") in ("inf", "infinity"):
        return float(word)
    return _numbers(text, 1, where, bound=math.inf)[0]


def _velocity(element: Element | None) -> float:
    """Return the greatest velocity; exporters that know none leave it out or write 0."""
    try:
        (velocity,) = _attribute(element, "velocity", "0", 1, "velocity")
    except RobotDescriptionError:  # it is no part of the kinematics
        return math.inf
    return velocity if velocity > 0.0 else math.inf


def _soft_limits(element: Element | None) -> tuple[float, float] | None:
    """Return the soft limits; exporters that know none leave them out or write 0 and 0."""
    try:
        lower, upper = (
            0.0 if element is None else _limit(element.get(f"soft_{side}_limit", "0"), side)
            for side in ("lower", "upper")
        )
    except RobotDescriptionError:  # they are no part of the kinematics
        return None
    return None if lower == upper == 0.0 else (lower, upper)


def _mimic(element: Element | None, where: str) -> Mimic | None:
    if element is None:
        return None
    if not (driver := element.get("joint")):
        raise RobotDescriptionError(f"{where}: its mimic element names no joint")
    ((multiplier,), (offset,)) = (
        _attribute(element, key, default, 1, f"{where}: mimic {key}")
        for key, default in (("multiplier", "1"), ("offset", "0"))
    )
    return Mimic(driver, multiplier, offset)


def _frame(element: Element | None, where: str) -> NDArray[np.float64]:
    """Return the (4, 4) frame of an origin element; the identity where there is none."""
    if element is not None and "quat_xyzw" in element.attrib:
        raise RobotDescriptionError(
            f"{where}: origin quat_xyzw (URDF 1.2) is not supported, write it as rpy"
        )
    xyz = _attribute(element, "xyz", "0 0 0", 3, f"{where}: origin xyz")
    rpy = _attribute(element, "rpy", "0 0 0", 3, f"{where}: origin rpy")
    (sr, sp, sy), (cr, cp, cy) = np.sin(rpy), np.cos(rpy)
    frame = np.eye(4)
    frame[:3, :3] = (
        (cp * cy, sp * (sr * cy) - cr * sy, sp * (cr * cy) + sr * sy),
        (cp * sy, sp * (sr * sy) + cr * cy, sp * (cr * sy) - sr * cy),
        (-sp, cp * sr, cp * cr),
    )
    frame[:3, 3] = xyz
    return _frozen(frame + 0.0)  # no negative zeros


def _visual(element: Element, colors: Mapping[str, Color]) -> Visual | None:
    """Return a visual shape, or None if it is malformed."""
    try:
        frame = _frame(element.find("origin"), "visual")
        (geometry,) = element.findall("geometry")
        (shape,) = (child for child in geometry if child.tag in (*_SIZES, "mesh"))
        if shape.tag == "mesh":
            uri = shape.attrib["filename"][: LIMITS.max_uri]
            size = _attribute(shape, "scale", "1 1 1", 3, "scale")
        else:
            uri, sizes = "", _SIZES[shape.tag].items()
            size = tuple(x for key, n in sizes for x in _numbers(shape.attrib[key], n, key))
    except (RobotDescriptionError, ValueError, KeyError):
        return None
    material = element.find("material")
    own = None if material is None else _color(material)
    rgba = own or (GREY if material is None else colors.get(_material_name(material), GREY))
    return Visual(shape.tag, size, uri, frame, rgba)


def _collision(element: Element) -> CollisionShape:
    """Return a collision shape, which says what is wrong with it where it is malformed."""
    try:
        frame = _frame(element.find("origin"), "its")
        geometries = element.findall("geometry")
        found = [child for geometry in geometries for child in geometry]
        if len(geometries) != 1 or len(found) != 1 or found[0].tag not in (*_SOLIDS, "mesh"):
            tags = ", ".join(short(child.tag) for child in found[:4]) or "none"
            raise RobotDescriptionError(
                f"one geometry is needed, of {', '.join(_SOLIDS)} and mesh; it has {tags}"
            )
        (shape,) = found
        wanted = {"filename": 1} if shape.tag == "mesh" else _SOLIDS[shape.tag]
        if missing := [key for key in wanted if not shape.get(key, "").strip()]:
            raise RobotDescriptionError(f"its {shape.tag} has no {missing[0]}")
        if shape.tag == "mesh":
            uri = shape.attrib["filename"].strip()
            if len(uri) > LIMITS.max_uri:
                raise RobotDescriptionError(f"the mesh's address has {len(uri)} characters")
            size = _attribute(shape, "scale", "1 1 1", 3, "the mesh's scale")
            if 0.0 in size:
                raise RobotDescriptionError("the mesh's scale holds a zero")
        else:
            uri = ""
            size = tuple(
                number
                for key, count in wanted.items()
                for number in _numbers(shape.attrib[key], count, f"the {shape.tag}'s {key}")
            )
            if min(size) <= 0.0:
                raise RobotDescriptionError(f"the {shape.tag} has a length that is not above 0")
    except RobotDescriptionError as error:
        return CollisionShape("", (), "", _frozen(np.eye(4)), str(error))
    return CollisionShape(shape.tag, size, uri, frame)


def _colors(root: Element) -> dict[str, Color]:
    """Return the colours of the robot's materials, then of those that links define."""
    colors = {}
    for material in root.findall("material"):
        if (color := _color(material)) is not None:
            colors[_material_name(material)] = color
    for material in root.findall("link/visual/material"):
        if (color := _color(material)) is not None:
            colors.setdefault(_material_name(material), color)
    return colors


def _color(material: Element) -> Color | None:
    color = material.find("color")
    try:
        numbers = _attribute(color, "rgba", "", 4, "rgba")
    except RobotDescriptionError:
        return None
    red, green, blue, opacity = (min(max(part, 0.0), 1.0) for part in numbers)
    return red, green, blue, opacity


def _material_name(material: Element) -> str:
    return material.get("name", "")[: LIMITS.max_name]


def _attribute(
    element: Element | None, key: str, default: str, count: int, where: str
) -> tuple[float, ...]:
    text = default if element is None else element.get(key, default)
    return _numbers(text, count, where)


def _numbers(
    text: str, count: int, where: str, bound: float = LIMITS.max_magnitude
) -> tuple[float, ...]:
    words = text.split()
    if any("${" in word or "$(" in word for word in words):
        raise RobotDescriptionError(
            f"{where} is {quoted(text)}: unexpanded xacro; run xacro on the file first"
        )
    if len(words) != count:
        wanted = "1 number" if count == 1 else f"{count} numbers"
        raise RobotDescriptionError(f"{where} needs {wanted}, got {quoted(text)}")
    for word in words:
        if word.lstrip("+-").lower() in ("nan", "inf", "infinity"):
            raise RobotDescriptionError(f"{where} is not finite: {quoted(text)}")
        if not _NUMBER.fullmatch(word):
            raise RobotDescriptionError(f"{where} holds {quoted(word)}, which is no number")
    values = tuple(float(word) for word in words)
    if not all(math.isfinite(value) and abs(value) <= bound for value in values):
        raise RobotDescriptionError(f"{where} is too large: {quoted(text)}")
    return values


def _name(element: Element, kind: str) -> str:
    name = element.get("name", "")
    if not name.strip():
        raise RobotDescriptionError(f"a {kind} has no name")
    if len(name) > LIMITS.max_name:
        raise RobotDescriptionError(
            f"the {kind} name {quoted(name)} is over {LIMITS.max_name} long"
        )
    if "${" in name or "$(" in name:
        raise RobotDescriptionError(
            f"the {kind} name {quoted(name)} is unexpanded xacro; run xacro on the file first"
        )
    return name


def _frozen(array: NDArray[np.float64]) -> NDArray[np.float64]:
    array.flags.writeable = False
    return array
