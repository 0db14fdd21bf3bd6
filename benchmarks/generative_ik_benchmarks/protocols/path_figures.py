"""Paths among obstacles: time to the first valid one, shorter ones, and what others find.

Ours is called with a new scene each time, so that its preparation counts. The others come between
our calls, each once: they get ten seconds, our solutions, our checks and the same limits.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.path_following import (
    Newton,
    SceneMotions,
    follow,
)
from generative_ik_benchmarks.path_graph import GraphSearch, PathGraph
from generative_ik_benchmarks.path_oracle import PathOracle, path_length, step_limits
from generative_ik_benchmarks.path_problems import PathProblem
from generative_ik_benchmarks.path_robot import PathRobot
from generative_ik_benchmarks.peers.seeded import SeededSolver, available_seeded
from generative_ik_benchmarks.random_scenes import scene_of
from generative_ik_benchmarks.text import Quartiles
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros import IKPath, TaskSpaceRegion
from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.checker import CollisionChecker
from generative_ik_ros.robot.rigid import inverse

OURS, DESCARTES = "ours", "Descartes graph"
PEER_SECONDS = 10.0
"""After which the others give a path up."""
_TRAC_IK_SECONDS = 5e-3
"""Deadline of a call of TRAC-IK, its own default [s]."""
_STARTS = 64
_LAYERS = (50, 200, 1000)
"""Solutions of a pose in Descartes' graph, one number after the other until there is a path."""


@dataclass(frozen=True)
class Found:
    """What one call found."""

    solver: str = figure("Whose.")
    seconds: float = figure("Its time [s].")
    poses: int = figure("How many poses its path reaches.")
    valid: bool = figure("Whether the oracle finds it valid.")
    length: float = figure("Its length, in `joint_units`.")
    between: int = figure("Steps on whose way something collides at the oracle's resolution.")
    faults: str = figure('What the oracle finds wrong; "" for nothing.')


@dataclass(frozen=True)
class Shorter:
    """What our search for the shortest path found within a time limit."""

    timeout: float = figure("The limit [s].")
    found: Found = figure("Its result.")
    times: tuple[float, ...] = figure("When each better path was found [s].")
    lengths: tuple[float, ...] = figure("The length of each.")
    travel: float = figure(
        "Sum of all motions of revolute joints, as CppFlow measures lengths [rad]."
    )
    travel_prismatic: float = figure("Likewise of prismatic joints [m].")


@dataclass(frozen=True)
class ProblemFigures:
    """One problem."""

    problem: str = figure("Its name.")
    poses: int = figure("How many.")
    boxes: int = figure("How many obstacles.")
    first: Found = figure("The first valid path, ours, as soon as there is one.")
    seconds: Quartiles = figure("Time to it, over the rounds [s].")
    slowest: float = figure("The longest of these [s].")
    returned: Found = figure(
        "What a call without an objective returns: smoothed, and the best of some."
    )
    call: Quartiles = figure("Time of such a call, over the rounds [s].")
    free: Found = figure("What it returns if the tool may turn about its z axis.")
    free_first: float = figure("Time to its first path [s].")
    shorter: tuple[Shorter, ...] = figure("Shorter paths, a time limit each.", default=())
    others: tuple[Found, ...] = figure("What the others found.", default=())


