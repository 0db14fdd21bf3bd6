"""The solution nearest to a seed state: what answers without a search, and what it is asked."""

import time

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros._core import BranchProblem, CurveProblem, LimbsProblem, NearProblem
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.branches import Curves
from generative_ik_ros.search.limbs import Limbs
from generative_ik_ros.search.outcome import Outcome
from generative_ik_ros.search.stages import NearestAtOnce, Stages


def answer_near(stages: Stages, request: SolveRequest, start: float) -> Outcome:
    """Return what steps from the seed states find in a call that began at `start` [s]."""
    count = len(request.targets)
    notes = np.zeros((count, 5), np.int64)
    positions, errors = np.empty((count, 1, stages.chain.num_joints)), np.empty((count, 1, 2))
    problem, begin = stages.near_problem, time.perf_counter()
    left = start + request.timeout - begin
    weights = request.preferences.joint_weights
    if weights is None:
        weights = np.ones(stages.chain.num_joints)
    states = seed_states(request)
    problem.answer_all_nearest(request.targets, states, weights, left, notes, positions, errors)
    return Outcome(notes, positions, errors, (begin, time.perf_counter()))


def seed_states(request: SolveRequest) -> NDArray[np.float64]:
    """Return the seed state of each target (B, n)."""
    if request.seed_states is not None:
        return request.seed_states.states
    return np.repeat(request.space.reference[None], len(request.targets), axis=0)


def nearest_at_once(stages: Stages) -> NearestAtOnce | None:
    """Return what answers calls for one pose that say nothing but a seed state.

    None if a search does.
    """
    problem: BranchProblem | CurveProblem | LimbsProblem | NearProblem
    form = stages.branches or stages.curves
    if stages.takes_steps:
        problem = stages.near_problem
    elif form is None or (stages.goals and not isinstance(form, Limbs)):
        return None
    elif isinstance(form, Curves):
        on_curves = form.on_curves(stages, stages.whole)
        assert isinstance(on_curves, CurveProblem)  # noqa: S101 (it is for poses)
        problem = on_curves
    else:
        problem = form.problem(stages, stages.whole)
    return problem.answer_nearest
