"""Runs a plan: each source answers for the targets that those before it have left."""

import math
from functools import partial
from typing import Literal

import numpy as np

from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search import closed_form, on_device
from generative_ik_ros.search.approximate import approximated
from generative_ik_ros.search.near import answer_near, come_nearer
from generative_ik_ros.search.one_by_one import one_by_one
from generative_ik_ros.search.outcome import Outcome
from generative_ik_ros.search.plan import (
    ApproximateSource,
    DeviceSource,
    FormSource,
    NearSource,
    OneByOne,
    SearchSource,
    plan_of,
)
from generative_ik_ros.search.record import solutions_of
from generative_ik_ros.search.results import find
from generative_ik_ros.search.single import SingleFound
from generative_ik_ros.search.single_outcome import few_outcome, single_outcome, with_closest
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.solutions import IKSolutions

Tried = SingleFound | Outcome | Literal[False] | None
"""What the first sources of a plan have come to: a search that is over, after any closed form, or
over with some of the targets; False: a closed form that has left all of them."""
_NO_ONE = np.zeros(0, np.int64)


def run(stages: Stages, request: SolveRequest, start: float, tried: Tried = None) -> IKSolutions:
    """Return the solutions of a checked call that began at `start` [s].

    Args:
        stages: What the solver has for the regions of the call.
        request: The call.
        start: Reading of `time.perf_counter` [s].
        tried: What its first source has come to, see `at_once.try_at_once`.
    """
    return solutions_of(stages, request, start, _outcome_of(stages, request, start, tried))


def _outcome_of(
    stages: Stages,
    request: SolveRequest,
    start: float,
    tried: Tried = None,
) -> Outcome:
    """Return what is found for the targets of a call; see `run`."""
    outcome, left, found, whole = None, _NO_ONE, None, request
    searched = isinstance(tried, Outcome)
    answered = tried is False or isinstance(tried, SingleFound)
    if isinstance(tried, Outcome):
        outcome = with_closest(stages, request, tried)
        left = outcome.left
    alone = tried if isinstance(tried, SingleFound) else None
    if stages.approximate is not None and request.timeout < math.inf:
        # Exact solutions are looked for in one half of the time, approximations in the other.
        request = request._replace(timeout=request.timeout / 2.0)
    for source in plan_of(stages, request):
        if isinstance(source, ApproximateSource):
            exact = outcome or found
            assert exact is not None  # noqa: S101
            return approximated(source.stages, whole, exact, start)
        known = answered and isinstance(source, FormSource)
        if known or (outcome is not None and not len(left)):
            continue
        if isinstance(source, SearchSource) and searched:
            searched = False
            source = source._replace(alone=False)
        asked = request if outcome is None else request.of(left)
        if isinstance(source, OneByOne):
            each = partial(_outcome_of, stages.exactly)
            found = one_by_one(asked, each, start, stages.chain.num_joints)
        elif isinstance(source, NearSource):
            found = answer_near(stages, asked, start)
        elif isinstance(source, SearchSource):
            found, alone = search(stages, source, asked, start, alone), None
            if outcome is None:
                continue
        else:
            if isinstance(source, DeviceSource):
                found = on_device.answer(
                    stages, asked, start, partial(_outcome_of, stages.exactly.on_cpu)
                )
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
        if outcome is not None and not len(left) and stages.approximate is None:
            break
    exact = outcome or found
    assert exact is not None  # noqa: S101
    return exact


def search(
    stages: Stages,
    source: SearchSource,
    request: SolveRequest,
    start: float,
    tried: SingleFound | None = None,
) -> Outcome:
    """Return what a search finds, for a call that began at `start` [s].

    Args:
        stages: Sampler, refiner and verifier.
        source: The search.
        request: What is wanted.
        start: Reading of `time.perf_counter` [s].
        tried: What the search for one target has come to, if it is over.
    """
    found = None
    if source.alone and len(request.targets) > 1:
        found = few_outcome(stages, request)
        if len(left := found.left):
            rest = find(stages, request.of(left), start, source.first)
            found = found.completed(left, rest, request.space.reference)
    elif source.alone:
        found = single_outcome(stages, request, tried)
    if found is None:
        found = find(stages, request, start, source.first)
    if stages.of_tip is not None and request.comes_nearest:
        come_nearer(stages, request, found, start + request.timeout)
    return found
