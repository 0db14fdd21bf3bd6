"""The latest path in RViz: the way of the tip, and the arm at some of its poses."""

# Generated messages have no stubs: pyright sees neither their constants nor their array types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false
# pyright: reportOperatorIssue=false

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from geometry_msgs.msg import Point
from rclpy.node import Node
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.drawing import colors
from generative_ik_ros.ros.marker_layout import MarkerLayout
from generative_ik_ros.ros.parameters import Settings
from generative_ik_ros.ros.path_service import Followed
from generative_ik_ros.ros.served import Served
from generative_ik_ros.ros.topics import MarkerTopic


@dataclass(frozen=True)
class PathMarkerLook:
    """How much of a path is drawn."""

    max_arms: int = 12
    """Most arms that are drawn of a path."""
    max_points: int = 2000
    """Most points of the tip's line that are drawn."""
    width: float = 0.004
    """Width of the tip's line [m]."""


LOOK = PathMarkerLook()


class PathMarkers(MarkerTopic):
    """Publishes `~/path_markers` from a timer.

    Arms range from blue at the first pose to yellow at the last one that is reached. The tip's
    way is a line; the part of it that is not reached is vermilion.
    """

    def __init__(self, node: Node, served: Served):
        self._served = served
        self._unshown: Followed | None = None
        super().__init__(node, "~/path_markers", served.settings.marker_rate)

    def show(self, followed: Followed) -> None:
        """Show a path at the next tick of the timer."""
        self._unshown = followed

    def _forget(self) -> None:
        self._unshown = None

    def _next(self) -> tuple[str, Callable[[], MarkerArray]] | None:
        followed, self._unshown = self._unshown, None
        if followed is None:
            return None
        return followed.chain.base_link, partial(path_markers, followed, self._served.settings)


def path_markers(followed: Followed, settings: Settings) -> MarkerArray:
    """Return the message that shows a path instead of everything before."""
    chain, path = followed.chain, followed.path
    positions = path.positions[: path.num_reached]
    chosen = _spread(len(positions), min(settings.marker_limit, LOOK.max_arms))
    layout = MarkerLayout(chain, 0, 0, len(chosen), settings.marker_meshes)
    # Each arm is for a pose of its own, so that they share no parts.
    layout.show_arms(positions[chosen], np.arange(len(chosen)), settings.marker_opacity)
    message = layout.array(clear=True)
    line = followed.trajectory.positions if followed.trajectory is not None else positions
    reached = chain.forward(line[_spread(len(line), LOOK.max_points)])[:, :3, 3]
    left = followed.targets_in_base[max(path.num_reached - 1, 0) :, :3, 3]
    message.markers += [
        _line("reached", chain.base_link, reached, colors.BLUE),
        _line(
            "not_reached",
            chain.base_link,
            left[_spread(len(left), LOOK.max_points)],
            colors.CLOSEST,
        ),
    ]
    return message


def _spread(count: int, most: int) -> Ints:
    """Return at most `most` indices below `count`, evenly spread, the first and the last too."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.int64))


def _line(name: str, frame: str, points: Floats, color: tuple[float, float, float]) -> Marker:
    """Return a line through points (P, 3) [m], or one that deletes it where there are fewer."""
    marker = Marker(ns=name, type=Marker.LINE_STRIP, frame_locked=True)
    marker.header.frame_id = frame
    if len(points) < 2:
        marker.action = Marker.DELETE
        return marker
    marker.scale.x = LOOK.width
    marker.color = ColorRGBA(**dict(zip("rgb", color, strict=True)), a=1.0)
    marker.points = [Point(x=x, y=y, z=z) for x, y, z in points.tolist()]
    return marker
