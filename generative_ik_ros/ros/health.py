"""Command that prints the diagnostics of every generative_ik node on the ROS network.

Run it as `python -m generative_ik_ros.ros.health`, or as
`ros2 run generative_ik_ros generative_ik_health`.
"""

# Generated messages have no stubs: pyright does not see their fields.
# pyright: reportAttributeAccessIssue=false

import argparse
import json
import sys
import time
from collections.abc import Sequence
from typing import Any

import rclpy
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

from generative_ik_ros.ros.diagnostics import TOPIC

_SUFFIX = ": inverse kinematics"
_LEVELS = ("OK", "WARN", "ERROR", "STALE")


def listen(node_name: str, timeout: float) -> dict[str, dict[str, Any]]:
    """Return the latest status of each node, by the node's name.

    Args:
        node_name: Return as soon as this node's status has arrived; empty: listen to all nodes.
        timeout: Time to listen [s].
    """
    from diagnostic_msgs.msg import DiagnosticArray

    heard: dict[str, dict[str, Any]] = {}

    def take(message: DiagnosticArray) -> None:
        for status in message.status:
            name = status.name.removesuffix(_SUFFIX)
            if name == status.name or (node_name and name != node_name.lstrip("/")):
                continue
            heard[name] = {
                "level": _LEVELS[min(status.level[0], 3)],
                "message": status.message,
                **{pair.key: pair.value for pair in status.values},
            }

    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    listener = rclpy.create_node("generative_ik_health", start_parameter_services=False)
    listener.create_subscription(DiagnosticArray, TOPIC, take, 10)
    try:
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0.0 and not (node_name and heard):
            rclpy.spin_once(listener, timeout_sec=left)
    finally:
        listener.destroy_node()
        rclpy.shutdown()
    return heard


def show(heard: dict[str, dict[str, Any]]) -> None:
    """Print one block per node."""
    for name, values in sorted(heard.items()):
        print(f"/{name}: {values['level']}: {values['message']}")
        for key, value in values.items():
            if key not in ("level", "message"):
                print(f"  {key:20s} {value}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Listen, print, and return the exit code.

    Args:
        arguments: The command line; those of this process if None.

    Returns:
        0 if every node that was heard is OK, 1 if one is not, 2 if none was heard.
    """
    parser = argparse.ArgumentParser(prog="generative_ik_health", description=__doc__)
    parser.add_argument("--node", default="", help="full name of one node; default: all")
    parser.add_argument("--timeout", type=float, default=3.0, help="time to listen [s]")
    parser.add_argument("--json", action="store_true", help="print JSON")
    words = sys.argv if arguments is None else ["generative_ik_health", *arguments]
    options = parser.parse_args(remove_ros_args(words)[1:])
    try:
        heard = listen(options.node, options.timeout)
    except ImportError:
        print("generative_ik_health: diagnostic_msgs is not installed", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(heard))
    else:
        show(heard)
    if not heard:
        print(f"generative_ik_health: no node heard on {TOPIC}", file=sys.stderr)
        return 2
    return int(any(values["level"] != "OK" for values in heard.values()))


if __name__ == "__main__":
    sys.exit(main())
