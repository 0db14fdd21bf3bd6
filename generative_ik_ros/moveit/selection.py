"""Selection of the first acceptable candidate of a query."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.moveit.candidates import Batch, Candidates
from generative_ik_ros.moveit.results import ErrorCode, IKResult

SolutionCallback = Callable[[Any, NDArray[np.float64]], "ErrorCode | int | bool"]
"""Takes the pose and a candidate (G,); SUCCESS, 1 or True accepts it, anything else rejects it."""
CostFunction = Callable[[Any, NDArray[np.float64]], float]
"""Takes the pose and a candidate (G,); the cheapest that is accepted is returned, NaN last."""


def first_accepted(
    candidates: Candidates,
    to_group: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    accept: Callable[[NDArray[np.float64]], bool],
    cost: Callable[[NDArray[np.float64]], float] | None,
    approximate: bool,
) -> IKResult:
    """Test candidates, one at a time on this thread, until one is accepted.

    Args:
        candidates: The candidates.
        to_group: Converts (K, n) positions of the chain to (K, G) of the group [rad or m].
        accept: Returns whether a solution (G,) is acceptable.
        cost: Returns the cost of a solution (G,); candidates are gathered first, and tested by
            increasing cost, NaN last. None: as they come.
        approximate: Whether to test the closest configuration if there is no solution.
    """
    tried = 0

    def success(batch: Batch, row: int, solution: NDArray[np.float64]) -> IKResult:
        return IKResult(
            ErrorCode.SUCCESS,
            solution,
            float(batch.distance[row]),
            float(batch.angle[row]),
            batch is candidates.best_effort,
            tried,
            "",
        )

    for batch in candidates.batches() if cost is None else candidates.gathered():
        solutions = to_group(batch.positions)
        order = range(len(solutions))
        if cost is not None:
            order = np.argsort([cost(one) for one in solutions], kind="stable").tolist()
        for row in order:
            # The first is tested even after the deadline: it was found in time.
            if tried and candidates.expired():
                break
            tried += 1
            if accept(solutions[row]):
                return success(batch, row, solutions[row])
    closest = candidates.best_effort
    if approximate and not tried and closest is not None:
        tried = 1
        (solution,) = to_group(closest.positions)
        if accept(solution):
            return success(closest, 0, solution)
    code, message = failure(candidates, tried)
    return IKResult(code, None, math.nan, math.nan, False, tried, message)


def failure(candidates: Candidates, tried: int) -> tuple[ErrorCode, str]:
    """Return the error code and message of a query without an accepted solution."""
    summary = f"all {tried} solutions tested were rejected" if tried else "no solution"
    if candidates.timed_out:
        return ErrorCode.TIMED_OUT, f"timed out: {summary}"
    closest = candidates.best_effort
    if tried:
        return ErrorCode.NO_IK_SOLUTION, summary
    if candidates.blocked_by is not None:
        one, other = candidates.blocked_by
        return ErrorCode.NO_IK_SOLUTION, f"reached in collision only: {one} with {other}"
    if closest is None:
        return ErrorCode.NO_IK_SOLUTION, f"{summary}: the bounds exclude every joint position"
    return ErrorCode.NO_IK_SOLUTION, (
        f"{summary} within the limits; the closest configuration is {closest.distance[0]:.3g} m "
        f"and {closest.angle[0]:.3g} rad off{candidates.too_few_joints}"
    )
