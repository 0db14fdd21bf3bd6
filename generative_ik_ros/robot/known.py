"""The robots that come with the package and those of robot_descriptions, by name.

The latter package downloads robots when it is first asked for them.
"""

import importlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from generative_ik_ros.errors import (
    RobotDescriptionError,
    UnknownNameError,
    importing,
    short,
)
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.chain_or_tree import chain_or_tree
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.limits import JointLimits

_PUBLISHED = "_description"
"""What all names in robot_descriptions end with."""
_KEYS = ("display_name", "urdf", "base_link", "tip_link", "source")


@dataclass(frozen=True)
class KnownRobot:
    """A robot's entry in config/robots/, `<name>.json`, or in robot_descriptions.

    Attributes:
        name: The name to ask for it by.
        display_name: The name to show to people.
        urdf: Path of its URDF, xacro file or MJCF.
        base_link: Link that its chain starts from; "" where the description decides.
        tip_link: Link that its chain ends at; "" where the description decides.
        source: Where its kinematics were taken from.
        xacro_args: Arguments of its xacro file.
        package_dirs: Folders in which its meshes are looked up, in addition to that of its file.
    """

    name: str
    display_name: str
    urdf: Path
    base_link: str
    tip_link: str
    source: str
    xacro_args: Mapping[str, str] = field(default_factory=dict)
    package_dirs: tuple[Path, ...] = ()

    def description(self) -> RobotDescription:
        """Read the robot."""
        return RobotDescription.from_urdf(self.urdf, xacro_args=self.xacro_args)


def robot_names() -> tuple[str, ...]:
    """Names of the robots that come with the package, in alphabetical order."""
    return tuple(sorted(path.stem for path in robots_directory().glob("*.json")))


def known_robot(name: str) -> KnownRobot:
    """Read a robot's entry; a name that ends with "_description" is one of robot_descriptions.

    Raises:
        UnknownNameError: There is no robot of that name; the message lists those there are.
        RobotDescriptionError: Its entry is malformed, or robot_descriptions cannot provide it.
        MissingDependencyError: robot_descriptions is not installed.
    """
    if not isinstance(name, str):
        raise UnknownNameError("robot", name, robot_names())
    if name.endswith(_PUBLISHED):
        return _published_robot(name)
    if name not in robot_names():
        raise UnknownNameError("robot", name, robot_names())
    path = robots_directory() / f"{name}.json"
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RobotDescriptionError(f"{path} is not JSON: {error}") from None
    if not isinstance(entry, dict) or sorted(entry) != sorted(_KEYS):
        raise RobotDescriptionError(f"{path} must have exactly the keys {', '.join(_KEYS)}")
    entry = {key: str(entry[key]) for key in _KEYS}
    return KnownRobot(name=name, **{**entry, "urdf": path.parent / entry["urdf"]})


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
    return [name for name in names if name.endswith(_PUBLISHED) and not name.startswith("_")]


def _published_robot(name: str) -> KnownRobot:
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
            # The folders of a robot's package and of its repository, and those around them.
            roots = [Path(getattr(module, root)) for root in ("PACKAGE_PATH", "REPOSITORY_PATH")]
            folders = dict.fromkeys((*roots, *(root.parent for root in roots)))
            file, source = Path(getattr(module, key)), "robot_descriptions"
            return KnownRobot(name, name, file, "", "", source, dict(given), tuple(folders))
    raise RobotDescriptionError(f"'{name}' of robot_descriptions has no URDF, xacro file or MJCF")


def robot_urdf_path(name: str) -> Path:
    """Path of the URDF of a robot that comes with the package, or of a file of robot_descriptions.

    Raises:
        UnknownNameError, RobotDescriptionError, MissingDependencyError: As `known_robot`.
    """
    return known_robot(name).urdf


def load_robot(
    name: str,
    base_link: str | None = None,
    tip_link: str | None = None,
    *,
    joint_limits: JointLimits | None = None,
    soft_limits: bool = False,
) -> KinematicChain:
    """Return the kinematic chain of a robot that is known by name.

    If the robot has closed loops between the links, this is a `KinematicTree` with one tip, which
    is solved like a chain (docs/loops.md).

    Args:
        name: One of `generative-ik robots`, such as "panda" or "ur10", or, with the package
            robot_descriptions, one of its names, such as "so_arm101_description".
        base_link: As in `KinematicChain.from_urdf`; by default as the robot's entry says.
        tip_link: As in `KinematicChain.from_urdf`; by default as the robot's entry says.
        joint_limits: As in `KinematicChain.from_urdf`.
        soft_limits: As in `KinematicChain.from_urdf`.

    Raises:
        UnknownNameError: There is no robot of that name, or no such link or joint; the message
            lists those there are.
        AmbiguousChainError: The robot's entry names no tip link, and several links could be one.
        InvalidArgumentError: A joint cannot have the `joint_limits`.
        MissingDependencyError: The robot is one of robot_descriptions, which is not installed, or
            neither is what reads its file.
        RobotDescriptionError: robot_descriptions cannot provide the robot.
    """
    if not isinstance(name, str):
        raise UnknownNameError("robot", name, robot_names())
    if base_link is tip_link is joint_limits is None and soft_limits is False:
        return _as_it_comes(name)
    robot = known_robot(name)
    return chain_or_tree(
        robot.description(),
        robot.base_link or None if base_link is None else base_link,
        robot.tip_link or None if tip_link is None else tip_link,
        joint_limits=joint_limits,
        soft_limits=soft_limits,
    )


@lru_cache
def _as_it_comes(name: str) -> KinematicChain:
    robot = known_robot(name)
    return chain_or_tree(robot.description(), robot.base_link or None, robot.tip_link or None)


@lru_cache
def robots_directory() -> Path:
    """Find config/robots/ where the package is installed or checked out.

    Raises:
        RobotDescriptionError: It was not installed with the package.
    """
    places = list(_places())
    for place in places:
        if place.is_dir():
            return place
    raise RobotDescriptionError(
        f"the robots of the package are not installed; looked in {', '.join(map(str, places))}"
    )


def _package() -> Path:
    return Path(__file__).parents[1]


def _places() -> Iterator[Path]:
    package = _package()
    yield package / "config" / "robots"  # pip
    yield package.parent / "config" / "robots"  # a checkout
    share = Path("share", "generative_ik_ros", "config", "robots")
    overlays = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    for prefix in (*package.parents, *filter(None, overlays), sys.prefix):  # colcon
        yield Path(prefix) / share
