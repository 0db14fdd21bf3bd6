"""Replies to requests that end in an error, the same for all services with our own messages."""

import traceback
from typing import Any, TypeVar

from rclpy.impl.rcutils_logger import RcutilsLogger

from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.ros.frames import UnknownFrameError
from generative_ik_ros.ros.log_lines import error_line
from generative_ik_ros.ros.served import NoRobotDescriptionError
from generative_ik_ros.ros.solvers import PreparingError

_STATUSES: tuple[tuple[type[Exception], str], ...] = (
    (NoRobotDescriptionError, "NO_ROBOT_DESCRIPTION"),
    (PreparingError, "PREPARING"),
    (UnknownFrameError, "UNKNOWN_FRAME"),
    (GenerativeIKError, "INVALID_REQUEST"),
)
_Response = TypeVar("_Response", bound=Any)


def refusal(response: _Response, error: Exception, logger: RcutilsLogger) -> _Response:
    """Return the reply to a request that an error has ended; log it if it is a fault of ours.

    Args:
        response: The reply as far as it is written.
        error: The error that is being handled.
        logger: The node's.
    """
    for kind, name in _STATUSES:
        if isinstance(error, kind):
            response.status, response.message = getattr(response, name), str(error)
            return response
    logger.error(f"request failed:\n{traceback.format_exc()}")
    response = type(response)()
    response.status, response.message = response.INTERNAL_ERROR, error_line(error)
    return response
