"""Solutions about a free axis as a search's first: for collisions, and other full turns."""

import math
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.closed_form import ask
from generative_ik_ros.search.stages import Stages


def take_rows(
    stages: Stages,
    request: SolveRequest,
    records: NDArray[np.void],
    count: int,
    check: Callable[[NDArray[np.float64], list[int]], None],
    deadline: float,
) -> None:
    """Have solutions from all over the curves checked; close targets that have enough.

    Args:
        stages: The closed form, and what verifies it.
        request: What is wanted.
        records: (T,) TARGET records.
        count: Solutions to check of each target, more than are wanted: some may collide.
        check: Puts what is a solution among rows (T, K, n) into the pools of some targets.
        deadline: Reading of `time.perf_counter` after which no more is begun [s].
    """
    curves, start = stages.curves, time.perf_counter()
    assert curves is not None  # noqa: S101
    left = math.inf if deadline == math.inf else deadline - start
    some = request._replace(num_solutions=count, check=None, timeout=left)
    found = ask(curves, stages, some, start)
    rows, counts = found.positions, found.notes[:, 0].copy()
    counts[found.left] = 0
    rows[np.arange(rows.shape[1]) >= counts[:, None]] = np.nan
    check(rows, np.flatnonzero(counts).tolist())
    records["needs_seeds"] = False
    listed = (counts > 0) & (counts < count)
    enough = records["free"] >= request.num_solutions
    records["closed"] |= enough | (listed & (records["usable"] > 0))
