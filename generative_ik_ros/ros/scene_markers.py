"""Markers of the scene: obstacles in grey, what blocks a pose in vermilion."""

# Generated messages have no stubs: pyright sees neither their constants nor their array types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from geometry_msgs.msg import Point, Vector3
from rclpy.node import Node
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.cloud import OCTOMAP, PointCloud
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from generative_ik_ros.drawing import colors
from generative_ik_ros.ros.conversions import transforms_to_poses
from generative_ik_ros.ros.results import Hit
from generative_ik_ros.ros.surroundings import Surroundings
from generative_ik_ros.ros.topics import MarkerTopic, clear_markers


@dataclass(frozen=True)
class SceneMarkerLook:
    """How obstacles are drawn, and how many of them."""

    most: int = 1000
    """Most obstacles that are drawn."""
    most_faces: int = 20_000
    """Most triangles that are drawn of one mesh; a larger one is drawn as the box around it."""
    most_points: int = 5000
    """Most balls or cubes that are drawn of one cloud; of a larger one, larger cubes are drawn."""
    opacity: float = 0.6
    """Of all of them."""
    text: float = 0.04
    """Height of letters [m]."""


LOOK = SceneMarkerLook()


class SceneShown(NamedTuple):
    """What is shown: surroundings, the robot's root link, and what was hit last, if anything."""

    surroundings: Surroundings
    root: str
    hit: Hit | None


class SceneMarkers(MarkerTopic):
    """Publishes `~/scene_markers` from a timer, when the scene or what is hit has changed.

    Every obstacle has its own namespace, so that it can be switched off in RViz. The markers of a
    scene are made once; when something is hit, only colours and a label change.
    """

    def __init__(self, node: Node, shown: Callable[[], SceneShown | None], rate: float):
        self._shown = shown
        self._last: SceneShown | None = None
        self._markers: list[Marker] = []
        super().__init__(node, "~/scene_markers", rate)

    def _next(self) -> tuple[str, Callable[[], MarkerArray]] | None:
        new, old = self._shown(), self._last
        if new is None or (old is not None and all(a is b for a, b in zip(new, old, strict=True))):
            return None
        self._last = new
        return new.root, partial(self._draw, new, old)

    def _draw(self, new: SceneShown, old: SceneShown | None) -> MarkerArray:
        if old is None or new.surroundings is not old.surroundings or new.root != old.root:
            self._markers = scene_markers(new.surroundings, new.root)
        return _message(self._markers, new)


def scene_markers(surroundings: Surroundings, root: str) -> list[Marker]:
    """Return a marker for every shape of obstacles and carried objects, and for each cloud."""
    markers = []
    for one in surroundings.scene.obstacles[: LOOK.most]:
        markers += _markers(one.name, one.frame or root, (one.shape,))
    for name, cloud in surroundings.scene.clouds.items():
        markers.append(_cloud_marker(name, cloud, root))
    carried = {} if surroundings.followed is None else surroundings.followed.carried
    for one in carried.values():
        markers += _markers(one.name, one.link, one.shapes_in_link)
    for one in surroundings.scene.attached:
        markers += _markers(one.name, one.frame or root, one.shapes)
    return markers


def _message(markers: list[Marker], shown: SceneShown) -> MarkerArray:
    """Return the message that replaces all markers."""
    names = () if shown.hit is None else shown.hit.pair
    still = ColorRGBA(**dict(zip("rgb", colors.STILL, strict=True)), a=LOOK.opacity)
    struck = ColorRGBA(**dict(zip("rgb", colors.CLOSEST, strict=True)), a=1.0)
    for marker in markers:
        marker.color = struck if marker.ns in names else still
    label = [] if shown.hit is None else [_label(shown.hit, struck)]
    return MarkerArray(markers=[*clear_markers(shown.root).markers, *markers, *label])


