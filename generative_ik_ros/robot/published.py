"""Robots of the package robot_descriptions, by name; it downloads them when first asked."""

import importlib
from pathlib import Path
from typing import NamedTuple

from generative_ik_ros.errors import (
    RobotDescriptionError,
    UnknownNameError,
    importing,
    short,
)

ENDING = "_description"
"""What all names in it end with."""


class PublishedRobot(NamedTuple):
    """Where a robot's files are.

    Attributes:
        file: Its URDF, xacro file or MJCF, the first of these that there is.
        xacro_args: Arguments for its xacro file.
        package_dirs: Where its meshes are looked up.
    """

    file: Path
    xacro_args: dict[str, str]
    package_dirs: tuple[Path, ...]


def published_names(what: str = "this needs robot_descriptions") -> list[str]:
    """Return the names of all robots of robot_descriptions.

    Args:
        what: What needs it, for the error.

    Raises:
        MissingDependencyError: robot_descriptions is not installed.
    """
    with importing(what, "'generative_ik_ros[formats]'"):
        import robot_descriptions
    import pkgutil

    names = [module.name for module in pkgutil.iter_modules(robot_descriptions.__path__)]
    return [name for name in names if name.endswith(ENDING) and not name.startswith("_")]


def published_robot(name: str) -> PublishedRobot:
    """Return a robot of robot_descriptions, such as "so_arm101_description".

    Raises:
        MissingDependencyError: robot_descriptions is not installed.
        UnknownNameError: It has no such robot; the message lists those with similar names.
        RobotDescriptionError: It cannot download the robot, or has no file of it that can be read.
    """
    names = published_names(f"'{name}' is a name of robot_descriptions")
    if name not in names:
        # Few processes come here, and all would wait for it.
        from difflib import get_close_matches

        near = get_close_matches(name, names, 20, 0.5)
        raise UnknownNameError("robot of robot_descriptions", name, near or names)
    try:
        module = importlib.import_module(f"robot_descriptions.{name}")
    except Exception as error:  # of git, of the network, of the disk
        raise RobotDescriptionError(
            f"robot_descriptions cannot provide '{name}': {type(error).__name__}: "
            f"{short(' '.join(str(error).split()), 300)}"
        ) from None
    for key in ("URDF_PATH", "XACRO_PATH", "MJCF_PATH"):
        if hasattr(module, key):
            given = getattr(module, "XACRO_ARGS", {}) if key == "XACRO_PATH" else {}
            return PublishedRobot(Path(getattr(module, key)), dict(given), _folders(module))
    raise RobotDescriptionError(f"'{name}' of robot_descriptions has no URDF, xacro file or MJCF")


def _folders(module: object) -> tuple[Path, ...]:
    """Return the folders of a robot's package and of its repository, and those around them."""
    roots = [Path(getattr(module, key)) for key in ("PACKAGE_PATH", "REPOSITORY_PATH")]
    return tuple(dict.fromkeys((*roots, *(root.parent for root in roots))))
