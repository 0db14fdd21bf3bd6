"""Replies to requests that end in an error, the same for all services with our own messages."""

import time
import traceback
from collections.abc import Callable
from typing import Any, TypeVar

from rclpy.impl.rcutils_logger import RcutilsLogger

from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.ros.frames import UnknownFrameError
from generative_ik_ros.ros.log_lines import error_line, one_line
from generative_ik_ros.ros.served import NoRobotDescriptionError
from generative_ik_ros.ros.solvers import PreparingError

_STATUSES: tuple[tuple[type[Exception], str], ...] = (
    (NoRobotDescriptionError, "NO_ROBOT_DESCRIPTION"),
    (PreparingError, "PREPARING"),
    (UnknownFrameError, "UNKNOWN_FRAME"),
    (GenerativeIKError, "INVALID_REQUEST"),
)
_Response = TypeVar("_Response", bound=Any)


def fill_or_refuse(
    response: _Response, fill: Callable[[], None], logger: RcutilsLogger
) -> _Response:
    """Have a reply filled and return it; an error becomes its status and message.

    What is a fault of ours is logged.
    """
    start = time.perf_counter()
    try:
        fill()
    except Exception as error:
        status = next((name for kind, name in _STATUSES if isinstance(error, kind)), None)
        if status is not None:
            response.status, response.message = getattr(response, status), str(error)
        else:
            logger.error(f"request failed:\n{traceback.format_exc()}")
            response = type(response)()
            response.status, response.message = response.INTERNAL_ERROR, error_line(error)
    response.message = one_line(response.message)
    response.total_time = time.perf_counter() - start
    return response
