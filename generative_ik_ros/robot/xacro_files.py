"""Expansion of xacro files by ROS's own package `xacro`."""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from generative_ik_ros.errors import RobotDescriptionError, importing, short
from generative_ik_ros.robot.xacro_packages import packages_around

_LOCK = threading.Lock()
"""xacro keeps what it is at in variables of its module, and what it asks is replaced."""


def expanded(path: Path, arguments: Mapping[str, str]) -> str:
    """Return the text that a xacro file expands to.

    xacro evaluates expressions of the file, and opens others that it includes: it is for files
    that are trusted as programs are, never for text from a topic.

    Args:
        path: The file.
        arguments: Values of its `<xacro:arg>` elements.

    Raises:
        RobotDescriptionError: The file cannot be expanded.
        MissingDependencyError: xacro is not installed.
    """
    with importing("a xacro file needs xacro", "'generative_ik_ros[formats]'"):
        import xacro
    try:
        mappings = {name: str(value) for name, value in arguments.items()}
        with _LOCK, packages_around(path):
            # Without the comments before it, which hold the path: two hyphens are no comment.
            document: Any = xacro.process_file(str(path), mappings=mappings)
            return document.documentElement.toxml()
    except Exception as error:  # those of its expressions are of any kind
        why = f"{type(error).__name__}: {short(' '.join(str(error).split()), 300)}"
        raise RobotDescriptionError(f"cannot expand {path}: {why}") from None
