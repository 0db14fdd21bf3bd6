"""Interactive markers by which users drag the target poses in RViz.

The package interactive_markers is not available from the Python package index, so this module
implements its protocol: a service that returns all markers, a topic `update` with consecutively
numbered changes, and a topic `feedback` with user input, as documented in the message definitions
of visualization_msgs.
"""

# Generated messages have no stubs: pyright sees neither their constants nor their array types.
# pyright: reportAttributeAccessIssue=false

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from geometry_msgs.msg import Pose, PoseArray, Quaternion
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import (
    InteractiveMarker,
    InteractiveMarkerControl,
    InteractiveMarkerFeedback,
    InteractiveMarkerPose,
    InteractiveMarkerUpdate,
    Marker,
)
from visualization_msgs.srv import GetInteractiveMarkers

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidTargetError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.ros.conversions import poses_to_transforms, transforms_to_poses

NAME = "target"


@dataclass(frozen=True)
class TargetLook:
    """Size of the rings of an interactive target."""

    size: float = 0.2
    """Their diameter as a fraction of the arm's reach."""
    sizes: tuple[float, float] = (0.05, 0.4)
    """Its bounds [m]."""


LOOK = TargetLook()

_BALL, _BALL_COLOR = 0.25, ColorRGBA(r=1.0, g=1.0, b=1.0, a=0.5)
"""Diameter of the ball as a fraction of that of the rings. Targets are axes without a ball."""
_ROOT_HALF = 0.5**0.5
_AXES = {
    "x": Quaternion(x=_ROOT_HALF, y=0.0, z=0.0, w=_ROOT_HALF),
    "y": Quaternion(x=0.0, y=0.0, z=_ROOT_HALF, w=_ROOT_HALF),
    "z": Quaternion(x=0.0, y=_ROOT_HALF, z=0.0, w=_ROOT_HALF),
}
"""Rotations that align the x axis, along and about which a control acts, with each axis."""


