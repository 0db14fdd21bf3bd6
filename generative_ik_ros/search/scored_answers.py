"""Calls that prefer a score, answered by a closed form: the best of its solutions come first.

Of six joints these are all there are. Of seven they lie evenly all over the curves that they form.
"""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros._core import CurveProblem
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.branches import Branches, Curves
from generative_ik_ros.search.closed_form import ClosedFormAnswers
from generative_ik_ros.search.curve_pool import TIME_FOR_ONE
from generative_ik_ros.search.density import free_of_turns
from generative_ik_ros.search.form_call import LEFT, UNDONE
from generative_ik_ros.search.named_scores import named_scores
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.own_score import own_scores
from generative_ik_ros.select.preferences import SCORES, Preferences
from generative_ik_ros.solutions import IKSolutions

_ON_CURVES = 60
"""Solutions on curves to choose from at the least, and otherwise twice as many as are wanted."""
_MOST_NUMBERS = 1 << 26
"""More than these would take much memory at a time; a search keeps fewer solutions."""


class ScoredAnswers(ClosedFormAnswers):
    """What the closed form of a chain says about the poses of a call that prefers a score.

    Args:
        form: The closed form.
        stages: Verifier and tolerances.
        request: What is wanted.
        start: Reading of `time.perf_counter` when the call began [s].
        candidates: How many solutions of each pose to choose from.
    """

    __slots__ = ()

    def __init__(
        self, form: Branches, stages: Stages, request: SolveRequest, start: float, candidates: int
    ):
        """Find solutions as far as there is time; `choose` chooses."""
        some = request._replace(num_solutions=candidates, preferences=Preferences())
        super().__init__(form, stages, some, start)
        self._request = request
        if isinstance(form, Curves):
            few = self._notes[:, 0] < min(request.num_solutions, CurveProblem.EACH_COUNTS)
            self._notes[few, 1] = LEFT
            self.left = self._targets_in(UNDONE, LEFT)

    def choose(self) -> None:
        """Keep the best solutions of each pose, the best first."""
        notes, request = self._notes, self._request
        wanted, size = request.num_solutions, self._positions.shape[:2]
        counts = notes[:, 0].copy()
        if free_of_turns(request.preferences.order):
            # Turns, which come last, have the same score: as many count as solutions are missing.
            counts = np.minimum(counts, np.maximum(notes[:, 4], wanted))
        counts[self.left] = 0
        known = np.arange(size[1]) < counts[:, None]
        scores = np.full(size, -np.inf)
        if known.any():
            scores[known] = self._scores_of(self._positions[known])
        ranks = np.argsort(-scores, axis=1, kind="stable")[:, :wanted]
        self._positions = np.take_along_axis(self._positions, ranks[..., None], 1)
        self._errors = np.take_along_axis(self._errors, ranks[..., None], 1)
        self._scores = np.take_along_axis(scores, ranks, 1)
        notes[:, 2] &= notes[:, 0] <= wanted
        notes[:, 0] = np.minimum(counts, wanted)
        none = np.arange(wanted) >= notes[:, :1]
        self._positions[none] = self._errors[none] = self._scores[none] = np.nan

    def _scores_of(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores (N,) of configurations (N, n) [rad or m], N >= 1."""
        order = self._request.preferences.order
        if callable(order):
            return own_scores(order, positions)
        return named_scores(self._stages, order, positions)


def answers_by_closed_form(
    stages: Stages, request: SolveRequest, start: float, searched: IKSolutions | None = None
) -> ClosedFormAnswers | None:
    """Return what the closed form of a chain answers of a call, None if it is no help.

    Args:
        stages: Verifier and tolerances.
        request: What is wanted.
        start: Reading of `time.perf_counter` when the call began [s].
        searched: What a search has found for all targets, if there was one.

    Raises:
        InvalidArgumentError: The caller's own score did not return numbers.
    """
    if not request.preferences.scored:
        return ClosedFormAnswers.of(stages, request, start, searched)
    form, order = stages.branches or stages.curves, request.preferences.order
    if form is None or not (callable(order) or order in SCORES):
        return None
    if request.regions is not None or request.alternatives:
        return None
    candidates = form.most + request.num_solutions
    if isinstance(form, Curves):
        candidates = max(_ON_CURVES, 2 * request.num_solutions)
        # What is optimised climbs from there, and to check all of them would take long.
        if request.preferences.optimize or request.check is not None:
            return None
        if candidates > form.most_wanted or request.timeout < TIME_FOR_ONE * candidates:
            return None
    if len(request.targets) * candidates * stages.chain.num_joints > _MOST_NUMBERS:
        return None
    answers = ScoredAnswers(form, stages, request, start, candidates)
    left = len(answers.left)
    if left == len(request.targets) or (left and callable(order)):
        # A score of the caller's own is called once for all targets.
        return None
    answers.choose()
    return answers
