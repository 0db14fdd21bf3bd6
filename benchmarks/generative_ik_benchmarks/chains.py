"""The kinematic chains that protocols run on, by name or from a folder of URDF files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from xml.etree import ElementTree

from generative_ik_benchmarks.calibrated_chains import CALIBRATED, calibrated_urdf
from generative_ik_benchmarks.prismatic_chains import PRISMATIC, Joint, serial_urdf
from generative_ik_benchmarks.robots import (
    EXAMPLE_ROBOTS,
    example_robot_urdf,
    example_robots_folder,
)
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError, UnsupportedChainError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.known import known_robot, robot_names

STANDARD = (
    "panda",
    "ur10",
    "iiwa",
    "lwa4d",
    "lwa4p",
    "kinova",
    "tiago",
    "atlas_foot_to_hand",
)
"""The chains that most protocols run on: six to fifteen joints, limited, continuous and prismatic
ones. Robots that ship with the package, and those of example-robot-data."""

STANDARD_OF_FOLDER = (
    "panda:panda_link0:panda_hand_tcp",
    "ur10",
    "kuka_iiwa",
    "lwa4d",
    "lwa4p",
    "fetch:base_link",
    "jaco2",
    "atlas:l_foot:l_hand",
)
"""The same for a folder of URDF files, as far as it has them."""

_LIST = "SOURCES.md"
_COLUMNS = 7
_BASE, _TIP, _DOF = 3, 4, 5


@dataclass(frozen=True)
class RobotCase:
    """A robot with a frame that poses are given in.

    Attributes:
        robot: The name of a robot or of a URDF file.
        urdf_path: Where its description is.
        base_link: The frame of the poses, where chains start.
    """

    robot: str
    urdf_path: Path
    base_link: str

    @cached_property
    def urdf(self) -> str:
        """The description's text."""
        return self.urdf_path.read_text()

    @property
    def source(self) -> Path | str:
        """What the package reads the robot from: the file."""
        return self.urdf_path

    @property
    def srdf(self) -> Path | None:
        """The file beside the description that disables pairs of links, if there is one."""
        file = self.urdf_path.parent / f"{self.urdf_path.stem}.srdf"
        return file if file.is_file() else None

    @cached_property
    def plain_urdf(self) -> str:
        """The text without what other programs stumble over, see `plain_text`."""
        return plain_text(self.urdf)

    @property
    def package_dirs(self) -> tuple[Path, ...]:
        """Where package:// addresses of the description may lie: beside it, or above."""
        # package://example-robot-data/... is looked up from the folder around the package.
        return (self.urdf_path.parent, *self.urdf_path.parents[2:5])


@dataclass(frozen=True)
class ChainCase(RobotCase):
    """One chain to evaluate, up to a tip."""

    tip_link: str

    @property
    def label(self) -> str:
        """How tables name the chain."""
        return f"{self.robot}: {self.base_link} -> {self.tip_link}"

    @property
    def stem(self) -> str:
        """The robot's name without the file's ending."""
        return self.robot.removesuffix(".urdf")

    @property
    def selector(self) -> str:
        """What to ask for to get just this chain of a folder."""
        return f"{self.stem}:{self.base_link}:{self.tip_link}"

    def matches(self, selector: str) -> bool:
        """Say whether "file", "file:base" or "file:base:tip" means this chain."""
        file, base, tip = (*selector.split(":"), "", "")[:3]
        links = base in ("", self.base_link) and tip in ("", self.tip_link)
        return file in (self.stem, self.robot) and links

    @cached_property
    def chain(self) -> KinematicChain:
        """The chain; revolute joints without limits are taken as continuous.

        Raises:
            RobotDescriptionError: The description is refused.
        """
        return KinematicChain.from_urdf(
            self.urdf, self.base_link, self.tip_link, missing_limits="continuous"
        )


@dataclass(frozen=True)
class SyntheticCase(ChainCase):
    """A chain whose description is no file."""

    text: str = ""

    @cached_property
    def urdf(self) -> str:
        """The description's text."""
        return self.text

    @property
    def source(self) -> str:
        """What the package reads the robot from: the text."""
        return self.text


def plain_text(urdf: str) -> str:
    """Return a description of the joints alone, without what other programs stumble over.

    Safety elements are left out, because pytracik reads their soft limits as zero, and what links
    have: masses, because KDL complains about one at the root, and shapes, whose files are missed.
    Revolute joints without limits become continuous, and limits get an effort and velocity,
    because urdfdom refuses them without.
    """
    root = ElementTree.fromstring(urdf)
    for link in root.iter("link"):
        link[:] = []
    for joint in root.iter("joint"):
        for element in joint.findall("safety_controller"):
            joint.remove(element)
        limit = joint.find("limit")
        if joint.get("type") == "revolute" and limit is None:
            joint.set("type", "continuous")
        elif limit is not None:
            for key in ("effort", "velocity"):
                limit.attrib.setdefault(key, "0")
    return ElementTree.tostring(root, encoding="unicode")


def serial_case(name: str, joints: Sequence[Joint]) -> SyntheticCase:
    """Return an arm of some joints in a row."""
    text, tip_link = serial_urdf(name, joints)
    return SyntheticCase(name, Path(), "l0", tip_link, text)