class InteractiveTargets:
    """Target poses that RViz shows with arrows and rings for dragging, one for each tip.

    Service: `<namespace>/get_interactive_markers`. Topics: `<namespace>/update` (published) and
    `<namespace>/feedback` (subscribed). There are no targets until `place` is called.

    Args:
        on_drag: Called with all targets whenever a user drags one of them, and the tip links that
            they are for, none for the node's tip link; one call at a time.
        on_join: Called when RViz asks for the targets: it has been started, or reset, which
            deletes all it shows.
    """

    def __init__(
        self,
        node: Node,
        namespace: str,
        on_drag: Callable[[PoseArray, Sequence[str]], None],
        on_join: Callable[[], None],
    ):
        self._on_drag, self._on_join = on_drag, on_join
        self._changing = threading.Lock()
        self._tips: Sequence[str] = ()
        # By the link that a target is given in and the one that it is for.
        self._markers: dict[tuple[str, str], InteractiveMarker] = {}
        self._number = 0
        group = MutuallyExclusiveCallbackGroup()
        self._updates = node.create_publisher(InteractiveMarkerUpdate, f"{namespace}/update", 100)
        # A queue of one: if solving is slower than dragging, the arms follow the latest pose.
        node.create_subscription(
            InteractiveMarkerFeedback,
            f"{namespace}/feedback",
            self._take_feedback,
            1,
            callback_group=group,
        )
        node.create_service(
            GetInteractiveMarkers,
            f"{namespace}/get_interactive_markers",
            self._give_markers,
            callback_group=MutuallyExclusiveCallbackGroup(),
        )

    def place(self, chain: KinematicChain, targets: Floats | None) -> None:
        """Replace the targets.

        Args:
            chain: The robot's chain, or a tree; targets are given in its base link.
            targets: (4, 4) target pose [m], or (K, 4, 4) one for each tip of a tree; None removes
                the targets.
        """
        with self._changing:
            before = {marker.name for marker in self._markers.values()}
            self._markers = {}
            if targets is not None:
                several = isinstance(chain, KinematicTree)
                self._tips = chain.tip_links if several else ()
                size = float(np.clip(LOOK.size * chain.size, *LOOK.sizes))
                poses = transforms_to_poses(targets.reshape(-1, 4, 4))
                for link, pose in zip(chain.tip_links, poses, strict=True):
                    marker = _make_marker(chain.base_link, pose, size, link if several else "")
                    self._markers[chain.base_link, link] = marker
            markers = list(self._markers.values())
            gone = sorted(before - {marker.name for marker in markers})
            self._publish(InteractiveMarkerUpdate(markers=markers, erases=gone))

    def follow(self, chain: KinematicChain, target: Floats) -> None:
        """Move the targets to what was requested in another way than by dragging, (4, 4) [m].

        Targets of other links than those that are dragged are not followed; of a tree (K, 4, 4),
        each that is for such a link is.
        """
        poses = transforms_to_poses(target.reshape(-1, 4, 4))
        links = zip(chain.reference_links, chain.tip_links, strict=True)
        with self._changing:
            for key, pose in zip(links, poses, strict=True):
                if key in self._markers:
                    self._move(self._markers[key], pose)

    def _take_feedback(self, feedback: InteractiveMarkerFeedback) -> None:
        """Move a target in all RViz instances, and report where all are."""
        pose = feedback.pose
        if feedback.event_type not in (feedback.POSE_UPDATE, feedback.MOUSE_UP):
            return
        try:
            poses_to_transforms([pose])
        except InvalidTargetError:
            return  # an invalid pose must not be passed on to the other RViz instances
        with self._changing:
            every, tips = list(self._markers.values()), self._tips
            marker = next((one for one in every if one.name == feedback.marker_name), None)
            if marker is None or pose == marker.pose:
                return
            self._move(marker, pose)
            targets = PoseArray(header=marker.header, poses=[one.pose for one in every])
        self._on_drag(targets, tips)

    def _move(self, marker: InteractiveMarker, pose: Pose) -> None:
        if pose != marker.pose:
            marker.pose = pose
            moved = InteractiveMarkerPose(header=marker.header, pose=pose, name=marker.name)
            self._publish(InteractiveMarkerUpdate(poses=[moved]))

    def _publish(self, update: InteractiveMarkerUpdate) -> None:
        self._number += 1
        update.server_id, update.type = NAME, InteractiveMarkerUpdate.UPDATE
        update.seq_num = self._number
        self._updates.publish(update)

    def _give_markers(
        self, _: GetInteractiveMarkers.Request, response: GetInteractiveMarkers.Response
    ) -> GetInteractiveMarkers.Response:
        with self._changing:
            response.sequence_number = self._number
            response.markers = list(self._markers.values())
        self._on_join()
        return response


def _make_marker(frame_id: str, pose: Pose, size: float, label: str) -> InteractiveMarker:
    """Return a marker with a ball to drag in the screen plane and an arrow and ring per axis.

    One of several has its tip link as its name and label.
    """
    marker = InteractiveMarker(name=label or NAME, description=label, scale=size, pose=pose)
    marker.header.frame_id = frame_id
    ball = Marker(type=Marker.SPHERE, color=_BALL_COLOR)
    ball.scale.x = ball.scale.y = ball.scale.z = _BALL * size
    marker.controls = [
        InteractiveMarkerControl(
            name="ball",
            interaction_mode=InteractiveMarkerControl.MOVE_3D,
            always_visible=True,
            markers=[ball],
        )
    ]
    for axis, orientation in _AXES.items():
        for word, mode in (
            ("move", InteractiveMarkerControl.MOVE_AXIS),
            ("turn", InteractiveMarkerControl.ROTATE_AXIS),
        ):
            control = InteractiveMarkerControl(
                name=f"{word}_{axis}", orientation=orientation, interaction_mode=mode
            )
            marker.controls.append(control)
    return marker
