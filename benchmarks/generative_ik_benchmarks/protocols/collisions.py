"""Collisions: free solutions among obstacles, batches by cuRobo's protocol, the check itself.

Three parts, see `collision_goals`, `collision_batches` and `collision_verdicts`. The first needs
`--scenes-dir`, a folder of robots with MotionBenchMaker's problems, the second `--curobo-dir`, a
folder of cuRobo's files. The third runs on robots of example-robot-data that have collision
geometry, and on those of `--scenes-dir` instead where it has them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.curobo_robots import CUROBO_ROBOTS, TABLE
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.motion_problems import ARCHIVE
from generative_ik_benchmarks.options import RunOptions, folder_option, names_option, option
from generative_ik_benchmarks.protocol import (
    ChainTable,
    Listing,
    OnStep,
    PartOf,
    Protocol,
    in_percent,
    percent_steps,
)
from generative_ik_benchmarks.protocols.collision_batches import (
    BatchFigures,
    BatchRobot,
    batch_figures,
    batches_listing,
)
from generative_ik_benchmarks.protocols.collision_goals import (
    GOAL_CHAINS,
    TRAC_IK,
    GoalFigures,
    goal_figures,
    goals_listing,
)
from generative_ik_benchmarks.protocols.collision_verdicts import VerdictFigures, verdict_figures
from generative_ik_benchmarks.text import number, percent
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros.errors import InvalidArgumentError

ROBOTS = ("panda_left_finger", "ur5", "baxter_arm", "talos_arm")
PARTS = ("goals", "batches", "verdicts")
FRANKA = CUROBO_ROBOTS["franka"]
_VERDICT_CHAINS = {**GOAL_CHAINS, "baxter": ("torso", "left_gripper_base")}
"""Base and tip of the robots of a folder whose checks are measured."""
_SAME = {"panda_left_finger": "panda", "ur5": "ur5", "baxter_arm": "baxter"}
"""Robots of example-robot-data, and what they are called in a folder of scenes."""
_SRDF = {"panda_left_finger": "panda.srdf", "talos_arm": "talos.srdf"}
"""Their files of disabled pairs, where there is one of the whole robot."""


def _check_scenes(folder: Path | None) -> None:
    if folder is not None and not any(folder.glob("*/*.urdf")):
        raise InvalidArgumentError(f"--scenes-dir {folder}: no ROBOT/ROBOT.urdf in it")


def _check_curobo(folder: Path | None) -> None:
    if folder is not None and not FRANKA.is_in(folder):
        raise InvalidArgumentError(
            f"--curobo-dir {folder}: {FRANKA.spheres}, {FRANKA.urdf} and {TABLE} are needed"
        )


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    scenes_dir: Path | None = folder_option(
        "Folder of ROBOT/ROBOT.urdf with ROBOT.srdf, meshes and MotionBenchMaker's problems.",
        _check_scenes,
    )
    part: tuple[str, ...] = names_option("part", PARTS, "this part")
    curobo_dir: Path | None = folder_option("Folder of cuRobo's Franka and table.", _check_curobo)
    goals: int | None = option(None, "Goals of each scenario; else all.", quick=1, min=1)
    solutions: int = option(20, "Solutions wanted of a goal, after the first.", min=1)
    configurations: int = option(
        20_000, "Configurations of each robot whose verdicts are checked.", quick=200, min=1
    )
    scenes: int = option(200, "Random scenes of each robot.", quick=2, min=1)


@dataclass(frozen=True)
class _Item(PartOf):
    """One of `PARTS` on a chain, with its file of disabled pairs."""

    srdf: Path | None = None


@dataclass(frozen=True, kw_only=True)
class CollisionTable(ChainTable):
    """One part of one chain."""

    goals: tuple[GoalFigures, ...] = figure(
        "First free solutions, by scenario and solver.", default=()
    )
    batches: tuple[BatchFigures, ...] = figure("Batches by cuRobo's protocol.", default=())
    verdicts: VerdictFigures | None = figure("The check itself.", default=None)
    violations: Violations = figure("Everything untrue in our own results.", default=Violations())


def items(cases: Sequence[ChainCase], options: Options) -> list[_Item]:
    """Return what is measured."""
    found, own = [], set()
    if options.scenes_dir is not None:
        for name, (base, tip) in _VERDICT_CHAINS.items():
            folder = options.scenes_dir / name
            if not (folder / f"{name}.urdf").is_file():
                continue
            own.add(name)
            case = ChainCase(name, folder / f"{name}.urdf", base, tip)
            if name in GOAL_CHAINS and (folder / ARCHIVE).is_file():
                found.append(_Item("goals", case))
            found.append(_Item("verdicts", case, folder / f"{name}.srdf"))
    if options.curobo_dir is not None:
        case = FRANKA.chain_case("franka", options.curobo_dir)
        found.append(_Item("batches", case))
    for case in cases:
        if _SAME.get(case.robot) not in own:
            found.append(_of_examples(case))
    chosen = options.part or PARTS
    return sorted(
        (item for item in found if item.part in chosen), key=lambda item: PARTS.index(item.part)
    )


def _of_examples(case: ChainCase) -> _Item:
    """Return a robot of example-robot-data, or of a folder, with what lies about it."""
    name = _SRDF.get(case.robot)
    srdf = case.urdf_path.parents[1] / "srdf" / name if name else None
    return _Item("verdicts", case, srdf)


def measure(item: _Item, options: Options, on_step: OnStep) -> CollisionTable:
    """Measure one part of one chain."""
    on_share = in_percent(on_step)
    case, absent = item.case, {}
    table = CollisionTable(chain=case.label, dof=case.chain.num_joints, absent=absent)
    seed = options.random_seed
    if item.part == "goals":
        wanted = options.goals, options.solutions, seed
        return replace(table, **goal_figures(case, *wanted, absent, on_share))
    if item.part == "batches":
        robot = BatchRobot(case, case.urdf_path.parent / FRANKA.spheres)
        batches, violations = batch_figures(robot, seed, on_share)
        return replace(table, batches=tuple(batches), violations=violations)
    verdicts = verdict_figures(
        case, item.srdf, configurations=options.configurations,
        scenes=min(options.scenes, options.configurations), seed=seed, on_share=on_share,
    )  # fmt: skip
    wrong = Violations(verdicts.false_free + verdicts.false_colliding)
    return replace(table, verdicts=verdicts, violations=wrong)


def listings(tables: Sequence[CollisionTable]) -> Iterator[Listing]:
    """Show a table for each part that was measured."""
    if any(table.goals for table in tables):
        yield goals_listing({table.chain: table.goals for table in tables if table.goals}, TRAC_IK)
    if any(table.batches for table in tables):
        yield batches_listing({"franka": [row for table in tables for row in table.batches]})
    checked = [(table.chain, table.verdicts) for table in tables if table.verdicts is not None]
    if checked:
        yield _verdicts(checked)


def _verdicts(checked: Sequence[tuple[str, VerdictFigures]]) -> Listing:
    columns = (
        ("chain", lambda chain, _: chain),
        ("shapes", lambda _, row: str(row.shapes)),
        ("pairs", lambda _, row: str(row.pairs)),
        ("configurations", lambda _, row: f"{row.configurations:,}"),
        ("scenes", lambda _, row: str(row.scenes)),
        ("free %", lambda _, row: percent(row.free)),
        ("undecided %", lambda _, row: f"{100 * row.undecided:.2f}"),
        ("colliding %", lambda _, row: percent(row.colliding)),
        ("false: free", lambda _, row: str(row.false_free)),
        ("false: colliding", lambda _, row: str(row.false_colliding)),
        ("us a check: min", lambda _, row: f"{1e6 * row.check_min:.2f}"),
        ("median", lambda _, row: f"{1e6 * row.check_median:.2f}"),
        ("coal: us", lambda _, row: number(1e6 * row.coal_median)),
    )
    heading = (
        "The compiled check of random configurations in random scenes of 20 obstacles. undecided: "
        "left to the exact decision, which counts in what is false: called free where coal finds "
        "the shapes touching, called colliding where it finds 1 mm of clearance. Times: a check "
        "among 20 boxes, over chunks of 1000; coal: of a whole configuration, broad phase first, "
        "called from Python."
    )
    return Listing(heading, columns, list(checked))


PROTOCOL = Protocol(
    Options, CollisionTable, measure, listings, steps=percent_steps, robots=ROBOTS, items=items
)
