"""A frame name and a robot in, that frame's pose in the chain's base link out."""

from collections import deque
from collections.abc import Mapping

import numpy as np
from builtin_interfaces.msg import Time as TimeMsg
from numpy.typing import NDArray
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.time import Time

from generative_ik_ros.errors import InvalidTargetError
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.ros.conversions import transform_to_matrix
from generative_ik_ros.ros.turns import Turns

try:
    import tf2_ros
except ImportError:  # ROS from the Python package index has no tf2
    tf2_ros = None


class UnknownFrameError(InvalidTargetError):
    """The targets' frame cannot be transformed to the chain's base link."""


def fixed_frames(description: RobotDescription, base_link: str) -> dict[str, NDArray[np.float64]]:
    """Return the pose in the base link, (4, 4) [m], of each link that never moves against it."""
    neighbours: dict[str, list[tuple[str, NDArray[np.float64]]]] = {}
    for joint in description.joints:
        if joint.type == "fixed":
            parent_in_child = inverse(joint.child_in_parent)
            neighbours.setdefault(joint.parent, []).append((joint.child, joint.child_in_parent))
            neighbours.setdefault(joint.child, []).append((joint.parent, parent_in_child))
    frames = {base_link: np.eye(4)}
    queue = deque([base_link])
    while queue:
        link = queue.popleft()
        for neighbour, neighbour_in_link in neighbours.get(link, ()):
            if neighbour not in frames:
                frames[neighbour] = frames[link] @ neighbour_in_link
                queue.append(neighbour)
    return frames


class Frames:
    """Looks up frames: links fixed to the base from the description, all others in TF.

    Args:
        node: Listens to TF.
        turns: Let others work while a request waits for TF.
    """

    def __init__(self, node: Node, turns: Turns):
        """Listen to TF where tf2_ros is installed."""
        self._buffer, self._turns = None, turns
        if tf2_ros is not None:
            self._buffer = tf2_ros.Buffer(node=node)
            self._listener = tf2_ros.TransformListener(self._buffer, node, spin_thread=False)

    def frame_in_base(
        self,
        frame_id: str,
        stamp: TimeMsg,
        base_link: str,
        fixed: Mapping[str, NDArray[np.float64]],
        tf_timeout: float,
    ) -> NDArray[np.float64] | None:
        """Return the pose of a frame in the base link, (4, 4) [m]; None where they are the same.

        Args:
            frame_id: Name of the frame; empty: the base link. A leading slash, as ROS 1 wrote
                it, is ignored.
            stamp: Time of the pose; zero: the latest known. Fixed links need none.
            base_link: Base link of the chain.
            fixed: What `fixed_frames` says of the robot and that base link.
            tf_timeout: Longest wait for a transform that is not known yet [s].

        Raises:
            UnknownFrameError: The frame is neither fixed to the base nor known to TF.
        """
        frame_id = frame_id.removeprefix("/")
        if frame_id in ("", base_link):
            return None
        if frame_id in fixed:
            return fixed[frame_id]
        if self._buffer is None or tf2_ros is None:
            raise UnknownFrameError(
                f"frame '{frame_id}' is not fixed to the base link '{base_link}', and tf2_ros is "
                "not installed to transform from it; give targets in one of: " + ", ".join(fixed)
            )
        try:
            with self._turns.aside():
                transform = self._buffer.lookup_transform(
                    base_link, frame_id, Time.from_msg(stamp), Duration(seconds=tf_timeout)
                )
        except tf2_ros.TransformException as error:
            raise UnknownFrameError(
                f"frame '{frame_id}' cannot be transformed to the base link '{base_link}': {error}"
            ) from error
        return transform_to_matrix(transform.transform)
