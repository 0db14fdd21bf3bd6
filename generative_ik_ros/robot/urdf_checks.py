"""Checks of URDF elements: what kinematics needs of a document, with every value checked."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement

from generative_ik_ros.errors import RobotDescriptionError
from generative_ik_ros.robot.urdf_source import quoted, safe_tree, short

MAX_NAME = 1000
"""Characters in a name."""
MAX_URI = 4096
MAX_MAGNITUDE = 1e6
"""Larger numbers in a robot's kinematics, in [m] or [rad], are taken for mistakes."""

JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
MOVING_TYPES = ("revolute", "continuous", "prismatic")

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_SHAPES = {
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "sphere": ("radius",),
    "mesh": ("filename",),
}


def parse_urdf(text: str | bytes) -> Element:
    """Parse URDF text into a tree of known, checked elements and nothing else.

    The result holds the robot's materials, links with their visual shapes, and joints. Inertial
    and collision elements, transmissions, simulator and control extensions, comments, and
    malformed visual shapes are left out: an error in them is no reason to refuse a robot whose
    kinematics are sound.

    Args:
        text: The URDF document; no file or address that it names is ever opened.

    Raises:
        RobotDescriptionError: The text is too large, is not XML, declares a DOCTYPE or
            entities, is no expanded URDF, or an element of a joint or link is malformed.
    """
    root = safe_tree(text)
    clean = Element("robot", name=root.get("name", "")[:MAX_NAME])
    for material in root.findall("material"):
        _copy_material(clean, material)
    for link in root.findall("link"):
        copy = SubElement(clean, "link", name=_name(link, "link"))
        for visual in link.findall("visual"):
            _copy_visual(copy, visual)
    for joint in root.findall("joint"):
        _copy_joint(clean, joint)
    for kind in ("link", "joint"):
        for name, count in Counter(one.get("name", "") for one in clean.iter(kind)).items():
            if count > 1:
                raise RobotDescriptionError(f"{count} {kind}s are named '{short(name)}'")
    if clean.find("link") is None:
        raise RobotDescriptionError("the robot has no links")
    return clean


def _copy_joint(robot: Element, joint: Element) -> None:
    name = _name(joint, "joint")
    where = f"joint '{short(name)}'"
    kind = joint.get("type")
    if kind is None:
        raise RobotDescriptionError(f"{where} has no type; valid: {', '.join(JOINT_TYPES)}")
    if kind not in JOINT_TYPES:
        raise RobotDescriptionError(
            f"{where} has the unknown type '{short(kind)}'; valid: {', '.join(JOINT_TYPES)}"
        )
    copy = SubElement(robot, "joint", name=name, type=kind)

    def only(tag: str) -> Element | None:
        found = joint.findall(tag)
        if len(found) > 1:
            raise RobotDescriptionError(f"{where} has {len(found)} <{tag}> elements")
        return found[0] if found else None

    for tag in ("parent", "child"):
        element = only(tag)
        link = None if element is None else element.get("link")
        if not link:
            raise RobotDescriptionError(f"{where} has no {tag} link")
        SubElement(copy, tag, link=link)
    if (origin := only("origin")) is not None:
        _copy_origin(copy, origin, where)
    if kind not in MOVING_TYPES:
        # Exporters write zero axes and stray limits on joints that do not use them.
        return
    if (axis := only("axis")) is not None:
        xyz = _numbers(axis.get("xyz", "1 0 0"), 3, f"{where}: axis xyz")
        if math.hypot(*xyz) < 1e-6:
            raise RobotDescriptionError(f"{where} has a zero axis")
        SubElement(copy, "axis", xyz=_text(xyz))
    if (limit := only("limit")) is not None:
        given = {
            side: _text(_numbers(limit.attrib[side], 1, f"{where}: limit {side}", bound=math.inf))
            for side in ("lower", "upper")
            if side in limit.attrib
        }
        SubElement(copy, "limit", given)
    if (mimic := only("mimic")) is not None:
        driver = mimic.get("joint")
        if not driver:
            raise RobotDescriptionError(f"{where}: its mimic element names no joint")
        factors = {
            key: _text(_numbers(mimic.get(key, default), 1, f"{where}: mimic {key}"))
            for key, default in (("multiplier", "1"), ("offset", "0"))
        }
        SubElement(copy, "mimic", {"joint": driver, **factors})


def _copy_origin(parent: Element, origin: Element, where: str) -> None:
    if "quat_xyzw" in origin.attrib:
        raise RobotDescriptionError(
            f"{where}: origin quat_xyzw (URDF 1.2) is not supported, write it as rpy"
        )
    xyz = _numbers(origin.get("xyz", "0 0 0"), 3, f"{where}: origin xyz")
    rpy = _numbers(origin.get("rpy", "0 0 0"), 3, f"{where}: origin rpy")
    SubElement(parent, "origin", xyz=_text(xyz), rpy=_text(rpy))


def _copy_visual(link: Element, visual: Element) -> None:
    copy = Element("visual")
    try:
        for origin in visual.findall("origin")[:1]:
            _copy_origin(copy, origin, "visual")
        (geometry,) = visual.findall("geometry")
        (shape,) = (child for child in geometry if child.tag in _SHAPES)
        kept = {key: shape.attrib[key] for key in _SHAPES[shape.tag]}
        for key, value in kept.items():
            if key == "filename":
                kept[key] = value[:MAX_URI]
            else:
                kept[key] = _text(_numbers(value, 3 if key == "size" else 1, key))
        if "scale" in shape.attrib:
            kept["scale"] = _text(_numbers(shape.attrib["scale"], 3, "scale"))
    except (RobotDescriptionError, ValueError, KeyError):
        return
    SubElement(SubElement(copy, "geometry"), shape.tag, kept)
    for material in visual.findall("material")[:1]:
        _copy_material(copy, material)
    link.append(copy)


def _copy_material(parent: Element, material: Element) -> None:
    copy = SubElement(parent, "material", name=material.get("name", "")[:MAX_NAME])
    for color in material.findall("color")[:1]:
        try:
            rgba = _numbers(color.get("rgba", ""), 4, "rgba")
        except RobotDescriptionError:
            continue
        SubElement(copy, "color", rgba=_text(min(max(part, 0.0), 1.0) for part in rgba))


def _numbers(text: str, count: int, where: str, bound: float = MAX_MAGNITUDE) -> tuple[float, ...]:
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
    if len(name) > MAX_NAME:
        raise RobotDescriptionError(f"the {kind} name {quoted(name)} is over {MAX_NAME} long")
    if "${" in name or "$(" in name:
        raise RobotDescriptionError(
            f"the {kind} name {quoted(name)} is unexpanded xacro; run xacro on the file first"
        )
    return name


def _text(numbers: Iterable[float]) -> str:
    return " ".join(repr(float(number)) for number in numbers)
