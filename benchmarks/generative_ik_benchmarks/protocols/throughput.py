"""Exact, distinct solutions a second, ours and TRAC-IK's.

Blocks of poses; in each block our solver gets the poses one by one, then all in one call, and
TRAC-IK one call for each solution wanted, from the same quasi-random sequence. Who goes first
changes from block to block. Every solution is checked by pinocchio, and only those count that are
right, within the limits and, full turns aside, farther than the solver's stated distance from all
others of the pose. A block gives one ratio; the median of the ratios is the result, because other
load on the machine slows all solvers of a block alike.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import checker_of, in_turns
from generative_ik_benchmarks.options import RunOptions, option, sampler_option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.trac_ik import TracIK
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol
from generative_ik_benchmarks.solver import PackageSolver, Solver, if_available
from generative_ik_benchmarks.text import Quartiles
from generative_ik_benchmarks.verification import Checker, Violations, violations_of
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.joints import finite_limits
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom

_Solve = Callable[[Floats], list[Floats]]
"""Solves poses (P, 4, 4); returns the configurations (k, n) of each."""
_OURS = 2


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    blocks: int = option(20, "Turns of each solver.", quick=2, min=1)
    poses: int = option(10, "Random reachable poses a block.", min=1)
    solutions: int = option(100, "Solutions wanted a pose.", min=1)
    sampler: str = sampler_option("quasi_random")


@dataclass(frozen=True)
class Rate:
    """One solver's speed."""

    solver: str = figure("Its name.")
    per_second: float = figure("Right, distinct solutions; median over the blocks [1/s].")
    solutions: float = figure("Right, distinct solutions a pose.")
    ratio: Quartiles | None = figure("That rate over TRAC-IK's; None without TRAC-IK.")
    exact_per_second: float = figure(
        "Right ones, duplicates counted; ours never returns any [1/s]."
    )
    exact_ratio: Quartiles | None = figure("That rate over TRAC-IK's; None without TRAC-IK.")
    violations: Violations = figure("What it returned that is not true.")


@dataclass(frozen=True, kw_only=True)
class ThroughputTable(ChainTable):
    """One chain."""

    blocks: int = figure("How often each solver had its turn.")
    poses: int = figure("Poses in a block.")
    solutions: int = figure("Solutions wanted a pose.")
    sampler: str = figure("What proposed our seeds.")
    distinct_distance: float = figure(
        "How far apart solutions have to be in some joint, full turns aside [rad or m]."
    )
    rates: tuple[Rate, ...] = figure("Ours one by one, ours in one call, then TRAC-IK.")

    violations = violations_of(lambda table: table.rates[:_OURS])


def measure(case: ChainCase, options: Options, on_block: OnStep) -> ThroughputTable:
    """Measure one chain."""
    chain, oracle, seed = case.chain, Oracle.of(case), options.random_seed
    blocks, poses, solutions = options.blocks, options.poses, options.solutions
    ours = PackageSolver(chain, solutions, None, options.sampler, seed)
    absent: dict[str, str] = {}
    peer = if_available("trac-ik", lambda: TracIK(case, seed=seed), absent)
    promised: Sequence[Solver] = [ours] * _OURS + ([peer] if peer else [])
    checkers = [checker_of(solver, case, oracle) for solver in promised]
    solvers = _solvers(ours, peer, options)
    distance = ours.solver.distinct_distance
    counts = np.zeros((2, len(solvers), blocks))  # distinct, exact
    seconds = np.zeros((len(solvers), blocks))
    violations = [Violations() for _ in solvers]
    targets = random_reachable_poses(chain, (blocks + 1) * poses, seed, oracle.forward)
    targets = targets.reshape(blocks + 1, poses, 4, 4)
    for solve in solvers.values():
        solve(targets[-1])
    for block in range(blocks):
        batch = targets[block]
        calls = [partial(solve, batch) for solve in solvers.values()]
        for i, (found, spent) in enumerate(in_turns(calls, block)):
            seconds[i, block] = spent
            for target, positions in zip(batch, found, strict=True):
                counts[:, i, block] += _counts(checkers[i], target, positions, distance)
                if i < _OURS:
                    violations[i] += checkers[i].violations(target, positions)
        on_block()
    distinct, exact = counts / seconds
    rates = tuple(
        Rate(
            solver=name,
            per_second=float(np.median(distinct[i])),
            solutions=float(counts[0, i].sum() / (blocks * poses)),
            ratio=_ratio(distinct, i),
            exact_per_second=float(np.median(exact[i])),
            exact_ratio=_ratio(exact, i),
            violations=violations[i],
        )
        for i, name in enumerate(solvers)
    )
    return ThroughputTable(
        chain=case.label,
        dof=chain.num_joints,
        blocks=blocks,
        poses=poses,
        solutions=solutions,
        sampler=options.sampler,
        distinct_distance=distance,
        rates=rates,
        absent=absent,
    )


