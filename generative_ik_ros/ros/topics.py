"""What the node publishes from timers on a steady clock: markers, for those that join late too."""

import threading
import traceback
from collections.abc import Callable

from rclpy.callback_groups import CallbackGroup, MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType  # pyright: ignore[reportPrivateImportUsage]
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.timer import Timer
from visualization_msgs.msg import Marker, MarkerArray

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def steady_timer(
    node: Node, period: float, tick: Callable[[], None], group: CallbackGroup | None = None
) -> Timer:
    """Start a timer that goes on while a simulation is paused (use_sim_time).

    Args:
        node: The node.
        period: Between two ticks [s].
        tick: Called at each.
        group: The group of the callback; None: it has one of its own.
    """
    clock = Clock(clock_type=ClockType.STEADY_TIME)
    return node.create_timer(period, tick, group or MutuallyExclusiveCallbackGroup(), clock)


def clear_markers(base_link: str) -> MarkerArray:
    """Return a message that deletes all markers."""
    clear = Marker(action=Marker.DELETEALL)  # pyright: ignore[reportAttributeAccessIssue]
    clear.header.frame_id = base_link
    return MarkerArray(markers=[clear])


class MarkerTopic:
    """A topic whose markers a timer draws and publishes, at a rate [Hz], if anyone subscribes."""

    def __init__(self, node: Node, name: str, rate: float):
        self._node = node
        # What is being drawn of one robot must not be published when that of another has begun.
        self._showing = threading.Lock()
        self._markers_out = node.create_publisher(MarkerArray, name, LATCHED)
        self._timer = steady_timer(node, 1.0 / rate, self._show)

    def set_rate(self, rate: float) -> None:
        """Set the largest rate of marker messages [Hz]."""
        self._timer.timer_period_ns = int(1e9 / rate)

    def clear(self, frame: str) -> None:
        """Delete all markers and what is to be shown, because the robot changes."""
        with self._showing:
            self._forget()
            self._markers_out.publish(clear_markers(frame))

    def _next(self) -> tuple[str, Callable[[], MarkerArray | bytes]] | None:
        """Return the frame of what is to be shown and what draws it; None: nothing is new."""
        raise NotImplementedError

    def _forget(self) -> None:
        """Forget what is to be shown."""

    def _show(self) -> None:
        with self._showing:
            self._show_next()

    def _show_next(self) -> None:
        if not self._markers_out.get_subscription_count() or (new := self._next()) is None:
            return
        frame, draw = new
        try:
            message = draw()
        except Exception:
            self._node.get_logger().error(f"drawing failed:\n{traceback.format_exc()}")
            message = clear_markers(frame)
        self._markers_out.publish(message)
