"""Process entry point: runs a node on worker threads until SIGINT or SIGTERM."""

import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import rclpy
from rclpy.exceptions import ParameterException
from rclpy.executors import ExternalShutdownException, ShutdownException, SingleThreadedExecutor
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from generative_ik_ros.errors import GenerativeIKError, GenerativeIKWarning
from generative_ik_ros.ros import transport
from generative_ik_ros.ros.direct import Threaded
from generative_ik_ros.ros.last_resort import end_process_after
from generative_ik_ros.ros.log_lines import one_line


@dataclass(frozen=True)
class ProcessTuning:
    """How long the threads of the node wait."""

    shutdown_grace: float = 3.0
    """Time allowed for running callbacks to finish at shutdown [s]; ros2 launch escalates after
    5."""
    pause: float = 0.01
    """Pause after an error [s], so that a persistent one does not keep a core busy."""
    switch_interval: float = 0.001
    """Python's thread switch interval [s]. The default of 5 ms is as long as a reply may be late,
    and several threads may be waiting for the interpreter."""
    head_start: float = 0.002
    """Time for which the next thread leaves the interpreter to a new callback [s]."""


TUNING = ProcessTuning()


def run(make_node: Callable[[], Node], args: list[str] | None = None) -> int:
    """Run a node until SIGINT or SIGTERM.

    Args:
        make_node: Creates the node once ROS is initialised; its parameter num_threads says how
            many requests each direct service, and how many other callbacks, run at once.
        args: Command line including ROS arguments; None: that of the process.

    Returns:
        2 if ROS or the node could not start; after a shutdown the process ends here, with 0.
    """
    stop = threading.Event()
    try:
        transport.select(transport.DEFAULT)
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    except Exception as error:
        # Wrong ROS arguments, an unreadable parameter file or a missing middleware: rclpy's
        # message says which, and a traceback would only obscure it.
        print(f"generative_ik: {error}", file=sys.stderr)
        return 2
    _on_signals(_interrupt)
    _log_warnings(get_logger("generative_ik"))
    sys.setswitchinterval(TUNING.switch_interval)
    try:
        try:
            node = make_node()
        except transport.OtherTransportsError:
            # They are chosen by a parameter, and a parameter is known when there is a node.
            rclpy.shutdown()
            rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
            node = make_node()
    except (GenerativeIKError, ParameterException) as error:
        print(f"generative_ik: {error}", file=sys.stderr)
        rclpy.shutdown()
        return 2
    except KeyboardInterrupt:
        rclpy.shutdown()
        _exit()
    _on_signals(lambda *_: stop.set())
    _log_warnings(node.get_logger())
    workers = _Workers(node, stop)
    workers.start(node.get_parameter("num_threads").value)  # pyright: ignore[reportArgumentType]
    stop.wait()
    # The middleware may block, also where it logs.
    end_process_after(TUNING.shutdown_grace + 1.0)
    if not workers.join(TUNING.shutdown_grace):
        node.get_logger().warning("a solve is still running; it ends with this process")
        _exit()
    # In any other order it occasionally aborts the process.
    workers.executor.shutdown()
    node.destroy_node()
    rclpy.shutdown()
    # The interpreter cannot end while another thread loads, and the middleware's
    # destructors may block.
    _exit()


def _on_signals(handler: Callable[..., None]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)


def _log_warnings(logger: RcutilsLogger) -> None:
    """Have a node log the package's warnings; Python gives each text once a line of code."""
    show = warnings.showwarning

    def log(message: Warning | str, category: type[Warning], *place: Any) -> None:  # noqa: ANN401
        if issubclass(category, GenerativeIKWarning):
            logger.warning(one_line(str(message)))
        else:
            show(message, category, *place)

    warnings.showwarning = log


def _interrupt(*_: object) -> None:
    """End what the main thread waits for while it makes the node, such as a sampler."""
    raise KeyboardInterrupt


def _exit() -> NoReturn:
    """End the process without waiting for threads."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


class _Workers:
    """Threads in a leader/followers arrangement: the one that receives a callback runs it.

    rclpy's MultiThreadedExecutor passes each callback to another thread, which then competes for
    the interpreter with the one that goes back to waiting; that costs 0.3 ms more per call. Nor
    does its shutdown wait for callbacks to finish.
    """

    def __init__(self, node: Node, stop: threading.Event):
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(node)
        self._node, self._stop = node, stop
        self._direct: list[Threaded] = getattr(node, "direct_services", [])
        self._wake = node.create_guard_condition(lambda: None)
        self._leading = threading.Lock()
        self._no_callback = threading.Event()
        self._no_callback.set()
        self._threads: list[threading.Thread] = []

    def start(self, num_threads: int) -> None:
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
                self._stop.wait(TUNING.pause)
        self._wake.trigger()

    def _run_next_callback(self) -> None:
        with self._leading:
            self._no_callback.wait(TUNING.head_start)
            if self._stop.is_set():
                return
            callback, _, _ = self.executor.wait_for_ready_callbacks()
            self._no_callback.clear()
        try:
            callback()
        finally:
            self._no_callback.set()
        callback.result()
