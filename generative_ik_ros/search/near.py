"""The one solution nearest to a seed state: what answers without a search, and what counts.

What is nearest of all is also the nearest inside consistency limits, or free of collisions, if it
is so. Where it is not, a search looks for others.
"""

import math
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros._core import CurveProblem, NearProblem, NearRegion
from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.branches import Curves
from generative_ik_ros.search.budget import is_ample
from generative_ik_ros.search.outcome import DONE, LEFT, Outcome
from generative_ik_ros.search.record import Asked, read_packed, with_asked, with_check
from generative_ik_ros.search.stages import NearestProblem, Stages, StepsFromSeed
from generative_ik_ros.solutions import IKSolutions

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck

MOST_NEAR = 1000
"""Solutions at the most that are asked for without a request: more take hardly longer with one."""


def answer_near(stages: Stages, request: SolveRequest, start: float) -> Outcome:
    """Return the nearest solutions in a call that began at `start` [s], where they count."""
    problem, states = nearest_problem(stages), seed_states(request)
    assert problem is not None  # noqa: S101 (see `plan.plan_of`)
    inside = states
    if request.seed_states is not None and request.seed_states.limits is not None:
        limits = stages.chain.lower, stages.chain.upper
        inside = np.where(stages.chain.continuous, states, np.clip(states, *limits))
    begin, count = time.perf_counter(), len(request.targets)
    notes = np.zeros((count, 5), np.int64)
    positions, errors = np.empty((count, 1, stages.chain.num_joints)), np.empty((count, 1, 2))
    left = start + request.timeout - begin
    ask_for_nearest(problem, request, inside, left, (notes, positions, errors))
    found = (notes[:, 1] == DONE) & (notes[:, 0] > 0)
    counts = found & (inside == states).all(axis=1)
    _keep(request, start + request.timeout, positions[:, 0], counts)
    lost = found & ~counts
    notes[lost], positions[lost], errors[lost] = (0, LEFT, 0, 0, 0), np.nan, np.nan
    return Outcome(notes, positions, errors, (begin, time.perf_counter()))


def ask_for_nearest(
    problem: NearestProblem,
    request: SolveRequest,
    states: Floats,
    left: float,
    results: tuple[NDArray, NDArray, NDArray],
) -> None:
    """Have the core write the solutions nearest to seed states (T, n); notes, positions, errors.

    `left` is the time for it [s]. Branches are those that are free of collisions.
    """
    if isinstance(problem, CurveProblem | NearProblem | NearRegion):
        poses = request.targets.reshape(-1, 4, 4)
        problem.answer_all_nearest(poses, states, request.joint_weights, left, results)
        return
    problem.answer_all(
        request.targets, request.joint_weights, True, left, results, request.world, states
    )


def come_nearer(stages: Stages, request: SolveRequest, found: Outcome, deadline: float) -> None:
    """Put what is nearer to the seed states before the solutions that a search has found.

    Inside a region a search ends anywhere. From its nearest solutions, and from the seed state,
    steps lead to the nearest about there.

    Args:
        stages: Of a region.
        request: What was asked for, the nearest first.
        found: What was found, changed in place.
        deadline: Reading of `time.perf_counter` after which it is left as it is [s].
    """
    left = deadline - time.perf_counter()
    if left <= 0.0:
        return
    region = steps_problem(stages)
    assert isinstance(region, NearRegion)  # noqa: S101 (it is of a region)
    region.come_nearer(
        request.targets.reshape(-1, 4, 4),
        request.space.reference,
        request.joint_weights,
        stages.distinct_distance,
        left,
        (found.notes, found.positions, found.errors),
        partial(_keep, request, deadline),
    )


def seed_states(request: SolveRequest) -> Floats:
    """Return the seed state of each target (B, n)."""
    if request.seed_states is not None:
        return request.seed_states.states
    return np.repeat(request.space.reference[None], len(request.targets), axis=0)


def nearest_problem(stages: Stages) -> NearestProblem | None:
    """Return what finds the solution of a pose that is nearest to a seed state, wherever that is.

    None if a search does.
    """
    made = stages.at_once.nearest
    if made is None:
        made = stages.at_once.nearest = (_new_problem(stages),)
    return made[0]


