"""What seeds could be worth where the search is hard: several tips, collisions, little room.

Calls of `IKSolver.solve` with a collision model, with the seeds of different samplers in turns.
Two of them know the answer: *known* seeds are free solutions of the goal itself, *nearby* ones are
free solutions of a goal beside it. Neither pays for them, so what they save is the most that any
model could. Goals are two arms with a torso, two arms above a table, a humanoid on a floating base
with four tips, both arms at a bookshelf, and an arm in a cell that leaves hardly a solution free.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.curobo_robots import CUROBO_ROBOTS
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.hard_cases import (
    HardCase,
    HardGoal,
    cell_case,
    curobo_case,
    motion_case,
    tree_case,
)
from generative_ik_benchmarks.held_out import PosturesElsewhere, TipsTogether
from generative_ik_benchmarks.interleaved import checker_of
from generative_ik_benchmarks.known_solutions import KnownSolutions
from generative_ik_benchmarks.options import RunOptions, folder_option, option, samplers_option
from generative_ik_benchmarks.oracle import oracle_of
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
from generative_ik_benchmarks.protocols.hard_calls import (
    BUDGETS,
    MANY,
    WANTED,
    HardFigures,
    calls_in_turns,
)
from generative_ik_benchmarks.protocols.trees import BAXTER, BAXTER_LINKS
from generative_ik_benchmarks.seeding import available_samplers
from generative_ik_benchmarks.text import number, percent
from generative_ik_benchmarks.tree_cases import TreeCase, example_trees
from generative_ik_benchmarks.verification import violations_of
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import check_names
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain

_TORSO = "tiago_dual"
"""Two arms on a torso, of example-robot-data."""
PLAIN, KNOWN, NEARBY = "quasi_random", "known", "nearby"
_TOLD = 40
"""Solutions of a goal that seeds are made of."""
_ASIDE = 0.05, 0.2
"""How far and by what angle a nearby goal lies from the goal, each tip [m and rad]."""


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    curobo_dir: Path | None = folder_option("Folder of cuRobo's robots and table.")
    scenes_dir: Path | None = folder_option("Folder of baxter/ with MotionBenchMaker's problems.")
    tree: tuple[str, ...] = option((), "Only this robot, may be given again.")
    goals: int = option(100, "Goals of each robot.", quick=3, min=1)
    batch: int = option(1000, "Further goals, all in one call.", quick=4, min=1)
    share: float = option(0.03, "Largest share of a pose's solutions that is free in a cell.")
    repeats: int = option(3, "Calls of each kind that count.", quick=1, min=1)
    held_out: float | None = option(
        None,
        "Goals of trees only where the first two tips are nearer to each other than this [m], "
        "also with postures of which none is stored there.",
        min=1e-3,
    )
    samplers: tuple[str, ...] = samplers_option("closed_form", "postures", "retrieval", "ikflow")


@dataclass(frozen=True, kw_only=True)
class HardTable(ChainTable):
    """One robot."""

    robot: str = figure("What it is called.")
    goals: int = figure("How many.")
    more: int = figure("How many further ones go to a larger batch.")
    budgets: tuple[float, ...] = figure("These times [s].")
    rows: tuple[HardFigures, ...] = figure(
        "A row for each kind of seeds, quasi-random ones first."
    )

    violations = violations_of(lambda table: table.rows)


def items(cases: Sequence[ChainCase], options: Options) -> list[PartOf]:
    """Return what is measured: a tree, robots in folders that are named, arms in cells.

    Raises:
        UnknownNameError: There is no robot of a name that was asked for.
    """
    found: list[TreeCase | ChainCase] = [*example_trees((_TORSO,))]
    if options.curobo_dir is not None:
        names = ("dual_ur10e", "unitree_g1")
        found += [CUROBO_ROBOTS[name].tree_case(name, options.curobo_dir) for name in names]
    if options.scenes_dir is not None:
        urdf = options.scenes_dir / f"{BAXTER}/{BAXTER}.urdf"
        found.append(TreeCase(BAXTER, urdf, *BAXTER_LINKS))
    found += cases
    names = dict.fromkeys(case.robot for case in found)
    check_names("tree", options.tree, names)
    return [PartOf("goals", case) for case in found if case.robot in (options.tree or names)]


def _made(case: TreeCase | ChainCase, options: Options, region: TipsTogether | None) -> HardCase:
    count, seed = options.goals, options.random_seed
    counts = count, options.batch
    if case.robot in CUROBO_ROBOTS and isinstance(case, TreeCase):
        return curobo_case(case.robot, case.urdf_path.parent, counts, seed, region)
    if isinstance(case, ChainCase):
        return cell_case(case, options.share, count, seed)
    if case.robot == BAXTER:
        return motion_case(case, count)
    return tree_case(case, counts, seed, region)


def measure(item: PartOf, options: Options, on_step: OnStep) -> HardTable:
    """Measure one robot."""
    region = None if options.held_out is None else TipsTogether(options.held_out)
    hard, on_share = _made(item.case, options, region), in_percent(on_step)
    # A tree has all that is used of a chain here.
    chain, seed = cast(KinematicChain, hard.case.chain), options.random_seed
    samplers, absent = available_samplers(chain, [PLAIN, *options.samplers])
    if region is not None and isinstance(item.case, TreeCase):
        elsewhere = PosturesElsewhere(chain, region)
        samplers = {**samplers, elsewhere.name: elsewhere}
    solvers = {
        name: IKSolver(chain, sampler, collision=hard.model) for name, sampler in samplers.items()
    }
    plain = solvers[PLAIN]
    known, nearby = (KnownSolutions(chain, 0.0, plain.distinct_distance) for _ in range(2))
    for turn, goal in enumerate((*hard.goals, *hard.more)):
        own = plain.solve(goal.target, _TOLD, scene=goal.scene).of(0)
        known.know(goal.target, own, _TOLD, seed)
        nearby.know(goal.target, _beside(plain, goal, own, (seed, turn)), _TOLD, seed)
    for name, sampler in ((KNOWN, known), (NEARBY, nearby)):
        solvers[name] = IKSolver(chain, sampler, collision=hard.model)
    calls = calls_in_turns(solvers, hard, options.repeats, seed, on_share)
    checker = checker_of(plain, hard.case, oracle_of(hard.case))
    return HardTable(
        chain=hard.case.label,
        dof=chain.num_joints,
        absent=absent,
        robot=hard.name,
        goals=len(hard.goals),
        more=len(hard.more),
        budgets=BUDGETS,
        rows=tuple(mine.figures(name, hard, checker) for name, mine in calls.items()),
    )


def _beside(solver: IKSolver, goal: HardGoal, own: Floats, seed: tuple[int, int]) -> Floats:
    """Return free solutions of a goal beside another, nearer where that one has none."""
    rng, size = np.random.default_rng(seed), 1.0
    while size > 0.05:
        aside = goal.target.reshape(-1, 4, 4).copy()
        for pose in aside:
            way, axis = (vector / np.linalg.norm(vector) for vector in rng.normal(size=(2, 3)))
            pose[:3, 3] += size * _ASIDE[0] * way
            pose[:3, :3] = Rotation.from_rotvec(size * _ASIDE[1] * axis).as_matrix() @ pose[:3, :3]
        found = solver.solve(aside.reshape(goal.target.shape), _TOLD, scene=goal.scene).of(0)
        if len(found):
            return found
        size /= 2.0
    return own


def listings(tables: Sequence[HardTable]) -> Iterator[Listing]:
    """Show what seeds save, and what is found by the deadlines."""

    def times(value: Callable[[HardFigures], float]) -> Callable[[HardTable, HardFigures], str]:
        return lambda table, row: number(value(table.rows[0]) / value(row))

    columns = (
        ("robot", lambda table, _: table.robot),
        ("joints", lambda table, _: str(table.dof)),
        ("goals", lambda table, _: _numbers_of_goals(table)),
        ("seeds", lambda _, row: row.seeds),
        ("solved %", lambda _, row: percent(row.solved)),
        ("one: ms", lambda _, row: _with_percentiles(row)),
        ("times as fast", times(lambda row: row.first)),
        ("seeds tried", lambda _, row: number(row.first_tried)),
        ("many: ms", lambda _, row: number(1e3 * row.many)),
        ("times as fast", times(lambda row: row.many)),
        ("found", lambda _, row: number(row.found)),
        ("found a ms", lambda _, row: number(1e-3 * row.found / row.many)),
        ("apart", lambda _, row: number(row.apart)),
        ("batch: ms", lambda _, row: number(1e3 * row.batch)),
        ("times as fast", times(lambda row: row.batch)),
        ("larger: ms", lambda _, row: number(1e3 * row.large_batch)),
        ("times as fast", times(lambda row: row.large_batch)),
        ("colliding", lambda _, row: "-" if row.colliding is None else str(row.colliding)),
        ("false", lambda _, row: row.violations.text),
    )
    heading = (
        "Processor time of calls for free solutions, of all threads together, without a deadline. "
        "one: mean (median, 99th percentile over the goals) for one solution, and seeds tried. "
        f"many: mean for {MANY}, how many were found, how many a millisecond, and how far two of "
        "them are apart, the mean over the joints [rad or m]. batch: one call with all goals, one "
        "solution each, the mean over random seeds; larger: one with the further goals. times as "
        "fast: as with quasi-random seeds, sums over the goals. known, nearby: seeds at solutions "
        "of the goal, or of one 5 cm and 0.2 rad beside it, gratis: the most that any could gain."
    )
    yield Listing(heading, columns, each_row(tables))
    budgets = [f"{1e3 * budget:.3g} ms" for budget in tables[0].budgets]
    columns = (
        ("robot", lambda table, _: table.robot),
        ("seeds", lambda _, row: row.seeds),
        *(
            (f"solved %, {text}", lambda _, row, k=k: percent(row.solved_within[k]))
            for k, text in enumerate(budgets)
        ),
        *(
            (f"found, {text}", lambda _, row, k=k: number(row.distinct[k]))
            for k, text in enumerate(budgets)
        ),
    )
    heading = (
        "Processor time again: goals whose calls for one solution take no longer, and the most "
        f"solutions that a call finds in no more time, for {', '.join(map(str, WANTED))}."
    )
    yield Listing(heading, columns, each_row(tables))


def _numbers_of_goals(table: HardTable) -> str:
    return f"{table.goals} + {table.more}" if table.more else str(table.goals)


def _with_percentiles(row: HardFigures) -> str:
    times = (f"{1e3 * each:.3g}" for each in (row.first, row.first_p50, row.first_p99))
    return "{} ({}, {})".format(*times)


PROTOCOL = Protocol(
    Options, HardTable, measure, listings, steps=percent_steps, robots=("panda_left_finger",),
    items=items,
)  # fmt: skip
