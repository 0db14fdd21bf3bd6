"""A node with nothing but a service, to separate the middleware's memory use from the package's.

Run by memory.py. Replies are about as large as those of the real node to the same request.
"""

# Generated messages have no stubs: pyright does not see their fields.
# pyright: reportAttributeAccessIssue=false

import sys
from array import array

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.qos import QoSProfile

from generative_ik_ros.ros import transport
from generative_ik_ros.srv import GetIKSolutions

SOLUTIONS, JOINTS = 8, 6
"""Solutions per pose, and joints per solution."""


def answer(
    request: GetIKSolutions.Request, response: GetIKSolutions.Response
) -> GetIKSolutions.Response:
    """Return zeros."""
    total = SOLUTIONS * len(request.targets.poses)
    response.status, response.total_time = response.SOLVED, 1e-3
    response.positions = array("d", bytes(8 * total * JOINTS))
    response.position_errors = response.orientation_errors = array("d", bytes(8 * total))
    return response


def main() -> int:
    """Serve until interrupted."""
    transport.select(transport.DEFAULT)
    rclpy.init()
    node = rclpy.create_node("generative_ik")
    # The queue depth of the real node.
    depth = QoSProfile(depth=1000)
    node.create_service(GetIKSolutions, "~/get_ik_solutions", answer, qos_profile=depth)
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
