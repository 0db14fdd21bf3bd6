"""Every solver at hand beside ours on the same poses.

Each is asked for many distinct solutions of random reachable poses, interleaved. Solvers differ in
what they promise, so each is checked by its own tolerance; coverage of the reference set tells
those that find many solutions in one place from those that find all.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import SolverFigures, run_interleaved
from generative_ik_benchmarks.metrics.coverage import mean_coverage
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.options import (
    RunOptions,
    option,
    peers_option,
    reference_setting,
    sampler_option,
)
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.registry import available_peers, peer_names
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.protocols.references import Reference, reference_of
from generative_ik_benchmarks.reference.saturation import ExhaustiveSettings
from generative_ik_benchmarks.solver import PackageSolver, Solver
from generative_ik_benchmarks.text import number, percent, spread
from generative_ik_benchmarks.verification import violations_of
from generative_ik_ros.robot.random_poses import random_reachable_poses

_SLOW = 0.02
"""Solvers that take longer a call get a tenth of the poses [s]."""


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    poses: int = option(100, "Random reachable poses a chain.", quick=5, min=1)
    solutions: int = option(100, "Solutions wanted a pose.", min=1)
    timeout: float = option(0.05, "Our deadline a pose in seconds.", min=1e-4)
    peers: tuple[str, ...] = peers_option()
    sampler: str = sampler_option()
    reference: ExhaustiveSettings | None = reference_setting()


@dataclass(frozen=True)
class PeerFigures:
    """What one solver did."""

    figures: SolverFigures = figure("Share solved, times, violations.")
    distinct: float = figure("Distinct solutions a pose, full turns aside.")
    microseconds: float = figure("Time for each distinct solution [us]; inf when it found none.")
    coverage: float = figure("Share of the solution set that it reached.")


@dataclass(frozen=True, kw_only=True)
class PeerTable(ChainTable):
    """One chain."""

    poses: int = figure("How many poses were tried; slow solvers got a tenth.")
    solutions: int = figure("Distinct solutions wanted a pose.")
    reference: Reference = figure("What coverage is measured against.")
    rows: tuple[PeerFigures, ...] = figure(
        "Ours for many solutions, ours for one, then the others."
    )

    violations = violations_of(lambda table: (row.figures for row in table.rows[:2]))


def measure(case: ChainCase, options: Options, on_pose: OnStep) -> PeerTable:
    """Measure one chain."""
    chain, seed, poses = case.chain, options.random_seed, options.poses
    ours: list[Solver] = [
        PackageSolver(chain, wanted, options.timeout, options.sampler, seed)
        for wanted in (options.solutions, 1)
    ]
    names = options.peers or peer_names()
    others, absent = available_peers(names, case, options.solutions, seed)
    targets = random_reachable_poses(chain, poses, seed, Oracle.of(case).forward)
    sets, quality = reference_of(chain, targets, options.reference)
    space = JointSpace.of(chain)
    figures, calls = run_interleaved(
        case, [*ours, *others], targets, seed, slow=_SLOW, few=max(1, poses // 10), on_pose=on_pose
    )
    rows = []
    for one, mine in zip(figures, calls, strict=True):
        found, seconds = zip(*mine, strict=True)
        distinct = sum(space.count_distinct(q, 0.05) for q in found)
        references = [each.thinned for each in sets[: one.poses]]
        rows.append(
            PeerFigures(
                figures=one,
                distinct=distinct / one.poses,
                microseconds=1e6 * sum(seconds) / distinct if distinct else np.inf,
                coverage=mean_coverage(space, found, references, quality.near),
            )
        )
    return PeerTable(
        chain=case.label,
        dof=chain.num_joints,
        poses=poses,
        solutions=options.solutions,
        reference=quality,
        rows=tuple(rows),
        absent=absent,
    )


def listings(tables: Sequence[PeerTable]) -> Iterator[Listing]:
    """Show a row a solver."""
    columns = (
        ("chain", lambda table, _: table.chain),
        ("solver", lambda _, row: row.figures.solver),
        ("poses", lambda _, row: str(row.figures.poses)),
        ("solved %", lambda _, row: percent(row.figures.solved)),
        ("distinct", lambda _, row: f"{row.distinct:.1f}"),
        ("ms", lambda _, row: f"{1e3 * row.figures.median:.3g} ({1e3 * row.figures.p99:.3g})"),
        ("us each", lambda _, row: number(row.microseconds)),
        ("coverage %", lambda _, row: percent(row.coverage)),
        ("times ours", lambda _, row: spread(row.figures.ratio, digits=2)),
        ("tolerance m", lambda _, row: f"{row.figures.position_tolerance:.2g}"),
        ("false", lambda _, row: row.figures.violations.text),
    )
    wanted = ", ".join(str(count) for count in sorted({table.solutions for table in tables}))
    heading = (
        f"{wanted} solutions wanted a pose, in turns; solvers that take over 20 ms get fewer "
        "poses. solved: by each one's own tolerance. ms: median (99th percentile). us each: of a "
        "distinct solution. false: wrong pose/outside limits/duplicates."
    )
    yield Listing(heading, columns, each_row(tables))


PROTOCOL = Protocol(Options, PeerTable, measure, listings)
