"""The robot's semantic description (SRDF): from a parameter or a topic."""

from collections.abc import Callable

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from std_msgs.msg import String

from generative_ik_ros.errors import RobotDescriptionError
from generative_ik_ros.robot.description import listed
from generative_ik_ros.robot.srdf import SemanticDescription
from generative_ik_ros.ros.parameters import Settings
from generative_ik_ros.ros.served import Served
from generative_ik_ros.ros.topics import LATCHED


class Semantic:
    """Keeps the last usable SRDF on `robot_description_semantic`.

    Args:
        served: Knows the settings, whose SRDF counts instead where there is one.
        changed: Called when another one has arrived.
    """

    def __init__(self, node: Node, served: Served, changed: Callable[[], None]):
        self._node, self._served, self._changed = node, served, changed
        self._published = ""
        node.create_subscription(
            String,
            "robot_description_semantic",
            self._take,
            LATCHED,
            callback_group=MutuallyExclusiveCallbackGroup(),
        )

    def text(self, settings: Settings | None = None) -> str:
        """Return the SRDF text; "" if there is none."""
        return (settings or self._served.settings).robot_description_semantic or self._published

    def _take(self, message: String) -> None:
        """Replace the semantic description; keep the current one if the new one is unusable."""
        try:
            groups = SemanticDescription.from_srdf(message.data).groups
        except RobotDescriptionError as error:
            self._node.get_logger().error(f"robot_description_semantic refused: {error}")
            return
        self._published = message.data
        self._node.get_logger().info(f"planning groups: {listed(groups)}")
        self._changed()
