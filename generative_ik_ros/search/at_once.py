"""Calls with few arguments, answered by the first source of their plan without a full request."""

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from generative_ik_ros._core import complete_result, unpack_result
from generative_ik_ros.arguments import MAX_SEED
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.search import closed_form
from generative_ik_ros.search.budget import is_ample
from generative_ik_ros.search.outcome import LEFT, Outcome
from generative_ik_ros.search.plan import (
    LEAST_TIME,
    MOST_TOGETHER,
    DeviceSource,
    FormSource,
    SearchSource,
    source_for_one_pose,
)
from generative_ik_ros.search.record import Asked, read_packed, with_asked, with_check
from generative_ik_ros.search.run import Tried
from generative_ik_ros.search.single import SingleFound, checks, solve_single
from generative_ik_ros.search.single_outcome import few_of, without_solution
from generative_ik_ros.search.stages import AtOnce, Stages
from generative_ik_ros.solutions import IKSolutions

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck

_UNKNOWN: Any = object()
_FLOATS = np.dtype(np.float64)
_POSE = 4, 4
_MOST_LEFT = 4
"""Targets that a closed form has left and that are searched for at once: of more, some are likely
to be out of reach, for which all of it would be done again."""


def try_at_once(
    stages: Stages,
    start: float,
    targets: Any,  # noqa: ANN401 (a caller's, as the others)
    wanted: Any,  # noqa: ANN401
    random_seed: Any,  # noqa: ANN401
    tips: int = 0,
    timeout: Any = None,  # noqa: ANN401
    check: "SceneCheck | None" = None,
) -> IKSolutions | Tried:
    """Return the result of a call for one pose, one region, or a pose of each tip of a tree.

    It says nothing else but what to be free of. Or it is for one solution of each of a few.

    To check a request and put a general result together takes longer than to solve it. So this
    asks the first source of its plan at once: a closed form, or the search for one target.

    Args:
        stages: The closed form, of poses or of a region, and what verifies it.
        start: Reading of `time.perf_counter` when the call began [s].
        targets: The caller's; None is returned for what is no array of a pose, as for errors.
        wanted: Likewise, the number of solutions.
        random_seed: Likewise.
        tips: Of a tree, whose poses are (K, 4, 4); 0 of a chain, whose pose is also (1, 4, 4).
        timeout: The caller's; too short a time is left to what looks at the clock.
        check: What solutions have to be free of.

    Returns:
        What a search has come to that has found nothing, or not for all targets, for `run`; False
        if the closed form has left all of them; None if the call has to be checked first.
    """
    if not _is_usual(wanted, random_seed, timeout):
        return None
    key = wanted, check is None
    ask: Any = stages.at_once.get(key, _UNKNOWN)
    if ask is _UNKNOWN:
        ask = stages.at_once[key] = _first_source(stages, wanted, check)
    if ask is None:
        return None
    time, seed = math.inf if timeout is None else timeout, random_seed or 0
    if ask == "search":
        if wanted > 1 and time < LEAST_TIME.for_several:
            return None
        few = wanted == 1 and time >= LEAST_TIME.for_few
        poses = _poses_of(targets, tips, MOST_TOGETHER if few else 1)
        return _search_at_once(stages, start, poses, wanted, seed, check, time)
    world, collides = checks(check, time)
    found = ask(targets, wanted, world, seed, collides, IKSolutions, read_packed, stages, start)
    if found is False and wanted == 1 and check is stages.branches is None:
        poses = _poses_of(targets, tips, 1)
        searched = _search_at_once(stages, start, poses, 1, seed, None, time)
        return False if searched is None else searched
    if not isinstance(found, IKSolutions):
        return found
    if check is not None:
        return with_check(found, check)
    counts = found.counts
    if counts.all() if len(counts) > 1 else counts.item(0):
        return found
    return _completed(found, stages, Asked(targets.copy(), time, seed))


def try_several_near(
    stages: Stages,
    start: float,
    targets: Any,  # noqa: ANN401 (a caller's, as the others)
    wanted: Any,  # noqa: ANN401
    seed_state: Any,  # noqa: ANN401
    timeout: Any,  # noqa: ANN401
    tips: int = 0,
    check: "SceneCheck | None" = None,
) -> IKSolutions | None:
    """Return the result of a call for several solutions of one pose near a seed state.

    As `try_at_once`, by a search that such a call has needed before.
    """
    key = wanted, True, check is None
    if not _is_usual(wanted, None, timeout) or key not in stages.at_once.searches:
        return None
    if wanted == 1:  # which other sources are asked for first
        return None
    if stages.of_tip is not None or (timeout is not None and timeout < LEAST_TIME.for_several):
        return None
    if type(seed_state) is not np.ndarray or seed_state.dtype is not _FLOATS:
        return None
    whole = stages.whole
    if seed_state.shape != whole.lower.shape or not seed_state.flags.carray:
        return None
    if not ((whole.lower <= seed_state) & (seed_state <= whole.upper)).all():
        return None
    poses = _poses_of(targets, tips, 1)
    time = math.inf if timeout is None else timeout
    found = _search_at_once(stages, start, poses, wanted, 0, check, time, seed_state)
    return found if isinstance(found, IKSolutions) else None