def steps_problem(stages: Stages) -> StepsFromSeed:
    """Return what takes steps from a seed state, where these find the nearest solution."""
    made = stages.at_once.steps
    if made is None:
        box, units = stages.whole.box, stages.joints[3]
        if stages.of_tip is not None:
            region, poses = stages.of_tip
            made = NearRegion(poses, box, units, region.packed)
        else:
            made = NearProblem(stages.problem, box, units)
        stages.at_once.steps = made
    return made


def _new_problem(stages: Stages) -> NearestProblem | None:
    form = stages.branches or stages.curves
    if stages.takes_steps:
        return steps_problem(stages)
    if form is None or (stages.goals and not form.of_limbs):
        return None
    if isinstance(form, Curves):
        on_curves = form.on_curves(stages, stages.whole)
        assert isinstance(on_curves, CurveProblem)  # noqa: S101 (it is for poses)
        return on_curves
    return form.problem(stages, stages.whole)


def try_nearest_at_once(
    stages: Stages,
    targets: object,
    wanted: object,
    seed_state: object,
    consistency_limits: object,
    timeout: object,
    joint_weights: object,
    check: "SceneCheck | None",
    start: float,
) -> IKSolutions | None:
    """Return the result of a call for the solution of one pose that is nearest to a seed state.

    Or of one for several, the nearest first, where branches are all there are. As
    `at_once.try_at_once`, for what robots ask for in a loop.

    Args:
        stages: What the solver has for poses.
        targets: The caller's; None is returned for what is no array of a pose, as for errors.
        wanted: Likewise, the number of solutions.
        seed_state: Likewise, no array of a configuration inside the limits.
        consistency_limits: Likewise, also where the nearest solution is not inside of them.
        timeout: Likewise; too short a time is left to the sources of a plan.
        joint_weights: Likewise, no array of weights.
        check: What has to be free of collisions; None is returned where the solution is not.
        start: Reading of `time.perf_counter` when the call began [s].
    """
    if type(wanted) is not int or not 0 < wanted <= (MOST_NEAR if check is None else 1):
        return None
    if timeout is not None and not is_ample(timeout, wanted):
        return None
    made = stages.at_once.nearest
    problem = made[0] if made is not None else nearest_problem(stages)
    if problem is None:
        return None
    found = problem.solve_nearest(
        targets, seed_state, joint_weights, consistency_limits, wanted, IKSolutions, read_packed,
        stages, start,
    )  # fmt: skip
    if found is None:
        return None
    if not found.counts.item(0):
        if not (check is stages.approximate is None):
            return None
        return _without(found, targets, timeout, seed_state, consistency_limits, joint_weights)
    if check is None:
        return found
    return with_check(found, check) if _is_free(check, found.positions[0, 0]) else None


def _without(found: IKSolutions, targets: object, timeout: Any, *about: object) -> IKSolutions:  # noqa: ANN401
    """Return a result without a solution; about: seed state, consistency limits, joint weights."""
    seed, limits, weights = (None if one is None else np.array(one) for one in about)
    time_left = math.inf if timeout is None else timeout
    return with_asked(found, Asked(np.array(targets), time_left, 0, seed, limits, weights))


def _is_free(check: "SceneCheck", q: Floats) -> bool:
    """Say whether a configuration (n,) is free of collisions, by spheres or the shapes."""
    verdict = check.verdicts(q[None]).item()
    return verdict == Verdict.FREE or (verdict == Verdict.UNDECIDED and not check.collides(q))


def _keep(request: SolveRequest, deadline: float, positions: Floats, counts: Bools) -> None:
    """Take out of those that count (T,) what collides, or is outside the limits (T, n).

    What there is no time for does not count either.
    """
    seeds, space = request.seed_states, request.space
    if seeds is None:
        if space.narrowed:
            counts &= ((space.lower <= positions) & (positions <= space.upper)).all(axis=1)
    elif seeds.limits is not None:
        counts &= (np.abs(positions - seeds.states) <= seeds.limits).all(axis=1)
    if request.check is not None:
        _keep_free(request.check, positions, counts, deadline)


def _keep_free(check: "SceneCheck", positions: Floats, counts: Bools, deadline: float) -> None:
    """Take out of those that count (T,) what collides (T, n), or what there is no time for."""
    some = counts.nonzero()[0]
    verdicts = check.verdicts(positions[some])
    counts[some[verdicts > Verdict.UNDECIDED]] = False
    for t in some[verdicts == Verdict.UNDECIDED].tolist():
        counts[t] = time.perf_counter() < deadline and not check.collides(positions[t])
