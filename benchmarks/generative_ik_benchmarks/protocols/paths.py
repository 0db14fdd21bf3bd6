"""Paths among obstacles: CppFlow's problems by its criteria, and variants of them.

Two parts, see `path_figures` and `path_variant_figures`. Both need `--problems-dir`, a folder of
CppFlow's problems, and `--scenes-dir`, a folder of the robots with their meshes. Every path is
judged by pinocchio and coal (`path_oracle`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.dense_layers import SOLVED, STEP_SHARE
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.options import RunOptions, folder_option, names_option, option
from generative_ik_benchmarks.path_problems import (
    VariantFile,
    problem_names,
    problem_robot,
    read_problem,
)
from generative_ik_benchmarks.path_robot import ROBOTS, PathRobot
from generative_ik_benchmarks.protocol import (
    ChainTable,
    Listing,
    OnStep,
    Protocol,
    in_percent,
    percent_steps,
    text_listing,
)
from generative_ik_benchmarks.protocols.path_figures import (
    Found,
    ProblemFigures,
    Shorter,
    problem_figures,
)
from generative_ik_benchmarks.protocols.path_variant_figures import (
    Limits,
    VariantFigures,
    variant_figures,
    variants_listing,
)
from generative_ik_benchmarks.text import number, spread
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros.errors import InvalidArgumentError, check_names

PARTS = ("problems", "variants")
_COARSER = 6.0
"""Times the spacing for chains with joints that are set: their layers have a dimension more."""


def _check_problems(folder: Path | None) -> None:
    if folder is None or not problem_names(folder):
        raise InvalidArgumentError(
            f"--problems-dir {folder or ''}: a folder with problems/ROBOT__PATH.yaml and "
            "paths/PATH.csv is needed, as CppFlow publishes them"
        )


def _check_scenes(folder: Path | None) -> None:
    if folder is None or not any(folder.glob("*/*.urdf")):
        raise InvalidArgumentError(
            f"--scenes-dir {folder or ''}: a folder with ROBOT/ROBOT.urdf and meshes is needed"
        )


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    problems_dir: Path | None = folder_option(
        "Folder of CppFlow's problems/ and paths/.", _check_problems
    )
    scenes_dir: Path | None = folder_option(
        "Folder of ROBOT/ROBOT.urdf with ROBOT.srdf and meshes.", _check_scenes
    )
    part: tuple[str, ...] = names_option("part", PARTS, "this part")
    problem: tuple[str, ...] = option((), "Only this problem, may be given again.")
    rounds: int = option(5, "Calls for the first path of each problem.", quick=1, min=1)
    timeouts: tuple[float, ...] = option(
        (1.0, 10.0),
        "Time limit of a search for shorter paths [s], may be given again.",
        quick=(0.2,),
        flag="--timeout",
        min=0.0,
    )
    variants: int = option(1000, "Variants, over all problems.", quick=13, min=1)
    records: Path | None = option(
        None,
        "File that keeps finished variants; the same call again goes on from there.",
        metavar="FILE",
    )
    variant_timeout: float = option(10.0, "Time limit of a variant [s].", quick=2.0, min=0.0)
    graph_timeout: float = option(
        120.0, "Time limit of the dense graph's search of a variant [s].", quick=20.0, min=0.0
    )
    spacing: float = option(
        0.01,
        "Spacing of the dense graph's configurations [rad]; six times that with eight joints.",
        quick=0.1,
        min=1e-3,
    )


@dataclass(frozen=True)
class _Item:
    """What is measured one after the other.

    Attributes:
        part: "problems" or "variants".
        name: The problem.
        place: Its place among all problems, which says which variants are its own.
        count: How many problems there are.
        robot: What moves.
    """

    part: str
    name: str
    place: int
    count: int
    robot: str

    @property
    def label(self) -> str:
        """For the progress bar."""
        return f"{self.part}, {self.name}"


@dataclass(frozen=True, kw_only=True)
class PathTable(ChainTable):
    """One part of one problem."""

    problem: ProblemFigures | None = figure(
        "First and shorter paths, beside others.", default=None
    )
    variants: VariantFigures | None = figure("What was found with obstacles moved.", default=None)
    violations: Violations = figure("Paths of ours that the oracle refuses.", default=Violations())


def items(_cases: Sequence[ChainCase], options: Options) -> list[_Item]:
    """Return what is measured.

    Raises:
        UnknownNameError: There is no such problem, or it names a robot that is not known.
    """
    assert options.problems_dir is not None  # noqa: S101
    names = problem_names(options.problems_dir)
    check_names("problem", options.problem, names)
    found = []
    for place, name in enumerate(names):
        robot = problem_robot(options.problems_dir, name)
        check_names("robot", [robot], ROBOTS)
        if name in (options.problem or names):
            found += [_Item(part, name, place, len(names), robot) for part in PARTS]
    chosen = [item for item in found if item.part in (options.part or PARTS)]
    return sorted(chosen, key=lambda item: (PARTS.index(item.part), item.place))


def measure(item: _Item, options: Options, on_step: OnStep) -> PathTable:
    """Measure one part of one problem."""
    on_share = in_percent(on_step)
    assert options.problems_dir is not None and options.scenes_dir is not None  # noqa: S101
    robot, absent = PathRobot.load(options.scenes_dir, item.robot), {}
    problem = read_problem(options.problems_dir, item.name, robot.where)
    case = robot.case
    table = PathTable(chain=case.label, dof=case.chain.num_joints, absent=absent)
    if item.part == "problems":
        figures, violations = problem_figures(
            robot, problem, rounds=options.rounds, timeouts=options.timeouts, absent=absent,
            on_share=on_share,
        )  # fmt: skip
        return replace(table, problem=figures, violations=violations)
    numbers = range(item.place, options.variants, item.count)
    if not numbers:
        return table
    coarser = _COARSER if case.chain.num_joints > SOLVED else 1.0
    seed, spacing = options.random_seed, coarser * options.spacing
    settings = {
        "seed": seed, "timeout": options.variant_timeout, "graph_timeout": options.graph_timeout,
        "spacing": spacing, "step_share": STEP_SHARE,
    }  # fmt: skip
    limits = Limits(options.variant_timeout, options.graph_timeout, spacing)
    file = VariantFile(options.records, settings)
    figures, violations = variant_figures(robot, problem, numbers, limits, file, seed, on_share)
    return replace(table, variants=figures, violations=violations)


def listings(tables: Sequence[PathTable]) -> Iterator[Listing]:
    """Show tables for each part that was measured."""
    problems = [table.problem for table in tables if table.problem is not None]
    if problems:
        yield first_listing(problems)
        yield shorter_listing(problems)
        yield free_listing(problems)
    variants = [table.variants for table in tables if table.variants is not None]
    if variants:
        yield variants_listing(variants)


_NEAR = 1.05
"""Times its final length that a path may have to count as nearly as short."""


def first_listing(problems: Sequence[ProblemFigures]) -> Listing:
    """Return the table of first valid paths, beside those of others."""
    solvers = list(dict.fromkeys(one.solver for row in problems for one in row.others))
    rows = []
    for row in problems:
        by = {one.solver: one for one in row.others}
        rows.append([
            row.problem, str(row.poses), str(row.boxes), _verdict(row.first),
            spread(row.seconds, 1e3), number(1e3 * row.slowest), number(row.first.length),
            spread(row.call, 1e3), number(row.returned.length),
            str(row.first.between + row.returned.between),
            *(_other(by.get(name), row.poses) for name in solvers),
        ])  # fmt: skip
    heads = [
        "problem", "poses", "boxes", "valid", "first: ms", "slowest", "length", "returned: ms",
        "length", "on the way",
        *(f"{name}: ms (length)" for name in solvers),
    ]  # fmt: skip
    heading = (
        "CppFlow's problems: time to the first valid path among new obstacles, median (quartiles) "
        "and slowest of the rounds, its length in joint space; time and length of the path that a "
        "call without an objective returns, smoothed; and how many steps of both collide on the "
        "way when coal looks every 0.005 rad. The others have the same solutions of the "
        "first pose, checks and limits, and 10 s: time to a valid path and its length, or how "
        "far they come."
    )
    return text_listing(heading, heads, rows)


def _verdict(found: Found) -> str:
    return "yes" if found.valid else f"no: {found.faults}"


def _other(found: Found | None, poses: int) -> str:
    if found is None:
        return "-"
    if found.valid:
        return f"{number(1e3 * found.seconds)} ({number(found.length)})"
    if found.poses == poses:
        return f"no: {found.faults}"
    return f"no: pose {found.poses} of {poses}"


def shorter_listing(problems: Sequence[ProblemFigures]) -> Listing:
    """Return the table of shorter paths."""
    limits = list(dict.fromkeys(one.timeout for row in problems for one in row.shorter))
    rows = []
    for row in problems:
        by = {one.timeout: one for one in row.shorter}
        best = min((one.found.length for one in row.shorter if one.found.valid), default=0.0)
        rows.append([
            row.problem, number(row.returned.length),
            *(number(by[limit].found.length) if limit in by else "-" for limit in limits),
            number(row.returned.length / best) if best else "-",
            *_last(by.get(max(limits, default=0.0))),
        ])  # fmt: skip
    heads = [
        "problem", "returned: length", *(f"{limit:g} s" for limit in limits), "returned / best",
        "within 5 %: ms", "improvements", "travel: rad", "travel: m",
    ]  # fmt: skip
    heading = (
        "Lengths of paths in joint space: of what a call without an objective returns, and "
        "of the best within a time limit. "
        "within 5 %: when the longest search had a path at most 5 % longer than its last one. "
        "travel: the sum of all joint motions of that one, as CppFlow measures lengths."
    )
    return text_listing(heading, heads, rows)


def free_listing(problems: Sequence[ProblemFigures]) -> Listing:
    """Return the table of paths of a tool that may turn about its axis."""
    rows = [
        [
            row.problem, number(row.returned.length), _verdict(row.free), number(row.free.length),
            number(row.free.length / row.returned.length) if row.returned.length else "-",
            number(1e3 * row.free_first), number(1e3 * row.free.seconds), str(row.free.between),
        ]
        for row in problems
    ]  # fmt: skip
    heads = [
        "problem", "exact: length", "valid", "free z axis: length", "free / exact", "first: ms",
        "returned: ms", "on the way",
    ]  # fmt: skip
    heading = (
        "The same paths if the tool may turn about its z axis (region=TaskSpaceRegion.free_axis): "
        "lengths of what a call without an objective returns, and its times."
    )
    return text_listing(heading, heads, rows)


def _last(shorter: Shorter | None) -> list[str]:
    """Return when a path was nearly as short as the last one, their number, and its travel."""
    if shorter is None or not shorter.times:
        return ["-"] * 4
    pairs = zip(shorter.times, shorter.lengths, strict=True)
    near = min(at for at, length in pairs if length <= _NEAR * shorter.lengths[-1])
    return [
        number(1e3 * near),
        str(len(shorter.times)),
        number(shorter.travel),
        number(shorter.travel_prismatic),
    ]


PROTOCOL = Protocol(
    Options, PathTable, measure, listings, steps=percent_steps, robots=("panda",), items=items
)
