"""Calls that prefer a score, answered by a closed form: the best of its solutions come first.

Of six joints these are all there are. Of seven they lie evenly all over the curves that they form.
"""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.density import free_of_turns
from generative_ik_ros.search.outcome import Outcome
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.own_score import own_scores
from generative_ik_ros.select.preferences import SCORES


def best_by_score(outcome: Outcome, stages: Stages, request: SolveRequest) -> Outcome:
    """Return the best solutions of each pose, the best first, of targets that are not left.

    Args:
        outcome: More solutions than are wanted, in the order of diversity; its notes are changed.
        stages: Verifier and tolerances.
        request: What is wanted.

    Raises:
        InvalidArgumentError: The caller's own score did not return numbers.
    """
    notes, wanted, size = outcome.notes, request.num_solutions, outcome.positions.shape[:2]
    counts = notes[:, 0].copy()
    if free_of_turns(request.preferences.order):
        # Turns, which come last, have the same score: as many count as solutions are missing.
        counts = np.minimum(counts, np.maximum(notes[:, 4], wanted))
    counts[outcome.left] = 0
    known = np.arange(size[1]) < counts[:, None]
    scores = np.full(size, -np.inf)
    if known.any():
        scores[known] = _scores_of(stages, request, outcome.positions[known])
    ranks = np.argsort(-scores, axis=1, kind="stable")[:, :wanted]
    positions = np.take_along_axis(outcome.positions, ranks[..., None], 1)
    errors = np.take_along_axis(outcome.errors, ranks[..., None], 1)
    scores = np.take_along_axis(scores, ranks, 1)
    notes[:, 2] &= notes[:, 0] <= wanted
    notes[:, 0] = np.minimum(counts, wanted)
    none = np.arange(wanted) >= notes[:, :1]
    positions[none] = errors[none] = scores[none] = np.nan
    return outcome._replace(positions=positions, errors=errors, scores=scores)


def _scores_of(
    stages: Stages, request: SolveRequest, positions: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the scores (N,) of configurations (N, n) [rad or m], N >= 1."""
    order = request.preferences.order
    if callable(order):
        return own_scores(order, positions)
    return SCORES[order](stages.chain, positions)
