"""The plan of a call: which sources propose its solutions, in which order, with which budgets.

Each source answers for the targets that those before it have left. This is the only place that
decides which of them a call has; docs/decisions/one-way.md shows the table.
"""

import math
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from generative_ik_ros._core import FEW_POSES, FEW_POSES_OF_ZEROS, CurveProblem
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.branches import Branches, Curves
from generative_ik_ros.search.budget import looked_for_on_curves
from generative_ik_ros.search.on_device import serves
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.preferences import DIVERSE, NEAREST, SCORES

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck

_ANY_POSE = np.eye(4)[None]


class CurveTuning(NamedTuple):
    """When solutions are best found on the curves that they form."""

    fewest: int = 2
    """Solutions wanted at the least: fewer are found sooner by a search."""
    few_poses: int = 8
    """Of more poses than these, a search has one in each vector lane."""
    few_for_one: int = FEW_POSES
    """Of as many poses at the most, any one solution is a point on its curves; of more, those of
    a search take less time."""
    few_of_zeros: int = FEW_POSES_OF_ZEROS
    """The same where these are zeros of a polynomial."""
    fewest_of_many: int = 4
    """So many solutions have to be wanted of each of them."""
    scored: int = 60
    """Solutions to choose from by a score at the least, else twice as many as are wanted."""


CURVES = CurveTuning()


class LeastTime(NamedTuple):
    """Timeouts of calls for one target that are searched alone [s].

    All the steps that such a search makes at a time are shorter.
    """

    for_one: float = 1e-3
    for_few: float = 1e-2
    """One solution each of a few targets, side by side."""
    for_several: float = 2.5e-1
    """Several solutions of one."""


LEAST_TIME = LeastTime()
MOST_ALONE = 1000
"""Solutions of one target at the most that are searched for alone."""
MOST_TOGETHER = 256
"""Targets, of one solution each, that are. Of more, what surrounds a search takes less than a
tenth of its time."""


class FirstInPool(Enum):
    """What a search has in its pool before its first seed."""

    NOTHING = "nothing"
    BRANCHES = "branches"
    """All branches of a closed form."""
    CURVES = "solutions on curves"
    """Of a redundant arm; as long as too few of them are free, more."""
    ROWS = "solutions about a free axis"
    LIMBS = "solutions of limbs"
    """All combinations of the limbs' branches, or of solutions on their curves."""
    NEAREST = "the nearest solution of limbs"
    """On their curves, before others about a seed state."""


class FormSource(NamedTuple):
    """A closed form: all branches of a pose, or samples of the curves or surfaces of solutions.

    Attributes:
        form: What is asked.
        candidates: How many solutions of each target it is asked for: those wanted, or more, of
            which a score chooses.
    """

    form: Branches
    candidates: int


class SearchSource(NamedTuple):
    """A search with random restarts, null-space steps, and steps towards the seed state.

    Attributes:
        first: What its pool begins with.
        alone: Whether it is first tried in memory of its own, see `search.single`.
    """

    first: FirstInPool = FirstInPool.NOTHING
    alone: bool = False


class NearSource(NamedTuple):
    """The one solution nearest to the seed state, where it is inside consistency limits and free.

    Steps from the seed state find it, or the closed form.
    """


class DeviceSource(NamedTuple):
    """Random restarts on a GPU, if it has one, and is sooner."""


class OneByOne(NamedTuple):
    """A call of its own for each target, about its own seed state."""


class ApproximateSource(NamedTuple):
    """A search for what is nearest to targets without a solution.

    Attributes:
        stages: What it consists of.
    """

    stages: Stages


Source = DeviceSource | FormSource | NearSource | SearchSource | OneByOne | ApproximateSource


def plan_of(stages: Stages, request: SolveRequest) -> Iterable[Source]:
    """Return the sources of a call, in order; the last is one that leaves nothing.

    Where something is preferred, it is followed by approximations for targets without a solution.

    Args:
        stages: What the solver has for the regions of the call.
        request: The call.
    """
    if stages.approximate is not None:
        return (*_exactly(stages, request), ApproximateSource(stages.approximate))
    return _exactly(stages, request)


