"""A node with nothing but a service of our type, to tell the middleware's memory from ours.

Run by memory.py. Each answer is as large as that of the node to the same request, about.
"""

# Generated messages have no stubs: pyright does not see their fields.
# pyright: reportAttributeAccessIssue=false

import os
import sys
from array import array

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.qos import QoSProfile

from generative_ik_ros.ros.process import TRANSPORTS
from generative_ik_ros.srv import GetIKSolutions

SOLUTIONS, JOINTS = 8, 6
"""Solutions that a pose has, and their length."""


def answer(
    request: GetIKSolutions.Request, response: GetIKSolutions.Response
) -> GetIKSolutions.Response:
    """Send numbers back."""
    total = SOLUTIONS * len(request.targets.poses)
    response.status, response.total_time = response.SOLVED, 1e-3
    response.positions = array("d", bytes(8 * total * JOINTS))
    response.position_errors = response.orientation_errors = array("d", bytes(8 * total))
    return response


def main() -> int:
    """Serve until told to stop."""
    os.environ.setdefault(TRANSPORTS, "UDPv4")
    rclpy.init()
    node = rclpy.create_node("generative_ik")
    # As deep as the node's own.
    depth = QoSProfile(depth=1000)
    node.create_service(GetIKSolutions, "~/get_ik_solutions", answer, qos_profile=depth)
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
