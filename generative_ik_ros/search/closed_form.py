"""What a closed form answers of a call: nothing is searched for but where it proves nothing.

What it leaves is for a search: poses at which it is singular, and some checks of collisions.
"""

import math
import time
from functools import partial

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros._core import CheckCall, are_poses
from generative_ik_ros.collision.check import MARGIN_WANTED
from generative_ik_ros.parallel import for_each
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.branches import Branches, Curves
from generative_ik_ros.search.curve_answers import EACH_COUNTS, curve_kernel
from generative_ik_ros.search.form_call import DONE, LEFT
from generative_ik_ros.search.outcome import Outcome
from generative_ik_ros.search.plan import FormSource, form_for_one_pose
from generative_ik_ros.search.scored_answers import best_by_score
from generative_ik_ros.search.stages import AtOnce, Stages
from generative_ik_ros.search.surface_answers import surface_kernel
from generative_ik_ros.search.surfaces import Surfaces
from generative_ik_ros.select.preferences import DIVERSE, NEAREST, Preferences

_PIECE, _PIECE_OF_CURVES = 16, 2
"""Targets that a thread answers at a time where collisions are checked, and on curves."""


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
        states[counts < min(request.num_solutions, EACH_COUNTS)] = LEFT
    elif form.turns and (request.space.circular & ~stages.chain.continuous).any():
        # A search lists full turns of what is found.
        states[counts < request.num_solutions] = LEFT
    if not scored:
        return outcome
    left = len(outcome.left)
    # A score of the caller's own is called once for all targets.
    if left == len(counts) or (left and callable(request.preferences.order)):
        return None
    return best_by_score(outcome, stages, request)


def ask(form: Branches, stages: Stages, request: SolveRequest, start: float) -> Outcome:
    """Return what a closed form says about the poses of a call, as far as there is time."""
    poses = request.targets if request.targets.ndim == 3 else request.targets[:, 0]
    if len(poses) == 1 and request.preferences.order == DIVERSE and not isinstance(form, Curves):
        if request.check is None and request.timeout == math.inf:
            begin = time.perf_counter()
            found = form.problem(stages, request.space).answer_one(poses, request.num_solutions)
            if found is not None:
                return Outcome(*found, (begin, time.perf_counter()))
    count, wanted, n = len(poses), request.num_solutions, stages.chain.num_joints
    notes = np.zeros((count, 5), np.int64)
    positions = np.empty((count, wanted, n + form.more))
    errors, begin = np.empty((count, wanted, 2)), time.perf_counter()
    results, deadline = (notes, positions, errors), start + request.timeout
    if isinstance(form, Curves):
        packed = form.packed(stages, request.space)
        kernel = surface_kernel if isinstance(form, Surfaces) else curve_kernel
        for_each(
            lambda piece: kernel(*packed, poses, *piece, *results),
            _pieces(count, _PIECE_OF_CURVES),
            deadline,
        )
    else:
        _ask_for_branches(form, stages, request, deadline, *results)
    end = time.perf_counter()
    if form.more:
        positions = positions[..., :n].copy()
    return Outcome(notes, positions, errors, (begin, end))


def at_once(stages: Stages, wanted: int, random_seed: int) -> AtOnce | None:
    """Return what answers calls for one pose that say nothing else; None if these are searched.

    Args:
        stages: The closed form, of poses or of a region, and what verifies it.
        wanted: Number of solutions.
        random_seed: Of such calls, or another that is 0 if and only if theirs is.
    """
    form = form_for_one_pose(stages, wanted, random_seed)
    if isinstance(form, Curves):
        return partial(_ask_on_curves, form, stages)
    return form and form.problem(stages, stages.whole).answer_one


def _ask_on_curves(
    form: Curves, stages: Stages, pose: NDArray[np.float64], wanted: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]] | None:
    """Return notes, positions and errors, see `Outcome`, of a call for one pose.

    Args:
        form: What is asked.
        stages: What verifies its solutions.
        pose: (4, 4) or (1, 4, 4), which may be no pose.
        wanted: Number of solutions.

    Returns:
        None if it is no pose, or if something is left to be searched for.
    """
    poses = pose.reshape(1, 4, 4)
    if not are_poses(poses):
        return None
    kernel = surface_kernel if isinstance(form, Surfaces) else curve_kernel
    notes, n = np.zeros((1, 5), np.int64), len(form.ones)
    positions = np.empty((1, wanted, n + form.more))
    errors = np.empty((1, wanted, 2))
    kernel(*form.packed(stages, stages.whole), poses, 0, 1, notes, positions, errors)
    count = notes.item(0)
    if notes.item(1) != DONE or not count or (form.turns and count < wanted):
        return None
    return notes, positions[..., :n].copy() if form.more else positions, errors


def _ask_for_branches(
    form: Branches,
    stages: Stages,
    request: SolveRequest,
    deadline: float,
    *results: NDArray,
) -> None:
    """Have the native core answer for all targets; results are notes, positions and errors."""
    problem, preferences = form.problem(stages, request.space), request.preferences
    weights, check = preferences.joint_weights, request.check
    given = (
        request.targets, form.ones if weights is None else weights, preferences.order == NEAREST
    )  # fmt: skip
    if check is None:
        problem.answer_all(*given, deadline - time.perf_counter(), *results)
        return

    def answer_piece(piece: tuple[int, int]) -> None:
        memory = check.take_context(MARGIN_WANTED)
        call = CheckCall(memory.function, memory.address)
        problem.answer_some(*given, *piece, call, *results)
        check.give_back([memory])

    for_each(answer_piece, _pieces(len(request.targets), _PIECE), deadline)


def _pieces(count: int, size: int) -> list[tuple[int, int]]:
    """Split so many targets: first and last of `size` at a time."""
    return [(i, min(i + size, count)) for i in range(0, count, size)]
