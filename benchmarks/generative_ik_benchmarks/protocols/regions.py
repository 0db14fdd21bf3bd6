"""Task space regions: what is solved, how fast, and how much of the region's solutions is found.

Each target lies so that a random reachable pose is somewhere in the region about it. A call with
the region for one solution goes in strict turns with the call for that reachable pose itself: once
to warm up, then five times, of which the median counts, so that what is compared is what a program
pays that makes such calls one after the other. Without regions, poses drawn from the region are
solved one after the other until one has a solution. Calls for many solutions take turns alike.
Coverage is measured against sets that hold the solutions of an ever finer sample of the region,
pose by pose (`reference.region_sets`): by as many solutions as are asked for, beside the same
number of the set's own, the most diverse and at random, by twice as many, and by as many as the
set has. Whether tips are inside is decided by pinocchio and numpy.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import in_warm_turns
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.options import RunOptions, names_option, option, size
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.protocols import regions_near
from generative_ik_benchmarks.reference.region_sets import RegionSet, RegionSettings, region_sets
from generative_ik_benchmarks.region_specs import REGIONS, RegionChecker, RegionSpec
from generative_ik_benchmarks.text import Quartiles, number, percent, spread
from generative_ik_benchmarks.verification import Violations, violations_of
from generative_ik_ros.array_types import Floats
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.random_poses import random_reachable_poses

_SMALL = 0.3
"""Stands for unbounded lengths where targets are made [m]."""
_STREAM = 13
"""Separates the random numbers of targets from those of poses."""
_DRAWS = 100
"""Poses that are drawn from the region before it is given up without regions."""
_ROUNDS = 5
"""How often a call is measured."""
_QUICK = RegionSettings(spacings=(1.0,), first_poses=16, max_poses=64, max_size=100, solutions=10)


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    poses: int = option(200, "Targets of each region.", quick=4, min=1)
    searched: int = option(5, "Targets whose region is searched to exhaustion.", quick=1, min=0)
    solutions: int = option(100, "Solutions wanted in the second call.", min=1)
    region: tuple[str, ...] = names_option("region", REGIONS)
    effort: RegionSettings = size(RegionSettings(), _QUICK)


@dataclass(frozen=True)
class RegionFigures:
    """One region on one chain."""

    region: str = figure("Which.")
    poses: int = figure("How many targets.")
    solved: float = figure("Share with a solution in a call for one.")
    median: float = figure("Median time of that call [s].")
    p99: float = figure("99th percentile of it [s].")
    over_pose: Quartiles = figure(
        "Its time over that of the call for a pose in the region, target by target."
    )
    over_drawn: Quartiles = figure("The time without regions over its time.")
    many: float = figure("Median time of the call for many solutions [s].")
    many_over_pose: Quartiles = figure("Its time over that of the call for as many at one pose.")
    as_many_over_pose: Quartiles = figure(
        "The same of a call for only as many as the pose then has."
    )
    found: float = figure("Solutions of the call for many, on average.")
    pose_found: float = figure("Solutions of that at one pose, on average.")
    coverage: float = figure("Share of the set that they reach; NaN where none was searched.")
    twice_coverage: float = figure("Share that twice as many reach.")
    whole_coverage: float = figure("Share that as many solutions reach as the set has.")
    best_coverage: float = figure("Share that as many of the set reach, the most diverse of it.")
    drawn_coverage: float = figure("Share that as many drawn from the set reach.")
    sets: float = figure(
        "Connected sets of solutions, on average over the regions whose set is whole."
    )
    sets_reached: float = figure("Share of these that are reached.")
    size: float = figure("Configurations in a set, on average.")
    spacing: float = figure("Of the set [rad].")
    growth: float = figure("What the last doubling of the poses added.")
    outside: int = figure(
        "Tips beyond a bound that is not held, by more than 1e-9 [m] or of a cone [rad]."
    )
    violations: Violations = figure("Everything untrue in what was returned.")


@dataclass(frozen=True, kw_only=True)
class RegionTable(ChainTable):
    """One chain."""

    solutions: int = figure("Solutions wanted in the second call.")
    rows: tuple[RegionFigures, ...] = figure("Figures by region.")
    near: tuple[regions_near.NearFigures, ...] = figure("Those near seed states.")

    violations = violations_of(lambda table: (*table.rows, *table.near))


@dataclass
class _Tally:
    """What calls on one region's targets returned."""

    seconds: list[tuple[float, ...]]
    many_seconds: list[tuple[float, ...]]
    as_many: list[float]
    solved: int = 0
    pose_found: int = 0
    outside: int = 0
    violations: Violations = Violations()


