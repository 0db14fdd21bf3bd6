"""Share of random reachable poses that are solved, and the time of a call.

Poses are reached by configurations uniform in the joint limits. Ours is asked for many solutions
and for one; other solvers run interleaved on the same poses.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import SolverFigures, run_interleaved
from generative_ik_benchmarks.options import RunOptions, option, peers_option, sampler_option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.registry import available_peers
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, solver_columns
from generative_ik_benchmarks.solver import PackageSolver, Solver
from generative_ik_benchmarks.verification import violations_of
from generative_ik_ros.robot.random_poses import random_reachable_poses


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    poses: int = option(1000, "Random reachable poses a chain.", quick=20, min=1)
    solutions: int = option(20, "Solutions wanted a pose.", min=1)
    timeout: float = option(0.02, "Our deadline a pose in seconds.", min=1e-4)
    peers: tuple[str, ...] = peers_option("trac-ik")
    sampler: str = sampler_option()


@dataclass(frozen=True, kw_only=True)
class ReachabilityTable(ChainTable):
    """One chain."""

    poses: int = figure("How many poses were tried.")
    solutions: int = figure("Solutions that we were asked for.")
    timeout: float = figure("Our deadline a pose [s].")
    ours: tuple[SolverFigures, ...] = figure("Our figures: for many solutions, then for one.")
    peers: tuple[SolverFigures, ...] = figure("Figures of the other solvers.")

    violations = violations_of(lambda table: table.ours)


def measure(case: ChainCase, options: Options, on_pose: OnStep) -> ReachabilityTable:
    """Measure one chain."""
    chain, seed = case.chain, options.random_seed
    ours: list[Solver] = [
        PackageSolver(chain, wanted, options.timeout, options.sampler, seed)
        for wanted in (options.solutions, 1)
    ]
    others, absent = available_peers(options.peers, case, 1, seed)
    targets = random_reachable_poses(chain, options.poses, seed, Oracle.of(case).forward)
    figures, _ = run_interleaved(case, [*ours, *others], targets, seed, on_pose=on_pose)
    return ReachabilityTable(
        chain=case.label,
        dof=chain.num_joints,
        poses=options.poses,
        solutions=options.solutions,
        timeout=options.timeout,
        ours=tuple(figures[: len(ours)]),
        peers=tuple(figures[len(ours) :]),
        absent=absent,
    )


def listings(tables: Sequence[ReachabilityTable]) -> Iterator[Listing]:
    """Show a row a chain."""
    rows = [(table, {one.solver: one for one in (*table.ours, *table.peers)}) for table in tables]
    many = list(dict.fromkeys(table.ours[0].solver for table in tables))
    columns = [
        ("chain", lambda table, _: table.chain),
        ("DOF", lambda table, _: str(table.dof)),
    ]
    for name in dict.fromkeys([*many, *(name for _, figures in rows for name in figures)]):
        texts = [
            ("solved %", lambda one: f"{100 * one.solved:.1f}"),
            ("solutions", lambda one: f"{one.solutions:.1f}"),
            ("ms", lambda one: f"{1e3 * one.median:.2f} ({1e3 * one.p99:.2f})"),
            ("false", lambda one: one.violations.text),
        ]
        columns += solver_columns(name, texts if name in many else [texts[0], *texts[2:]])
    poses = ", ".join(str(count) for count in sorted({table.poses for table in tables}))
    timeouts = ", ".join(f"{1e3 * one:g}" for one in sorted({one.timeout for one in tables}))
    heading = (
        f"{poses} random reachable poses a chain, 1e-5 m and 1e-5 rad; ours within {timeouts} ms, "
        "TRAC-IK within 5 ms. ms: median (99th percentile) of a call. "
        "false: wrong pose/outside limits/duplicates."
    )
    yield Listing(heading, columns, rows)


PROTOCOL = Protocol(Options, ReachabilityTable, measure, listings, robots=("all",))