def _exactly(stages: Stages, request: SolveRequest) -> Iterable[Source]:
    """Return the sources of exact solutions."""
    if serves(stages, request):
        return DeviceSource(), *_exactly(stages.on_cpu, request)
    form = stages.branches or stages.curves
    near = (NearSource(),) if _is_near(stages, request) else ()
    if request.seed_states is not None:
        asked = None if form is None else _closed_form(form, stages, request)
        return (*near, OneByOne()) if asked is None else (asked, OneByOne())
    if form is None:
        return (*near, SearchSource(FirstInPool.NOTHING, _alone(stages, request)))
    return (*near, *_with_form(form, stages, request))


def _with_form(
    form: Branches, stages: Stages, request: SolveRequest
) -> Iterator[FormSource | SearchSource]:
    """Yield the sources of a call to a chain with a closed form; mostly the first is the last."""
    asked = _closed_form(form, stages, request)
    if asked is not None:
        yield asked
    yield _search(stages, request)


def source_for_one_pose(stages: Stages, wanted: int, check: "SceneCheck | None" = None) -> Source:
    """Return the source that is asked first in calls for one pose that say nothing else.

    Regions are as good.
    """
    pose = _ANY_POSE[:, None] if stages.goals else _ANY_POSE
    request = SolveRequest(pose, wanted, None, stages.whole, math.inf, 0, check)
    return next(iter(plan_of(stages, request)))


def prefer_curves(request: SolveRequest, curves: Curves, goals: bool) -> bool:  # noqa: FBT001
    """Return whether the solutions of a call are best found on their curves.

    Args:
        request: The call.
        curves: The closed form.
        goals: Whether targets are regions.
    """
    preferences, looked_for = request.preferences, looked_for_on_curves(request)
    if request.alternatives or request.timeout < Curves.time_for_one * looked_for:
        return False
    if preferences.optimize:
        # These are where an optimization may begin.
        if preferences.order == NEAREST or goals or request.space.narrowed:
            return False
    elif preferences.order != DIVERSE:
        return False
    together = not goals and len(request.targets) > CURVES.few_poses
    fewest = CURVES.fewest_of_many if together else CURVES.fewest
    return fewest <= looked_for <= curves.most_wanted


def _closed_form(form: Branches, stages: Stages, request: SolveRequest) -> FormSource | None:
    """Return the closed form with the number of solutions to ask for; None if it is no help."""
    preferences, on_curves = request.preferences, isinstance(form, Curves)
    if request.alternatives:
        return None
    if on_curves and request.check is not None:
        # Those that spheres show to be free: one, or what is the best of them, is searched for.
        several = 1 < request.num_solutions <= MOST_ALONE
        if stages.goals or not several or preferences.order != DIVERSE:
            return None
    seeds = request.seed_states
    if seeds is not None and (seeds.limits is not None or preferences.order != NEAREST):
        return None
    if preferences.scored:
        return _to_choose_from(form, stages, request)
    if preferences.order not in (DIVERSE, NEAREST) or not form.serves(request):
        return None
    if isinstance(form, Curves):
        most = CURVES.few_for_one if form.formula else CURVES.few_of_zeros
        few = len(request.targets) <= most
        if request.takes_any and few and stages.for_one is not None:
            form = stages.for_one
        elif not (
            _finds_nearest(form, stages, request) or prefer_curves(request, form, stages.goals)
        ):
            return None
    return FormSource(form, request.num_solutions)


