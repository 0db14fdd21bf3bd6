"""A call of its own for each target, about its own seed state."""

import time
from collections.abc import Callable

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.outcome import Closest, Outcome


def one_by_one(
    request: SolveRequest,
    outcome_of: Callable[[SolveRequest, float], Outcome],
    start: float,
    num_joints: int,
) -> Outcome:
    """Return what is found for the targets of a call with a seed state for each.

    Args:
        request: The call; it has targets.
        outcome_of: Returns what a call with one seed state finds that began at a time [s].
        start: Reading of `time.perf_counter` when the call began [s].
        num_joints: Of the chain.
    """
    seeds, deadline, ones = request.seed_states, start + request.timeout, []
    assert seeds is not None  # noqa: S101
    for t in range(len(request.targets)):
        if t and time.perf_counter() >= deadline:
            states = seeds.states[t:]
            ones.append((_untried(len(states), request, num_joints), states))
            break
        one = request.about(t)
        ones.append((outcome_of(one, start), one.space.reference))
    return together(ones)


def _untried(count: int, request: SolveRequest, num_joints: int) -> Outcome:
    """Return the outcome of targets for which there was no time."""
    size = count, request.num_solutions
    scores = np.full(size, np.nan) if request.preferences.scored else None
    positions, errors = np.full((*size, num_joints), np.nan), np.full((*size, 2), np.nan)
    return Outcome(np.zeros((count, 5), np.int64), positions, errors, (0.0, 0.0), scores)


def together(ones: list[tuple[Outcome, Floats]]) -> Outcome:
    """Return as one what was found for some targets after others.

    Args:
        ones: Not empty; with the reference (n,) of each search, or (T, n) of each target.
    """
    outcomes = [one for one, _ in ones]
    notes = np.concatenate([one.notes for one in outcomes])
    work, closest = outcomes[0].timings, None
    for one in outcomes[1:]:
        work = work.plus(one.timings)
    if not notes[:, 0].all():
        known = [one.known_closest(reference) for one, reference in ones]
        closest = Closest(*map(np.concatenate, zip(*known, strict=True)))
    scores = [one.scores for one in outcomes if one.scores is not None]
    return Outcome(
        notes,
        np.concatenate([one.positions for one in outcomes]),
        np.concatenate([one.errors for one in outcomes]),
        work,
        np.concatenate(scores) if scores else None,
        closest,
        np.concatenate([one.colliding + t for t, one in enumerate(outcomes)]),
    )