def measure(case: ChainCase, options: Options, on_pose: OnStep) -> RegionTable:
    """Measure one chain."""
    solver, rows, near = IKSolver(case.chain), [], []
    for spec in (REGIONS[name] for name in options.region or REGIONS):
        rows.append(_figures(case, solver, spec, options, on_pose))
        near += regions_near.measure(case, solver, spec, options.poses, options.random_seed)
    return RegionTable(
        chain=case.label,
        dof=case.chain.num_joints,
        absent={},
        solutions=options.solutions,
        rows=tuple(rows),
        near=tuple(near),
    )


def _figures(
    case: ChainCase, solver: IKSolver, spec: RegionSpec, options: Options, on_pose: OnStep
) -> RegionFigures:
    """Measure one region."""
    oracle, chain = Oracle.of(case), case.chain
    rng = np.random.default_rng((options.random_seed, _STREAM))
    poses = random_reachable_poses(chain, options.poses, options.random_seed, oracle.forward)
    # Somewhere in the region about each target is a pose that can be reached.
    targets = poses @ np.linalg.inv(spec.draw(rng.random((len(poses), 6)), _SMALL))
    checker = RegionChecker(
        oracle, chain, solver.position_tolerance, solver.orientation_tolerance, spec=spec
    )
    tally, many = _Tally([], [], []), []
    for turn, (target, pose) in enumerate(zip(targets, poses, strict=True)):
        beside = partial(_beside_a_pose, solver, spec, target, pose, turn)
        answers, both = beside(1, 1), beside(options.solutions, options.solutions)
        as_many = beside(max(1, len(both[1][0])), options.solutions)
        drawn = partial(_drawn, solver, spec, target, rng.random((_DRAWS, 1, 6)))
        without = in_warm_turns([drawn], turn, 1)[0][1]
        tally.seconds.append((*(spent for _, spent in answers), without))
        tally.solved += bool(len(answers[0][0]))
        tally.many_seconds.append(tuple(spent for _, spent in both))
        tally.as_many.append(as_many[0][1] / as_many[1][1])
        many.append(both[0][0])
        tally.pose_found += len(both[1][0])
        for found in (answers[0][0], both[0][0], as_many[0][0]):
            tally.violations += checker.violations(target, found)
            tally.outside += checker.outside(target, found) if len(found) else 0
        on_pose()
    sets = region_sets(solver, spec, targets[: options.searched], options.effort)
    shares = [
        one.shares(
            chain,
            found,
            _in_region(solver, spec, target, 2 * options.solutions),
            _in_region(solver, spec, target, len(one.positions)),
            rng,
        )  # fmt: skip
        for one, found, target in zip(sets, many, targets, strict=False)
        if len(one.positions)
    ]
    return _sum_up(JointSpace.of(chain), spec, tally, many, sets, np.array(shares))


def _beside_a_pose(
    solver: IKSolver, spec: RegionSpec, target: Floats, pose: Floats,
    turn: int, wanted: int, at_pose: int
) -> list[tuple[Floats, float]]:  # fmt: skip
    """Return solutions in the region and at a pose, and what they take, in warm turns [s]."""
    calls = (
        partial(_in_region, solver, spec, target, wanted),
        lambda: solver.solve(pose, at_pose).of(0),
    )
    return in_warm_turns(calls, turn, _ROUNDS)


def _in_region(solver: IKSolver, spec: RegionSpec, target: Floats, count: int) -> Floats:
    return solver.solve(target, count, region=spec.region).of(0)


def _drawn(solver: IKSolver, spec: RegionSpec, target: Floats, numbers: Floats) -> Floats:
    """Solve poses drawn from the region, one after the other, until one has a solution."""
    for each in numbers:
        found = solver.solve(target @ spec.draw(each, solver.chain.reach)[0], 1).of(0)
        if len(found):
            return found
    return np.empty((0, solver.chain.num_joints))


