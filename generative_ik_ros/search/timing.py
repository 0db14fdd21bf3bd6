"""How a call keeps its deadline: time kept for what follows the search."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import _core
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.select.order import COMPARE, WORK

_FINISH_ONE, _FINISH_MANY, _FINISH_EACH = 1e-6, 6e-6, 5e-8
"""Time to finish a target after its search [s]: for one solution, for several, for each more."""
_CLEARANCE = 3e-6
"""Time to measure the clearance of a solution [s]."""
_OPTIMIZE = 1e-3
"""Time to optimise the solutions of a target [s]."""
_SCORE = 1.5e-4
"""Time to score those of a target [s]."""
_SHARE = 0.25
"""Largest share of a timeout that is kept for that."""


def finish_time(request: SolveRequest) -> float:
    """Return the time to finish after the search, besides ranking and optimising [s]."""
    wanted = request.num_solutions
    each = _FINISH_ONE if wanted == 1 else _FINISH_MANY + _FINISH_EACH * wanted
    if request.check is not None:
        each += _CLEARANCE * wanted
    if request.preferences.scored:
        each += _SCORE
    return request.num_targets * each


def search_deadline(request: SolveRequest, start: float, num_joints: int) -> float:
    """Return when the search has to end for a call that began at `start` to keep its timeout.

    Both are readings of `time.perf_counter` [s].
    """
    kept, wanted = finish_time(request), request.num_solutions
    if wanted > 1 and request.seed_state is None:
        kept += request.num_targets * COMPARE * min(2 * num_joints * wanted**2, WORK)
    if request.preferences.optimize:
        kept += request.num_targets * _OPTIMIZE
    return start + request.timeout - min(kept, _SHARE * request.timeout)


def work_done(records: NDArray[np.void], counts: NDArray[np.int64]) -> dict[str, int]:
    """Return how much work a call was, as `Timings` has it.

    Args:
        records: (T,) TARGET records.
        counts: (T,) solutions in the pool.
    """
    restarts, steps, restarts_converged, steps_converged, iterations = _core.work_of(records)
    return {
        "seeds": restarts + steps,
        "null_space_steps": steps,
        "exact": restarts_converged + steps_converged,
        "distinct": int(counts.sum()),
        "iterations": iterations,
    }
