"""Every robot that can be had: whether it loads, and how well and fast its limbs are solved.

A robot's arms and legs are found from its description (`limbs.py`). Each gets poses that random
configurations within its joint limits reach, by pinocchio's or MuJoCo's forward kinematics, and is
asked for one solution, then for 100. The fingers of a hand are solved together, for places of
their tips. Arms on wheels are solved with their base as well, which moves on the floor in all
directions, 1 m each way.
"""

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.limb_figures import MANY, Limb, LimbFigures, limb_figures
from generative_ik_benchmarks.limbs import ARM, HAND, LIMBS, has_wheels, limbs_of
from generative_ik_benchmarks.options import RunOptions, option
from generative_ik_benchmarks.protocol import Listing, OnStep, Protocol, in_percent, percent_steps
from generative_ik_benchmarks.robot_files import (
    RobotFile,
    check_folders,
    files_at_hand,
    published_files,
)
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_benchmarks.text import percent
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros.errors import GenerativeIKError, InvalidArgumentError, short

_MOVES = "arm and base"
_FOLDERS = re.compile(r"/(?:[^/\s'\"]+/)+")
"""Of a file's path, which is another on each machine."""
_NO_LIMB, _MISSING = "no three joints in series", "robot_descriptions cannot provide"
_TITLES = {
    ARM: "Arms",
    _MOVES: "Arms with their base, which moves on the floor",
    HAND: "Hands",
    LIMBS: "Several limbs: two arms, humanoids, legs",
}


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    poses: int = option(50, "Random reachable poses of each limb.", quick=3, min=1)
    timeout: float = option(1.0, "Deadline of a call, in seconds.", min=1e-3)
    folder: tuple[str, ...] = option(
        (), "All robots in this folder, may be given again.", check=check_folders, metavar="DIR"
    )
    published: bool = option(
        False, "All robots of robot_descriptions, which downloads what it does not have."
    )
    only: tuple[str, ...] = option(
        (), "Only robots with this in their name or package, may be given again."
    )


@dataclass(frozen=True, kw_only=True)
class RobotTable:
    """One robot."""

    chain: str = figure("What it is called.")
    package: str = figure("Where it comes from.")
    format: str = figure("The format of its description.", default="")
    kind: str = figure('"arm", "arm and base", "hand" or "limbs".', default="")
    robot: str = figure("What files of the same robot have in common.", default="")
    limbs: tuple[LimbFigures, ...] = figure("Its limbs.", default=())
    reason: str = figure('Why it was not solved; "" where it was.', default="")

    @property
    def violations(self) -> Violations:
        """Everything untrue in our own results."""
        return sum((one.violations for one in self.limbs), Violations())


@dataclass(frozen=True)
class Item:
    """One robot to measure, whose base may move, or why there is no such file."""

    file: RobotFile
    missing: str = ""
    moves: bool = False

    @property
    def label(self) -> str:
        """For the progress bar."""
        return self.file.name


def items(_: Sequence[ChainCase], options: Options) -> list[Item]:
    """Return the robots to measure, arms on wheels twice.

    Raises:
        InvalidArgumentError: There are none.
        MissingDependencyError: robot_descriptions is to provide them and is not installed.
    """
    files = []
    if options.folder or not options.published:
        files += [(file, "") for file in files_at_hand(options.folder)]
    if options.published:
        files += published_files(options.only)
    found = []
    for file, missing in files:
        if file.has_in_name(options.only):
            found.append(Item(file, missing))
            if not missing and _has_moving_base(file):
                found.append(Item(file, moves=True))
    if not found:
        raise InvalidArgumentError(
            "no such robots; --folder DIR has those of a folder, --published those of "
            "robot_descriptions, neither those of installed packages, of which --only chooses"
        )
    return found


def _has_moving_base(file: RobotFile) -> bool:
    try:
        limbs = limbs_of(file.description)
    except GenerativeIKError:
        return False
    return limbs is not None and limbs.kind == ARM and has_wheels(file.description)


def measure(item: Item, options: Options, on_step: OnStep) -> RobotTable:
    """Measure one robot; why it cannot be is a figure too."""
    file = item.file
    table = RobotTable(chain=file.name, package=file.package, reason=item.missing)
    if item.missing:
        return table
    try:
        with warnings.catch_warnings():
            # Doubts about a description are for those who load it.
            warnings.simplefilter("ignore")
            table = replace(table, format=file.format)
            return _measured(table, item, options, in_percent(on_step))
    except (GenerativeIKError, UnsupportedChainError) as error:
        return replace(table, reason=short(_FOLDERS.sub("", str(error)), 200))


