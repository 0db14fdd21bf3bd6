"""The robots that come with the package, by name."""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path

from generative_ik_ros.errors import RobotDescriptionError, UnknownNameError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.limits import JointLimits

_KEYS = ("display_name", "urdf", "base_link", "tip_link", "source")


@dataclass(frozen=True)
class KnownRobot:
    """A robot's entry in config/robots/, `<name>.yaml`.

    Attributes:
        name: The name to ask for it by.
        display_name: The name to show to people.
        urdf: Path of its URDF.
        base_link: Link that its chain starts from.
        tip_link: Link that its chain ends at.
        source: Where its kinematics were taken from.
    """

    name: str
    display_name: str
    urdf: Path
    base_link: str
    tip_link: str
    source: str


def robot_names() -> tuple[str, ...]:
    """Names of the robots that come with the package, in alphabetical order."""
    return tuple(sorted(path.stem for path in robots_directory().glob("*.yaml")))


@lru_cache
def known_robot(name: str) -> KnownRobot:
    """Read a robot's entry.

    Raises:
        UnknownNameError: There is no robot of that name; the message lists those there are.
        RobotDescriptionError: Its entry is malformed.
    """
    # Imported here: a chain that is read from a URDF needs no YAML.
    import yaml

    if name not in robot_names():
        raise UnknownNameError("robot", name, robot_names())
    path = robots_directory() / f"{name}.yaml"
    try:
        entry = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise RobotDescriptionError(f"{path} is not YAML: {error}") from None
    if not isinstance(entry, dict) or sorted(entry) != sorted(_KEYS):
        raise RobotDescriptionError(f"{path} must have exactly the keys {', '.join(_KEYS)}")
    entry = {key: str(entry[key]) for key in _KEYS}
    return KnownRobot(name=name, **{**entry, "urdf": path.parent / entry["urdf"]})


def robot_urdf_path(name: str) -> Path:
    """Path of the URDF of a robot that comes with the package.

    Raises:
        UnknownNameError: There is no robot of that name; the message lists those there are.
    """
    return known_robot(name).urdf


def load_robot(
    name: str, *, joint_limits: JointLimits | None = None, soft_limits: bool = False
) -> KinematicChain:
    """Return the kinematic chain of a robot that comes with the package.

    Args:
        name: One of `generative-ik robots`, such as "panda" or "ur10".
        joint_limits: As in `KinematicChain.from_urdf`.
        soft_limits: As in `KinematicChain.from_urdf`.

    Raises:
        UnknownNameError: There is no robot of that name, or no such joint; the message lists
            those there are.
        InvalidArgumentError: A joint cannot have the `joint_limits`.
    """
    if joint_limits is None and not soft_limits:
        return _as_it_comes(name)
    robot = known_robot(name)
    return KinematicChain.from_urdf(
        robot.urdf,
        robot.base_link,
        robot.tip_link,
        joint_limits=joint_limits,
        soft_limits=soft_limits,
    )


@lru_cache
def _as_it_comes(name: str) -> KinematicChain:
    robot = known_robot(name)
    return KinematicChain.from_urdf(robot.urdf, robot.base_link, robot.tip_link)


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


def _places() -> Iterator[Path]:
    package = Path(str(resources.files("generative_ik_ros")))
    yield package / "config" / "robots"  # pip
    yield package.parent / "config" / "robots"  # a checkout
    share = Path("share", "generative_ik_ros", "config", "robots")
    overlays = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    for prefix in (*package.parents, *filter(None, overlays), sys.prefix):  # colcon
        yield Path(prefix) / share
