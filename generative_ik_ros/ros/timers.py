"""Timers on a steady clock, so that they go on while a simulation is paused (use_sim_time)."""

from collections.abc import Callable

from rclpy.callback_groups import CallbackGroup, MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType  # pyright: ignore[reportPrivateImportUsage]
from rclpy.node import Node
from rclpy.timer import Timer


def steady_timer(
    node: Node, period: float, tick: Callable[[], None], group: CallbackGroup | None = None
) -> Timer:
    """Start a timer.

    Args:
        node: The node.
        period: Between two ticks [s].
        tick: Called at each.
        group: The group of the callback; None: it has one of its own.
    """
    clock = Clock(clock_type=ClockType.STEADY_TIME)
    return node.create_timer(period, tick, group or MutuallyExclusiveCallbackGroup(), clock)
