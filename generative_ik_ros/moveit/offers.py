"""Candidates and somebody who accepts or refuses them in, the outcome of an IK query out."""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.moveit.candidates import Batch, Candidates
from generative_ik_ros.moveit.results import ErrorCode, IKResult

Accept: TypeAlias = Callable[[NDArray[np.float64]], bool]
"""Says of one (G,) solution whether it will do."""
Cost: TypeAlias = Callable[[NDArray[np.float64]], float]
"""Says of one (G,) solution how dear it is."""


def offer(
    candidates: Candidates,
    to_group: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    accept: Accept,
    cost: Cost | None,
    approximate: bool,
) -> IKResult:
    """Offer candidates, one at a time on this thread, until one is accepted.

    Args:
        candidates: Where they come from.
        to_group: Writes (K, n) positions of the chain as (K, G) of the group [rad or m].
        accept: Says whether a solution will do.
        cost: Puts the candidates of a batch in order, the cheapest first; None: the nearest.
        approximate: Whether the closest approach will do where there is no solution.
    """
    tried = 0

    def taken(batch: Batch, row: int, solution: NDArray[np.float64]) -> IKResult:
        return IKResult(
            ErrorCode.SUCCESS,
            solution,
            float(batch.distance[row]),
            float(batch.angle[row]),
            batch is candidates.best_effort,
            tried,
            "",
        )

    for batch in candidates.batches():
        solutions = to_group(batch.positions)
        order = range(len(solutions))
        if cost is not None:
            order = np.argsort([cost(one) for one in solutions], kind="stable").tolist()
        for row in order:
            # The first is offered however late it is now: it was found in time.
            if tried and candidates.late():
                break
            tried += 1
            if accept(solutions[row]):
                return taken(batch, row, solutions[row])
    closest = candidates.best_effort
    if approximate and not tried and closest is not None:
        tried = 1
        (solution,) = to_group(closest.positions)
        if accept(solution):
            return taken(closest, 0, solution)
    code, message = failure(candidates, tried)
    return IKResult(code, None, math.nan, math.nan, False, tried, message)


def failure(candidates: Candidates, tried: int) -> tuple[ErrorCode, str]:
    """Say how a query ended that brought nothing."""
    refused = f"all {tried} solutions tried were refused" if tried else "no solution"
    if candidates.timed_out:
        return ErrorCode.TIMED_OUT, f"time is up: {refused}"
    closest = candidates.best_effort
    if tried:
        return ErrorCode.NO_IK_SOLUTION, refused
    if closest is None:
        return ErrorCode.NO_IK_SOLUTION, f"{refused}: the bounds leave some joint no position"
    return ErrorCode.NO_IK_SOLUTION, (
        f"{refused} within the limits; the closest is {closest.distance[0]:.3g} m and "
        f"{closest.angle[0]:.3g} rad off"
    )