def _measured(
    table: RobotTable, item: Item, options: Options, on_share: Callable[[float], None]
) -> RobotTable:
    limbs = limbs_of(item.file.description)
    if limbs is None:
        return replace(table, reason=_NO_LIMB)
    parts = [Limb(item.file, base, (tip,), item.moves) for base, tip in limbs.ends]
    if limbs.kind == HAND:
        parts = [Limb(item.file, limbs.ends[0][0], tuple(tip for _, tip in limbs.ends))]
    robots = [part.kinematics() for part in parts]
    figures = []
    for k, (part, robot) in enumerate(zip(parts, robots, strict=True)):
        figures.append(
            limb_figures(
                part, robot, options.poses, options.timeout, options.random_seed,
                lambda share, k=k: on_share((k + share) / len(parts)),
            )
        )  # fmt: skip
    return replace(
        table,
        kind=_MOVES if item.moves else limbs.kind,
        robot=" ".join(robot.fingerprint for robot in robots),
        limbs=tuple(figures),
    )


def listings(tables: Sequence[RobotTable]) -> Iterator[Listing | str]:
    """Show a table for each kind of robot, then what was not solved."""
    shares = [limb.solved for table in tables for limb in table.limbs]
    if shares:
        yield (
            f"{sum(bool(table.limbs) for table in tables)} descriptions with {len(shares)} limbs "
            f"and hands, each solved at {percent(min(shares))} % of its poses or more.\n"
        )
    yield (
        "solved %: the least of a robot's limbs. ms: median of a call for one solution, and for "
        f"{MANY}. found: right solutions of the latter, on average. false: wrong pose/outside "
        "limits/duplicates. Files of the same kinematics in a folder share a row.\n"
    )
    for kind, title in _TITLES.items():
        rows = _distinct([table for table in tables if table.kind == kind])
        if rows:
            yield Listing(f"{title}.", _COLUMNS, rows)
    solved = {(table.package, table.chain) for table in tables if table.limbs}
    failed = [
        one
        for one in tables
        if one.reason
        and not (one.reason.startswith(_MISSING) and (one.package, one.chain) in solved)
    ]
    failed.sort(key=_by_name)
    short_reasons = {
        _NO_LIMB: "Without three joints in series",
        "the robot has no links": "Parts of other descriptions",
        _MISSING: "Not downloaded",
    }
    long = [one for one in failed if not one.reason.startswith(tuple(short_reasons))]
    if long:
        columns = (
            ("robot", lambda table: table.chain),
            ("package", lambda table: table.package),
            ("format", lambda table: table.format or "-"),
            ("reason", lambda table: table.reason),
        )
        yield Listing("Not solved.", columns, [(table,) for table in long])
    for reason, title in short_reasons.items():
        names = [one.chain for one in failed if one.reason.startswith(reason)]
        if names:
            yield f"{title}: {', '.join(names)}.\n"


def _distinct(tables: Sequence[RobotTable]) -> list[tuple[RobotTable, str]]:
    """Return robots by name, files of the same in one folder once, and what they are called."""
    same: dict[tuple[str, ...], list[RobotTable]] = {}
    for table in sorted(tables, key=_by_name):
        folder = str(Path(table.chain).parent)
        same.setdefault((table.package, folder, table.format, table.robot), []).append(table)
    return [
        (first, ", ".join([first.chain, *(Path(table.chain).name for table in alike)]))
        for first, *alike in same.values()
    ]


def _by_name(table: RobotTable) -> str:
    return table.chain.lower()


def _many(texts: Sequence[str]) -> str:
    """Return a text once where all are the same, else with numbers of how many are."""
    counts = {text: texts.count(text) for text in texts}
    if len(counts) == 1:
        return texts[0]
    return ", ".join(f"{count} x {text}" for text, count in counts.items())


def _tips(table: RobotTable) -> str:
    tips = [tip for limb in table.limbs for tip in limb.tips]
    return tips[0] if len(tips) == 1 else f"{len(tips)}: {', '.join(tips)}"


def _milliseconds(seconds: Sequence[float]) -> str:
    shown = [f"{1e3 * one:.2f}" for one in (min(seconds), max(seconds))]
    return shown[0] if shown[0] == shown[1] else f"{shown[0]} to {shown[1]}"


_COLUMNS = (
    ("robot", lambda _, names: names),
    ("package", lambda table, _: table.package),
    ("format", lambda table, _: table.format),
    ("joints", lambda table, _: _many([str(one.joints) for one in table.limbs])),
    ("tips", lambda table, _: _tips(table)),
    (
        "by",
        lambda table, _: _many(
            ["closed form" if one.closed_form else "search" for one in table.limbs]
        ),
    ),
    ("solved %", lambda table, _: percent(min(one.solved for one in table.limbs))),
    ("ms: one", lambda table, _: _milliseconds([one.one for one in table.limbs])),
    (f"ms: {MANY}", lambda table, _: _milliseconds([one.many for one in table.limbs])),
    ("found", lambda table, _: _many([f"{one.solutions:.0f}" for one in table.limbs])),
    ("false", lambda table, _: table.violations.text),
)

PROTOCOL = Protocol(
    Options, RobotTable, measure, listings, steps=percent_steps, robots=("panda",), items=items
)
