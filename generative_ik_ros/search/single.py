"""Solutions of one target, wherever they are: the core searches for them in memory of its own.

It does what `Search` and `Results` do for such a call, and for one solution each of a few targets.
Where a search is not over soon, these begin anew.
"""

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.samplers.quasi_random import recurrence
from generative_ik_ros.search.budget import budget_of
from generative_ik_ros.search.outcome import DONE
from generative_ik_ros.search.plan import LEAST_TIME
from generative_ik_ros.search.record import read_packed
from generative_ik_ros.search.seeding import Seeding
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.solutions import IKSolutions, Timings

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck

_ONE = np.zeros(1, np.int64)


class SingleTuning(NamedTuple):
    """How long solutions are searched for before that is left to `Search`."""

    steps: int = 128
    """Steps of all lanes with collision checks: 99 of 100 poses have one solution in fewer."""
    steps_to_give_up: int = 320
    """The same otherwise: nine of ten poses that are out of reach are given up in fewer."""
    steps_for_more: int = 8
    """And for each solution of several."""
    steps_for_few: int = 64
    """The same of some targets together, which are soon solved or left, but for"""
    steps_for_each: int = 8
    """steps more for each of them,"""
    steps_to_minima: int = 2
    """or fewer if local minima are looked for at targets that are not solved soon."""


TUNING = SingleTuning()


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
    positions: Floats
    errors: Floats
    work: Timings

    @property
    def notes(self) -> Ints:
        """Notes of the solutions, see `Outcome`."""
        return np.array([[self.found, DONE, 0, 0, 0]])


def find_single(
    stages: Stages,
    targets: Floats,
    wanted: int,
    random_seed: int,
    check: "SceneCheck | None" = None,
    timeout: float = math.inf,
    seed_state: Floats | None = None,
    weights: Floats | None = None,
) -> SingleFound | None:
    """Search for solutions of a target (1, ...) of poses; None if these are no poses.

    The timeout [s] is that of the call, most of which is left to a general search. With a seed
    state (n,) the nearest to it are looked for, by weights (n,).
    """
    begin, asked = time.perf_counter(), None
    search, steps = _search_for(stages, wanted, seed_state is not None, check)
    points = recurrence(random_seed, stages.chain.num_joints)
    if not stages.makes_seeds:
        asked = _SamplerSeeds(stages, targets, wanted, random_seed, begin + timeout / 4.0)
    world, collides = checks(check, timeout)
    limbs = _nearest_of(stages, wanted, seed_state)
    found = search.find(targets, points, steps, world, asked, seed_state, weights, collides, limbs)
    return _found_by(found, begin, asked)


def solve_single(
    stages: Stages,
    targets: Floats,
    wanted: int,
    random_seed: int,
    check: "SceneCheck | None",
    seed_state: Floats | None,
    start: float,
    timeout: float = math.inf,
) -> IKSolutions | SingleFound | None:
    """Return the result of a call, or what the search has come to; see `find_single`.

    Args:
        stages: What is searched with, which makes all seeds itself.
        targets: (4, 4) pose of a chain's tip, or (1, G, 4, 4) of several [m]; or (T, ...) of some
            of which one solution each is wanted, anywhere.
        wanted: Number of solutions.
        random_seed: Of the search.
        check: What solutions must not collide with.
        seed_state: (n,) if the nearest to it are wanted [rad or m].
        start: Reading of `time.perf_counter` when the call began [s].
        timeout: Of the call [s].
    """
    begin = time.perf_counter()
    search, steps = _search_for(stages, wanted, seed_state is not None, check)
    points = recurrence(random_seed, stages.chain.num_joints)
    if len(targets) > 1 and targets.ndim > 2:
        each = TUNING.steps_to_minima if stages.deficient else TUNING.steps_for_each
        steps = TUNING.steps_for_few + each * min(len(targets), _core.SIDE_BY_SIDE)
    world, collides = checks(check, timeout)
    found = search.solve_one(
        targets,
        points,
        steps,
        world,
        seed_state,
        collides,
        _nearest_of(stages, wanted, seed_state),
        IKSolutions,
        read_packed,
        stages,
        start,
    )
    return _found_by(found, begin, None) if isinstance(found, tuple) else found


