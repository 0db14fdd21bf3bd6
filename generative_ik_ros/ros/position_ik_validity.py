"""A robot state in, what MoveIt's planning scene says of it out."""

import threading
import time

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from generative_ik_ros.ros.position_ik_request import Message

try:
    from moveit_msgs.srv import GetStateValidity
except ImportError:  # as on the Python package index
    GetStateValidity = None


class StateValidity:
    """A client of `check_state_validity`, which move_group offers.

    It has a node and an executor of its own, spun by whoever waits for an answer: on the server's
    executor the answer would need a free thread, and all of them may be waiting for answers.

    Args:
        node: The node whose namespace and remappings count.
    """

    def __init__(self, node: Node):
        """Create the client."""
        self.service_name = node.resolve_service_name("check_state_validity")
        self._node = Node(
            f"{node.get_name()}_validity",
            namespace=node.get_namespace(),
            context=node.context,
            use_global_arguments=False,
            start_parameter_services=False,
            enable_rosout=False,
        )
        self._client = self._node.create_client(GetStateValidity, self.service_name)
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(self._node)
        self._turn = threading.Lock()

    def ready(self) -> bool:
        """Say whether somebody offers the service."""
        return self._client.service_is_ready()

    def check(self, request: Message, deadline: float) -> Message | None:
        """Return the answer to a GetStateValidity request; None where it came too late.

        Args:
            request: The request.
            deadline: Reading of `time.perf_counter` at which to stop waiting [s].
        """
        if not self._turn.acquire(timeout=max(deadline - time.perf_counter(), 0.0)):
            return None
        try:
            future = self._client.call_async(request)
            while not future.done():
                left = deadline - time.perf_counter()
                if left <= 0.0:
                    self._client.remove_pending_request(future)
                    return None
                self._executor.spin_once(timeout_sec=left)
            return future.result()
        finally:
            self._turn.release()

    def close(self) -> None:
        """Give everything back to ROS."""
        self._executor.shutdown()
        self._node.destroy_node()