class _Measurement:
    """One problem, with what measures it."""

    def __init__(self, robot: PathRobot, problem: PathProblem):
        self.robot, self.problem, self.chain = robot, problem, robot.case.chain
        self.targets = robot.in_base(problem.targets)
        self.max_step = step_limits(self.chain)
        self.oracle: PathOracle = robot.judge(problem.obstacles)

    def path(
        self,
        objective: str | None = None,
        timeout: float | None = None,
        region: TaskSpaceRegion | None = None,
    ) -> tuple[IKPath, IKPath]:
        """Return our path, and the first one on the way to it: the same if it is not complete."""
        scene, offered = scene_of(self.problem.obstacles), []
        path = self.robot.solver.solve_path(
            self.targets, max_step=self.max_step, timeout=timeout, scene=scene,
            objective=objective, on_path=offered.append, region=region,
        )  # fmt: skip
        return path, offered[0] if offered else path

    def shorter(self, timeout: float) -> tuple[Shorter, int]:
        """Return the shortest path within a time limit, and 1 if it is not what we say."""
        path, _ = self.path("length", timeout)
        rows, prismatic = path.positions[: path.num_reached], self.chain.prismatic
        found = self.found(OURS, path.total_time, rows)
        travel = np.abs(np.diff(rows, axis=0)).sum(axis=0)
        shorter = Shorter(
            timeout=timeout,
            found=found,
            times=tuple(float(at) for at, _ in path.improvements),
            lengths=tuple(float(value) for _, value in path.improvements),
            travel=float(travel[~prismatic].sum()),
            travel_prismatic=float(travel[prismatic].sum()),
        )
        return shorter, _wrong(path, found)

    def free(self) -> tuple[Found, float, int]:
        """Return the path of a tool with a free z axis, time to the first one, 1 if it is wrong.

        The oracle gets each pose turned about that axis to where the tool is.
        """
        region = TaskSpaceRegion.free_axis("z")
        self.path(region=region)  # compiles, or loads
        path, first = self.path(region=region)
        rows = path.positions[: path.num_reached]
        targets = self.targets.copy()
        gaps = inverse(targets[: len(rows)]) @ self.robot.forward.forward(rows)
        angle = np.arctan2(gaps[:, 1, 0] - gaps[:, 0, 1], gaps[:, 0, 0] + gaps[:, 1, 1])
        turned = Rotation.from_rotvec(angle[:, None] * [0.0, 0.0, 1.0]).as_matrix()
        targets[: len(rows), :3, :3] @= turned
        found = self.found(OURS, path.total_time, rows, targets)
        return found, first.total_time, _wrong(path, found)

    def found(
        self, solver: str, seconds: float, path: Floats, targets: Floats | None = None
    ) -> Found:
        """Judge a path (L, n) of the first L poses, or of other targets (B, 4, 4)."""
        targets = self.targets if targets is None else targets
        lacking = np.full((len(self.targets) - len(path), self.chain.num_joints), np.nan)
        verdict = self.oracle.verdict(targets, np.concatenate([path, lacking]))
        return Found(
            solver=solver,
            seconds=seconds,
            poses=len(path),
            valid=verdict.valid,
            length=path_length(self.chain, path),
            between=verdict.between,
            faults=verdict.faults,
        )

    def ours(self, path: IKPath) -> tuple[Found, int]:
        """Judge a path of ours; also return 1 if it is not what we say."""
        found = self.found(OURS, path.total_time, path.positions[: path.num_reached])
        return found, _wrong(path, found)

    def motions(self) -> SceneMotions:
        """Return the checks of collisions, made anew."""
        checker = CollisionChecker(self.robot.model, self.chain)
        return SceneMotions(self.chain, checker.at(scene_of(self.problem.obstacles)))

    def followed(self, solver: SeededSolver) -> Found:
        """Measure a path pose by pose."""
        motions, scene = self.motions(), scene_of(self.problem.obstacles)
        begin = time.perf_counter()
        starts = self.robot.solver.solve(self.targets[:1], _STARTS, scene=scene).of(0)
        path = follow(solver, self.chain, motions, self.targets, starts, begin + PEER_SECONDS)
        return self.found(solver.name, time.perf_counter() - begin, path)

    def descartes(self) -> Found:
        """Measure the shortest path through layers of our solutions."""
        motions, scene = self.motions(), scene_of(self.problem.obstacles)
        begin = time.perf_counter()
        deadline, path = begin + PEER_SECONDS, np.zeros((0, self.chain.num_joints))
        for count in _LAYERS:
            solutions = self.robot.solver.solve(
                self.targets, count, scene=scene, timeout=max(deadline - time.perf_counter(), 1e-3)
            )
            layers = [solutions.of(b) for b in range(len(self.targets))]
            graph = PathGraph(layers, self.max_step, self.chain.joint_units, self.chain.continuous)
            search = GraphSearch(
                graph, motions, nodes_free=True, stop=lambda: time.perf_counter() > deadline
            )
            longer = search.run().positions
            path = longer if len(longer) > len(path) else path
            if len(path) == len(self.targets) or time.perf_counter() > deadline:
                break
        return self.found(DESCARTES, time.perf_counter() - begin, path)

    def others(self, absent: dict[str, str]) -> list[Callable[[], Found]]:
        """Return what the others are measured by; `absent` gets why one cannot take part."""
        case = self.robot.case
        peers, missing = available_seeded(["trac-ik"], case, _TRAC_IK_SECONDS)
        absent |= missing
        solvers = [*peers, Newton(case.chain)]
        return [self.descartes, *(partial(self.followed, solver) for solver in solvers)]


def problem_figures(
    robot: PathRobot,
    problem: PathProblem,
    *,
    rounds: int,
    timeouts: tuple[float, ...],
    absent: dict[str, str],
    on_share: Callable[[float], None],
) -> tuple[ProblemFigures, Violations]:
    """Measure a problem; `absent` gets why a solver cannot take part.

    Returns:
        Figures, and how many of our paths are not what we say.
    """
    work = _Measurement(robot, problem)
    work.path()  # compiles, or loads
    others = work.others(absent)
    calls, theirs = [], []
    turns = max(rounds, len(others))
    for turn in range(turns):
        if turn < rounds:
            calls.append(work.path())
        if turn < len(others):
            theirs.append(others[turn]())
        on_share(0.5 * (turn + 1) / turns)
    returned, wrong = work.ours(calls[0][0])
    first, false = work.ours(calls[0][1])
    free, free_first, also_false = work.free()
    wrong, shorter = wrong + false + also_false, []
    for turn, timeout in enumerate(timeouts):
        one, false = work.shorter(timeout)
        shorter.append(one)
        wrong += false
        on_share(0.5 + 0.5 * (turn + 1) / len(timeouts))
    seconds = np.array([path.total_time for _, path in calls])
    figures = ProblemFigures(
        problem=problem.name,
        poses=len(problem.targets),
        boxes=len(problem.obstacles),
        first=first,
        seconds=Quartiles.of(seconds),
        slowest=float(seconds.max()),
        returned=returned,
        call=Quartiles.of(np.array([path.total_time for path, _ in calls])),
        free=free,
        free_first=free_first,
        shorter=tuple(shorter),
        others=tuple(theirs),
    )
    return figures, Violations(wrong)


def _wrong(path: IKPath, found: Found) -> int:
    """Return 1 if a path that we call complete is refused."""
    return int(path.complete and not found.valid)
