"""Batches of free poses above a table with cuRobo's spheres, by cuRobo's own protocol.

100 poses of configurations that are free of collisions go to one call, the mean of five batches
counts. The geometry is the spheres of cuRobo's robot file. Truth is a check of these spheres in
numpy on pinocchio's kinematics.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.curobo_robots import CUROBO_ROBOTS, HARDWARE, TABLE
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.held_out import TipsTogether, free_configurations
from generative_ik_benchmarks.interleaved import checker_of, timed
from generative_ik_benchmarks.oracle import oracle_of
from generative_ik_benchmarks.protocol import Listing, text_listing
from generative_ik_benchmarks.solver import Solver
from generative_ik_benchmarks.sphere_oracle import SphereOracle, kinematics
from generative_ik_benchmarks.text import number, percent
from generative_ik_benchmarks.tree_cases import TreeCase
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.solutions import IKSolutions

POSES, BATCHES = 100, 5
NEAR = 5e-3, 0.05
"""What cuRobo's benchmark counts as success [m and rad]."""


@dataclass(frozen=True)
class BatchFigures:
    """Batches of one kind."""

    solver: str = figure("Whose, and on what if published.")
    collisions: bool = figure("Whether solutions had to be free of collisions.")
    solved: float = figure("Share of the poses, by the solver's own tolerance.")
    near: float = figure("Share of the poses within 5 mm and 0.05 rad, free if they had to be.")
    mean: float = figure("Mean time of a batch [s].")
    best: float | None = figure("Smallest time of one [s]; None where not known.")
    position_p90: float = figure(
        "90th percentile of the distance from the pose [m]; NaN where not known."
    )
    orientation_p90: float = figure("Likewise of the angle [rad].")
    colliding: int | None = figure(
        "Returned configurations that collide; None where nothing was returned to us."
    )


def published(robot: str) -> tuple[BatchFigures, ...]:
    """Return what cuRobo's authors published for one of `CUROBO_ROBOTS`."""
    known, nan = CUROBO_ROBOTS[robot], float("nan")
    return tuple(
        BatchFigures(
            f"published: cuRobo v2, {HARDWARE}", free, nan, share, seconds, None, nan, nan, None
        )
        for free, (seconds, share) in ((False, known.plain), (True, known.free))
    )


@dataclass
class _Tally:
    """The batches of one kind so far."""

    seconds: list[float] = field(default_factory=list)
    distances: list[Floats] = field(default_factory=list)
    angles: list[Floats] = field(default_factory=list)
    solved: int = 0
    near: int = 0
    colliding: int = 0

    def figures(self, collisions: bool, poses: int, solver: str = "ours") -> BatchFigures:
        return BatchFigures(
            solver=solver,
            collisions=collisions,
            solved=self.solved / poses,
            near=self.near / poses,
            mean=float(np.mean(self.seconds)),
            best=min(self.seconds),
            position_p90=_p90(self.distances),
            orientation_p90=_p90(self.angles),
            colliding=self.colliding,
        )


def _p90(parts: list[Floats]) -> float:
    errors = np.concatenate(parts)
    return float(np.percentile(errors, 90)) if len(errors) else float("nan")


class BatchRobot:
    """One of cuRobo's robots in the folder of its files, our solvers of it, and the truth."""

    def __init__(self, case: ChainCase | TreeCase, spheres: Path):
        """Build models, solvers and oracles."""
        self.chain, table = case.chain, case.urdf_path.parent / TABLE
        self.scene = Scene.from_yaml(table)
        self.oracle = SphereOracle(case.urdf, spheres, table, self.chain.joint_names)
        self.forward = oracle_of(case).forward
        self.model = CollisionModel.from_urdf(
            self.chain.description,
            spheres=spheres,
            joint_positions=kinematics(spheres).get("lock_joints") or {},
        )
        self.solvers = {
            False: IKSolver(self.chain),
            True: IKSolver(self.chain, collision=self.model),
        }
        self.checker = checker_of(self.solvers[False], case, oracle_of(case))

    def solve(self, poses: Floats, collisions: bool, seed: int) -> IKSolutions:
        """Solve poses (B, 4, 4) or (B, K, 4, 4) once each."""
        scene = self.scene if collisions else None
        return self.solvers[collisions].solve(poses, 1, random_seed=seed, scene=scene)

    def free_poses(
        self, rng: np.random.Generator, count: int, region: TipsTogether | None = None
    ) -> Floats:
        """Return the poses of `free_configurations`."""
        return self.forward(
            free_configurations(self.chain, self.oracle.collides, rng, count, region)
        )