def _sum_up(
    space: JointSpace,
    spec: RegionSpec,
    tally: _Tally,
    many: list[Floats],
    sets: Sequence[RegionSet],
    shares: Floats,
) -> RegionFigures:
    seconds, many_seconds = np.array(tally.seconds), np.array(tally.many_seconds)
    rows = [(one, found) for one, found in zip(sets, many, strict=False) if len(one.positions)]
    whole = [(one, found) for one, found in rows if one.saturated]

    def mean(values: Sequence[float]) -> float:
        return float(np.mean(values)) if values else float("nan")

    covered = shares.mean(axis=0) if len(shares) else np.full(5, np.nan)
    return RegionFigures(
        region=spec.name,
        poses=len(seconds),
        solved=tally.solved / len(seconds),
        median=float(np.median(seconds[:, 0])),
        p99=float(np.percentile(seconds[:, 0], 99)),
        over_pose=Quartiles.of(seconds[:, 0] / seconds[:, 1]),
        over_drawn=Quartiles.of(seconds[:, 2] / seconds[:, 0]),
        many=float(np.median(many_seconds[:, 0])),
        many_over_pose=Quartiles.of(many_seconds[:, 0] / many_seconds[:, 1]),
        as_many_over_pose=Quartiles.of(np.array(tally.as_many)),
        found=mean([len(found) for found in many]),
        pose_found=tally.pose_found / len(seconds),
        coverage=float(covered[0]),
        twice_coverage=float(covered[1]),
        whole_coverage=float(covered[2]),
        best_coverage=float(covered[3]),
        drawn_coverage=float(covered[4]),
        sets=mean([len(np.unique(one.labels)) for one, _ in whole]),
        sets_reached=mean([one.sets_reached(space, found) for one, found in whole]),
        size=mean([len(one.positions) for one, _ in rows]),
        spacing=mean([one.spacing for one, _ in rows]),
        growth=mean([one.growth for one, _ in rows]),
        outside=tally.outside,
        violations=tally.violations,
    )


def listings(tables: Sequence[RegionTable]) -> Iterator[Listing]:
    """Show a row a region: first calls, then coverage."""
    rows = each_row(tables)
    wanted = ", ".join(str(count) for count in sorted({table.solutions for table in tables}))
    place = (("chain", lambda table, _: table.chain), ("region", lambda _, row: row.region))
    yield Listing(
        "Targets about which a reachable pose is somewhere in the region; one solution, in strict "
        f"turns, each time the median of {_ROUNDS} warm calls. ms: median (99th percentile) of "
        "the targets. over a pose: its time over that of a call for the reachable pose itself, "
        "target by target, median (quartiles). drawn over it: the time of drawing poses from the "
        "region and solving them one by one until one has a solution, over its time. outside: "
        "tips beyond a bound that is not held, by more than 1e-9. false: outside by more than the "
        "tolerances/outside joint limits/duplicates, of all calls.",
        (
            *place,
            ("targets", lambda _, row: str(row.poses)),
            ("solved %", lambda _, row: percent(row.solved)),
            ("ms", lambda _, row: f"{1e3 * row.median:.3g} ({1e3 * row.p99:.3g})"),
            ("over a pose", lambda _, row: spread(row.over_pose, digits=2)),
            ("drawn over it", lambda _, row: spread(row.over_drawn, digits=2)),
            ("outside", lambda _, row: str(row.outside)),
            ("false", lambda _, row: row.violations.text),
        ),
        rows,
    )
    yield Listing(
        f"{wanted} solutions wanted, in turns likewise. found, at a pose: how many there are, on "
        "average. as many: over a pose, where only as many are wanted as that has. coverage: "
        "share of the region's solutions that have one of the returned within 5/3 of the spacing; "
        "of twice as many: the same of a call for twice as many; all: with as many as the "
        "region's are (size); most diverse, at random: the same of as many as were returned, "
        "chosen from the region's own. sets: connected sets of the region's "
        "solutions, and the share of them that is reached, where what was added last is under "
        "3 %. The region's solutions: those of an ever finer sample of it, solved pose by pose "
        "and thinned to the spacing, and what the last doubling of the sample added.",
        (
            *place,
            ("found", lambda _, row: f"{row.found:.1f}"),
            ("at a pose", lambda _, row: f"{row.pose_found:.1f}"),
            ("ms", lambda _, row: number(1e3 * row.many)),
            ("over a pose", lambda _, row: spread(row.many_over_pose, digits=2)),
            ("as many", lambda _, row: spread(row.as_many_over_pose, digits=2)),
            ("coverage %", lambda _, row: percent(row.coverage)),
            ("of twice as many %", lambda _, row: percent(row.twice_coverage)),
            ("all %", lambda _, row: percent(row.whole_coverage)),
            ("most diverse %", lambda _, row: percent(row.best_coverage)),
            ("at random %", lambda _, row: percent(row.drawn_coverage)),
            ("sets", lambda _, row: number(row.sets)),
            ("reached %", lambda _, row: percent(row.sets_reached)),
            ("size", lambda _, row: number(row.size)),
            ("rad apart", lambda _, row: number(row.spacing)),
            ("added %", lambda _, row: percent(row.growth)),
        ),
        rows,
    )
    yield regions_near.listing([(table.chain, row) for table in tables for row in table.near])


PROTOCOL = Protocol(
    Options,
    RegionTable,
    measure,
    listings,
    steps=lambda options: options.poses * len(options.region or REGIONS),
    robots=("panda", "iiwa", "ur10", "lwa4d", "kinova", "tiago"),
)