def _is_near(stages: Stages, request: SolveRequest) -> bool:
    """Return whether the one solution that is nearest to a seed state is looked for by itself.

    Closed forms find it as they find others, but on curves not among others that count.
    """
    seeds, preferences, form = request.seed_states, request.preferences, stages.branches
    one = request.num_solutions == 1 and preferences.order == NEAREST
    if not one or preferences.optimize or request.alternatives:
        return False
    narrowed = request.space.narrowed if seeds is None else seeds.limits is not None
    if stages.takes_steps:
        return True
    if stages.goals:
        limbs = form is not None and form.of_limbs
        return limbs and (narrowed or request.check is not None)
    if form is not None:
        return narrowed
    checked = narrowed or request.check is not None
    return checked and stages.curves is not None and stages.curves.special


def _finds_nearest(curves: Curves, stages: Stages, request: SolveRequest) -> bool:
    """Return whether curves are asked for the one solution that is nearest to a seed state."""
    one = request.num_solutions == 1 and request.preferences.order == NEAREST
    return one and curves.special and not (stages.goals or request.space.narrowed)


def _to_choose_from(form: Branches, stages: Stages, request: SolveRequest) -> FormSource | None:
    """Return the same for a call that prefers a score."""
    preferences, wanted = request.preferences, request.num_solutions
    if stages.goals or not (callable(preferences.order) or preferences.order in SCORES):
        return None
    candidates = form.most + wanted
    if isinstance(form, Curves):
        candidates = max(CURVES.scored, 2 * wanted)
        # What is optimized moves on from there.
        if preferences.optimize or candidates > form.most_wanted:
            return None
        if request.timeout < Curves.time_for_one * candidates:
            return None
    numbers = len(request.targets) * candidates * stages.chain.num_joints
    if numbers > 1 << 26:  # they would take much memory at a time; a search keeps fewer solutions
        return None
    return FormSource(form, candidates)


def _search(stages: Stages, request: SolveRequest) -> SearchSource:
    """Return the search of a chain with a closed form."""
    first, branches, curves = FirstInPool.NOTHING, stages.branches, stages.curves
    if branches is not None:
        if branches.begins(request):
            first = FirstInPool.LIMBS if branches.of_limbs else FirstInPool.BRANCHES
        elif branches.begins_with_nearest(request):
            first = FirstInPool.NEAREST
    elif curves is not None and _begins_on(curves, stages, request):
        first = FirstInPool.ROWS if stages.goals else FirstInPool.CURVES
    # Of branches that collide it would not know.
    known = first in (FirstInPool.BRANCHES, FirstInPool.LIMBS) and request.check is not None
    alone = not known and _alone(stages, request, first)
    return SearchSource(first, alone)


def _begins_on(curves: Curves, stages: Stages, request: SolveRequest) -> bool:
    """Return whether a search begins with solutions on curves.

    What is neither checked nor optimized and left to the search is not on them, but for other full
    turns of solutions about a free axis, or it is more than what is on them.
    """
    left = request.check is not None or request.preferences.optimize or curves.turns
    left |= not stages.goals and request.num_solutions > CurveProblem.MANY
    return left and prefer_curves(request, curves, stages.goals)


def _alone(
    stages: Stages, request: SolveRequest, first: FirstInPool = FirstInPool.NOTHING
) -> bool:
    """Return whether a call is for solutions of one target, anywhere or near a seed state.

    Or for one solution of each of a few.
    """
    count, around = len(request.targets), request.seed_state is not None
    if not 0 < count <= MOST_TOGETHER or request.alternatives:
        return False
    if request.timeout < LEAST_TIME.for_one or request.space.narrowed:
        return False
    if count > 1 and (not stages.makes_seeds or request.timeout < LEAST_TIME.for_few):
        return False
    if request.takes_any:
        return not around
    return (
        count == 1
        and (around or request.num_solutions > 1)
        and request.num_solutions <= MOST_ALONE
        and first in (FirstInPool.NOTHING, FirstInPool.NEAREST)
        and stages.preference is None
        and request.timeout >= LEAST_TIME.for_several
        and request.preferences.order == (NEAREST if around else DIVERSE)
        and not request.preferences.optimize
        # The nearest may be full turns away.
        and not (around and stages.turns)
    )
