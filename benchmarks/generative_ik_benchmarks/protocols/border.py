"""Poses at the border of what a chain reaches: how many are lost, and what saying no costs.

A search without any solution is given up after some restarts. Given up too early, poses that the
chain does reach are called unreachable; so those that are hard to find are over-represented here.
Given up too late, a pose out of reach costs a thousand times what another one does.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import checker_of, least_time, one_by_one
from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.options import RunOptions, option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.solutions import IKSolutions

_TURNS = 5
"""Times that a batch is measured."""
_ALONE = 200
"""Most poses that are asked for one by one."""
_BATCHES = 40
"""Batches of poses in which those out of reach are looked for."""


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    poses: int = option(4000, "Poses of each kind a chain.", quick=50, min=1)
    seeds: int = option(1, "Random seeds, from --random-seed on, with poses of their own.", min=1)


ANYWHERE, NEAR_LIMITS, AT_LIMITS, CORNERS, FAR, SINGULAR = (
    "anywhere", "near limits", "at limits", "corners", "far", "singular",
)  # fmt: skip
KINDS = (ANYWHERE, NEAR_LIMITS, AT_LIMITS, CORNERS, FAR, SINGULAR)
_NEAR = 1e-3
"""How near a limit a joint is, as a share of its range."""
_OF = 50
"""Configurations of which the furthest, or the one nearest to a singularity, is taken."""


def border_configurations(chain: KinematicChain, kind: str, count: int, seed: int) -> Floats:
    """Draw (count, n) configurations within the limits [rad or m].

    - Anywhere: uniform within the limits.
    - Near limits: half of the joints within 0.1 % of a limit; at limits: exactly there.
    - Corners: all joints within 0.1 % of a limit.
    - Far: of 50 the one whose tip is furthest from the first joint.
    - Singular: of 50 the one whose Jacobian has the least singular value.
    """
    box, rng = SearchBox.of(chain), np.random.default_rng((seed, KINDS.index(kind)))
    size = count, chain.num_joints
    anywhere = rng.uniform(box.lower, box.upper, size)
    if kind == ANYWHERE:
        return anywhere
    if kind in (FAR, SINGULAR):
        measure = _distances if kind == FAR else _regularities
        drawn = rng.uniform(box.lower, box.upper, (_OF, *size))
        best = np.argmax([measure(chain, some) for some in drawn], axis=0)
        return drawn[best, np.arange(count)]
    inwards = _NEAR * rng.random(size) * (box.upper - box.lower) * (kind != AT_LIMITS)
    limits = np.where(rng.random(size) < 0.5, box.lower + inwards, box.upper - inwards)
    return limits if kind == CORNERS else np.where(rng.random(size) < 0.5, limits, anywhere)


def poses_about(chain: KinematicChain, count: int, seed: int) -> Iterator[Floats]:
    """Yield batches of `count` poses in the box of what the tip reaches, in any orientation.

    None is further from the first joint than the chain is long.
    """
    box, rng = SearchBox.of(chain), np.random.default_rng((seed, len(KINDS)))
    drawn = rng.uniform(box.lower, box.upper, (20_000, chain.num_joints))
    reached = chain.forward(drawn)[:, :3, 3]
    first = chain.joint_origins[0, :3, 3]
    while True:
        targets = np.tile(np.eye(4), (count, 1, 1))
        targets[:, :3, 3] = rng.uniform(reached.min(axis=0), reached.max(axis=0), (count, 3))
        targets[:, :3, :3] = Rotation.random(count, rng=rng).as_matrix()
        distance = np.linalg.norm(targets[:, :3, 3] - first, axis=1)
        yield np.ascontiguousarray(targets[distance <= chain.reach])


def sorted_poses(
    chain: KinematicChain, count: int, seed: int, reached: Callable[[Floats], Bools]
) -> tuple[Floats, Floats, float]:
    """Return poses about the robot: those out of reach, those within, and the latter's share.

    `reached` says which of poses (N, 4, 4) are, (N,).
    """
    out, within = [], []
    for _, targets in zip(range(_BATCHES), poses_about(chain, count, seed), strict=False):
        there = reached(targets)
        out.append(targets[~there])
        within.append(targets[there])
        if sum(map(len, out)) >= count:
            break
    counts = sum(map(len, out)), sum(map(len, within))
    both = np.concatenate(out)[:count], np.concatenate(within)[:count]
    return *both, counts[1] / max(sum(counts), 1)


def _distances(chain: KinematicChain, positions: Floats) -> Floats:
    """Return how far the tips (N,) are from the first joint [m]."""
    tips = chain.forward(positions)[:, :3, 3]
    return np.linalg.norm(tips - chain.joint_origins[0, :3, 3], axis=1)


def _regularities(chain: KinematicChain, positions: Floats) -> Floats:
    """Return less the least singular values (N,) of the Jacobians, the position in lengths."""
    jacobians = np.array([chain.jacobian(row) for row in positions])
    jacobians[:, :3] /= chain.characteristic_length
    values = np.asarray(np.linalg.svd(jacobians, compute_uv=False), np.float64)
    return -values[:, -1]


@dataclass(frozen=True)
class KindFigures:
    """Reachable poses of one kind."""

    kind: str = figure("How their configurations were drawn.")
    poses: int = figure("How many.")
    lost: int = figure("Those for which no solution was found.")


@dataclass(frozen=True, kw_only=True)
class BorderTable(ChainTable):
    """One chain."""

    rows: tuple[KindFigures, ...] = figure("By kind.")
    violations: Violations = figure("Solutions that are none, or outside the limits.")
    reached: float = figure("Share of poses of any orientation about the robot that it reaches.")
    rejected: int = figure("Poses out of reach that were measured.")
    restarts: float = figure("Restarts for each of them.")
    batch: float = figure("Time of one in a batch [us].")
    alone: float = figure("Time of one in a call of its own, one solution wanted, median [us].")
    many: float = figure("The same with a hundred wanted [us].")
    solved: float = figure("Time of a pose within reach in a batch [us].")


def measure(case: ChainCase, options: Options, on_pose: OnStep) -> BorderTable:
    """Measure one chain."""
    chain, first = case.chain, options.random_seed
    seeds = range(first, first + options.seeds)
    solver, oracle = IKSolver(chain), Oracle.of(case)
    checker = checker_of(solver, case, oracle)
    rows, violations = [], Violations()
    for kind in KINDS:
        lost = 0
        for seed in seeds:
            targets = chain.forward(border_configurations(chain, kind, options.poses, seed))
            found = solver.solve(targets, 1, random_seed=seed)
            lost += int((found.counts == 0).sum())
            violations += Violations(_wrong(checker, found, targets))
            on_pose()
        rows.append(KindFigures(kind, options.poses * options.seeds, lost))
    out, within, share = sorted_poses(
        chain, options.poses, first, lambda poses: solver.solve(poses, 1).counts > 0
    )
    calls = [_alone(solver, out, wanted) for wanted in (1, 100)]
    on_pose()
    batch, found = _batch(solver, out)
    return BorderTable(
        chain=case.label,
        dof=chain.num_joints,
        absent={},
        rows=tuple(rows),
        violations=violations,
        reached=share,
        rejected=len(out),
        restarts=found.timings.seeds / max(len(out), 1),
        batch=batch,
        alone=calls[0],
        many=calls[1],
        solved=_batch(solver, within)[0],
    )


def _wrong(checker: Checker, found: IKSolutions, targets: Floats) -> int:
    """Count the solutions, one a pose at most, that are none."""
    solved = found.counts > 0
    positions = found.positions[solved, 0]
    errors = pose_errors(checker.oracle.forward, positions, targets[solved])
    right = checker.within_tolerances(*errors) & checker.within_limits(positions)
    return int((~right).sum())


def _batch(solver: IKSolver, targets: Floats) -> tuple[float, IKSolutions]:
    """Return the least time of a pose in a batch [us], and what was found."""
    found = solver.solve(targets, 1)
    least = least_time(lambda: solver.solve(targets, 1), _TURNS)
    return 1e6 * least / max(len(targets), 1), found


def _alone(solver: IKSolver, targets: Floats, wanted: int) -> float:
    """Return the median time of calls for one pose each [us]."""
    seconds = one_by_one(partial(solver.solve, num_solutions=wanted), targets[:_ALONE])[1]
    return 1e6 * float(np.median(seconds)) if len(seconds) else float("nan")


def listings(tables: Sequence[BorderTable]) -> Iterator[Listing]:
    """Show what is lost, then what it costs."""
    by_kind = [{row.kind: row for row in table.rows} for table in tables]
    columns = [
        ("chain", lambda table, _: table.chain),
        ("DOF", lambda table, _: str(table.dof)),
        *(
            (
                f"{kind}: lost",
                lambda _, rows, kind=kind: f"{rows[kind].lost} of {rows[kind].poses}",
            )
            for kind in KINDS
        ),
        ("false", lambda table, _: str(table.violations.wrong)),
    ]
    lost = sum(row.lost for _, row in each_row(tables))
    total = sum(row.poses for _, row in each_row(tables))
    yield Listing(
        f"Reachable poses for which no solution was found, {lost} of {total}.",
        columns,
        list(zip(tables, by_kind, strict=True)),
    )
    cost = (
        ("chain", lambda table: table.chain),
        ("reached %", lambda table: f"{100 * table.reached:.0f}"),
        ("out of reach", lambda table: str(table.rejected)),
        ("restarts", lambda table: f"{table.restarts:.0f}"),
        ("batch: us", lambda table: f"{table.batch:.1f}"),
        ("alone: us", lambda table: f"{table.alone:.0f}"),
        ("100 wanted: us", lambda table: f"{table.many:.0f}"),
        ("within reach, batch: us", lambda table: f"{table.solved:.2f}"),
    )
    heading = (
        "Poses of any orientation in the box that the tip reaches: restarts and time until one is "
        "called out of reach. batch: least of five. alone: median of calls for one pose."
    )
    yield Listing(heading, cost, [(table,) for table in tables])


PROTOCOL = Protocol(
    Options,
    BorderTable,
    measure,
    listings,
    steps=lambda options: len(KINDS) * options.seeds + 1,
    robots=("all",),
)