def _search_for(
    stages: Stages,
    wanted: int,
    around: bool,  # noqa: FBT001
    check: "SceneCheck | None",
) -> tuple[_core.SingleSearch, int]:
    """Return the search for so many solutions, and after how many steps it is left."""
    searches, key = stages.at_once.searches, (wanted, around, check is None)
    search = searches.get(key)
    if search is None:
        search = searches[key] = _made(stages, wanted, around, check)
    soon = check is not None and wanted == 1 and not around
    steps = TUNING.steps if soon else TUNING.steps_to_give_up
    return search, steps + TUNING.steps_for_more * (wanted - 1)


def _nearest_of(
    stages: Stages, wanted: int, seed_state: Floats | None
) -> _core.LimbsProblem | None:
    """Return what knows the nearest of several solutions; None where they are not of limbs."""
    form = stages.branches
    if seed_state is None or wanted == 1 or form is None or not form.on_curves:
        return None
    problem = form.problem(stages, stages.whole)
    assert isinstance(problem, _core.LimbsProblem)  # noqa: S101 (others are not on curves)
    return problem


def checks(
    check: "SceneCheck | None", timeout: float
) -> tuple[_core.CollisionWorld | None, Callable[[Floats], bool] | None]:
    """Return what solutions are to be free of, and what decides where spheres cannot tell.

    Where there is little time, that is left to a search that looks at the clock.
    """
    if check is None:
        return None, None
    return check.world, check.collides if timeout >= LEAST_TIME.for_several else None


class _SamplerSeeds:
    """Has a sampler propose seeds for one target, more and more of them.

    Args:
        stages: Sampler and space.
        targets: (1, ...) of poses.
        wanted: Number of solutions.
        random_seed: Of the search.
        deadline: Reading of `time.perf_counter` after which there are no more [s].

    Attributes:
        seeding: Has asked the sampler.
    """

    def __init__(
        self, stages: Stages, targets: Floats, wanted: int, random_seed: int, deadline: float
    ):
        """Ask for nothing yet."""
        request = SolveRequest(targets, wanted, None, stages.whole, math.inf, random_seed)
        self.seeding, self._deadline = Seeding(stages, request), deadline
        self._none = np.empty((0, stages.chain.num_joints))

    def __call__(self, before: int, count: int) -> Floats:
        """Return (K, n) seeds that follow those before."""
        seeding = self.seeding
        if before and time.perf_counter() > self._deadline:
            return self._none
        if before:
            count = seeding.batch(seeding.rounds, count)
        return np.ascontiguousarray(seeding.more(_ONE, count, before)[0])


def _found_by(
    found: tuple[Any, ...] | None, begin: float, asked: _SamplerSeeds | None
) -> SingleFound | None:
    """Return what a search of the core has come to that began at `begin` [s]."""
    if found is None:
        return None
    state, count, positions, errors, seeds, null_space_steps, exact, distinct, iterations = found
    spent, propose, rounds = time.perf_counter() - begin, 0.0, 0
    if asked is not None:
        propose, rounds = asked.seeding.propose_time, asked.seeding.rounds
    # In the order of its fields, which takes half of the time.
    work = Timings(
        propose, spent - propose, 0.0, 0.0, rounds, seeds, null_space_steps, exact, distinct,
        iterations,
    )  # fmt: skip
    return SingleFound(state == 0, state == 1, count, positions, errors, work)


def _made(
    stages: Stages,
    wanted: int,
    around: bool,  # noqa: FBT001
    check: "SceneCheck | None",
) -> _core.SingleSearch:
    """Return the search of a solver for so many solutions, or the nearest to a seed state."""
    space, any_pose = stages.whole, np.eye(4)[None]
    pose = any_pose[:, None] if stages.goals else any_pose
    seed_state = space.reference if around else None
    request = SolveRequest(pose, wanted, seed_state, space, math.inf, 0, check)
    near = math.inf if stages.deficient else stages.near
    return _core.SingleSearch(
        stages.problem, stages.goals, space.box, space.grid, stages.joints,
        budget_of(stages, request, alone=True), near, Seeding(stages, request).endless,
    )  # fmt: skip
