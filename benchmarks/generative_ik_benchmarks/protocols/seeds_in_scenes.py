"""What seeds that lead to free solutions could be worth among obstacles, in whole calls.

A model of the configurations that are free in one scene could propose nothing else. Here are seeds
of such a model that has learned everything, in calls of `IKSolver.solve` with a collision model,
in turns with quasi-random seeds and those of IKFlow: solutions that are known to be free, drawn at
random with a little noise, as by a perfect flow, or each before any comes again, as by no flow.
Both are measured gratis and at the price of IKFlow's proposals, which are made and thrown away.
Times are the processor's, of all threads together, so that other work hardly counts.

The scenes are boxes around a random pose, chosen at random one after the other so that each
makes more of its solutions collide, until hardly any is free.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.free_seeds import FreeSeeds
from generative_ik_benchmarks.hard_cases import ClutteredPose, cluttered_poses
from generative_ik_benchmarks.interleaved import in_rotation
from generative_ik_benchmarks.metrics.coverage import coverage
from generative_ik_benchmarks.metrics.space import LARGEST, JointSpace
from generative_ik_benchmarks.options import RunOptions, option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.text import Quartiles, number, percent, spread
from generative_ik_benchmarks.verification import Checker, Violations, violations_of
from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.learned.ikflow.sampler import IKFlow
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.samplers.base import Sampler
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.solutions import IKSolutions

PLAIN, FLOW = "quasi_random", "ikflow"
_NEAR = 0.05
"""Largest difference of a joint at which a solution is covered [rad or m]."""
_KNOWN = {
    "drawn": (0.03, False, True),
    "drawn, gratis": (0.03, False, False),
    "each once": (0.0, True, True),
    "each once, gratis": (0.0, True, False),
}
"""Seeds known to be free: standard deviation of each joint [rad or m], whether each comes before
any comes again, and whether they cost what IKFlow's proposals do."""


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    poses: int = option(10, "Poses, each in a scene of its own.", quick=2, min=1)
    share: float = option(0.1, "Largest share of a pose's solutions that is free.", min=0.0)
    repeats: int = option(15, "Calls with the seeds of each kind, each pose.", quick=1, min=1)
    solutions: tuple[int, ...] = option((1, 20, 100), "Solutions wanted, may be given again.")


@dataclass(frozen=True)
class SceneSeedFigures:
    """Calls for some number of solutions with seeds of one kind."""

    wanted: int = figure("Solutions wanted.")
    seeds: str = figure("What seeds.")
    seconds: Quartiles = figure("Processor time of a call [s], each pose by its median.")
    found: float = figure("Free solutions, the mean over poses and calls.")
    ratio: Quartiles = figure(
        "Free solutions a millisecond, over those with quasi-random seeds, pose by pose."
    )
    coverage: float = figure(
        "Share of the free solutions that have one within 0.05 rad that was returned."
    )
    proposing: float = figure("Share of the time that the sampler took.")
    violations: Violations = figure("What was returned that is not true.")


@dataclass(frozen=True, kw_only=True)
class SceneSeedTable(ChainTable):
    """One chain."""

    poses: int = figure("Poses, each in a scene of its own.")
    shares: tuple[float, ...] = figure("Share of the solutions of each that is free.")
    free: tuple[int, ...] = figure("Free solutions of each.")
    rows: tuple[SceneSeedFigures, ...] = figure(
        "A row for each number of solutions wanted and kind of seeds."
    )

    violations = violations_of(lambda table: table.rows)


@dataclass(frozen=True)
class _Calls:
    """The calls of one solver on one pose: medians of time and shares, means of the others."""

    seconds: float
    found: float
    coverage: float
    proposing: float
    violations: Violations


def whole_hand(cases: Sequence[ChainCase], _: Options) -> list[ChainCase]:
    """Return the chains; that of the Panda ends at its hand, for which there is a flow."""
    return [
        replace(case, tip_link="panda_hand") if case.tip_link == "panda_leftfinger" else case
        for case in cases
    ]


