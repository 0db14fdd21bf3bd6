"""Several tips at once: cuRobo's batches, both arms among obstacles, other robots, beside others.

Four parts. `batches` is cuRobo's protocol (`collision_batches`) with its arm, its two arms and
its humanoid on a floating base, and needs `--curobo-dir`, a folder of its files. `goals` is
Baxter's both-arm goals of MotionBenchMaker (`collision_goals`) and needs `--scenes-dir`. `robots`
is reachable goals of the trees of example-robot-data, one at a time, in turns with Pink and with a
solver on pinocchio's Jacobians, both from random restarts. `one_tip` compares chains with the same
chains as trees of one tip.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.curobo_robots import CUROBO_ROBOTS
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import SolverFigures, run_interleaved
from generative_ik_benchmarks.motion_problems import ARCHIVE
from generative_ik_benchmarks.options import RunOptions, folder_option, names_option, option
from generative_ik_benchmarks.oracle import oracle_of
from generative_ik_benchmarks.peers.pink import Pink
from generative_ik_benchmarks.peers.pinocchio_lm import PinocchioLM
from generative_ik_benchmarks.peers.tree_restarts import Accepts, TreeRestarts
from generative_ik_benchmarks.protocol import (
    ChainTable,
    Listing,
    OnStep,
    PartOf,
    Protocol,
    each_row,
    in_percent,
    percent_steps,
)
from generative_ik_benchmarks.protocols.collision_batches import (
    BatchFigures,
    BatchRobot,
    batch_figures,
    batches_listing,
    peer_figures,
)
from generative_ik_benchmarks.protocols.collision_goals import (
    PINK,
    GoalFigures,
    goal_figures,
    goals_listing,
)
from generative_ik_benchmarks.protocols.one_tip import (
    OneTipFigures,
    one_tip_figures,
    one_tip_listing,
)
from generative_ik_benchmarks.solver import PackageSolver, Solver, taking_part
from generative_ik_benchmarks.text import percent, spread
from generative_ik_benchmarks.tree_cases import TreeCase, example_trees
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros.errors import InvalidArgumentError, check_names
from generative_ik_ros.robot.random_poses import random_reachable_poses

PARTS = ("batches", "goals", "robots", "one_tip")
BAXTER = "baxter"
BAXTER_LINKS = ("torso", ("left_gripper", "right_gripper"))
_PEERS = {"pink": Pink, "pinocchio": PinocchioLM}


def _check_scenes(folder: Path | None) -> None:
    if folder is not None and not (folder / BAXTER / ARCHIVE).is_file():
        raise InvalidArgumentError(f"--scenes-dir {folder}: no {BAXTER}/{ARCHIVE} in it")


def _check_curobo(folder: Path | None) -> None:
    if folder is not None and not any(one.is_in(folder) for one in CUROBO_ROBOTS.values()):
        needed = ", ".join(f"{one.spheres} with {one.urdf}" for one in CUROBO_ROBOTS.values())
        raise InvalidArgumentError(f"--curobo-dir {folder}: none of {needed} in it")


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    curobo_dir: Path | None = folder_option("Folder of cuRobo's robots and table.", _check_curobo)
    scenes_dir: Path | None = folder_option(
        "Folder of baxter/baxter.urdf with baxter.srdf, meshes and MotionBenchMaker's problems.",
        _check_scenes,
    )
    part: tuple[str, ...] = names_option("part", PARTS, "this part")
    tree: tuple[str, ...] = option((), "Only this tree, may be given again.")
    poses: int = option(200, "Random reachable goals of each tree.", quick=5, min=1)
    batch: int = option(100, "Poses in a batch.", quick=5, min=1)
    batches: int = option(5, "Batches of each robot.", quick=1, min=1)
    goals: int | None = option(None, "Goals among obstacles; else all.", quick=2, min=1)
    solutions: int = option(20, "Solutions wanted of a goal, after the first.", min=1)
    peer_poses: int = option(20, "Poses of a batch that go to the others.", quick=1, min=1)
    peer_timeout: float = option(
        10.0, "Time after which the others give a goal up [s].", quick=1.0, min=1e-3
    )


@dataclass(frozen=True, kw_only=True)
class TreeTable(ChainTable):
    """One part of one tree."""

    robot: str = figure("What the robot is called.")
    tips: int = figure("How many it has.")
    batches: tuple[BatchFigures, ...] = figure("Batches by cuRobo's protocol.", default=())
    goals: tuple[GoalFigures, ...] = figure(
        "First free solutions, by scenario and solver.", default=()
    )
    rows: tuple[SolverFigures, ...] = figure(
        "Reachable goals: ours for one solution, ours for many, the others.", default=()
    )
    one_tip: tuple[OneTipFigures, ...] = figure("Of a chain, what it is as a tree.", default=())
    violations: Violations = figure("Everything untrue in our own results.", default=Violations())


def items(cases: Sequence[ChainCase], options: Options) -> list[PartOf]:
    """Return what is measured.

    Raises:
        UnknownNameError: There is no tree of a name that was asked for.
    """
    found, folder = [], options.curobo_dir
    if folder is not None:
        found += [
            PartOf("batches", robot.tree_case(name, folder))
            for name, robot in CUROBO_ROBOTS.items()
            if robot.is_in(folder)
        ]
    if options.scenes_dir is not None:
        urdf = options.scenes_dir / BAXTER / f"{BAXTER}.urdf"
        found.append(PartOf("goals", TreeCase(BAXTER, urdf, *BAXTER_LINKS)))
    found += [PartOf("robots", case) for case in example_trees()]
    found += [PartOf("one_tip", case) for case in cases]
    names = dict.fromkeys(item.case.robot for item in found)
    check_names("tree", options.tree, names)
    return [
        item
        for item in found
        if item.part in (options.part or PARTS) and item.case.robot in (options.tree or names)
    ]


def measure(item: PartOf, options: Options, on_step: OnStep) -> TreeTable:
    """Measure one part of one tree."""
    on_share = in_percent(on_step)
    case, absent, seed = item.case, {}, options.random_seed
    tips = 1 if item.part == "one_tip" else len(case.tip_links)
    table = TreeTable(
        chain=case.label, dof=case.chain.num_joints, absent=absent, robot=case.robot, tips=tips
    )
    if item.part == "one_tip":
        figures = one_tip_figures(case, options.poses, options.batch, seed, on_share)
        return replace(table, one_tip=tuple(figures))
    if item.part == "goals":
        wanted = options.goals, options.solutions, seed
        return replace(table, **goal_figures(case, *wanted, absent, on_share))
    if item.part == "robots":
        return replace(table, **_reachable(case, options, absent, on_share))
    robot = BatchRobot(case, case.urdf_path.parent / CUROBO_ROBOTS[case.robot].spheres)
    batches, violations = batch_figures(
        robot, seed, on_share, poses=options.batch, batches=options.batches
    )
    for accepts in (None, lambda q: not robot.oracle.collides(q)):
        for peer in _peers(case, options, absent, accepts):
            batches.append(peer_figures(robot, peer, accepts is not None, options.batch,
                                        options.peer_poses, seed))  # fmt: skip
    return replace(table, batches=tuple(batches), violations=violations)


def _reachable(
    case: TreeCase, options: Options, absent: dict[str, str], on_share: Callable[[float], None]
) -> dict[str, Any]:
    """Measure random reachable goals; returns rows and violations."""
    tree, seed, oracle = case.chain, options.random_seed, oracle_of(case)
    ours: list[Solver] = [
        PackageSolver(tree, wanted, None, seed=seed) for wanted in (1, options.solutions)
    ]
    others = _peers(case, options, absent)
    targets = random_reachable_poses(tree, options.poses, seed, oracle.forward)
    turns = iter(range(1, options.poses + 1))
    figures, _ = run_interleaved(
        case, [*ours, *others], targets, seed,
        on_pose=lambda: on_share(next(turns) / options.poses),
    )  # fmt: skip
    wrong = sum((one.violations for one in figures[: len(ours)]), Violations())
    return {"rows": tuple(figures), "violations": wrong}


def _peers(
    case: TreeCase, options: Options, absent: dict[str, str], accepts: Accepts | None = None
) -> list[TreeRestarts]:
    """Return the other solvers that can take part, and note why others cannot."""

    def make(name: str) -> list[TreeRestarts]:
        return [_PEERS[name](case, options.peer_timeout, options.random_seed, accepts)]

    found, missing = taking_part(_PEERS, make)
    absent |= missing
    return found


def listings(tables: Sequence[TreeTable]) -> Iterator[Listing]:
    """Show a table for each part that was measured."""
    batches = {table.robot: table.batches for table in tables if table.batches}
    if batches:
        yield batches_listing(batches)
    goals = {table.robot: table.goals for table in tables if table.goals}
    if goals:
        yield goals_listing(goals, PINK)
    reached = [table for table in tables if table.rows]
    if reached:
        yield _reached(reached)
    of_chains = {table.chain: table.one_tip for table in tables if table.one_tip}
    if of_chains:
        yield one_tip_listing(of_chains)


def _reached(tables: Sequence[TreeTable]) -> Listing:
    columns = (
        ("robot", lambda table, _: table.robot),
        ("joints", lambda table, _: str(table.dof)),
        ("tips", lambda table, _: str(table.tips)),
        ("solver", lambda _, row: row.solver),
        ("goals", lambda _, row: str(row.poses)),
        ("solved %", lambda _, row: percent(row.solved)),
        ("solutions", lambda _, row: f"{row.solutions:.1f}"),
        ("ms", lambda _, row: f"{1e3 * row.median:.3g} ({1e3 * row.p99:.3g})"),
        ("times ours", lambda _, row: spread(row.ratio, digits=2)),
        ("false", lambda _, row: row.violations.text),
    )
    heading = (
        "Random reachable goals of all tips, 1e-5 m and 1e-5 rad, in turns. ours: for so many "
        "solutions, without a time limit. Pink and pinocchio (damped least squares on its "
        "Jacobians) run in Python and stop at one solution, from random configurations until a "
        "search ends at the goal. ms: median (99th percentile) of a call. times ours: goal by "
        "goal over ours for one, median (quartiles). false: wrong pose/outside limits/duplicates."
    )
    return Listing(heading, columns, each_row(tables))


PROTOCOL = Protocol(
    Options, TreeTable, measure, listings, steps=percent_steps, robots=("panda", "ur10"),
    items=items,
)  # fmt: skip