def _completed(found: IKSolutions, stages: Stages, asked: Asked) -> IKSolutions | None:
    """Return a result with solutions that a search finds of targets that are left to it.

    None if it does not, or these are many: a general call answers then. Others without a solution
    are known to have none.
    """
    packed = found.__dict__["_unread"][1][1]
    left = (unpack_result(packed)[0][:, 1] == LEFT).nonzero()[0]
    if len(left) and not _solve_left(found, packed, left, stages, asked):
        return None
    return found if found.counts.all() else with_asked(found, asked)


def _solve_left(
    found: IKSolutions, packed: bytes, left: Ints, stages: Stages, asked: Asked
) -> bool:
    """Write solutions of all targets that are left (L,); say whether that was done."""
    if stages.branches is not None or not stages.makes_seeds or len(left) > _MOST_LEFT:
        return False
    more = solve_single(stages, asked.targets[left], 1, asked.random_seed, None, None, 0.0)
    if not isinstance(more, IKSolutions) or np.count_nonzero(more.counts) < len(left):
        return False
    found.positions[left], found.counts[left] = more.positions, 1
    errors = more.position_error[:, 0].tolist(), more.orientation_error[:, 0].tolist()
    for t, *error in zip(left.tolist(), *errors, strict=True):
        complete_result(packed, t, *error)
    return True


def _is_usual(wanted: Any, random_seed: Any, timeout: object) -> bool:  # noqa: ANN401 (a caller's)
    """Say whether arguments are such as `try_at_once` takes; all others are left to the checks."""
    # More solutions take hardly longer with a request.
    if type(wanted) is not int or not 0 < wanted <= 1000:
        return False
    if random_seed is not None and not (type(random_seed) is int and 0 <= random_seed <= MAX_SEED):
        return False
    return timeout is None or is_ample(timeout, wanted)


def _search_at_once(
    stages: Stages,
    start: float,
    poses: Floats | None,
    wanted: int,
    random_seed: int,
    check: "SceneCheck | None",
    timeout: float,
    seed_state: Floats | None = None,
) -> IKSolutions | SingleFound | Outcome | None:
    """Return what a search has come to; see `try_at_once`.

    Args:
        stages: See there, as all others.
        start: See there.
        poses: Of `_poses_of`.
        wanted: Number of solutions.
        random_seed: Of the search.
        check: See there.
        timeout: Of the call [s].
        seed_state: (n,) if the nearest to it are wanted.
    """
    if poses is None or not stages.makes_seeds or (wanted > 1 and stages.turns):
        return None
    found = solve_single(stages, poses, wanted, random_seed, check, seed_state, start, timeout)
    if not isinstance(found, IKSolutions):
        plain = check is seed_state is stages.approximate is None
        if plain and found is not None and found.none:
            return without_solution(
                stages, found, Asked(poses.copy(), timeout, random_seed), start
            )
        return found
    if len(found.counts) > 1 and np.count_nonzero(found.counts) < len(found.counts):
        return few_of(found)
    return with_check(found, check) if check else found


def _poses_of(targets: Any, tips: int, most: int) -> Floats | None:  # noqa: ANN401 (a caller's)
    """Return the poses of up to so many targets as they are; None if it is anything else."""
    if type(targets) is not np.ndarray or targets.dtype is not _FLOATS:
        return None
    shape = targets.shape
    if shape[-2:] != _POSE or not targets.flags.carray:
        return None
    if tips > 1:
        if len(shape) == 3 and shape[0] == tips:
            return targets[None]
        return targets if len(shape) == 4 and shape[1] == tips and 0 < shape[0] <= most else None
    return targets if len(shape) == 2 or (len(shape) == 3 and 0 < shape[0] <= most) else None


def _first_source(
    stages: Stages, wanted: int, check: "SceneCheck | None"
) -> AtOnce | Literal["search"] | None:
    """Return what is asked first in calls for one pose that say nothing else.

    Args:
        stages: As in `try_at_once`.
        wanted: Number of solutions.
        check: Of one of them; None: collisions are not checked.

    Returns:
        A closed form, or the search for one target; None if it is another source.
    """
    first = source_for_one_pose(stages, wanted, check)
    if isinstance(first, DeviceSource):
        return None
    if isinstance(first, SearchSource):
        return "search" if first.alone else None
    assert isinstance(first, FormSource)  # noqa: S101 (there is no seed state)
    return closed_form.at_once(first.form, stages, among=check is not None)
