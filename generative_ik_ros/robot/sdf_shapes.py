"""Visual and collision shapes of an SDF model's links."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import RobotDescriptionError
from generative_ik_ros.robot.elements import GREY, CollisionShape, Color, Visual
from generative_ik_ros.robot.sdf_frames import Frames, read_pose
from generative_ik_ros.robot.xml_shapes import color_of, drawn, malformed, read_geometry
from generative_ik_ros.robot.xml_values import frozen, numbers


class Shapes:
    """The shapes of links.

    Args:
        frames: In which they may be given.

    Attributes:
        visuals: The visual shapes of each link that has any that can be drawn.
        collisions: The collision shapes of each link that has any, malformed ones included.
    """

    def __init__(self, frames: Frames):
        """Begin with no links."""
        self._frames = frames
        self.visuals: dict[str, tuple[Visual, ...]] = {}
        self.collisions: dict[str, tuple[CollisionShape, ...]] = {}

    def read(self, link: Element, name: str) -> None:
        """Read the shapes of a link."""
        if solids := tuple(self._collision(one, name) for one in link.findall("collision")):
            self.collisions[name] = solids
        if looks := tuple(v for one in link.findall("visual") for v in self._visuals(one, name)):
            self.visuals[name] = looks

    def _collision(self, element: Element, link: str) -> CollisionShape:
        try:
            pose = self._pose(element, link)
            if element.find("geometry/plane") is not None:
                return CollisionShape("plane", (), "", pose)
            kind, size, uri = read_geometry(element, "uri", Element.findtext)
            if element.find("geometry/mesh/submesh") is not None:
                return malformed("a part of a mesh (<submesh>) is not supported")
        except RobotDescriptionError as error:
            return malformed(str(error))
        return CollisionShape(kind, size, uri, pose)

    def _visuals(self, element: Element, link: str) -> Iterator[Visual]:
        try:
            pose = self._pose(element, link)
            geometry = read_geometry(element, "uri", Element.findtext)
        except RobotDescriptionError:
            return
        yield from drawn(geometry, pose, _color(element))

    def _pose(self, element: Element, link: str) -> Floats:
        scope = link.rpartition("::")[0]
        above, pose = read_pose(element, f"{scope}::" if scope else "", link, "its")
        return frozen(self._frames.pose_in(above, link) @ pose)


def _color(element: Element) -> Color:
    try:
        return color_of(numbers(element.findtext("material/diffuse", ""), 4, "diffuse"))
    except RobotDescriptionError:
        return GREY