def measure(case: ChainCase, options: Options, on_step: OnStep) -> SceneSeedTable:
    """Measure one chain."""
    chain = case.chain
    model = CollisionModel.from_urdf(case.source, package_dirs=case.package_dirs)
    flow = IKFlow(chain)
    problems = list(
        cluttered_poses(model, chain, options.poses, options.share, options.random_seed)
    )
    checker = Checker(Oracle.of(case), chain, 1e-5, 1e-5)
    plain = {PLAIN: QuasiRandom(chain), FLOW: flow}
    calls = {}
    for turn, problem in enumerate(problems):
        samplers: dict[str, Sampler] = {**plain}
        for name, (noise, each_once, pays) in _KNOWN.items():
            samplers[name] = FreeSeeds(flow, noise, each_once, pays, problem.free)
        solvers = {
            name: IKSolver(chain, sampler, collision=model) for name, sampler in samplers.items()
        }
        for wanted in options.solutions:
            ask = partial(_solve, problem, wanted, options.random_seed)
            found = in_rotation(solvers, ask, turn, options.repeats, clock=time.process_time)
            for name, mine in found.items():
                summed_up = _summed_up(mine, problem, checker)
                calls.setdefault((wanted, name), []).append(summed_up)
        on_step()
    rows = [
        _figures(wanted, name, poses, calls[wanted, PLAIN])
        for (wanted, name), poses in calls.items()
    ]
    return SceneSeedTable(
        chain=case.label,
        dof=chain.num_joints,
        absent={},
        poses=len(problems),
        shares=tuple(problem.share for problem in problems),
        free=tuple(len(problem.free) for problem in problems),
        rows=tuple(rows),
    )


def _solve(
    problem: ClutteredPose, wanted: int, seed: int, solver: IKSolver, repeat: int
) -> IKSolutions:
    return solver.solve(problem.target, wanted, random_seed=seed + repeat, scene=problem.scene)


def _summed_up(
    calls: list[tuple[IKSolutions, float]], problem: ClutteredPose, checker: Checker
) -> _Calls:
    space, found = JointSpace.of(checker.chain), [one.of(0) for one, _ in calls]
    timings = [one.timings for one, _ in calls]
    covered = [coverage(space, one, problem.free, _NEAR, LARGEST) for one in found]
    return _Calls(
        seconds=float(np.median([seconds for _, seconds in calls])),
        found=float(np.mean([len(one) for one in found])),
        coverage=float(np.mean(covered)),
        proposing=float(np.median([one.propose / one.total for one in timings])),
        violations=sum((checker.violations(problem.target, one) for one in found), Violations()),
    )


def _figures(
    wanted: int, name: str, poses: Sequence[_Calls], plain: Sequence[_Calls]
) -> SceneSeedFigures:
    rates, others = (
        np.array([one.found / one.seconds for one in calls]) for calls in (poses, plain)
    )
    return SceneSeedFigures(
        wanted=wanted,
        seeds=name,
        seconds=Quartiles.of(np.array([one.seconds for one in poses])),
        found=float(np.mean([one.found for one in poses])),
        ratio=Quartiles.of(rates / np.maximum(others, 1e-9)),
        coverage=float(np.mean([one.coverage for one in poses])),
        proposing=float(np.mean([one.proposing for one in poses])),
        violations=sum((one.violations for one in poses), Violations()),
    )


def listings(tables: Sequence[SceneSeedTable]) -> Iterator[Listing]:
    """Show what seeds of each kind gain."""
    columns = (
        ("chain", lambda table, _: table.chain),
        ("wanted", lambda _, row: str(row.wanted)),
        ("seeds", lambda _, row: row.seeds),
        ("processor ms", lambda _, row: spread(row.seconds, 1e3)),
        ("found", lambda _, row: number(row.found)),
        ("times as many a ms", lambda _, row: spread(row.ratio, digits=2)),
        ("coverage %", lambda _, row: percent(row.coverage)),
        ("proposing %", lambda _, row: percent(row.proposing)),
        ("false", lambda _, row: row.violations.text),
    )
    sizes = "; ".join(
        f"{table.chain}: {table.poses} poses, {100.0 * np.median(table.shares):.1f} % of their "
        f"solutions free, {np.median(table.free):.0f} of them"
        for table in tables
    )
    heading = (
        f"{sizes} (medians). Distinct free solutions a millisecond over those with quasi-random "
        "seeds: median (quartiles) over the poses. drawn, each once: seeds at solutions known to "
        "be free, that cost as much as IKFlow's; no model proposes better ones."
    )
    yield Listing(heading, columns, each_row(tables))


PROTOCOL = Protocol(
    Options, SceneSeedTable, measure, listings, robots=("panda_left_finger",), items=whole_hand
)
