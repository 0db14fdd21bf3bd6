"""Paths among obstacles: CppFlow's problems by its criteria, and variants of them.

Two parts, see `path_figures` and `path_variant_figures`. Both need `--problems-dir`, a folder of
CppFlow's problems, and `--scenes-dir`, a folder of the robots with their meshes. Every path is
judged by pinocchio and coal (`path_oracle`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.dense_layers import SOLVED, Density
from generative_ik_benchmarks.options import RunOptions, folder_option, names_option, option
from generative_ik_benchmarks.path_problems import problem_names, problem_robot, read_problem
from generative_ik_benchmarks.path_robot import ROBOTS, PathRobot
from generative_ik_benchmarks.path_variants import VariantFile
from generative_ik_benchmarks.protocol import (
    ChainTable,
    Listing,
    OnStep,
    Protocol,
    in_percent,
    percent_steps,
)
from generative_ik_benchmarks.protocols.path_figures import ProblemFigures, problem_figures
from generative_ik_benchmarks.protocols.path_listings import (
    first_listing,
    free_listing,
    shorter_listing,
    variants_listing,
)
from generative_ik_benchmarks.protocols.path_variant_figures import (
    Limits,
    VariantFigures,
    variant_figures,
)
from generative_ik_benchmarks.reference.cache import reference_folder
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
    """One part of one problem.

    Attributes:
        problem: First and shorter paths, beside others.
        variants: What was found with obstacles moved.
        violations: Paths of ours that the oracle refuses.
    """

    problem: ProblemFigures | None = None
    variants: VariantFigures | None = None
    violations: Violations = field(default=Violations())


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
    seed, density = options.random_seed, Density(coarser * options.spacing)
    settings = {
        "seed": seed, "timeout": options.variant_timeout, "graph_timeout": options.graph_timeout,
        "spacing": density.spacing, "step_share": density.step_share,
    }  # fmt: skip
    folder = reference_folder().parent / "paths"
    limits = Limits(options.variant_timeout, options.graph_timeout, density, folder)
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


PROTOCOL = Protocol(
    Options, PathTable, measure, listings, steps=percent_steps, robots=("panda",), items=items
)
