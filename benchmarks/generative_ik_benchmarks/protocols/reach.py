"""Reachability maps: speed beside solving pose by pose, growth, memory, and what they are worth.

Maps are computed in processes of their own, which may use some or all of the cores. Poses of the
map itself are drawn and solved one by one by our solver and by TRAC-IK; what takes longer, a pose
at a time, is one ratio. The map is compared with forward kinematics by pinocchio: cells of random
configurations that it calls unreachable, and how far from them it does reach something.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import one_by_one, timed
from generative_ik_benchmarks.machine import PeakMemory, fewer_cores, on_cores
from generative_ik_benchmarks.options import RunOptions, option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.trac_ik import TracIK
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol
from generative_ik_benchmarks.protocols.reach_agreement import Agreement, agreement_of
from generative_ik_benchmarks.solver import PackageSolver, if_available
from generative_ik_benchmarks.text import number, percent
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros._core import usable_cores
from generative_ik_ros.array_types import Floats
from generative_ik_ros.reach.reachability_map import ReachabilityMap
from generative_ik_ros.robot.random_poses import random_reachable_poses

Solve = Callable[[Floats], Floats]
"""Solves a pose (4, 4); returns configurations (k, n)."""


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    resolutions: tuple[float, ...] = option(
        (0.2, 0.1, 0.05),
        "Edges of voxels in metres; may be given again.",
        quick=(0.4,),
        flag="--resolution",
        min=0.001,
    )
    orientations: int = option(200, "Orientations in a voxel.", quick=40, min=4)
    poses: int = option(1000, "Poses of the map that are solved one by one.", quick=50, min=1)
    samples: int = option(
        1_000_000, "Random configurations that each map is compared with.", quick=5000, min=1
    )


@dataclass(frozen=True)
class MapFigures:
    """What computing one map took."""

    resolution: float = figure("Edge of a voxel [m].")
    positions: int = figure("Voxels.")
    orientations: int = figure("In each.")
    cores: int = figure("Cores that the process could use.")
    seconds: float = figure("Time [s].")
    memory: float = figure("The most that the process took meanwhile, beyond what it had [bytes].")
    reached: float = figure("Share of the poses that are reached.")

    @property
    def per_second(self) -> float:
        """Poses a second."""
        return self.positions * self.orientations / self.seconds


@dataclass(frozen=True)
class SolverFigures:
    """How one solver did on poses of a map, one by one."""

    solver: str = figure("Its name.")
    per_second: float = figure("Poses [1/s].")
    times: float = figure("How many times as fast the map is.")
    solved: float = figure("Share of the poses that it solves.")
    missed: float = figure("Share that the map reaches and it does not.")
    beyond: float = figure("Share that it solves and the map does not reach.")


@dataclass(frozen=True, kw_only=True)
class ReachTable(ChainTable):
    """One chain."""

    poses: int = figure("Poses that were solved one by one.")
    maps: tuple[MapFigures, ...] = figure(
        "By resolution on all cores, then the second to last of them on fewer."
    )
    solvers: tuple[SolverFigures, ...] = figure("Ours, then TRAC-IK, on poses of the finest map.")
    agreements: tuple[Agreement, ...] = figure("By resolution.")

    @property
    def violations(self) -> Violations:
        """Configurations whose poses a map proves to be out of reach."""
        return Violations(wrong=sum(one.proved for one in self.agreements))


def measure(case: ChainCase, options: Options, on_step: OnStep) -> ReachTable:
    """Measure one chain."""
    oracle, seed, cores = Oracle.of(case), options.random_seed, usable_cores()
    tips = random_reachable_poses(case.chain, options.samples, seed, oracle.forward)
    resolutions = sorted(set(options.resolutions), reverse=True)
    maps, agreements, found = [], [], None
    for resolution in resolutions:
        call = partial(_computed, case, resolution, options.orientations, seed, cores)
        figures, found = on_cores(cores, call)
        maps.append(figures)
        agreements.append(agreement_of(found, case.chain, tips))
        on_step()
    for fewer in fewer_cores(cores):
        second = resolutions[max(len(resolutions) - 2, 0)]
        call = partial(_computed, case, second, options.orientations, seed, fewer)
        maps.append(on_cores(fewer, call)[0])
    assert found is not None  # noqa: S101
    absent: dict[str, str] = {}
    rate = maps[len(resolutions) - 1].per_second
    solvers = _one_by_one(case, found, rate, options, absent)
    on_step()
    return ReachTable(
        chain=case.label,
        dof=case.chain.num_joints,
        absent=absent,
        poses=options.poses,
        maps=tuple(maps),
        solvers=tuple(solvers),
        agreements=tuple(agreements),
    )


def _computed(
    case: ChainCase, resolution: float, orientations: int, seed: int, cores: int
) -> tuple[MapFigures, ReachabilityMap]:
    """Compute a map in a process that has loaded its kernels before."""
    chain = case.chain
    ReachabilityMap.compute(chain, orientations=8, points=[[0.0, 0.0, 0.0]], random_seed=seed)
    memory = PeakMemory()
    memory.start()
    found, seconds = timed(
        partial(ReachabilityMap.compute, chain, resolution, orientations, random_seed=seed)
    )
    figures = MapFigures(
        resolution=resolution,
        positions=len(found.positions),
        orientations=found.reachable[0].size,
        cores=cores,
        seconds=seconds,
        memory=memory.stop(),
        reached=float(found.reachable.mean()),
    )
    return figures, found


def _one_by_one(
    case: ChainCase,
    found: ReachabilityMap,
    rate: float,
    options: Options,
    absent: dict[str, str],
) -> Iterator[SolverFigures]:
    """Solve poses of a map, which had so many a second, by each solver."""
    rng = np.random.default_rng(options.random_seed)
    rows = rng.choice(
        found.reachable.size, min(options.poses, found.reachable.size), replace=False
    )
    where = np.unravel_index(rows, found.reachable.shape)
    poses = np.tile(np.eye(4), (len(rows), 1, 1))
    poses[:, :3, 3], poses[:, :3, :3] = found.positions[where[0]], found.orientations[where[1:]]
    expected = found.reachable[where]
    ours = PackageSolver(case.chain, 1, None, seed=options.random_seed)
    solvers: list[tuple[str, Solve]] = [("ours, a pose a call", ours.solve)]
    peer = if_available("trac-ik", lambda: TracIK(case, "random"), absent)
    if peer is not None:
        solvers.append(("TRAC-IK, a pose a call, 5 ms", peer.solve))
    for name, solve in solvers:
        for pose in poses[:3]:
            solve(pose)
        every, seconds = one_by_one(solve, poses)
        solved, per_second = np.array([len(q) > 0 for q in every]), len(poses) / seconds.sum()
        yield SolverFigures(
            solver=name,
            per_second=float(per_second),
            times=float(rate / per_second),
            solved=float(solved.mean()),
            missed=float((expected & ~solved).mean()),
            beyond=float((solved & ~expected).mean()),
        )


def listings(tables: Sequence[ReachTable]) -> Iterator[Listing]:
    """Show maps, solvers and agreement."""
    yield Listing(
        "Maps. MB: the most that computing it took.",
        (
            ("chain", lambda table, _: table.chain),
            ("voxel cm", lambda _, row: number(100.0 * row.resolution)),
            ("poses", lambda _, row: f"{row.positions * row.orientations:,}"),
            ("orientations", lambda _, row: str(row.orientations)),
            ("cores", lambda _, row: str(row.cores)),
            ("s", lambda _, row: number(row.seconds)),
            ("poses/s", lambda _, row: f"{row.per_second:,.0f}"),
            ("MB", lambda _, row: number(1e-6 * row.memory)),
            ("reached %", lambda _, row: percent(row.reached)),
        ),
        [(table, row) for table in tables for row in table.maps],
    )
    yield Listing(
        "Poses of the finest map, drawn at random, solved one by one. times: the map's poses a "
        "second over theirs. missed: reached by the map, not by the solver; beyond: the reverse.",
        (
            ("chain", lambda table, _: table.chain),
            ("solver", lambda _, row: row.solver),
            ("poses", lambda table, _: f"{table.poses:,}"),
            ("poses/s", lambda _, row: f"{row.per_second:,.0f}"),
            ("times", lambda _, row: number(row.times)),
            ("solved %", lambda _, row: percent(row.solved)),
            ("missed %", lambda _, row: percent(row.missed)),
            ("beyond %", lambda _, row: percent(row.beyond)),
        ),
        [(table, row) for table in tables for row in table.solvers],
    )
    yield Listing(
        "Random configurations, by pinocchio. other: share in a cell whose own pose is not "
        "reached. From there to the nearest cell that is: the worst distance and angle of 10,000 "
        "of them. proved: those that the map proves to be out of reach, which is false.",
        (
            ("chain", lambda table, _: table.chain),
            ("voxel cm", lambda _, row: number(100.0 * row.resolution)),
            ("cell rad", lambda _, row: number(row.covering)),
            ("samples", lambda _, row: f"{row.samples:,}"),
            ("no voxel", lambda _, row: str(row.outside)),
            ("other %", lambda _, row: percent(row.other)),
            ("worst cm", lambda _, row: number(100.0 * row.distance)),
            ("worst rad", lambda _, row: number(row.angle)),
            ("proved", lambda _, row: str(row.proved)),
        ),
        [(table, row) for table in tables for row in table.agreements],
    )


PROTOCOL = Protocol(
    Options,
    ReachTable,
    measure,
    listings,
    steps=lambda options: len(set(options.resolutions)) + 1,
    robots=("panda",),
)
