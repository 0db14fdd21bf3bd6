"""One solution of one target, wherever it is: the core searches for it in memory of its own.

It does what `Search` and `Results` do for such a call. Where a search is not over soon, or with a
solution that spheres do not show to be free, these begin anew.
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
from generative_ik_ros.search.outcome import DONE, LEFT, Closest, Outcome
from generative_ik_ros.search.seeding import Seeding
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.solutions import Timings

_FOUND, _NONE = np.array([[1, DONE, 0, 0, 0]]), np.array([[0, DONE, 0, 0, 0]])
_NONE_YET = np.array([[0, LEFT, 0, 0, 0]])
"""Notes of a target, see `Outcome`."""


class FirstSolutionTuning(NamedTuple):
    """How long one solution is searched for before that is left to `Search`."""

    steps: int = 128
    """Steps of all lanes with collision checks: 99 of 100 poses are solved in fewer."""
    steps_to_give_up: int = 320
    """The same without: nine of ten poses that are out of reach are given up in fewer."""


TUNING = FirstSolutionTuning()


class FirstFound(NamedTuple):
    """What such a search has come to.

    Attributes:
        solved: Whether it has a solution that is free of collisions.
        none: Whether it has found out that there seems to be none.
        positions: (1, 1, n) the solution, or the closest configuration [rad or m].
        errors: (1, 1, 2) of the solution [m and rad].
        work: How much work it was, without `total`.
    """

    solved: bool
    none: bool
    positions: NDArray[np.float64]
    errors: NDArray[np.float64]
    work: Timings

    @property
    def notes(self) -> NDArray[np.int64]:
        """Notes of a solution, see `Outcome`."""
        return _FOUND.copy()


def find_first(
    stages: Stages,
    targets: NDArray[np.float64],
    random_seed: int,
    world: _core.CollisionWorld | None = None,
    timeout: float = math.inf,
) -> FirstFound | None:
    """Search for one solution of a target (1, ...) of poses; None if these are no poses.

    The timeout [s] is that of the call, most of which is left to a general search.
    """
    begin = time.perf_counter()
    search = stages.at_once.first
    if search is None:
        search = stages.at_once.first = _made(stages)
    steps = TUNING.steps_to_give_up if world is None else TUNING.steps
    points = recurrence(random_seed, stages.chain.num_joints)
    if stages.sampler.first_seeds:
        ask = partial(search.find, targets, points, steps, world)
        return _find_from_seeds(stages, targets, random_seed, ask, begin + timeout / 4.0)
    return _first_found(search.find(targets, points, steps, world), begin)


def _find_from_seeds(
    stages: Stages,
    targets: NDArray[np.float64],
    random_seed: int,
    ask: Callable[..., Any],
    deadline: float,
) -> FirstFound | None:
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
        found = _first_found(ask(seeds), between)
        if found is None:
            return None
        work, before = work.plus(found.work), before + count
        if found.solved or found.none or time.perf_counter() > deadline:
            break
    return None if found is None else found._replace(work=work)


def _first_found(found: tuple[Any, ...] | None, begin: float) -> FirstFound | None:
    """Return what a search of the core has come to that began at `begin` [s]."""
    if found is None:
        return None
    state, positions, errors, seeds, null_space_steps, exact, distinct, iterations = found
    spent = time.perf_counter() - begin
    # In the order of its fields, which takes half of the time.
    work = Timings(0.0, spent, 0.0, 0.0, 0, seeds, null_space_steps, exact, distinct, iterations)
    return FirstFound(state == 0, state == 1, positions, errors, work)


def first_solution(
    stages: Stages, request: SolveRequest, found: FirstFound | None = None
) -> Outcome | None:
    """Return what a call for one solution of one target finds, None if `Search` has to find it.

    Args:
        stages: Sampler, refiner and verifier.
        request: The call.
        found: What its search has come to, if it is over.
    """
    if found is None:
        world = None if request.check is None else request.check.world
        found = find_first(stages, request.targets, request.random_seed, world, request.timeout)
    if found is None or not (found.solved or found.none):
        return None
    if found.solved:
        return Outcome(found.notes, found.positions, found.errors, found.work)
    space, closest = stages.whole, found.positions[:, 0]
    best = _core.nearest_turn(closest, space.reference, space.lower, space.upper, space.circular)
    errors = stages.verifier.errors(best, request.targets, np.zeros(1, np.int64))
    return Outcome(
        (_NONE_YET if stages.hurried else _NONE).copy(), np.full((1, *best.shape), np.nan),
        np.full((1, 1, 2), np.nan), found.work,
        closest=Closest(best, np.stack(errors, axis=1), np.ones(1, np.bool_)),
    )  # fmt: skip


def _made(stages: Stages) -> _core.FirstSearch:
    """Return the search of a solver."""
    space, any_pose = stages.whole, np.eye(4)[None]
    pose = any_pose[:, None] if stages.goals else any_pose
    seeding = Seeding(stages, SolveRequest(pose, 1, None, space, math.inf, 0), math.inf)
    near = math.inf if stages.deficient else stages.near
    return _core.FirstSearch(
        *stages.problem, stages.goals, space.box, *space.grid,
        seeding.first_batch, stages.step, *stages.persistence, near,
    )  # fmt: skip
