"""A mechanism and a net in, experiment f out: time of a pose, one by one and 32 at a time."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.reproduce.distal_contestants import (
    OURS,
    TEACHING,
    Spread,
    Teaching,
    without_nets,
)
from generative_ik_benchmarks.reproduce.distal_lessons import Teach, sizes
from generative_ik_benchmarks.reproduce.distal_mechanisms import Mechanism
from generative_ik_benchmarks.reproduce.distal_test_sets import (
    NONSINGULAR,
    SINGULAR,
    UNIFORM,
    test_set,
)
from generative_ik_ros.pipeline import IKSolver

BATCH = 32
_REHEARSALS = 5


@dataclass(frozen=True)
class TimeRow:
    """One row of table V.

    Attributes:
        mechanism: Which.
        contestant: Its name, with the batch where there is one.
        test_set: Uniform, singular or nonsingular poses.
        milliseconds: Time of a pose [ms].
        median: Median of it, which other work on the machine moves less [ms].
    """

    mechanism: str
    contestant: str
    test_set: str
    milliseconds: Spread
    median: float


def run_times(mechanism: Mechanism, teach: Teach, poses: int, seed: int) -> list[TimeRow]:
    """Measure table V for one mechanism; arguments as for `accuracy`, poses of each test set."""
    chain, oracle = mechanism.chain, Oracle.of(mechanism.case)
    lesson = sizes(mechanism)[-1]
    net = Teaching(teach(lesson), lesson.samples)
    rows = []
    for kind in (UNIFORM, SINGULAR, NONSINGULAR):
        targets = oracle.forward(test_set(chain, kind, poses, seed))
        for contestant in [*without_nets(mechanism, seed), net]:
            contestant.warm_up()
            name = TEACHING if contestant is net else contestant.name
            rows.append(_row(mechanism, name, kind, _timed(contestant.solve, targets)))
        if kind == UNIFORM:
            batches = targets[: poses // BATCH * BATCH].reshape(-1, BATCH, 4, 4)
            solver = IKSolver(chain)

            def ours(batch: NDArray[np.float64], solver: IKSolver = solver) -> object:
                return solver.solve(batch, 1, random_seed=seed)

            for name, call in ((TEACHING, net.predictor.configurations), (OURS, ours)):
                seconds = _timed(call, batches) / BATCH
                rows.append(_row(mechanism, f"{name}, batch of {BATCH}", kind, seconds))
    return rows


def _timed(
    call: Callable[[NDArray[np.float64]], object], inputs: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the time of each call [s]."""
    for one in inputs[:_REHEARSALS]:
        call(one)
    seconds = np.empty(len(inputs))
    for i, one in enumerate(inputs):
        start = time.perf_counter()
        call(one)
        seconds[i] = time.perf_counter() - start
    return seconds


def _row(mechanism: Mechanism, name: str, kind: str, seconds: NDArray[np.float64]) -> TimeRow:
    return TimeRow(
        mechanism.name, name, kind, Spread.of(1e3 * seconds), float(np.median(1e3 * seconds))
    )
