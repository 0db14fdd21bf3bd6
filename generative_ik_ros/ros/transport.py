"""The transports of Fast DDS: UDP, unless the user or a parameter chooses others.

With shared memory, a client that is killed in the middle of a transfer can block the replies to
all other clients for seconds, or permanently. UDP is as fast here and not affected.
"""

import os
from pathlib import Path

from rclpy.utilities import get_rmw_implementation_identifier

VARIABLE = "FASTDDS_BUILTIN_TRANSPORTS"
DEFAULT = "UDPv4"
_PROFILES = ("FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE")
_PROFILES_HERE = ("DEFAULT_FASTDDS_PROFILES.xml", "DEFAULT_FASTRTPS_PROFILES.xml")

_selected: str | None = None
"""What this process has selected; None: nothing yet."""


class OtherTransportsError(Exception):
    """A node was created with other transports than its parameter asks for."""


def select(transports: str) -> None:
    """Select transports for the nodes created from now on, unless the user has or need not.

    Args:
        transports: A value of FASTDDS_BUILTIN_TRANSPORTS; empty: Fast DDS's default.
    """
    global _selected  # noqa: PLW0603 (an environment variable is as global)
    if _selected is None and (VARIABLE in os.environ or not _fast_dds() or _profile()):
        return
    _selected = transports
    os.environ.pop(VARIABLE, None)
    if transports:
        os.environ[VARIABLE] = transports


def check(transports: str) -> None:
    """Select the transports of a parameter, known only when the node exists.

    Raises:
        OtherTransportsError: This process has selected others, so the node must be made again.
    """
    if _selected is not None and _selected != transports:
        select(transports)
        raise OtherTransportsError(transports)


def description() -> str:
    """Return the middleware and its transports, for people."""
    name = get_rmw_implementation_identifier()
    if not _fast_dds():
        return f"{name}, as configured"
    if profile := _profile():
        return f"{name}, as in {profile}"
    if os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE") == "LOCALHOST":
        return f"{name}, with shared memory by ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST"
    return f"{name}, {VARIABLE}={os.environ.get(VARIABLE, '')}"


def _fast_dds() -> bool:
    return "fastrtps" in get_rmw_implementation_identifier()


def _profile() -> str:
    """Return the profile file that Fast DDS reads; empty if there is none."""
    named = next((os.environ[name] for name in _PROFILES if os.environ.get(name)), "")
    return named or next((name for name in _PROFILES_HERE if Path(name).is_file()), "")
