"""How fast the local solver makes seeds exact: iterations, and the time of one.

The compiled kernel follows every seed on one thread and ignores what other seeds found, so that
this is the local solver alone: no search, no verification, nothing kept.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import timed
from generative_ik_benchmarks.options import RunOptions, option, samplers_option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_benchmarks.text import Quartiles
from generative_ik_benchmarks.verification import Checker, Violations, violations_of
from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.samplers.registry import sampler_class

TOLERANCE = 1e-5
AFTER = (4, 6, 8, 12, 20, 40)
"""Iterations after which the share of exact seeds is given."""
_REPEATS = 7


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    poses: int = option(50, "Random reachable poses.", quick=5, min=1)
    seeds: int = option(200, "Seeds a pose.", min=1)
    samplers: tuple[str, ...] = samplers_option("quasi_random", "capability_map")


@dataclass(frozen=True)
class Convergence:
    """What became of one sampler's seeds on one chain."""

    sampler: str = figure("Where the seeds come from.")
    seeds: int = figure("How many, all poses together.")
    iterations: float = figure("Mean number until a seed is exact or given up.")
    exact_after: tuple[float, ...] = figure(
        "Share of the seeds that are exact after each of `AFTER` iterations."
    )
    ns_an_iteration: Quartiles = figure(
        "Time of one iteration of one seed on one core [ns], several runs."
    )
    us_an_exact: float = figure("Time of all seeds by the number of exact ones, on one core [us].")
    violations: Violations = figure("Seeds called exact that are not, by pinocchio.")


@dataclass(frozen=True, kw_only=True)
class ConvergenceTable(ChainTable):
    """One chain, a row a sampler."""

    rows: tuple[Convergence, ...] = figure("The rows.")

    violations = violations_of(lambda table: table.rows)


def measure(case: ChainCase, options: Options, on_sampler: OnStep) -> ConvergenceTable:
    """Measure one chain."""
    oracle, seed = Oracle.of(case), options.random_seed
    targets = random_reachable_poses(case.chain, options.poses, seed, oracle.forward)
    box = SearchBox.of(case.chain)
    rows = []
    for name in options.samplers:
        request = box.seed_request(targets, options.seeds, seed, 0)
        proposed = np.array(sampler_class(name)(case.chain).propose(request))
        rows.append(_row(case, oracle, targets, name, proposed, box))
        on_sampler()
    return ConvergenceTable(
        chain=case.label, dof=case.chain.num_joints, absent={}, rows=tuple(rows)
    )


def _row(
    case: ChainCase,
    oracle: Oracle,
    targets: Floats,
    sampler: str,
    proposed: Floats,
    box: SearchBox,
) -> Convergence:
    chain = case.chain
    task = box.refine_task(targets, proposed)
    solver = LevenbergMarquardt(chain, TOLERANCE, TOLERANCE)
    size, joints = task.seeds.shape
    found = np.empty((size, joints))
    errors, angles = np.empty(size), np.empty(size)
    exact, iterations = np.zeros(size, np.bool_), np.zeros(size, np.int64)
    poses, start = np.ascontiguousarray(task.targets), np.array(task.seeds)
    refine = partial(
        _core.refine, chain.core, solver.options, False,
        task.lower, task.upper, poses, task.target_of_seed, task.wanted, start, found,
        errors, angles, exact, iterations,
    )  # fmt: skip
    times = [timed(refine)[1] for _ in range(1 + _REPEATS)]
    steps = int(iterations.sum())
    checker = Checker(oracle, chain, TOLERANCE, TOLERANCE)
    # Duplicates are no violation here: the local solver does not know what other seeds found.
    violations = Violations()
    inside = box.into_box(found)
    for t, target in enumerate(targets):
        of_target = exact & (task.target_of_seed == t)
        violations += checker.wrong_or_outside(target, inside[of_target])
    return Convergence(
        sampler=sampler,
        seeds=size,
        iterations=steps / size,
        exact_after=tuple(float((exact & (iterations <= most)).mean()) for most in AFTER),
        ns_an_iteration=Quartiles.of(1e9 * np.array(times[1:]) / steps),
        us_an_exact=1e6 * float(np.median(times[1:])) / max(int(exact.sum()), 1),
        violations=violations,
    )


def listings(tables: Sequence[ConvergenceTable]) -> Iterator[Listing]:
    """Show a row a sampler."""
    shares = [
        (
            f"exact after {most}, %" if i == 0 else f"{most}",
            lambda _, row, i=i: f"{100.0 * row.exact_after[i]:.1f}",
        )
        for i, most in enumerate(AFTER)
    ]
    columns = (
        ("chain", lambda table, _: table.chain),
        ("joints", lambda table, _: str(table.dof)),
        ("seeds of", lambda _, row: row.sampler),
        *shares,
        ("iterations a seed", lambda _, row: f"{row.iterations:.1f}"),
        ("ns an iteration", lambda _, row: _nanoseconds(row.ns_an_iteration)),
        ("us an exact one", lambda _, row: f"{row.us_an_exact:.2f}"),
        ("false", lambda _, row: row.violations.text),
    )
    heading = (
        "The local solver alone, on one core; seeds exact (1e-5 m, 1e-5 rad) after so many "
        "iterations. ns: of one iteration of one seed, median (quartiles). us: of all seeds by "
        "the number of exact ones."
    )
    yield Listing(heading, columns, each_row(tables))


def _nanoseconds(time: Quartiles) -> str:
    return f"{time.median:.0f} ({time.low:.0f} to {time.high:.0f})"


PROTOCOL = Protocol(
    Options, ConvergenceTable, measure, listings, steps=lambda options: len(options.samplers)
)
