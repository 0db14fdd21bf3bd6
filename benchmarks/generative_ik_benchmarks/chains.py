"""Names of robots or a folder of URDF files come in, the chains to evaluate go out."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from xml.etree import ElementTree

from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.known import load_robot, robot_names, robot_urdf_path

STANDARD = (
    "panda:panda_link0:panda_hand_tcp",
    "ur10",
    "kuka_iiwa",
    "lwa4d",
    "lwa4p",
    "fetch:base_link",
    "jaco2",
    "atlas:l_foot:l_hand",
)
"""The chains that protocols run on where a folder has them: six to fifteen joints, limited,
continuous and sliding ones."""

_LIST = "SOURCES.md"
_COLUMNS = 7
_BASE, _TIP, _DOF = 3, 4, 5


@dataclass(frozen=True)
class ChainCase:
    """One chain to evaluate.

    Attributes:
        robot: The name of a known robot or of a URDF file.
        urdf_path: Where its description is.
        base_link: Where the chain starts.
        tip_link: Where it ends.
    """

    robot: str
    urdf_path: Path
    base_link: str
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
    def wish(self) -> str:
        """What to ask for to get just this chain of a folder."""
        return f"{self.stem}:{self.base_link}:{self.tip_link}"

    def matches(self, wish: str) -> bool:
        """Say whether "file", "file:base" or "file:base:tip" means this chain."""
        file, base, tip = (*wish.split(":"), "", "")[:3]
        links = base in ("", self.base_link) and tip in ("", self.tip_link)
        return file in (self.stem, self.robot) and links

    @cached_property
    def urdf(self) -> str:
        """The description's text."""
        return self.urdf_path.read_text()

    @cached_property
    def plain_urdf(self) -> str:
        """The text as other programs read it right.

        Safety elements are out, because pytracik reads their soft limits as zero, and masses,
        because KDL complains about one at the root; revolute joints without limits are
        continuous, because urdfdom refuses them.
        """
        root = ElementTree.fromstring(self.urdf)
        for link in root.iter("link"):
            for element in link.findall("inertial"):
                link.remove(element)
        for joint in root.iter("joint"):
            for element in joint.findall("safety_controller"):
                joint.remove(element)
            if joint.get("type") == "revolute" and joint.find("limit") is None:
                joint.set("type", "continuous")
        return ElementTree.tostring(root, encoding="unicode")

    @cached_property
    def chain(self) -> KinematicChain:
        """The chain; revolute joints without limits are taken as continuous.

        Raises:
            RobotDescriptionError: The description is refused.
        """
        return KinematicChain.from_urdf(
            self.urdf, self.base_link, self.tip_link, missing_limits="continuous"
        )


def known_cases(robots: Sequence[str] = ()) -> list[ChainCase]:
    """Return the chains of robots that ship with the package, of all if none is named.

    Raises:
        UnknownNameError: There is no such robot.
    """
    cases = []
    for name in robots or robot_names():
        chain = load_robot(name)
        cases.append(ChainCase(name, robot_urdf_path(name), chain.base_link, chain.tip_link))
    return cases


def listed_cases(folder: Path, robots: Sequence[str] = ()) -> list[ChainCase]:
    """Return the chains that a folder of URDF files lists in its SOURCES.md.

    The list is a table with the columns file, source, licence, base link, tip link, DOF, joints;
    an empty first cell is another chain of the file above.

    Args:
        folder: The folder with the URDF files and the list.
        robots: Files to take, with or without ".urdf", all if empty; "file:base" and
            "file:base:tip" take only the chains with these links.

    Raises:
        InvalidArgumentError: The folder has no such list.
        UnknownNameError: The list has no such file or chain.
    """
    try:
        lines = (folder / _LIST).read_text().splitlines()
    except OSError as error:
        raise InvalidArgumentError(f"--robots-dir {folder}: cannot read {_LIST}") from error
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
    for wish in robots:
        matching = [case for case in cases if case.matches(wish)]
        if not matching:
            names = dict.fromkeys(case.stem for case in cases)
            same = [case.wish for case in cases if case.matches(wish.partition(":")[0])]
            raise UnknownNameError("robot", wish, same or names)
        chosen += [case for case in matching if case not in chosen]
    return chosen


def standard_cases(folder: Path) -> list[ChainCase]:
    """Return those chains of `STANDARD` that a folder lists, all that it lists if none is.

    Raises:
        InvalidArgumentError: The folder has no list.
    """
    cases = listed_cases(folder)
    standard = [case for wish in STANDARD for case in cases if case.matches(wish)]
    return standard or cases