def batch_figures(
    robot: BatchRobot,
    seed: int,
    on_share: Callable[[float], None],
    *,
    poses: int = POSES,
    batches: int = BATCHES,
) -> tuple[list[BatchFigures], Violations]:
    """Measure batches with and without collisions, in turns.

    Returns:
        Figures, and everything untrue in our results.
    """
    rng, violations = np.random.default_rng(seed), Violations()
    tallies = {False: _Tally(), True: _Tally()}
    for batch in range(-1, batches):  # the first warms up
        targets = robot.free_poses(rng, poses)
        for collisions in (batch % 2 == 0, batch % 2 != 0):
            found, spent = timed(partial(robot.solve, targets, collisions, seed))
            if batch >= 0:
                tallies[collisions].seconds.append(spent)
                violations += _count(robot, tallies[collisions], targets, found, collisions)
        on_share((batch + 2) / (batches + 1))
    return [tallies[kind].figures(kind, batches * poses) for kind in (False, True)], violations


def _count(
    robot: BatchRobot, tally: _Tally, targets: Floats, found: IKSolutions, collisions: bool
) -> Violations:
    """Check a batch, and add it to a tally."""
    violations = Violations()
    distance, angle = np.empty(len(targets)), np.empty(len(targets))
    for k, target in enumerate(targets):
        best, own = found.best_effort[k], found.of(k)
        errors = robot.checker.errors(target, best[None])
        distance[k], angle[k] = errors[0][0], errors[1][0]
        wrong, hits = robot.checker.violations(target, own), sum(map(robot.oracle.collides, own))
        tally.solved += bool(len(own) and not wrong.total and not (collisions and hits))
        tally.colliding += hits
        violations += wrong + Violations(hits if collisions else 0)
        if distance[k] <= NEAR[0] and angle[k] <= NEAR[1]:
            tally.near += not (collisions and robot.oracle.collides(best))
    tally.distances.append(distance)
    tally.angles.append(angle)
    return violations


def peer_figures(
    robot: BatchRobot, peer: Solver, collisions: bool, poses: int, tried: int, seed: int
) -> BatchFigures:
    """Measure another solver, pose after pose, on the first poses of the first batch that counts.

    Times are scaled to as many as a batch has.
    """
    rng, tally = np.random.default_rng(seed), _Tally()
    robot.free_poses(rng, poses)  # those that warm up
    targets = robot.free_poses(rng, poses)[:tried]
    for target in targets:
        found, spent = timed(partial(peer.solve, target))
        tally.seconds.append(poses * spent)
        right = robot.checker.reached(target, found) & robot.checker.within_limits(found)
        hits = sum(map(robot.oracle.collides, found))
        tally.solved += bool(right.any() and not (collisions and hits))
        tally.colliding += hits
        distance, angle = robot.checker.errors(target, found)
        tally.distances.append(distance)
        tally.angles.append(angle)
    tally.near = tally.solved
    return replace(tally.figures(collisions, len(targets), peer.name), best=None)


def batches_listing(figures: Mapping[str, Sequence[BatchFigures]]) -> Listing:
    """Show the batches of some of `CUROBO_ROBOTS`, those published beside ours."""
    rows = [
        [
            robot,
            row.solver,
            "yes" if row.collisions else "no",
            percent(row.solved),
            percent(row.near),
            f"{1e3 * row.mean:.2f}",
            "-" if row.best is None else f"{1e3 * row.best:.2f}",
            number(1e6 * row.position_p90, 2),
            number(1e6 * row.orientation_p90, 2),
            "-" if row.colliding is None else str(row.colliding),
        ]
        for robot, own in figures.items()
        for row in sorted((*own, *published(robot)), key=lambda row: row.collisions)
    ]
    heads = [
        "robot", "solver", "free", "exact %", "near %", "ms a batch", "best", "p90 um", "p90 urad",
        "colliding",
    ]  # fmt: skip
    heading = (
        "cuRobo's protocol: its robots and spheres above a table; 100 poses of free "
        "configurations a batch, one solution each, mean and best of five batches. free: whether "
        "solutions have to be. exact: within 1e-5 m and 1e-5 rad, near: within 5 mm and 0.05 rad, "
        "which is success in cuRobo's benchmark. p90: of the errors, failures included. "
        "restarts: others, pose after pose on the first of a batch, their mean time times the "
        "poses of a batch. published: by cuRobo's authors."
    )
    return text_listing(heading, heads, rows)
