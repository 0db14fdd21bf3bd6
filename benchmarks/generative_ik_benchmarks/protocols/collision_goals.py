"""Goals among obstacles that can be reached without collision: time to the first solution.

Each goal's pose goes in turns to our solver with the collision model, to our solver without it,
whose solutions are checked one after the other until one is free, and to TRAC-IK with random
restarts until a solution is free, as MoveIt uses it; goals of several tips go to Pink instead.
The check of the latter two is coal's, of the whole configuration, broad phase first. Reading
files, building models, and the first call among the obstacles of a scene are not in the times; the
latter is given on its own. Goals whose known configuration collides are left out: Baxter's fingers
are fixed in its description, and some of its problems were made with others.
"""

import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.collision_oracle import RobotOracle, WorldOracle
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import checker_of, in_turns, timed
from generative_ik_benchmarks.motion_problems import MotionProblem, read_problems
from generative_ik_benchmarks.oracle import oracle_of
from generative_ik_benchmarks.peers.pink import Pink
from generative_ik_benchmarks.peers.trac_ik import TracIK
from generative_ik_benchmarks.protocol import Listing, text_listing
from generative_ik_benchmarks.random_scenes import robot_geometry
from generative_ik_benchmarks.solver import Solver, if_available
from generative_ik_benchmarks.text import Quartiles, number, percent, spread
from generative_ik_benchmarks.tree_cases import TreeCase
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.pipeline import IKSolver

GOAL_CHAINS = {"panda": ("panda_link0", "panda_hand"), "ur5": ("base_link", "ee_link")}
"""Base and tip of the robots whose goals are measured."""
OURS, FILTERED = "ours", "ours, filtered"
TRAC_IK, PINK = "TRAC-IK, restarts", "Pink, restarts"
ALL = "all"
_PEER_SECONDS = 1.0
"""After which the others give a goal up."""
_BATCHES = (1, 20, 200, 2000)
"""Solutions that our solver without the model is asked for, one number after the other."""

_Configuration = Floats | None


@dataclass(frozen=True)
class GoalFigures:
    """What one solver did with the goals of one scenario."""

    scenario: str = figure('Its name, or "all".')
    solver: str = figure("The solver's.")
    goals: int = figure("How many.")
    solved: float = figure("Share with a free solution.")
    median: float = figure("Time to the first free solution, median [s].")
    mean: float = figure("Likewise, mean [s].")
    p99: float = figure("Likewise, 99th percentile [s].")
    ratio: Quartiles = figure("This time over ours, goal by goal.")
    again: float | None = figure(
        "Median time of the same call right after another; ours only [s].", default=None
    )
    many: float | None = figure(
        "Median time of a call for as many solutions as were asked for; ours only [s].",
        default=None,
    )
    found: float | None = figure("Mean number of solutions of such a call.", default=None)
    prepare: float | None = figure(
        "Median time of the first call in a scene beyond that of the next [s].", default=None
    )
    returned: int = figure("Configurations that were checked.", default=0)
    wrong: int = figure("Of these those that collide.", default=0)
    wrong_as_imported: int = figure(
        "Those that collide by the meshes as pinocchio's importer reads them.", default=0
    )


@dataclass
class _Record:
    """One goal."""

    scenario: str
    seconds: dict[str, float] = field(default_factory=dict)
    solved: dict[str, bool] = field(default_factory=dict)
    returned: dict[str, int] = field(default_factory=dict)
    wrong: dict[str, int] = field(default_factory=dict)
    wrong_as_imported: dict[str, int] = field(default_factory=dict)
    again: float = 0.0
    many: float = 0.0
    found: int = 0
    prepare: float = 0.0


class _Robot:
    """A robot with what measures it; the joints outside the chain are fixed."""

    def __init__(
        self,
        case: ChainCase | TreeCase,
        fixed: dict[str, float],
        absent: dict[str, str],
        seed: int,
    ) -> None:
        self.case, srdf = case, case.urdf_path.with_suffix(".srdf")
        model, self.oracle = robot_geometry(case, srdf, fixed)
        self.imported = RobotOracle(case, joint_positions=fixed, srdf=srdf, own_triangles=False)
        self.solver, self.plain = IKSolver(case.chain, collision=model), IKSolver(case.chain)
        self.forward = oracle_of(case)
        self.checker = checker_of(self.solver, case, self.forward)
        self.peer = _peer(case, seed, absent)


