"""Process entry point: runs a node on worker threads until SIGINT or SIGTERM."""

import os
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn

import rclpy
from rclpy.exceptions import ParameterException
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from generative_ik_ros.errors import GenerativeIKError, GenerativeIKWarning
from generative_ik_ros.ros import transport
from generative_ik_ros.ros.last_resort import end_process_after
from generative_ik_ros.ros.log_lines import one_line
from generative_ik_ros.ros.workers import Stop, Workers


@dataclass(frozen=True)
class ProcessTuning:
    """How a node's process ends, and how its threads take turns."""

    shutdown_grace: float = 3.0
    """Time allowed for running callbacks to finish at shutdown [s]; ros2 launch escalates after
    5."""
    switch_interval: float = 0.001
    """Python's thread switch interval [s]. The default of 5 ms is as long as a reply may be late,
    and several threads may be waiting for the interpreter."""


TUNING = ProcessTuning()
_SIGNALS = signal.SIGINT, signal.SIGTERM


def run(make_node: Callable[[], Node], args: list[str] | None = None) -> int:
    """Run a node until SIGINT or SIGTERM.

    Args:
        make_node: Creates the node once ROS is initialised; its parameter num_threads says how
            many requests each direct service, and how many other callbacks, run at once.
        args: Command line including ROS arguments; None: that of the process.

    Returns:
        2 if ROS or the node could not start; after a shutdown the process ends here, with 0.
    """
    # Nothing needs to be ended in order before there is a node. An exception instead would come
    # anywhere in what the main thread does, and be lost or taken for another.
    for number in _SIGNALS:
        signal.signal(number, lambda *_: _exit())
    try:
        transport.select(transport.DEFAULT)
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    except Exception as error:
        # Wrong ROS arguments, an unreadable parameter file or a missing middleware: rclpy's
        # message says which, and a traceback would only obscure it.
        print(f"generative_ik: {error}", file=sys.stderr)
        return 2
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
    stop = Stop()
    stop.on_signals(*_SIGNALS)
    _log_warnings(node.get_logger())
    workers = Workers(node, stop)
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


def _log_warnings(logger: RcutilsLogger) -> None:
    """Have a node log the package's warnings; Python gives each text once a line of code."""
    show = warnings.showwarning

    def log(message: Warning | str, category: type[Warning], *place: Any) -> None:  # noqa: ANN401
        if issubclass(category, GenerativeIKWarning):
            logger.warning(one_line(str(message)))
        else:
            show(message, category, *place)

    warnings.showwarning = log


def _exit() -> NoReturn:
    """End the process without waiting for threads."""
    # A signal may have come in the middle of a print.
    with suppress(RuntimeError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(0)
