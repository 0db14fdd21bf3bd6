"""Solutions of one target, wherever they are: the core searches for them in memory of its own.

It does what `Search` and `Results` do for such a call, and for a few targets one after the other.
Where a search is not over soon, or with a solution that spheres do not show to be free, these
begin anew.
"""

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import _core
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.quasi_random import recurrence
from generative_ik_ros.search.budget import budget_of, null_space_steps
from generative_ik_ros.search.one_by_one import together
from generative_ik_ros.search.outcome import DONE, LEFT, Closest, Outcome
from generative_ik_ros.search.seeding import Seeding
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.pool import num_buckets
from generative_ik_ros.solutions import Timings

_NONE, _NONE_YET = np.array([[0, DONE, 0, 0, 0]]), np.array([[0, LEFT, 0, 0, 0]])
"""Notes of a target, see `Outcome`."""


class SingleTuning(NamedTuple):
    """How long solutions are searched for before that is left to `Search`."""

    steps: int = 128
    """Steps of all lanes with collision checks: 99 of 100 poses are solved in fewer."""
    steps_to_give_up: int = 320
    """The same without: nine of ten poses that are out of reach are given up in fewer."""
    steps_for_more: int = 8
    """And for each solution of several."""
    colliding: int = 63
    """Solutions that are kept although they collide, of calls for one."""


TUNING = SingleTuning()
MOST_LEFT = 4
"""Of a few targets, as many that are left are searched for one after the other."""


class SingleFound(NamedTuple):
    """What such a search has come to.

    Attributes:
        solved: Whether it has solutions that are free of collisions: all that are wanted, or as
            many as there are.
        none: Whether it has found out that there seems to be none.
        found: How many solutions it has.
        positions: (1, N, n) solutions, or the closest configuration, NaN behind them [rad or m].
        errors: (1, N, 2) of solutions [m and rad].
        work: How much work it was, without `total`.
    """

    solved: bool
    none: bool
    found: int
    positions: NDArray[np.float64]
    errors: NDArray[np.float64]
    work: Timings

    @property
    def notes(self) -> NDArray[np.int64]:
        """Notes of the solutions, see `Outcome`."""
        return np.array([[self.found, DONE, 0, 0, 0]])


def find_single(
    stages: Stages,
    targets: NDArray[np.float64],
    wanted: int,
    random_seed: int,
    world: _core.CollisionWorld | None = None,
    timeout: float = math.inf,
) -> SingleFound | None:
    """Search for solutions of a target (1, ...) of poses; None if these are no poses.

    The timeout [s] is that of the call, most of which is left to a general search.
    """
    begin = time.perf_counter()
    search = stages.at_once.searches.get(wanted)
    if search is None:
        search = stages.at_once.searches[wanted] = _made(stages, wanted)
    steps = TUNING.steps_to_give_up if world is None else TUNING.steps
    steps += TUNING.steps_for_more * (wanted - 1)
    points = recurrence(random_seed, stages.chain.num_joints)
    if wanted == 1 and stages.sampler.first_seeds:
        ask = partial(search.find, targets, points, steps, world)
        return _find_from_seeds(stages, targets, random_seed, ask, begin + timeout / 4.0)
    return _found_by(search.find(targets, points, steps, world), begin)


def _find_from_seeds(
    stages: Stages,
    targets: NDArray[np.float64],
    random_seed: int,
    ask: Callable[..., Any],
    deadline: float,
) -> SingleFound | None:
    """Search from the sampler's seeds: more and more of them, as the first ones mostly do.

    After the deadline, a reading of `time.perf_counter` [s], no more are tried.
    """
    if not np.isfinite(targets).all():  # of which no sampler knows anything
        return None
    sampler, space = stages.sampler, stages.whole
    found, before, work = None, 0, Timings(0.0, 0.0, 0.0, 0.0, 0, 0, 0, 0, 0, 0)
    for count in sampler.first_seeds:
        begin = time.perf_counter()
        request = SeedRequest(targets, count, space.lower, space.upper, random_seed, before)
        seeds = np.ascontiguousarray(sampler.propose(request)[0])
        between = time.perf_counter()
        work = work._replace(propose=work.propose + between - begin, rounds=work.rounds + 1)
        found = _found_by(ask(seeds), between)
        if found is None:
            return None
        work, before = work.plus(found.work), before + count
        if found.solved or found.none or time.perf_counter() > deadline:
            break
    return None if found is None else found._replace(work=work)


def _found_by(found: tuple[Any, ...] | None, begin: float) -> SingleFound | None:
    """Return what a search of the core has come to that began at `begin` [s]."""
    if found is None:
        return None
    state, count, positions, errors, seeds, null_space_steps, exact, distinct, iterations = found
    spent = time.perf_counter() - begin
    # In the order of its fields, which takes half of the time.
    work = Timings(0.0, spent, 0.0, 0.0, 0, seeds, null_space_steps, exact, distinct, iterations)
    return SingleFound(state == 0, state == 1, count, positions, errors, work)


def single_outcome(
    stages: Stages, request: SolveRequest, found: SingleFound | None = None
) -> Outcome | None:
    """Return what a call for one target, or a few, finds, None if `Search` has to find it.

    Args:
        stages: Sampler, refiner and verifier.
        request: The call.
        found: What its search has come to, if it is over.
    """
    if len(request.targets) > 1:
        return _outcome_of_few(stages, request)
    if found is None:
        world = None if request.check is None else request.check.world
        found = find_single(
            stages, request.targets, request.num_solutions, request.random_seed, world,
            request.timeout,
        )  # fmt: skip
    if found is None or not (found.solved or found.none):
        return None
    if found.solved:
        return Outcome(found.notes, found.positions, found.errors, found.work)
    space, closest = stages.whole, found.positions[:, 0]
    best = _core.nearest_turn(closest, space.reference, space.lower, space.upper, space.circular)
    errors = stages.verifier.errors(best, request.targets, np.zeros(1, np.int64))
    return Outcome(
        (_NONE_YET if stages.hurried else _NONE).copy(), np.full(found.positions.shape, np.nan),
        found.errors, found.work,
        closest=Closest(best, np.stack(errors, axis=1), np.ones(1, np.bool_)),
    )  # fmt: skip


def _outcome_of_few(stages: Stages, request: SolveRequest) -> Outcome | None:
    """Return what is found for one target after the other, as in calls for each of them."""
    ones: list[tuple[Outcome, NDArray[np.float64]]] = []
    if len(request.targets) > MOST_LEFT:
        return None
    for t in range(len(request.targets)):
        one = single_outcome(stages, request.of(np.array([t])))
        if one is None:
            return None
        ones.append((one, request.space.reference))
    return together(ones)


def _made(stages: Stages, wanted: int) -> _core.SingleSearch:
    """Return the search of a solver for so many solutions."""
    space, any_pose = stages.whole, np.eye(4)[None]
    pose = any_pose[:, None] if stages.goals else any_pose
    request = SolveRequest(pose, wanted, None, space, math.inf, 0)
    seeding = Seeding(stages, request, math.inf)
    budget = budget_of(stages, request, seeding.first_batch)
    near = math.inf if stages.deficient else stages.near
    colliding = TUNING.colliding if wanted == 1 else 0
    steps = null_space_steps(stages, budget.looked_for, seeding.traces)
    return _core.SingleSearch(
        *stages.problem, stages.goals, space.box, *space.grid, *stages.joints,
        seeding.first_batch, stages.step, *budget.persistence, near, wanted, budget.looked_for,
        budget.enough, colliding, steps, num_buckets(budget.looked_for + colliding,
        budget.looked_for), seeding.traces,
    )  # fmt: skip