def known_cases(names: Sequence[str] = ()) -> list[ChainCase]:
    """Return the chains of robots that ship with the package or that example-robot-data has.

    Args:
        names: Robots, or arms of `PRISMATIC` and `CALIBRATED`, which "all" has none of; if empty
            all, without those of example-robot-data where it is not installed.

    Raises:
        UnknownNameError: There is no such robot.
        MissingDependencyError: A robot of example-robot-data, which is not installed.
    """
    examples = EXAMPLE_ROBOTS if names or example_robots_folder() else ()
    return [_known_case(name) for name in names or (*robot_names(), *examples)]


def _known_case(name: str) -> ChainCase:
    if name in robot_names():
        robot = known_robot(name)
        return ChainCase(name, robot.urdf, robot.base_link, robot.tip_link)
    if name in EXAMPLE_ROBOTS:
        _, base_link, tip_link = EXAMPLE_ROBOTS[name]
        return ChainCase(name, example_robot_urdf(name), base_link, tip_link)
    if name in PRISMATIC:
        return serial_case(name, PRISMATIC[name])
    if name in CALIBRATED:
        text, base_link, tip_link = calibrated_urdf(name)
        return SyntheticCase(name, Path(), base_link, tip_link, text)
    choices = (*robot_names(), *EXAMPLE_ROBOTS, *PRISMATIC, *CALIBRATED)
    raise UnknownNameError("robot", name, choices)


def _named_case(folder: Path, selector: str) -> ChainCase | None:
    """Return the chain that "file:base:tip" means, if the folder has this file."""
    stem, *links = selector.split(":")
    for file in (stem, f"{stem}.urdf"):
        if len(links) == 2 and all(links) and (folder / file).is_file():
            return ChainCase(file, folder / file, *links)
    return None


def listed_cases(folder: Path, robots: Sequence[str] = ()) -> list[ChainCase]:
    """Return the chains that a folder of URDF files lists in its SOURCES.md.

    The list is a table with the columns file, source, licence, base link, tip link, DOF, joints;
    an empty first cell is another chain of the file above. It is not needed where each chain is
    named in full.

    Args:
        folder: The folder with the URDF files and the list.
        robots: Files to take, with or without ".urdf", all if empty; "file:base" and
            "file:base:tip" take only the chains with these links.

    Raises:
        InvalidArgumentError: The folder has no such list.
        UnknownNameError: The list has no such file or chain.
    """
    named = [case for one in robots if (case := _named_case(folder, one))]
    if named and len(named) == len(robots):
        return list(dict.fromkeys(named))
    try:
        lines = (folder / _LIST).read_text().splitlines()
    except OSError as error:
        raise InvalidArgumentError(
            f"--robots-dir {folder}: cannot read {_LIST}; without it name chains in full, as "
            "--robot FILE:BASE:TIP"
        ) from error
    cases, file = [], ""
    for line in lines:
        cells = [cell.strip().strip("`") for cell in line.split("|")[1:-1]]
        if len(cells) == _COLUMNS and cells[_DOF].isdigit():
            file = cells[0] or file
            cases.append(ChainCase(file, folder / file, cells[_BASE], cells[_TIP]))
    if not cases:
        raise InvalidArgumentError(f"--robots-dir {folder}: {_LIST} lists no chain")
    if not robots:
        return cases
    chosen = []
    for selector in robots:
        matching = [case for case in cases if case.matches(selector)]
        if not matching:
            names = dict.fromkeys(case.stem for case in cases)
            file = selector.partition(":")[0]
            same = [case.selector for case in cases if case.matches(file)]
            raise UnknownNameError("robot", selector, same or names)
        chosen += [case for case in matching if case not in chosen]
    return chosen


def chosen_cases(
    folder: Path | None, names: Sequence[str], default: Sequence[str] = STANDARD
) -> list[ChainCase]:
    """Return the chains that a command runs on.

    Args:
        folder: A folder of URDF files with a list; None for the known robots.
        names: What was asked for; "all" for all there are.
        default: The known robots to take where nothing was asked for; ("all",) for all. Of a
            folder all are taken in that case, else those of `STANDARD_OF_FOLDER`.

    Raises:
        GenerativeIKError: There is no such robot or list.
    """
    whole = list(names or default) == ["all"]
    if folder is None:
        if whole or names:
            return known_cases([] if whole else names)
        at_hand = example_robots_folder() is not None
        return known_cases([name for name in default if at_hand or name in robot_names()])
    cases = listed_cases(folder, [] if whole else names)
    standard = [case for one in STANDARD_OF_FOLDER for case in cases if case.matches(one)]
    return cases if whole or names else standard or cases


def cases_with(
    closed_form: Callable[[KinematicChain], object], cases: Sequence[ChainCase]
) -> list[ChainCase]:
    """Return the cases with a closed form, for whose chains a function does not return None.

    Raises:
        UnsupportedChainError: None of them has one.
    """
    chosen = [case for case in cases if closed_form(case.chain) is not None]
    if not chosen:
        raise UnsupportedChainError(
            "no such closed form: generative-ik robots --urdf FILE says which a chain has"
        )
    return chosen
