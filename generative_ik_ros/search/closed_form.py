"""What a closed form answers of a call: nothing is searched for but where it proves nothing.

What it leaves is for a search: poses at which it is singular, and some checks of collisions.
"""

import math
import time
from typing import Any, Literal

import numpy as np

from generative_ik_ros._core import BranchProblem, CurveProblem, LimbsProblem, SurfaceProblem
from generative_ik_ros.array_types import Floats
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.branches import Branches, Curves
from generative_ik_ros.search.density import free_of_turns
from generative_ik_ros.search.near import ask_for_nearest, seed_states
from generative_ik_ros.search.outcome import LEFT, Outcome
from generative_ik_ros.search.plan import FormSource
from generative_ik_ros.search.stages import AtOnce, Stages
from generative_ik_ros.select.own_score import own_scores
from generative_ik_ros.select.preferences import DIVERSE, NEAREST, SCORES, Preferences
from generative_ik_ros.solutions import IKSolutions
from generative_ik_ros.space import SearchSpace


def answer(
    source: FormSource, stages: Stages, request: SolveRequest, start: float
) -> Outcome | None:
    """Return what a closed form answers of a call that began at `start` [s]; None if nothing.

    Raises:
        InvalidArgumentError: The caller's own score did not return numbers.
    """
    form, scored = source.form, request.preferences.scored
    asked = request
    if scored:
        asked = request._replace(num_solutions=source.candidates, preferences=Preferences())
    outcome = ask(form, stages, asked, start)
    if not (scored or form.turns):
        return outcome
    counts, states = outcome.notes[:, 0], outcome.notes[:, 1]
    if scored and isinstance(form, Curves):
        states[counts < min(request.num_solutions, CurveProblem.EACH_COUNTS)] = LEFT
    elif form.turns and (request.space.circular & ~stages.chain.continuous).any():
        # A search lists full turns of what is found.
        states[counts < request.num_solutions] = LEFT
    if not scored:
        return outcome
    left = len(outcome.left)
    # A score of the caller's own is called once for all targets.
    if left == len(counts) or (left and callable(request.preferences.order)):
        return None
    return _best_by_score(outcome, stages, request)


def ask(form: Branches, stages: Stages, request: SolveRequest, start: float) -> Outcome:
    """Return what a closed form says about the poses of a call, as far as there is time."""
    poses = request.targets
    if poses.ndim == 4 and not form.of_limbs:  # a region of one tip
        poses = poses[:, 0]
    wanted, n, order = request.num_solutions, stages.chain.num_joints, request.preferences.order
    deadline, begin = start + request.timeout, time.perf_counter()
    if len(poses) == 1 and order == DIVERSE and request.check is None and deadline == math.inf:
        problem = _problem(form, stages, request.space)
        found = problem.answer_one(poses, wanted, request.random_seed)
        if found is not None:
            notes, positions, errors = found
            end = time.perf_counter()
            return Outcome(notes, _of_joints(form, positions), errors, (begin, end))
    notes = np.zeros((len(poses), 5), np.int64)
    positions = np.empty((len(poses), wanted, n + form.more))
    errors = np.empty((len(poses), wanted, 2))
    results, space = (notes, positions, errors), request.space
    if order == NEAREST and not space.narrowed:
        # Spaces of all calls are the same but for the seed state: the problem is there already.
        space = stages.whole
    problem = _problem(form, stages, space)
    left, seed = deadline - time.perf_counter(), request.random_seed
    if isinstance(problem, SurfaceProblem):
        problem.answer_all(poses, left, results, seed)
    elif order == NEAREST:
        ask_for_nearest(problem, request, seed_states(request), left, results)
    elif isinstance(problem, CurveProblem):
        problem.answer_all(poses, left, results, request.world)
    else:
        asked: tuple[Any, ...] = poses, form.ones, False, left, results, request.world
        seeded = {"random_seed": seed} if isinstance(problem, LimbsProblem) else {}
        problem.answer_all(*asked, **seeded)
    end = time.perf_counter()
    return Outcome(notes, _of_joints(form, positions), errors, (begin, end))


def at_once(form: Branches, stages: Stages, *, among: bool) -> AtOnce | None:
    """Return what answers calls for one pose that say nothing else, if something does.

    Args:
        form: The closed form.
        stages: Of the solver.
        among: Whether solutions have to be free of collisions.
    """
    problem = _problem(form, stages, stages.whole)
    solve_one: AtOnce = problem.solve_one
    if not (form.turns or form.more):
        return solve_one if not (among and isinstance(problem, SurfaceProblem)) else None

    def solve_about_axis(
        pose: object,
        wanted: int,
        *rest: Any,  # noqa: ANN401
    ) -> IKSolutions | Literal[False] | None:
        found = solve_one(pose, wanted, *rest)
        if not isinstance(found, IKSolutions):
            return found
        if form.turns and found.counts.min() < wanted:
            return None
        found.__dict__["positions"] = _of_joints(form, found.positions)
        return found

    return None if among else solve_about_axis


def _problem(
    form: Branches, stages: Stages, space: SearchSpace
) -> BranchProblem | CurveProblem | LimbsProblem | SurfaceProblem:
    """Return what answers for one pose, or for those of all tips."""
    if isinstance(form, Curves):
        return form.on_curves(stages, space)
    return form.problem(stages, space)


def _of_joints(form: Branches, positions: Floats) -> Floats:
    """Return rows without what they have behind the joints."""
    return positions[..., : len(form.ones)].copy() if form.more else positions


def _best_by_score(outcome: Outcome, stages: Stages, request: SolveRequest) -> Outcome:
    """Return the best solutions of each pose, the best first, of targets that are not left.

    Of six joints these are all there are. Of seven they lie evenly all over the curves that they
    form.

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


def _scores_of(stages: Stages, request: SolveRequest, positions: Floats) -> Floats:
    """Return the scores (N,) of configurations (N, n) [rad or m], N >= 1."""
    order = request.preferences.order
    if callable(order):
        return own_scores(order, positions)
    return SCORES[order](stages.chain, positions)
