"""Protocol A: TRAC-IK's own table, with ours on the same poses.

Random reachable poses, one solution wanted, 1e-5, 5 ms, TRAC-IK from mid limits, failures in the
mean time (P. Beeson, B. Ames, TRAC-IK, Humanoids 2015, and the table in its repository). Ours
starts from its own seeds: it is asked for any solution, not for the one nearest to mid limits.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from generative_ik_benchmarks.chains import STANDARD, ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import SolverFigures, run_interleaved
from generative_ik_benchmarks.options import RunOptions, option, peers_option, sampler_option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.registry import available_peers
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, solver_columns
from generative_ik_benchmarks.published import TRAC_IK, TracIKRow
from generative_ik_benchmarks.solver import PackageSolver
from generative_ik_benchmarks.text import percent, spread
from generative_ik_benchmarks.verification import violations_of
from generative_ik_ros.robot.random_poses import random_reachable_poses

_SLOW = 0.02
"""Solvers that take longer a call get 1 % of the poses [s]."""


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    poses: int = option(10_000, "Random reachable poses a chain.", quick=50, min=1)
    timeout: float = option(0.005, "Our deadline a pose in seconds.", min=1e-4)
    peers: tuple[str, ...] = peers_option("trac-ik")
    sampler: str = sampler_option()


@dataclass(frozen=True, kw_only=True)
class TracIKTable(ChainTable):
    """One chain."""

    poses: int = figure("How many poses were tried.")
    timeout: float = figure("Our deadline a pose [s].")
    published: TracIKRow | None = figure("TRAC-IK's own row for the robot.")
    ours: SolverFigures = figure("Our figures.")
    peers: tuple[SolverFigures, ...] = figure("Figures of the other solvers.")

    violations = violations_of(lambda table: (table.ours,))


def measure(case: ChainCase, options: Options, on_pose: OnStep) -> TracIKTable:
    """Measure one chain."""
    chain, seed, poses = case.chain, options.random_seed, options.poses
    ours = PackageSolver(chain, 1, options.timeout, options.sampler, seed)
    ours.name = "ours"
    others, absent = available_peers(options.peers, case, 1, seed)
    targets = random_reachable_poses(chain, poses, seed, Oracle.of(case).forward)
    figures, _ = run_interleaved(
        case, [ours, *others], targets, seed, slow=_SLOW, few=max(1, poses // 100), on_pose=on_pose
    )
    return TracIKTable(
        chain=case.label,
        dof=chain.num_joints,
        poses=poses,
        timeout=options.timeout,
        published=TRAC_IK.get((case.stem, chain.num_joints)),
        ours=figures[0],
        peers=tuple(figures[1:]),
        absent=absent,
    )


def listings(tables: Sequence[TracIKTable]) -> Iterator[Listing]:
    """Show a row a chain."""
    rows = [(table, {one.solver: one for one in (table.ours, *table.peers)}) for table in tables]
    columns = [
        ("chain", lambda table, _: table.chain),
        ("DOF", lambda table, _: str(table.dof)),
    ]
    for head, text in (
        ("published: KDL %", lambda row: f"{row.kdl:.2f}"),
        ("KDL-RR %", lambda row: f"{row.kdl_restarts:.2f}"),
        ("TRAC-IK %", lambda row: f"{row.trac_ik:.2f}"),
        ("ms", lambda row: f"{row.trac_ik_ms:.2f}"),
    ):
        columns.append(
            (head, lambda table, _, text=text: text(table.published) if table.published else "-")
        )
    for name in dict.fromkeys(name for _, solvers in rows for name in solvers):
        texts = [
            ("solved %", _solved),
            ("mean ms", lambda one: f"{1e3 * one.mean:.3g}"),
            ("p99 ms", lambda one: f"{1e3 * one.p99:.3g}"),
            ("times ours", lambda one: spread(one.ratio, digits=2)),
            ("false", lambda one: one.violations.text),
        ]
        columns += solver_columns(name, [*texts[:3], texts[4]] if name == "ours" else texts)
    poses = ", ".join(f"{count:,}" for count in sorted({table.poses for table in tables}))
    timeouts = ", ".join(f"{1e3 * one:g}" for one in sorted({table.timeout for table in tables}))
    heading = (
        f"{poses} random reachable poses a chain, one solution, 1e-5 m and 1e-5 rad, ours within "
        f"{timeouts} ms, TRAC-IK within 5 ms; times include failures. published: by "
        "TRAC-IK's authors, on their machine and models. times ours: median (quartiles) of the "
        "ratio pose by pose. false: wrong pose/outside limits/duplicates."
    )
    yield Listing(heading, columns, rows)


def _solved(figures: SolverFigures) -> str:
    return f"{100 * figures.solved:.2f}" if figures.poses > 100 else percent(figures.solved)


PROTOCOL = Protocol(
    Options,
    TracIKTable,
    measure,
    listings,
    robots=(*STANDARD, "ur3", "ur5", "baxter_arm", "pr2_arm"),
)
