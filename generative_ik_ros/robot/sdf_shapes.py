"""Visual and collision shapes of an SDF model's links."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import RobotDescriptionError
from generative_ik_ros.robot.elements import GREY, CollisionShape, Color, Visual
from generative_ik_ros.robot.sdf_frames import Frames, read_pose
from generative_ik_ros.robot.xml_shapes import color_of, drawn, malformed, read_geometry
from generative_ik_ros.robot.xml_values import frozen, numbers


def read_collisions(link: Element, name: str, frames: Frames) -> Iterator[CollisionShape]:
    """Yield the collision shapes of a link, malformed ones included."""
    for element in link.findall("collision"):
        try:
            pose = _pose(element, name, frames)
            if element.find("geometry/plane") is not None:
                yield CollisionShape("plane", (), "", pose)
                continue
            kind, size, uri = read_geometry(element, "uri", Element.findtext)
        except RobotDescriptionError as error:
            yield malformed(str(error))
            continue
        if element.find("geometry/mesh/submesh") is not None:
            yield malformed("a part of a mesh (<submesh>) is not supported")
        else:
            yield CollisionShape(kind, size, uri, pose)


def read_visuals(link: Element, name: str, frames: Frames) -> Iterator[Visual]:
    """Yield the visual shapes of a link that can be drawn."""
    for element in link.findall("visual"):
        try:
            pose = _pose(element, name, frames)
            geometry = read_geometry(element, "uri", Element.findtext)
        except RobotDescriptionError:
            continue
        yield from drawn(geometry, pose, _color(element))


def _pose(element: Element, link: str, frames: Frames) -> Floats:
    scope = link.rpartition("::")[0]
    above, pose = read_pose(element, f"{scope}::" if scope else "", link, "its")
    return frozen(frames.pose_in(above, link) @ pose)


def _color(element: Element) -> Color:
    try:
        return color_of(numbers(element.findtext("material/diffuse", ""), 4, "diffuse"))
    except RobotDescriptionError:
        return GREY