def _solvers(ours: PackageSolver, peer: TracIK | None, options: Options) -> dict[str, _Solve]:
    """Return by name how a block is solved: ours pose by pose, ours in one call, TRAC-IK."""
    wanted = options.solutions

    def in_one_call(targets: Floats) -> list[Floats]:
        found = ours.solver.solve(targets, num_solutions=wanted, random_seed=options.random_seed)
        return [found.of(i) for i in range(len(targets))]

    solvers: dict[str, _Solve] = {
        "ours, a pose a call": lambda targets: [ours.solve(target) for target in targets],
        f"ours, {options.poses} poses a call": in_one_call,
    }
    if peer:
        chain = ours.solver.chain
        request = SeedRequest(np.eye(4)[None], wanted, *finite_limits(chain), random_seed=0)
        seeds = QuasiRandom(chain).propose(request)[0]
        # One call from each of our quasi-random seeds, as many as solutions are wanted.
        solvers["TRAC-IK"] = lambda targets: [peer.solve_from(one, seeds) for one in targets]
    return solvers


def _counts(
    checker: Checker,
    target: Floats,
    positions: Floats,
    distance: float,
) -> tuple[int, int]:
    """Count the distinct and the right among configurations (N, n) of a pose."""
    if not len(positions):
        return 0, 0
    positions = positions[checker.reached(target, positions) & checker.within_limits(positions)]
    return int(checker.distinct(positions, distance, whole_turns=False).sum()), len(positions)


def _ratio(rates: Floats, which: int) -> Quartiles | None:
    """Divide a solver's rates by TRAC-IK's (solvers, blocks), if it took part."""
    if len(rates) == _OURS:
        return None
    return Quartiles.of(rates[which] / np.maximum(rates[_OURS], 1e-9))


def listings(tables: Sequence[ThroughputTable]) -> Iterator[Listing]:
    """Show a table a chain."""
    columns = (
        ("solver", lambda rate: rate.solver),
        ("distinct/s", lambda rate: f"{rate.per_second:,.0f}"),
        ("us each", lambda rate: f"{1e6 / max(rate.per_second, 1e-9):.2f}"),
        ("a pose", lambda rate: f"{rate.solutions:.1f}"),
        ("times TRAC-IK", lambda rate: _times(rate.ratio)),
        ("exact/s", lambda rate: f"{rate.exact_per_second:,.0f}"),
        ("times TRAC-IK", lambda rate: _times(rate.exact_ratio)),
        ("false", lambda rate: rate.violations.text),
    )
    for table in tables:
        heading = (
            f"{table.chain}: {table.solutions} solutions wanted a pose, our seeds "
            f"{table.sampler}. Medians (quartiles) of {table.blocks} blocks of {table.poses} "
            f"poses, in turns. distinct: {table.distinct_distance:g} apart in some joint, full "
            "turns aside."
        )
        yield Listing(heading, columns, [(rate,) for rate in table.rates])


def _times(ratio: Quartiles | None) -> str:
    return f"{ratio.median:.1f} ({ratio.low:.1f} to {ratio.high:.1f})" if ratio else "-"


PROTOCOL = Protocol(
    Options,
    ThroughputTable,
    measure,
    listings,
    steps=lambda options: options.blocks,
    robots=("panda",),
)
