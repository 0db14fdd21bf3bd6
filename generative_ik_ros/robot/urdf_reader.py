"""Links, joints and shapes from the XML of a URDF, with every value checked."""

import math
from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import RobotDescriptionError, short
from generative_ik_ros.robot.description_source import LIMITS
from generative_ik_ros.robot.elements import (
    GREY,
    MOVING_TYPES,
    CollisionShape,
    Color,
    Joint,
    Loop,
    Mimic,
    Parts,
    Visual,
)
from generative_ik_ros.robot.xml_shapes import color_of, drawn, malformed, read_geometry
from generative_ik_ros.robot.xml_values import (
    attribute,
    bound,
    frozen,
    name_of,
    rpy_frame,
    unit_axis,
)

JOINT_TYPES = (*MOVING_TYPES, "fixed", "floating", "planar")
_Z = frozen(np.array([0.0, 0.0, 1.0]))


def read_urdf(root: Element) -> Parts:
    """Read a robot's name, links, joints and shapes from its URDF.

    Inertial elements, transmissions, simulator and control extensions, comments, and malformed
    visual shapes are left out: an error in them is no reason to refuse a robot whose kinematics
    are sound. Malformed collision elements are kept as such, for those who check collisions.

    Args:
        root: The <robot>; no file or address that it names is ever opened.

    Raises:
        RobotDescriptionError: It is no expanded URDF, or an element of a joint or link is
            malformed.
    """
    links = tuple(name_of(link, "link") for link in root.findall("link"))
    colors = _colors(root)
    visuals, collisions = {}, {}
    for name, link in zip(links, root.findall("link"), strict=True):
        if solids := tuple(_collision(element) for element in link.findall("collision")):
            collisions[name] = solids
        if looks := tuple(v for e in link.findall("visual") for v in _visuals(e, colors)):
            visuals[name] = looks
    joints = tuple(_joint(element) for element in root.findall("joint"))
    name, loops = root.get("name", "")[: LIMITS.max_name], tuple(_loops(root, set(links)))
    return Parts(name, links, joints, visuals, collisions, loops)


def _joint(joint: Element) -> Joint:
    name = name_of(joint, "joint")
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
    axis = _normal(joint) if kind == "planar" else _axis(only("axis") if moves else None, where)
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


def _axis(element: Element | None, where: str) -> Floats:
    return unit_axis(attribute(element, "xyz", "1 0 0", 3, f"{where}: axis xyz"), where)


def _normal(joint: Element) -> Floats:
    """Return the normal of a planar joint's plane; what is no axis does not matter: it is z."""
    try:
        return _axis(joint.find("axis"), "") if joint.find("axis") is not None else _Z
    except RobotDescriptionError:
        return _Z


def _limits(element: Element | None, kind: str, where: str) -> tuple[float, float]:
    given = {
        side: bound(element.attrib[side], f"{where}: limit {side}")
        for side in ("lower", "upper")
        if element is not None and side in element.attrib
    }
    if kind == "continuous" or not given:
        return -math.inf, math.inf
    # URDF: a bound that is left out is zero. Both left out is taken for no limits.
    return given.get("lower", 0.0) + 0.0, given.get("upper", 0.0) + 0.0


def _velocity(element: Element | None) -> float:
    """Return the greatest velocity; exporters that know none leave it out or write 0."""
    try:
        (velocity,) = attribute(element, "velocity", "0", 1, "velocity")
    except RobotDescriptionError:  # it is no part of the kinematics
        return math.inf
    return velocity if velocity > 0.0 else math.inf


def _soft_limits(element: Element | None) -> tuple[float, float] | None:
    """Return the soft limits; exporters that know none leave them out or write 0 and 0."""
    try:
        lower, upper = (
            0.0 if element is None else bound(element.get(f"soft_{side}_limit", "0"), side)
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
        attribute(element, key, default, 1, f"{where}: mimic {key}")
        for key, default in (("multiplier", "1"), ("offset", "0"))
    )
    return Mimic(driver, multiplier, offset)


def _frame(element: Element | None, where: str) -> Floats:
    """Return the (4, 4) frame of an origin element; the identity where there is none."""
    if element is not None and "quat_xyzw" in element.attrib:
        raise RobotDescriptionError(
            f"{where}: origin quat_xyzw (URDF 1.2) is not supported, write it as rpy"
        )
    xyz = attribute(element, "xyz", "0 0 0", 3, f"{where}: origin xyz")
    rpy = attribute(element, "rpy", "0 0 0", 3, f"{where}: origin rpy")
    return rpy_frame(xyz, rpy)


def _visuals(element: Element, colors: Mapping[str, Color]) -> Iterator[Visual]:
    """Yield what is drawn for a visual element: nothing if it is malformed."""
    try:
        frame = _frame(element.find("origin"), "visual")
        geometry = read_geometry(element, "filename", Element.get)
    except RobotDescriptionError:
        return
    material = element.find("material")
    own = None if material is None else _color(material)
    rgba = own or (GREY if material is None else colors.get(_material_name(material), GREY))
    yield from drawn(geometry, frame, rgba)


def _collision(element: Element) -> CollisionShape:
    """Return a collision shape, which says what is wrong with it where it is malformed."""
    try:
        frame = _frame(element.find("origin"), "its")
        kind, size, uri = read_geometry(element, "filename", Element.get)
    except RobotDescriptionError as error:
        return malformed(str(error))
    return CollisionShape(kind, size, uri, frame)


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
        rgba = attribute(color, "rgba", "", 4, "rgba")
    except RobotDescriptionError:
        return None
    return color_of(rgba)


def _material_name(material: Element) -> str:
    return material.get("name", "")[: LIMITS.max_name]
