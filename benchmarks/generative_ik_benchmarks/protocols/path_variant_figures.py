"""Paths among obstacles that were moved at random: which are found, and which there are.

A graph of all solutions, as dense as `dense_layers` makes them, says which variants can be solved
at all: it has a path that the oracle finds valid. Where it has none there may still be one.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from generative_ik_benchmarks.collision_oracle import Solid
from generative_ik_benchmarks.dense_layers import dense_layers
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import timed
from generative_ik_benchmarks.path_following import SceneMotions
from generative_ik_benchmarks.path_graph import GraphSearch, PathGraph
from generative_ik_benchmarks.path_oracle import PathOracle, path_length, step_limits
from generative_ik_benchmarks.path_problems import (
    PathProblem,
    VariantFile,
    VariantRecord,
    moved_obstacles,
)
from generative_ik_benchmarks.path_robot import PathRobot
from generative_ik_benchmarks.protocol import Listing
from generative_ik_benchmarks.random_scenes import scene_of
from generative_ik_benchmarks.text import number
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros.collision.checker import CollisionChecker

STOPPED = "stopped"


@dataclass(frozen=True)
class VariantFigures:
    """The variants of one problem."""

    problem: str = figure("Its name.")
    nodes: float = figure(
        "Configurations of a pose in the dense graph, on average; 0 if all were on file."
    )
    variants: int = figure("How many.")
    solved: int = figure("Those with a path that the oracle finds valid.")
    refused: int = figure("Those whose path we call complete and the oracle refuses.")
    between: int = figure(
        "Solved ones in which something collides on the way at the oracle's resolution."
    )
    solvable: int = figure("Those that the dense graph solves.")
    missed: tuple[int, ...] = figure("Numbers of those that it solves and we do not.")
    beyond: int = figure("Those that we solve and it does not.")
    stopped: int = figure("Those of the others where time ended its search.")
    timed_out: int = figure("Those where time ended ours.")
    seconds: tuple[float, ...] = figure("Times of our calls that solve one [s].")
    worst: float = figure("Longest call of any [s].")


@dataclass(frozen=True)
class Limits:
    """How long things may take, and how dense the graph is.

    Attributes:
        timeout: Of our calls [s].
        graph_timeout: Of the search of the dense graph [s].
        spacing: Of the configurations in its layers [rad or m].
    """

    timeout: float
    graph_timeout: float
    spacing: float


class _Variants:
    """A problem whose variants are solved."""

    def __init__(self, robot: PathRobot, problem: PathProblem, limits: Limits, seed: int):
        self.robot, self.problem, self.limits, self.seed = robot, problem, limits, seed
        self.chain = robot.case.chain
        self.targets = robot.in_base(problem.targets)
        self.max_step = step_limits(self.chain)
        self.checker = CollisionChecker(robot.model, self.chain)

    @cached_property
    def graph(self) -> PathGraph:
        """All solutions of all poses; made when the first variant needs them."""
        layers = dense_layers(self.chain, self.targets, self.limits.spacing)
        graph = PathGraph(layers, self.max_step, self.chain.joint_units, self.chain.continuous)
        # All steps now: they must not count in the time limit of the first search.
        for i in range(len(layers) - 1):
            graph.steps(i)
        return graph

    def record(self, number: int) -> VariantRecord:
        """Solve a variant, judge the path, and ask the graph."""
        obstacles = moved_obstacles(self.problem, number, self.seed)
        judge = self.robot.judge(obstacles)
        path, seconds = timed(
            lambda: self.robot.solver.solve_path(
                self.targets, max_step=self.max_step, scene=scene_of(obstacles),
                timeout=self.limits.timeout,
            )
        )  # fmt: skip
        verdict = judge.verdict(self.targets, path.positions)
        reason = self._graph_fails(obstacles, judge)
        return VariantRecord(
            problem=self.problem.name,
            number=number,
            seconds=seconds,
            complete=path.complete,
            timed_out=path.timed_out,
            faults=verdict.faults,
            valid=verdict.valid,
            between=verdict.between,
            length=path_length(self.chain, path.positions[: path.num_reached]),
            solvable=not reason,
            graph=reason,
        )

    def _graph_fails(self, obstacles: Sequence[Solid], judge: PathOracle) -> str:
        """Return why the graph has no valid path among obstacles; "" if it has one."""
        motions = SceneMotions(self.chain, self.checker.at(scene_of(obstacles)))
        graph = self.graph
        deadline = time.perf_counter() + self.limits.graph_timeout
        search = GraphSearch(
            graph, motions, exact=False, stop=lambda: time.perf_counter() > deadline
        )
        # Spheres alone are fast and find most paths; the shapes decide where they find none.
        found = search.run()
        if found.reason:
            search.decide_exactly()
            found = search.run()
        if found.reason:
            return found.reason
        verdict = judge.verdict(self.targets, found.positions)
        return "" if verdict.valid else f"refused: {verdict.faults}"

    @property
    def nodes(self) -> float:
        """Configurations of a pose, on average; 0 where they were not needed."""
        known = "graph" in self.__dict__
        return float(np.mean([len(layer) for layer in self.graph.layers])) if known else 0.0


def variant_figures(
    robot: PathRobot,
    problem: PathProblem,
    numbers: Sequence[int],
    limits: Limits,
    file: VariantFile,
    seed: int,
    on_share: Callable[[float], None],
) -> tuple[VariantFigures, Violations]:
    """Solve the variants of a problem that are not in the file yet.

    Returns:
        Figures of all of them, and how many of our paths the oracle refuses.
    """
    finished, work = file.read(problem.name), _Variants(robot, problem, limits, seed)
    records = []
    if any(number not in finished for number in numbers):
        scene = scene_of(moved_obstacles(problem, numbers[0], seed))
        robot.solver.solve_path(work.targets[:2], max_step=work.max_step, scene=scene)
    for done, which in enumerate(numbers):
        if which not in finished:
            finished[which] = work.record(which)
            file.append(finished[which])
        records.append(finished[which])
        on_share((done + 1) / len(numbers))
    figures = _figures(problem.name, work.nodes, records)
    return figures, Violations(figures.refused)


def _figures(problem: str, nodes: float, records: Sequence[VariantRecord]) -> VariantFigures:
    return VariantFigures(
        problem=problem,
        nodes=nodes,
        variants=len(records),
        solved=sum(one.valid for one in records),
        refused=sum(one.complete and not one.valid for one in records),
        between=sum(one.valid and one.between > 0 for one in records),
        solvable=sum(one.solvable for one in records),
        missed=tuple(one.number for one in records if one.solvable and not one.valid),
        beyond=sum(one.valid and not one.solvable for one in records),
        stopped=sum(not one.valid and one.graph == STOPPED for one in records),
        timed_out=sum(one.timed_out for one in records),
        seconds=tuple(one.seconds for one in records if one.valid),
        worst=max((one.seconds for one in records), default=float("nan")),
    )


def variants_listing(variants: Sequence[VariantFigures]) -> Listing:
    """Return the table of variants, with a row of all together."""
    columns = (
        ("problem", lambda row: row.problem),
        ("variants", lambda row: str(row.variants)),
        ("nodes a pose", lambda row: number(row.nodes) if row.nodes else "-"),
        ("solvable", lambda row: str(row.solvable)),
        ("solved", lambda row: str(row.solved)),
        ("missed", lambda row: str(len(row.missed))),
        ("beyond", lambda row: str(row.beyond)),
        ("refused", lambda row: str(row.refused)),
        ("on the way", lambda row: str(row.between)),
        ("stopped", lambda row: str(row.stopped)),
        ("timed out", lambda row: str(row.timed_out)),
        ("ms: median", lambda row: _percentile(row, 50)),
        ("p99", lambda row: _percentile(row, 99)),
        ("worst", lambda row: number(1e3 * row.worst)),
    )
    heading = (
        "Obstacles moved at random by up to 10 cm along each axis; problems without any get a "
        "cube of 15 cm near the path. solvable: the dense graph has a path that the oracle finds "
        "valid. missed: of these, not solved by us. beyond: solved by us, not by the graph. "
        "refused: paths of ours that the oracle refuses. on the way: solved, but with a collision "
        "between poses when coal looks every 0.005 rad. stopped: unsolved, and the graph's time "
        "was up. Times of those solved; worst: of all."
    )
    rows = [(row,) for row in variants]
    if len(variants) > 1:
        rows.append((_total(variants),))
    return Listing(heading, columns, rows)


def _percentile(row: VariantFigures, part: float) -> str:
    return number(1e3 * float(np.percentile(row.seconds, part))) if row.seconds else "-"


def _total(variants: Sequence[VariantFigures]) -> VariantFigures:
    """Return the figures of all problems together."""
    names = (
        "variants", "solved", "refused", "between", "solvable", "beyond", "stopped", "timed_out",
    )  # fmt: skip
    return VariantFigures(
        problem="all",
        nodes=0.0,
        missed=tuple(one for row in variants for one in row.missed),
        seconds=tuple(one for row in variants for one in row.seconds),
        worst=max(row.worst for row in variants),
        **{name: sum(getattr(row, name) for row in variants) for name in names},
    )
