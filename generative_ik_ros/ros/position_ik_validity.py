"""Client of MoveIt's state validity service."""

import threading
import time

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from generative_ik_ros.ros.position_ik_request import Message

try:
    from moveit_msgs.srv import GetStateValidity
except ImportError:  # not available from the Python package index
    GetStateValidity = None


class StateValidity:
    """A client of move_group's service `check_state_validity`.

    It has its own node and executor, spun by the thread that waits for the reply. On the server's
    executor the reply would need a free thread, and all threads may be waiting for replies.

    Args:
        node: One whose namespace and remappings apply.
    """

    def __init__(self, node: Node):
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
        self._lock = threading.Lock()

    def ready(self) -> bool:
        """Whether the service is available."""
        return self._client.service_is_ready()

    def check(self, request: Message, deadline: float) -> Message | None:
        """Return the reply to a GetStateValidity request; None if it did not arrive in time.

        Args:
            request: The request.
            deadline: Reading of `time.perf_counter` at which to stop waiting [s].
        """
        if not self._lock.acquire(timeout=max(deadline - time.perf_counter(), 0.0)):
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
            self._lock.release()

    def close(self) -> None:
        """Destroy the client's executor and node."""
        self._executor.shutdown()
        self._node.destroy_node()
