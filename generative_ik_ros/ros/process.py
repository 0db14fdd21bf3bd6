"""A node's constructor in, the exit code of a process that ran the node until told to stop out."""

import gc
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable

import rclpy
from rclpy.exceptions import ParameterException
from rclpy.executors import (
    ExternalShutdownException,
    ShutdownException,
    SingleThreadedExecutor,
)
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.ros.direct import DirectService

SHUTDOWN_GRACE = 3.0
"""Time [s] that callbacks get to end. ros2 launch loses patience after 5 s."""
PAUSE = 0.01
"""Time [s] after a failure, so that one that lasts does not keep a core busy."""
SWITCH_INTERVAL = 0.001
"""Time [s] after which a thread that waits for the interpreter gets it. Python's own 5 ms are as
much as an answer may be late, and several threads may wait in a row."""
TRANSPORTS = "FASTDDS_BUILTIN_TRANSPORTS"
"""How Fast DDS talks. A client that is killed while it talks through shared memory can keep
everybody else's answers back for seconds, or for good. Over UDP it harms nobody, as fast."""
HEAD_START = 0.002
"""Time [s] for which the next thread leaves the interpreter to a callback that has just begun."""


def run(make_node: Callable[[], Node], args: list[str] | None = None) -> int:
    """Run a node until SIGINT or SIGTERM.

    Args:
        make_node: Makes the node once ROS is initialised. Its parameter num_threads says how
            many requests each of its direct services answers at the same time, and how many other
            callbacks run beside them.
        args: Command line, ROS arguments included; None: that of the process.

    Returns:
        0 after a clean end, 2 where ROS or the node refused to start.
    """
    stop = threading.Event()
    os.environ.setdefault(TRANSPORTS, "UDPv4")
    try:
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    except Exception as error:
        # Wrong ROS arguments, an unreadable parameter file or a missing middleware: rclpy says
        # which, and a traceback would only hide it.
        print(f"generative_ik: {error}", file=sys.stderr)
        return 2
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    try:
        node = make_node()
    except (GenerativeIKError, ParameterException) as error:
        print(f"generative_ik: {error}", file=sys.stderr)
        rclpy.shutdown()
        return 2
    sys.setswitchinterval(SWITCH_INTERVAL)
    # A full collection looks at all that was imported and compiled: 0.1 s in which nobody answers.
    gc.collect()
    gc.freeze()
    crew = _Crew(node, stop)
    crew.start(node.get_parameter("num_threads").value)  # pyright: ignore[reportArgumentType]
    stop.wait()
    if not crew.finish(SHUTDOWN_GRACE):
        node.get_logger().warning("a solve is still running; it ends with this process")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
    # In another order the middleware aborts the process now and then.
    crew.executor.shutdown()
    node.destroy_node()
    rclpy.shutdown()
    return 0


class _Crew:
    """Threads that take turns at waiting; the one that gets a callback runs it itself.

    rclpy's MultiThreadedExecutor hands each callback to another thread, which then contends for
    the interpreter with the one that goes back to waiting: 0.3 ms a call more than this. Nor does
    its shutdown wait for callbacks to end.
    """

    def __init__(self, node: Node, stop: threading.Event):
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(node)
        self._node, self._stop = node, stop
        self._direct: list[DirectService] = getattr(node, "direct_services", [])
        self._wake = node.create_guard_condition(lambda: None)
        self._turn = threading.Lock()
        self._quiet = threading.Event()
        self._quiet.set()
        self._threads: list[threading.Thread] = []

    def start(self, num_threads: int) -> None:
        for _ in range(num_threads):
            # Daemons, for the interpreter would otherwise wait for a solve that has no end.
            self._threads.append(threading.Thread(target=self._work, daemon=True))
            self._threads[-1].start()
        for service in self._direct:
            self._threads += service.start(num_threads)

    def finish(self, grace: float) -> bool:
        """Let every thread end its callback; return whether all did within `grace` [s]."""
        deadline = time.monotonic() + grace
        self._wake.trigger()
        for service in self._direct:
            service.stop()
        for thread in self._threads:
            thread.join(max(deadline - time.monotonic(), 0.0))
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        while not self._stop.is_set():
            try:
                self._take_turn()
            except (ShutdownException, ExternalShutdownException):
                self._stop.set()
            except Exception:
                # Such as a reply to a client that is gone: no reason to fail all other clients.
                self._node.get_logger().error(f"callback failed:\n{traceback.format_exc()}")
                self._stop.wait(PAUSE)
        self._wake.trigger()

    def _take_turn(self) -> None:
        with self._turn:
            self._quiet.wait(HEAD_START)
            if self._stop.is_set():
                return
            callback, _, _ = self.executor.wait_for_ready_callbacks()
            self._quiet.clear()
        try:
            callback()
        finally:
            self._quiet.set()
        callback.result()
