"""Interleaved measurement of solvers: all on the same poses, taking turns.

Every solver gets every pose, and who goes first rotates from pose to pose, so that other load on
the machine slows all of them alike. Compiling, loading and the first calls are not measured. Every
configuration is checked by pinocchio.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.oracle import Oracle, TreeOracle, oracle_of
from generative_ik_benchmarks.solver import Promises, Solver
from generative_ik_benchmarks.text import Quartiles
from generative_ik_benchmarks.tree_cases import TreeCase
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.array_types import Floats
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.random_poses import random_reachable_poses

_WARM_UP_CALLS = 3
Argument = TypeVar("Argument")
Answer = TypeVar("Answer")
AnySolver = TypeVar("AnySolver")
SolverCalls = list[tuple[Floats, float]]
"""The configurations (k, n) that each call of a solver found, and its time [s]."""


@dataclass(frozen=True)
class SolverFigures:
    """What one solver did on one chain's poses."""

    solver: str = figure("Its name.")
    poses: int = figure("How many poses it got; slow ones may get fewer.")
    solved: float = figure("Share of them with a right solution.")
    solutions: float = figure("Right solutions a pose, on average.")
    mean: float = figure("Mean time of a call, failures included [s].")
    median: float = figure("Median time of a call [s].")
    p99: float = figure("99th percentile of the time of a call [s].")
    ratio: Quartiles = figure("Its time over the first solver's, pose by pose.")
    position_tolerance: float = figure("What it promises, and is checked by [m].")
    violations: Violations = figure("What it returned that is not true.")


def run_interleaved(
    case: ChainCase | TreeCase,
    solvers: Sequence[Solver],
    targets: Floats,
    seed: int,
    *,
    slow: float = np.inf,
    few: int = 0,
    on_pose: Callable[[], None] = lambda: None,
) -> tuple[list[SolverFigures], list[SolverCalls]]:
    """Let solvers solve the poses (P, 4, 4) of a chain in turns.

    Args:
        case: The chain or tree.
        solvers: The first is the one that times are compared with.
        targets: The poses, tip in base; (P, K, 4, 4) of several tips.
        seed: Of the poses of the warm-up.
        slow: Solvers that took longer a call than this in the warm-up get fewer poses [s].
        few: How many those get.
        on_pose: Called after each pose, for a progress bar.
    """
    oracle = oracle_of(case)
    warm_up = random_reachable_poses(case.chain, _WARM_UP_CALLS, seed + 1, oracle.forward)
    limits = [
        min(few, len(targets)) if _warm_call_time(solver, warm_up) > slow else len(targets)
        for solver in solvers
    ]
    calls: list[SolverCalls] = [[] for _ in solvers]
    for turn, target in enumerate(targets):
        taking = [k for k, limit in enumerate(limits) if turn < limit]
        answers = in_turns([partial(solvers[k].solve, target) for k in taking], turn)
        for k, answer in zip(taking, answers, strict=True):
            calls[k].append(answer)
        on_pose()
    figures = [
        _figures(solver, mine, calls[0], targets, checker_of(solver, case, oracle))
        for solver, mine in zip(solvers, calls, strict=True)
    ]
    return figures, calls


def timed(
    call: Callable[[], Answer], clock: Callable[[], float] = time.perf_counter
) -> tuple[Answer, float]:
    """Return what a call returns, and its time [s]."""
    start = clock()
    answer = call()
    return answer, clock() - start


def one_by_one(
    call: Callable[[Argument], Answer], arguments: Iterable[Argument]
) -> tuple[list[Answer], Floats]:
    """Make a call with one argument after the other.

    Returns:
        What each call returns, and their times (N,) [s].
    """
    calls = [timed(partial(call, argument)) for argument in arguments]
    return [answer for answer, _ in calls], np.array([spent for _, spent in calls])


def in_turns(calls: Sequence[Callable[[], Answer]], turn: int) -> list[tuple[Answer, float]]:
    """Make each call once, beginning with another one each turn.

    Returns:
        What each call returns and its time [s], in the order of the calls.
    """
    order = [(turn + i) % len(calls) for i in range(len(calls))]
    answers = {which: timed(calls[which]) for which in order}
    return [answers[i] for i in range(len(calls))]


