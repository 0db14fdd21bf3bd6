"""A service in, its requests answered by threads of their own, without an executor, out."""

import threading
import traceback
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.qos import QoSProfile

_WAITING = 1000
"""Requests that may wait. ROS keeps ten for a service, and drops further ones without a word."""
_PAUSE = 0.01
"""Time [s] after a failure, so that one that lasts does not keep a core busy."""


class DirectService:
    """A service that is waited for alone.

    An executor gathers everything a node has, in Python, before and after each callback, and wraps
    the callback in a task: 0.3 ms a request. Here a thread waits for this one service, takes the
    request and answers it, while the next thread waits. It needs what rclpy's own executors call;
    until `start` the service belongs to whatever executor spins the node.

    Args:
        node: The node that offers the service.
        service_type: Its type.
        name: Its name.
        answer: Takes a request and an empty response, returns the response; may be called by
            several threads at once, and must not raise.
    """

    def __init__(
        self, node: Node, service_type: type, name: str, answer: Callable[[Any, Any], Any]
    ):
        """Offer the service."""
        self._node, self._type, self._answer = node, service_type, answer
        self._group = _HandedOver()
        self._service = node.create_service(
            service_type,
            name,
            answer,
            qos_profile=QoSProfile(depth=_WAITING),
            callback_group=self._group,
        )
        self._context = node.context.handle
        self._wake = rclpy_implementation.GuardCondition(self._context)
        self._turn = threading.Lock()
        self._stop = threading.Event()

    def start(self, num_threads: int) -> list[threading.Thread]:
        """Take the service over from the executor; return the threads that answer from now on."""
        self._group.handed_over = True
        # Daemons, for the interpreter would otherwise wait for a solve that has no end.
        threads = [
            threading.Thread(target=self._work, name="generative_ik_service", daemon=True)
            for _ in range(num_threads)
        ]
        for thread in threads:
            thread.start()
        return threads

    def stop(self) -> None:
        """Let each thread end once it has answered what it has taken."""
        self._stop.set()
        self._wake.trigger_guard_condition()

    def _work(self) -> None:
        # Held open, so that nothing is destroyed while a thread waits for it.
        with self._service.handle, self._wake, self._context:  # pyright: ignore
            while not self._stop.is_set():
                try:
                    self._take_turn()
                except Exception:
                    # Such as a reply to a client that is gone: no reason to fail all others.
                    if not self._stop.is_set():
                        self._node.get_logger().error(f"reply failed:\n{traceback.format_exc()}")
                        self._stop.wait(_PAUSE)

    def _take_turn(self) -> None:
        with self._turn:
            if self._stop.is_set():
                return
            if not self._wait():
                # The next thread has to see it as well.
                self._wake.trigger_guard_condition()
                return
            request, header = self._service.handle.service_take_request(self._type.Request)
        if header is not None:
            self._service.send_response(self._answer(request, self._type.Response()), header)

    def _wait(self) -> bool:
        """Wait for a request or for the end; say whether to go on."""
        waiting = rclpy_implementation.WaitSet(0, 1, 0, 0, 1, 0, self._context)
        waiting.clear_entities()
        waiting.add_guard_condition(self._wake)
        waiting.add_service(self._service.handle)
        waiting.wait(-1)
        return not self._stop.is_set()


class _HandedOver(CallbackGroup):
    """Callbacks that an executor leaves alone as soon as others take care of them."""

    def __init__(self) -> None:
        super().__init__()
        self.handed_over = False

    def can_execute(self, entity: object) -> bool:
        return not self.handed_over

    def beginning_execution(self, entity: object) -> bool:
        return not self.handed_over

    def ending_execution(self, entity: object) -> None:
        pass
