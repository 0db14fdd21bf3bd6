"""Experiment f: time of a pose, one by one and 32 at a time."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import one_by_one
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.reproduce.distal_mechanisms import (
    NONSINGULAR,
    SINGULAR,
    UNIFORM,
    Mechanism,
    test_set,
)
from generative_ik_benchmarks.reproduce.distal_solvers import (
    DISTAL,
    OURS,
    Spread,
    untrained_solvers,
)
from generative_ik_benchmarks.reproduce.distal_training import NetFolder, by_size
from generative_ik_ros.array_types import Floats
from generative_ik_ros.pipeline import IKSolver

BATCH = 32
_WARM_UP_CALLS = 5

Call = Callable[[Floats], object]
"""Solves a pose (4, 4) or a batch of them (B, 4, 4)."""


@dataclass(frozen=True)
class TimeRow:
    """One row of table V."""

    mechanism: str = figure("Name of the mechanism.")
    solver: str = figure("Name of the solver, with the batch where there is one.")
    test_set: str = figure("Uniform, singular or nonsingular poses.")
    milliseconds: Spread = figure("Time of a pose [ms].")
    median: float = figure("Its median, which other load on the machine moves less [ms].")


def run_times(mechanism: Mechanism, nets: NetFolder, poses: int, seed: int) -> list[TimeRow]:
    """Measure table V on so many poses of each test set, with the net of most training poses."""
    forward = Oracle.of(mechanism.case).forward
    net = nets.net(by_size(mechanism)[-1])
    rows = []
    for kind in (UNIFORM, SINGULAR, NONSINGULAR):
        targets = forward(test_set(mechanism.chain, kind, poses, seed))
        calls: dict[str, Call] = {}
        for solver in untrained_solvers(mechanism, seed):
            calls[solver.name] = solver.solve
        calls[DISTAL] = lambda target: net.configurations(target[None])
        rows += [_row(mechanism, name, kind, call, targets) for name, call in calls.items()]
        if kind == UNIFORM:
            batches = targets[: poses // BATCH * BATCH].reshape(-1, BATCH, 4, 4)
            ours = IKSolver(mechanism.chain)
            calls = {
                DISTAL: net.configurations,
                OURS: lambda batch, ours=ours: ours.solve(batch, 1, random_seed=seed),
            }
            for name, call in calls.items():
                name = f"{name}, batch of {BATCH}"
                rows.append(_row(mechanism, name, kind, call, batches, BATCH))
    return rows


def _row(
    mechanism: Mechanism, name: str, kind: str, call: Call, inputs: Floats, poses: int = 1
) -> TimeRow:
    """Time a call with each of some inputs, which have so many poses."""
    for one in inputs[:_WARM_UP_CALLS]:
        call(one)
    milliseconds = 1e3 * one_by_one(call, inputs)[1] / poses
    median = float(np.median(milliseconds))
    return TimeRow(mechanism.name, name, kind, Spread.of(milliseconds), median)