def _peer(case: ChainCase | TreeCase, seed: int, absent: dict[str, str]) -> Solver | None:
    """Return whose random restarts ours is compared with; None if it cannot take part."""
    if isinstance(case, TreeCase):
        return if_available("pink", lambda: Pink(case, _PEER_SECONDS, seed=seed), absent)
    return if_available("trac-ik", lambda: TracIK(case, "random", seed=seed), absent)


def goal_figures(
    case: ChainCase | TreeCase,
    limit: int | None,
    solutions: int,
    seed: int,
    absent: dict[str, str],
    on_share: Callable[[float], None],
) -> dict[str, Any]:
    """Measure the goals in the archive beside a robot's description, all or some of each scenario.

    If the peer cannot take part, `absent` gets the reason.

    Returns:
        goals: Figures by scenario and solver.
        violations: Everything untrue in our results.
    """
    names, records, violations = case.chain.joint_names, [], Violations()
    robots: dict[tuple[tuple[str, float], ...], _Robot] = {}
    with tempfile.TemporaryDirectory() as into:
        problems = list(read_problems(case.urdf_path.parent, Path(into), limit))
        for turn, problem in enumerate(problems):
            key = tuple(sorted(problem.start.items()))
            if key not in robots:
                robots[key] = _Robot(case, problem.standing(names), absent, seed)
                _solve(robots[key], problem, solutions, turn)  # compiles, or loads
            world = robots[key].oracle.among(problem.obstacles)
            if not world.collides(problem.known(names)):
                record, wrong = _solve(robots[key], problem, solutions, turn)
                records.append(record)
                violations += wrong
            on_share((turn + 1) / len(problems))
    if not records:
        absent["goals"] = "each known configuration collides"
    scenarios = [ALL, *dict.fromkeys(record.scenario for record in records)]
    figures = tuple(
        _figures(scenario, solver, [r for r in records if scenario in (ALL, r.scenario)])
        for scenario in scenarios
        for solver in (OURS, FILTERED, TRAC_IK, PINK)
        if any(solver in record.seconds for record in records)
    )
    return {"goals": figures, "violations": violations}


