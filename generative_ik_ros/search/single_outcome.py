"""What the searches of `single` come to, in the terms of the other sources."""

import time
from typing import Any

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.outcome import DONE, Closest, Outcome
from generative_ik_ros.search.ranking import with_other_turns
from generative_ik_ros.search.record import Asked, outcome_in, read_outcome
from generative_ik_ros.search.single import SingleFound, find_single, solve_single
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.solutions import IKSolutions

_NONE = np.array([[0, DONE, 0, 0, 0]])
"""Notes of a target without a solution, see `Outcome`."""


def single_outcome(
    stages: Stages, request: SolveRequest, found: SingleFound | None = None
) -> Outcome | None:
    """Return what a call for one target finds, None if `Search` has to find it.

    Args:
        stages: Sampler, refiner and verifier.
        request: The call.
        found: What its search has come to, if it is over.
    """
    if found is None:
        found = find_single(
            stages, request.targets, request.num_solutions, request.random_seed, request.check,
            request.timeout, request.seed_state, request.space.box[6],
        )  # fmt: skip
    if found is None or not (found.solved or found.none):
        return None
    if found.solved:
        if found.found < request.num_solutions and stages.turns:
            found = _with_turns(stages, request, found)
        return Outcome(found.notes, found.positions, found.errors, found.work)
    best, errors = _closest(stages, request, found.positions[:, 0], np.zeros(1, np.int64))
    return Outcome(
        _NONE.copy(), np.full(found.positions.shape, np.nan),
        found.errors, found.work,
        closest=Closest(best, errors, np.ones(1, np.bool_)),
    )  # fmt: skip


def without_solution(
    stages: Stages, found: SingleFound, asked: Asked, start: float
) -> IKSolutions:
    """Return the result of a call that began at `start` [s], and has no solution."""
    values = {
        "positions": np.full(found.positions.shape, np.nan),
        "counts": np.zeros(1, np.int64),
        "scores": None,
    }
    end = time.perf_counter()
    return IKSolutions.made(values, (_read_without, (stages, found, asked, (start, end, end))))


def _read_without(given: tuple[Any, ...], result: IKSolutions, name: str) -> Any:  # noqa: ANN401
    """Compute an attribute of such a result."""
    stages, found, asked, times = given
    request = asked.request(stages, found.positions.shape[1])
    outcome = single_outcome(stages, request, found)
    assert outcome is not None  # noqa: S101 (there is no solution)
    return read_outcome(stages, outcome, request, times, None, result, name)


def few_outcome(stages: Stages, request: SolveRequest) -> Outcome:
    """Return what a call for one solution of each of a few targets finds.

    Those are left to `Search` that are not over soon.
    """
    made = solve_single(stages, request.targets, 1, request.random_seed, request.check, None, 0.0)
    assert isinstance(made, IKSolutions)  # noqa: S101 (they are poses)
    return with_closest(stages, request, few_of(made))


def few_of(made: IKSolutions) -> Outcome:
    """Return what a result of `solve_single` has for several targets.

    Where there is no solution, there is the closest configuration in place of one.
    """
    return outcome_in(made.__dict__["_unread"][1][1], made.positions)[0]


def with_closest(stages: Stages, request: SolveRequest, found: Outcome) -> Outcome:
    """Return what was found for several targets, and how close to those without a solution.

    Args:
        stages: Verifier.
        request: The call.
        found: Of `few_of`; it is changed.
    """
    notes, positions = found.notes, found.positions
    none = (notes[:, 0] == 0).nonzero()[0]
    if not len(none):
        return found
    over = none[notes[none, 1] == DONE]
    best, best_errors = positions[:, 0].copy(), found.errors[:, 0].copy()
    later = np.zeros(len(notes), np.bool_)
    best[over], best_errors[over] = _closest(stages, request, best[over], over)
    later[over], positions[none] = True, np.nan
    return found._replace(closest=Closest(best, best_errors, later))


def _closest(
    stages: Stages, request: SolveRequest, positions: Floats, targets: Ints
) -> tuple[Floats, Floats]:
    """Return closest configurations (A, n) to some targets within limits, and their errors."""
    space = request.space
    best = _core.nearest_turn(positions, space.reference, space.lower, space.upper, space.circular)
    return best, stages.verifier.errors(best, request.targets, targets)


def _with_turns(stages: Stages, request: SolveRequest, found: SingleFound) -> SingleFound:
    """Return the same with others that are full turns away, as many as are wanted."""
    count, wanted = found.found, request.num_solutions
    known = found.positions[0, :count], found.errors[0, :count]
    more = with_other_turns(stages, request, known, 0, wanted - count)
    positions, errors = (np.full(array.shape, np.nan) for array in (found.positions, found.errors))
    positions[0, : len(more[0])], errors[0, : len(more[1])] = more
    return found._replace(positions=positions, errors=errors, found=len(more[0]))
