"""Threads that run a node's callbacks."""

import os
import signal
import threading
import time
import traceback
from dataclasses import dataclass
from typing import Any

from rclpy.exceptions import InvalidHandle
from rclpy.executors import ExternalShutdownException, ShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.waitable import Waitable

from generative_ik_ros.ros.direct import Threaded


@dataclass(frozen=True)
class WorkerTuning:
    """How long threads that run callbacks wait."""

    pause: float = 0.01
    """Pause after an error [s], so that a persistent one does not keep a core busy."""
    head_start: float = 0.002
    """Time for which the next thread leaves the interpreter to a new callback [s]."""


TUNING = WorkerTuning()


class Stop:
    """Tells threads to end, on a signal for example, whatever that interrupts.

    A handler that set an event would wait for a lock that the interrupted `wait` holds, and would
    not even run if the signal came just before that blocks. A byte in a pipe ends a read always.
    """

    def __init__(self) -> None:
        self._set, (self._out, self._in) = False, os.pipe()
        os.set_blocking(self._in, False)

    def on_signals(self, *numbers: int) -> None:
        """Set it on these signals from now on; the main thread's call."""
        signal.set_wakeup_fd(self._in)
        for number in numbers:
            signal.signal(number, lambda *_: None)

    def set(self) -> None:
        """Tell them."""
        self._set = True
        os.write(self._in, b"\0")

    def is_set(self) -> bool:
        """Whether they were told."""
        return self._set

    def wait(self) -> None:
        """Wait until they are told, on one thread."""
        os.read(self._out, 1)
        self._set = True


class Executor(SingleThreadedExecutor):
    """One that can do with entities that other threads destroy."""

    def _take_waitable(self, waitable: Waitable) -> Any:  # noqa: ANN401
        """Take nothing of what is gone, as rclpy does of all other kinds of entities.

        Raised from here, its error would leave the callback group taken for good.
        """
        try:
            return super()._take_waitable(waitable)
        except InvalidHandle:
            return None


class Workers:
    """Threads in a leader/followers arrangement: the one that receives a callback runs it.

    rclpy's MultiThreadedExecutor passes each callback to another thread, which then competes for
    the interpreter with the one that goes back to waiting; that costs 0.3 ms more per call. Nor
    does its shutdown wait for callbacks to finish.

    Args:
        stop: Ends the threads once it is set, at which `join` must be called.

    Attributes:
        executor: What waits for callbacks, for the thread that leads.
    """

    def __init__(self, node: Node, stop: Stop):
        self.executor = Executor()
        self.executor.add_node(node)
        self._node, self._stop = node, stop
        self._direct: list[Threaded] = getattr(node, "direct_services", [])
        self._wake = node.create_guard_condition(lambda: None)
        self._leading = threading.Lock()
        self._no_callback = threading.Event()
        self._no_callback.set()
        self._threads: list[threading.Thread] = []

    def start(self, num_threads: int) -> None:
        """Start so many threads for callbacks, and as many for each direct service."""
        for _ in range(num_threads):
            # Daemon threads, because otherwise the interpreter waits at exit for a running solve.
            self._threads.append(threading.Thread(target=self._work, daemon=True))
            self._threads[-1].start()
        for service in self._direct:
            self._threads += service.start(num_threads)

    def join(self, grace: float) -> bool:
        """Wait for the running callbacks; return whether all finished within `grace` [s]."""
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
                self._run_next_callback()
            except (ShutdownException, ExternalShutdownException):
                self._stop.set()
            except Exception:
                # For example, a client is gone; that must not affect the other clients.
                self._node.get_logger().error(f"callback failed:\n{traceback.format_exc()}")
                time.sleep(TUNING.pause)
        self._wake.trigger()

    def _run_next_callback(self) -> None:
        with self._leading:
            self._no_callback.wait(TUNING.head_start)
            if self._stop.is_set():
                return
            try:
                callback, _, _ = self.executor.wait_for_ready_callbacks()
            except InvalidHandle:
                # Another thread destroyed a subscription or a publisher while this one began to
                # wait for its events; nothing was taken, and the next thread begins anew.
                return
            self._no_callback.clear()
        try:
            callback()
        finally:
            self._no_callback.set()
        callback.result()
