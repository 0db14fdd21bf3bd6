"""Runs a plan: each source answers for the targets that those before it have left."""

import time
from typing import Any

import numpy as np

from generative_ik_ros.request import MAX_SEED, SolveRequest
from generative_ik_ros.search import closed_form
from generative_ik_ros.search.first_solution import first_solution
from generative_ik_ros.search.outcome import Outcome, answered, solutions_of
from generative_ik_ros.search.plan import SearchSource, plan_of
from generative_ik_ros.search.results import Results
from generative_ik_ros.search.search import Search
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.solutions import IKSolutions

_UNKNOWN: Any = object()
_FLOATS = np.dtype(np.float64)
_POSE, _BATCH_OF_ONE = (4, 4), (1, 4, 4)
_NO_ONE = np.zeros(0, np.int64)


def run(stages: Stages, request: SolveRequest, start: float) -> IKSolutions:
    """Return the solutions of a checked call that began at `start` [s]."""
    outcome, left, found = None, _NO_ONE, None
    for source in plan_of(stages, request):
        asked = request
        if outcome is not None:
            asked = request._replace(targets=request.targets[left])
        if isinstance(source, SearchSource):
            found = search(source, asked, start)
            if outcome is None and not source.stages.hurried:
                break
        else:
            found = closed_form.answer(source, stages, asked, start)
            if found is None:
                continue
        still = found.left
        if outcome is not None:
            outcome = outcome.completed(left, found, request.space.reference)
            left = left[still]
        elif len(still) < len(found.notes):  # else it is as if it had not been asked
            outcome, left = found, still
        if outcome is not None and not len(left):
            break
    whole = outcome or found
    assert whole is not None  # noqa: S101
    return solutions_of(stages, request, start, whole)


def search(source: SearchSource, request: SolveRequest, start: float) -> Outcome:
    """Return what a search finds, for a call that began at `start` [s].

    Args:
        source: The search.
        request: What is wanted.
        start: Reading of `time.perf_counter` [s].
    """
    stages = source.stages
    if source.for_one and (found := first_solution(stages, request)) is not None:
        return found
    one = Search(stages, request, start, source.first)
    results = Results(stages, request, one)
    one.run()
    return results.collect(start, final=not stages.hurried)


def try_closed_form(
    stages: Stages,
    targets: object,
    wanted: object,
    random_seed: object,
    of_tree: bool = False,
) -> IKSolutions | None:
    """Return the result of a call for one pose, or one region, that says nothing else.

    To check a request and put a general result together takes longer than to solve it. So this
    asks the closed form at once if its plan begins with one.

    Args:
        stages: The closed form, of poses or of a region, and what verifies it.
        targets: The caller's; None is returned for what is no array of a pose, as for errors.
        wanted: Likewise, the number of solutions.
        random_seed: Likewise; one solution of many is searched for with any but 0.
        of_tree: Whether the solver is for a tree: of one tip, (1, 4, 4) is a pose, (4, 4) is none.

    Returns:
        None if the call has to be checked, or is not answered by the closed form.
    """
    start = time.perf_counter()
    if type(targets) is not np.ndarray or targets.dtype is not _FLOATS:
        return None
    shape = targets.shape
    if shape != _BATCH_OF_ONE and (of_tree or shape != _POSE):
        return None
    # More solutions take hardly longer with a request.
    if type(wanted) is not int or not 0 < wanted <= 1000:
        return None
    if random_seed is not None and not (type(random_seed) is int and 0 <= random_seed <= MAX_SEED):
        return None
    key = wanted, not random_seed
    ask = stages.at_once.get(key, _UNKNOWN)
    if ask is _UNKNOWN:
        ask = stages.at_once[key] = closed_form.at_once(stages, wanted, random_seed or 0)
    if ask is None or not targets.flags.carray:
        return None
    begin = time.perf_counter()
    found = ask(targets, wanted)
    if found is None:
        return None
    return answered(stages, wanted, *found, start, begin, time.perf_counter())
