"""Calls of Python that return all branches of a pose: ours beside others, one pose and many."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import in_warm_turns, least_time
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.registry import peer
from generative_ik_benchmarks.solver import (
    PackageSolver,
    Solver,
    UnsupportedChainError,
    taking_part,
)
from generative_ik_ros.array_types import Floats
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.closed_form import Family
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.solutions import SolveStatus

_SSIK = "ssik"
PEERS = _SSIK, "eaik"
_OURS = "ours"
_ROUNDS = 10
"""Times that each call is measured."""
_BATCH, _BATCHES = 1000, 3
"""Poses in one call, and times that it is measured."""
_SPECIAL = 8
"""Most branches of an arm of a special kind."""
_PATIENCE = 10.0
"""A solver that takes longer for all of a batch gets a part of it [s]."""


@dataclass(frozen=True)
class Calls:
    """Times of one solver."""

    solver: str = figure("Which.")
    call: float = figure(
        "Of a call for all branches of a pose, the least of several in turns; median of the "
        "poses [us]."
    )
    batch: float = figure(
        "Of a pose where many are solved, see `Solver.solve_many`; the least of several, by "
        "the clock [us]."
    )


def calls_beside(
    case: ChainCase, family: Family, poses: int, seed: int
) -> tuple[tuple[Calls, ...], dict[str, str]]:
    """Measure ours and others; return also why some of these take no part.

    They are called for random reachable poses one by one, then for many.
    """
    count, most = max(poses, _BATCH), family.kernel.max_branches
    targets = random_reachable_poses(case.chain, count, seed, Oracle.of(case).forward)

    def make(name: str) -> list[tuple[str, Solver]]:
        if name == _SSIK and most > _SPECIAL:
            raise UnsupportedChainError(
                "prepares itself for minutes for an arm of no special kind"
            )
        return [(name, peer(name, case)[0])]

    others, absent = taking_part(PEERS, make)
    solvers: dict[str, Solver] = {_OURS: PackageSolver(case.chain, most, None), **dict(others)}
    least = []
    for target in targets[:poses]:
        calls = [partial(solver.solve, target) for solver in solvers.values()]
        least.append([spent for _, spent in in_warm_turns(calls, 0, _ROUNDS, np.min)])
    medians = (1e6 * np.median(least, axis=0)).tolist()
    measured = [
        Calls(name, call, _of_many(solver, targets[:count], call))
        for (name, solver), call in zip(solvers.items(), medians, strict=True)
    ]
    return tuple(measured), absent


def _of_many(solver: Solver, targets: Floats, call: float) -> float:
    """Return the time of a pose where many are solved [us]; a call takes about `call` [us]."""
    some = targets[: max(1, int(_PATIENCE / (1e-6 * call * _BATCHES)))]
    return 1e6 * least_time(partial(solver.solve_many, some), _BATCHES) / len(some)


def time_to_refuse(case: ChainCase, targets: Floats) -> float:
    """Return the time of a pose out of reach in a call for all of (N, 4, 4) [us]; NaN for none."""
    if not len(targets):
        return float("nan")
    solver = IKSolver(case.chain)
    found = solver.solve(targets, 1)
    assert set(found.status) == {SolveStatus.NO_SOLUTION}  # noqa: S101
    return 1e6 * least_time(partial(solver.solve, targets, 1), _BATCHES) / len(targets)
