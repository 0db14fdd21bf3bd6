"""What a node solved last in, its solutions and their picture on topics out."""

# Generated messages have no stubs: pyright sees neither their constants nor their array types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false

import traceback
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from builtin_interfaces.msg import Time
from numpy.typing import NDArray
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType  # pyright: ignore[reportPrivateImportUsage]
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from visualization_msgs.msg import MarkerArray

from generative_ik_ros.msg import IKSolutions as IKSolutionsMsg
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.ros import conversions
from generative_ik_ros.ros.markers import SolutionMarkers, clear_markers
from generative_ik_ros.ros.parameters import Settings
from generative_ik_ros.solutions import IKSolutions

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Solved(NamedTuple):
    """What was solved last: all that the topics show of it."""

    chain: KinematicChain
    targets_in_base: NDArray[np.float64]
    solutions: IKSolutions


class Results:
    """Publishes `~/solutions` at once, and a picture on `~/solution_markers` by a timer.

    Args:
        node: The node whose topics they are.
        settings: Returns the node's settings.
    """

    def __init__(self, node: Node, settings: Callable[[], Settings]):
        """Create the publishers and start the timer."""
        self._node, self._settings = node, settings
        self._unshown: Solved | None = None
        self._pictures = SolutionMarkers()
        self._solutions_out = node.create_publisher(IKSolutionsMsg, "~/solutions", 10)
        self._markers_out = node.create_publisher(MarkerArray, "~/solution_markers", LATCHED)
        # Steady, because under use_sim_time a paused simulation must not stop the picture.
        self._timer = node.create_timer(
            1.0 / settings().marker_rate,
            self._show,
            callback_group=MutuallyExclusiveCallbackGroup(),
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def publish(self, solved: Solved, stamp: Time) -> None:
        """Send the solutions to whoever listens; leave the markers to their own timer."""
        self._unshown = solved
        if not self._solutions_out.get_subscription_count():
            return
        message = IKSolutionsMsg(tip_link=solved.chain.tip_link)
        message.header.frame_id = solved.chain.base_link
        message.header.stamp = stamp
        message.targets = conversions.transforms_to_poses(solved.targets_in_base)
        conversions.fill_results(message, solved.solutions)
        self._solutions_out.publish(message)

    def clear(self, frame: str) -> None:
        """Take the picture away, as the robot changes."""
        self._unshown = None
        self._markers_out.publish(clear_markers(frame))

    def show_at_first(self, solved: Solved | None) -> None:
        """Draw this unless there is something to draw that was asked for."""
        self._unshown = self._unshown or solved

    def set_rate(self, rate: float) -> None:
        """Draw so many pictures a second at most."""
        self._timer.timer_period_ns = int(1e9 / rate)

    def _show(self) -> None:
        """Draw the latest result once somebody looks; a result never seen costs nothing."""
        solved = self._unshown
        if solved is None or not self._markers_out.get_subscription_count():
            return
        self._unshown = None
        settings = self._settings()
        try:
            markers = self._pictures.draw(
                solved.chain,
                solved.solutions,
                solved.targets_in_base,
                settings.marker_limit,
                settings.marker_opacity,
            )
        except Exception:
            self._node.get_logger().error(f"drawing failed:\n{traceback.format_exc()}")
            self._pictures = SolutionMarkers()
            markers = clear_markers(solved.chain.base_link)
        self._markers_out.publish(markers)