def _solve(
    robot: _Robot, problem: MotionProblem, solutions: int, turn: int
) -> tuple[_Record, Violations]:
    scene, obstacles = Scene.from_yaml(problem.scene), problem.obstacles
    world, imported = robot.oracle.among(obstacles), robot.imported.among(obstacles)
    goal = problem.known(robot.case.chain.joint_names)
    target = robot.forward.forward(goal[None])[0]
    world.collides(goal)  # builds coal's trees
    record = _Record(problem.scenario.rsplit("_", 1)[0])

    def ours() -> _Configuration:
        return next(iter(robot.solver.solve(target, 1, scene=scene).of(0)), None)

    calls: dict[str, Callable[[], _Configuration]] = {OURS: ours}
    calls[FILTERED] = partial(_filtered, robot.plain, target, world)
    if robot.peer is not None:
        name = PINK if isinstance(robot.case, TreeCase) else TRAC_IK
        calls[name] = partial(_restarted, robot.peer, target, world)
    (_, first), (_, record.again) = timed(ours), timed(ours)
    record.prepare = first - record.again
    # Every order comes up: what a solver finds in the caches depends on who was before it.
    names = list(calls) if turn % 2 else list(calls)[::-1]
    answers = in_turns([calls[name] for name in names], turn // 2)
    for name, (q, spent) in zip(names, answers, strict=True):
        record.seconds[name], record.solved[name] = spent, q is not None
        _check(record, name, [] if q is None else [q], world, imported)
    found, record.many = timed(lambda: robot.solver.solve(target, solutions, scene=scene).of(0))
    record.found = len(found)
    _check(record, OURS, found, world, imported)
    return record, robot.checker.violations(target, found) + Violations(record.wrong[OURS])


def _check(
    record: _Record,
    solver: str,
    found: Iterable[Floats],
    world: WorldOracle,
    imported: WorldOracle,
) -> None:
    found = list(found)
    for counts, many in (
        (record.returned, len(found)),
        (record.wrong, sum(world.collides(q) for q in found)),
        (record.wrong_as_imported, sum(imported.collides(q) for q in found)),
    ):
        counts[solver] = counts.get(solver, 0) + many


def _filtered(solver: IKSolver, target: Floats, world: WorldOracle) -> _Configuration:
    """Solve without the collision model and return the first solution that is free."""
    for wanted in _BATCHES:
        for q in solver.solve(target, wanted).of(0):
            if not world.collides(q):
                return q
    return None


def _restarted(peer: Solver, target: Floats, world: WorldOracle) -> _Configuration:
    """Call a peer from uniformly random configurations until a solution is free."""
    deadline = time.perf_counter() + _PEER_SECONDS
    while time.perf_counter() < deadline:
        for q in peer.solve(target):
            if not world.collides(q):
                return q
    return None


def _figures(scenario: str, solver: str, records: list[_Record]) -> GoalFigures:
    seconds = np.array([record.seconds[solver] for record in records])
    ours = np.array([record.seconds[OURS] for record in records])
    own = solver == OURS
    return GoalFigures(
        scenario=scenario,
        solver=solver,
        goals=len(records),
        solved=float(np.mean([record.solved[solver] for record in records])),
        median=float(np.median(seconds)),
        mean=float(seconds.mean()),
        p99=float(np.percentile(seconds, 99)),
        ratio=Quartiles.of(seconds / ours),
        again=float(np.median([record.again for record in records])) if own else None,
        many=float(np.median([record.many for record in records])) if own else None,
        found=float(np.mean([record.found for record in records])) if own else None,
        prepare=float(np.median([record.prepare for record in records])) if own else None,
        returned=sum(record.returned[solver] for record in records),
        wrong=sum(record.wrong[solver] for record in records),
        wrong_as_imported=sum(record.wrong_as_imported[solver] for record in records),
    )


def goals_listing(figures: Mapping[str, Sequence[GoalFigures]], peer: str) -> Listing:
    """Show a row a scenario of each chain; a peer's random restarts stand beside ours."""
    rows = []
    for chain, own in figures.items():
        by = {(row.scenario, row.solver): row for row in own}
        for scenario in dict.fromkeys(row.scenario for row in own):
            ours, cells = by[scenario, OURS], []
            for solver in (FILTERED, peer):
                other = by.get((scenario, solver))
                cells += [_times(other), spread(other.ratio, digits=2), percent(other.solved)] if (
                    other
                ) else 3 * ["-"]  # fmt: skip
            rows.append([
                chain, scenario, str(ours.goals), percent(ours.solved), _times(ours),
                number(1e3 * (ours.again or 0.0)),
                f"{number(1e3 * (ours.many or 0.0))} ({ours.found:.1f})",
                number(1e3 * (ours.prepare or 0.0)),
                f"{ours.wrong} of {ours.returned} ({ours.wrong_as_imported})", *cells,
            ])  # fmt: skip
    short = peer.partition(",")[0]
    heads = [
        "chain", "scenario", "goals", "solved %", "first: ms", "again: ms", "many: ms (found)",
        "scene: ms", "colliding", "filtered: ms", "times ours", "solved %",
        f"{short}: ms", "times ours", "solved %",
    ]  # fmt: skip
    heading = (
        "Time to the first free solution, median, mean / 99th percentile, and over ours goal by "
        "goal, median (quartiles). again: of the same call once more, median. many: for 20. "
        "scene: what the first call among new obstacles takes longer. colliding: returned "
        "configurations that coal finds colliding by the files' own triangles (in brackets: as "
        "pinocchio imports them). filtered: ours without collision model, checked by coal "
        f"afterwards. {short}: from random configurations until coal finds a solution free, "
        "1 s at most."
    )
    return text_listing(heading, heads, rows)


def _times(row: GoalFigures) -> str:
    return f"{number(1e3 * row.median)}, {number(1e3 * row.mean)} / {number(1e3 * row.p99)}"
