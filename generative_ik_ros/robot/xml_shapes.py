"""Shapes of links in the XML of robot descriptions."""

from collections.abc import Callable, Iterator
from xml.etree.ElementTree import Element

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import RobotDescriptionError, short
from generative_ik_ros.robot.description_source import LIMITS
from generative_ik_ros.robot.elements import CollisionShape, Color, Visual
from generative_ik_ros.robot.xml_values import frozen, numbers

SOLIDS = {
    "box": {"size": 3},
    "cylinder": {"radius": 1, "length": 1},
    "capsule": {"radius": 1, "length": 1},
    "sphere": {"radius": 1},
}
"""What each shape has, and how many numbers that is."""

LEAST_LENGTH = 1e-6
"""Shorter lengths count as this [m]: descriptions have points of contact that are spheres without
a radius, and boxes without a size in links that need something."""

Geometry = tuple[str, tuple[float, ...], str]
"""A shape's kind, its size, and the address of its mesh or "", as of a `CollisionShape`."""


def read_geometry(
    element: Element, address: str, value: Callable[[Element, str], str | None]
) -> Geometry:
    """Return the shape of a <visual> or <collision>.

    Args:
        element: It.
        address: What holds the address of a mesh.
        value: Returns what a shape has of some name: an attribute of a URDF, an element of an SDF.

    Raises:
        RobotDescriptionError: It has none or several, of another kind, or of a size below 0.
    """
    geometries = element.findall("geometry")
    found = [child for geometry in geometries for child in geometry]
    if len(geometries) != 1 or len(found) != 1 or found[0].tag not in (*SOLIDS, "mesh"):
        tags = ", ".join(short(child.tag) for child in found[:4]) or "none"
        raise RobotDescriptionError(
            f"one geometry is needed, of {', '.join(SOLIDS)} and mesh; it has {tags}"
        )
    (shape,) = found
    kind = shape.tag
    wanted = {address: 1} if kind == "mesh" else SOLIDS[kind]
    given = {key: (value(shape, key) or "").strip() for key in wanted}
    if missing := [key for key, text in given.items() if not text]:
        raise RobotDescriptionError(f"its {kind} has no {missing[0]}")
    if kind == "mesh":
        if len(given[address]) > LIMITS.max_uri:
            raise RobotDescriptionError(f"the mesh's address has {len(given[address])} characters")
        scale = numbers(value(shape, "scale") or "1 1 1", 3, "the mesh's scale")
        if 0.0 in scale:
            raise RobotDescriptionError("the mesh's scale holds a zero")
        return kind, scale, given[address]
    size = tuple(
        number
        for key, count in wanted.items()
        for number in numbers(given[key], count, f"the {kind}'s {key}")
    )
    if min(size) < 0.0:
        raise RobotDescriptionError(f"the {kind} has a length below 0")
    return kind, tuple(max(number, LEAST_LENGTH) for number in size), ""


def malformed(fault: str) -> CollisionShape:
    """Return what stands for a collision shape that cannot be used, and why."""
    return CollisionShape("", (), "", frozen(np.eye(4)), fault)


def drawn(geometry: Geometry, pose: Floats, rgba: Color) -> Iterator[Visual]:
    """Yield what is drawn for a shape: a capsule is a cylinder with a sphere at each end.

    Args:
        geometry: The shape.
        pose: (4, 4) its frame in the link [m].
        rgba: Its colour.
    """
    kind, size, uri = geometry
    if kind != "capsule":
        yield Visual(kind, size, uri, pose, rgba)
        return
    radius, length = size
    yield Visual("cylinder", size, "", pose, rgba)
    for side in (-0.5, 0.5):
        end = pose.copy()
        end[:3, 3] += side * length * pose[:3, 2]
        yield Visual("sphere", (radius,), "", frozen(end), rgba)


def color_of(rgba: tuple[float, ...]) -> Color:
    """Return a colour whose parts are from 0 to 1."""
    red, green, blue, opacity = (min(max(part, 0.0), 1.0) for part in rgba)
    return red, green, blue, opacity