def _label(hit: Hit, color: ColorRGBA) -> Marker:
    marker = Marker(ns="hit", type=Marker.TEXT_VIEW_FACING, frame_locked=True, color=color)
    marker.header.frame_id = hit.frame
    marker.text = f"{hit.pair[0]} with {hit.pair[1]}"
    marker.scale.z = LOOK.text
    position = marker.pose.position
    position.x, position.y, position.z = (hit.tip + (0.0, 0.0, 2.0 * LOOK.text)).tolist()
    return marker


def _cloud_marker(name: str, cloud: PointCloud, root: str) -> Marker:
    """Return balls, or the cubes that an octomap consists of; cubes of a grid if it has too many.

    Cubes of the grid cover all points, as nothing that blocks may be missing from the picture.
    """
    centers, edge, kind = cloud.points, 2.0 * cloud.radius, Marker.SPHERE_LIST
    if name == OCTOMAP:
        edge, kind = edge / np.sqrt(3.0), Marker.CUBE_LIST
    if len(centers) > LOOK.most_points:
        kind, edge = Marker.CUBE_LIST, max(edge, np.ptp(centers, axis=0).max() / 1000.0)
    while len(centers) > LOOK.most_points:
        edge *= 2.0
        centers = cloud.cubes(edge)
    marker = Marker(ns=name, type=kind, frame_locked=True)
    marker.header.frame_id = cloud.frame or root
    marker.pose.orientation.w = 1.0
    marker.scale = Vector3(x=float(edge), y=float(edge), z=float(edge))
    marker.points = [Point(x=x, y=y, z=z) for x, y, z in centers.tolist()]
    return marker


def _markers(name: str, frame: str, shapes: tuple[Shape, ...]) -> Iterator[Marker]:
    number = 0
    for shape in shapes:
        for kind, scale, pose, points in _forms(shape):
            marker = Marker(ns=name, id=number, type=kind, frame_locked=True)
            marker.header.frame_id = frame
            marker.scale = Vector3(x=scale[0], y=scale[1], z=scale[2])
            (marker.pose,) = transforms_to_poses(pose[None])
            marker.points = points
            number += 1
            yield marker


_Form = tuple[int, tuple[float, float, float], Floats, list[Point]]


def _forms(shape: Shape) -> Iterator[_Form]:
    """Yield what RViz draws a shape as: type, scale [m], pose (4, 4) and points."""
    pose = shape.pose
    if isinstance(shape, Box):
        x, y, z = shape.size.tolist()
        yield Marker.CUBE, (x, y, z), pose, []
    elif isinstance(shape, Sphere):
        yield _ball(shape.radius, pose)
    elif isinstance(shape, Cylinder):
        yield Marker.CYLINDER, (2 * shape.radius, 2 * shape.radius, shape.length), pose, []
    elif isinstance(shape, Capsule):
        yield Marker.CYLINDER, (2 * shape.radius, 2 * shape.radius, shape.length), pose, []
        for end in (-0.5, 0.5):
            moved = pose.copy()
            moved[:3, 3] += pose[:3, 2] * (end * shape.length)
            yield _ball(shape.radius, moved)
    elif isinstance(shape, Mesh) and len(shape.faces) <= LOOK.most_faces:
        corners = shape.triangles.reshape(-1, 3).tolist()
        points = [Point(x=x, y=y, z=z) for x, y, z in corners]
        yield Marker.TRIANGLE_LIST, (1.0, 1.0, 1.0), pose, points
    elif isinstance(shape, Mesh):
        low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
        x, y, z = np.maximum(high - low, 1e-3).tolist()
        middle = pose.copy()
        middle[:3, 3] = pose[:3, :3] @ ((low + high) / 2.0) + pose[:3, 3]
        yield Marker.CUBE, (x, y, z), middle, []


def _ball(radius: float, pose: Floats) -> _Form:
    return Marker.SPHERE, (2 * radius, 2 * radius, 2 * radius), pose, []