def in_warm_turns(
    calls: Sequence[Callable[[], Answer]],
    turn: int,
    rounds: int,
    of_times: Callable[..., Floats] = np.median,
) -> list[tuple[Answer, float]]:
    """Make each call several times in turns, after once that does not count.

    A call of some microseconds takes several times as long where others have had the processor's
    caches. Here all find them as the others leave them, whoever comes first.

    Args:
        calls: The calls, which return the same each time.
        turn: As above.
        rounds: How often each is measured.
        of_times: Which of a call's times counts.

    Returns:
        What each call returns and its time [s], in the order of the calls.
    """
    in_turns(calls, turn)
    every = [in_turns(calls, turn + i) for i in range(rounds)]
    times = of_times([[spent for _, spent in row] for row in every], axis=0)
    return [(answer, spent) for (answer, _), spent in zip(every[-1], times.tolist(), strict=True)]


def in_rotation(
    solvers: Mapping[str, AnySolver],
    ask: Callable[[AnySolver, int], Answer],
    turn: int,
    repeats: int,
    *,
    warm_up: Callable[[AnySolver, int], object] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[tuple[Answer, float]]]:
    """Let solvers take turns, some rounds of them; who goes first differs by turn and round.

    Args:
        solvers: By name.
        ask: Called with a solver and the number of the round.
        turn: Counts the turns.
        repeats: How many rounds.
        warm_up: Called likewise before each call, so that the solver's code and tables are as
            warm as in a row of calls; the call itself if None.
        clock: Measures the calls.

    Returns:
        What each call returned and its time [s], by solver.
    """
    names = list(solvers)
    calls: dict[str, list[tuple[Answer, float]]] = {name: [] for name in names}
    for i in range(repeats * len(names)):
        repeat = i // len(names)
        name = names[(turn + i + repeat) % len(names)]
        (warm_up or ask)(solvers[name], repeat)
        calls[name].append(timed(partial(ask, solvers[name], repeat), clock))
    return calls


def median_times(calls: Iterable[Sequence[tuple[object, float]]]) -> Floats:
    """Return the median time of the calls in each row, (N,) [s]."""
    return np.array([np.median([spent for _, spent in row]) for row in calls])


def least_time(
    call: Callable[[], object], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return the least time of some calls in a row [s]."""
    return min(timed(call, clock)[1] for _ in range(rounds))


def checker_of(
    solver: Promises | IKSolver, case: ChainCase | TreeCase, oracle: Oracle | TreeOracle
) -> Checker:
    """Return the checker of what a solver promises."""
    slack = solver.limit_slack if isinstance(solver, Promises) else Promises.limit_slack
    tolerances = solver.position_tolerance, solver.orientation_tolerance
    return Checker(oracle, case.chain, *tolerances, limit_slack=slack)


def _warm_call_time(solver: Solver, targets: Floats) -> float:
    """Warm a solver up; return the mean time of the calls after the first [s]."""
    return float(one_by_one(solver.solve, targets)[1][1:].mean())


def _figures(
    solver: Solver, calls: SolverCalls, first: SolverCalls, targets: Floats, checker: Checker
) -> SolverFigures:
    """Check every configuration and sum up."""
    violations, right = Violations(), []
    for target, (found, _) in zip(targets, calls, strict=False):
        found_violations = checker.violations(target, found)
        violations += found_violations
        right.append(len(found) - found_violations.wrong)
    seconds, others = (np.array([spent for _, spent in each]) for each in (calls, first))
    return SolverFigures(
        solver=solver.name,
        poses=len(seconds),
        solved=float(np.mean(np.array(right) > 0)),
        solutions=float(np.mean(right)),
        mean=float(seconds.mean()),
        median=float(np.median(seconds)),
        p99=float(np.percentile(seconds, 99)),
        ratio=Quartiles.of(seconds / others[: len(seconds)]),
        position_tolerance=solver.position_tolerance,
        violations=violations,
    )
