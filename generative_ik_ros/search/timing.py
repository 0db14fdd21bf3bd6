"""How a call keeps its deadline: time kept for what follows the search."""

from typing import NamedTuple

from generative_ik_ros import _core
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.select.pool import SolutionPool


class FinishTimes(NamedTuple):
    """What it takes to finish a target after its search [s]."""

    one: float = 1e-6
    """For one solution."""
    several: float = 6e-6
    """For several."""
    each: float = 5e-8
    """For each of several."""
    score: float = 1.5e-4
    """To score the solutions of a target."""
    optimize: float = 1e-3
    """To optimise them."""
    compare: float = 1.5e-10
    """To compare two coordinates, where solutions are put in order, on a busy machine."""
    largest_share: float = 0.25
    """Largest share of a timeout that is kept for all this."""


FINISH = FinishTimes()


def finish_time(request: SolveRequest) -> float:
    """Return the time to finish after the search, besides ranking and optimising [s]."""
    wanted = request.num_solutions
    each = FINISH.one if wanted == 1 else FINISH.several + FINISH.each * wanted
    if request.preferences.scored:
        each += FINISH.score
    return request.num_targets * each


def search_deadline(request: SolveRequest, start: float, num_joints: int) -> float:
    """Return when the search has to end for a call that began at `start` to keep its timeout.

    Both are readings of `time.perf_counter` [s].
    """
    kept, wanted = finish_time(request), request.num_solutions
    if wanted > 1 and request.seed_state is None:
        compared = min(2 * num_joints * wanted**2, _core.ORDER_WORK)
        kept += request.num_targets * FINISH.compare * compared
    if request.preferences.optimize:
        kept += request.num_targets * FINISH.optimize
    return start + request.timeout - min(kept, FINISH.largest_share * request.timeout)


def work_done(pool: SolutionPool) -> dict[str, int]:
    """Return how much work a call was, as `Timings` has it."""
    restarts, steps, *converged, iterations, distinct = pool.memory.work()
    return {
        "seeds": restarts + steps,
        "null_space_steps": steps,
        "exact": sum(converged),
        "distinct": distinct,
        "iterations": iterations,
    }
