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
from generative_ik_ros.search.outcome import (
    DONE,
    Closest,
    Outcome,
    outcome_in,
    read_packed,
)
from generative_ik_ros.search.plan import LEAST_TIME
from generative_ik_ros.search.ranking import with_other_turns
from generative_ik_ros.search.seeding import Seeding
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.solutions import IKSolutions, Timings

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck

_ONE = np.zeros(1, np.int64)
_NONE = np.array([[0, DONE, 0, 0, 0]])
"""Notes of a target without a solution, see `Outcome`."""


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
    """or fewer where minima are looked for of what is not solved soon."""


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
        asked = _Asked(stages, targets, wanted, random_seed, begin + timeout / 4.0)
    world, collides = checks(check, timeout)
    found = search.find(targets, points, steps, world, asked, seed_state, weights, collides)
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


def checks(
    check: "SceneCheck | None", timeout: float
) -> tuple[_core.CollisionWorld | None, Callable[[Floats], bool] | None]:
    """Return what solutions are to be free of, and what decides where spheres cannot tell.

    Where there is little time, that is left to a search that looks at the clock.
    """
    if check is None:
        return None, None
    return check.world, check.collides if timeout >= LEAST_TIME.for_several else None


class _Asked:
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
    found: tuple[Any, ...] | None, begin: float, asked: _Asked | None
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


def single_outcome(
    stages: Stages, request: SolveRequest, found: SingleFound | None = None
) -> Outcome | None:
    """Return what a call for one target finds, None if `Search` has to find it.

    Args:
        stages: Sampler, refiner and verifier.
        request: The call.
        found: What its search has come to, if it is over.
    """
    if found is None:
        found = find_single(
            stages, request.targets, request.num_solutions, request.random_seed, request.check,
            request.timeout, request.seed_state, request.space.box[6],
        )  # fmt: skip
    if found is None or not (found.solved or found.none):
        return None
    if found.solved:
        if found.found < request.num_solutions and stages.turns:
            found = _with_turns(stages, request, found)
        return Outcome(found.notes, found.positions, found.errors, found.work)
    best, errors = _closest(stages, request, found.positions[:, 0], np.zeros(1, np.int64))
    return Outcome(
        _NONE.copy(), np.full(found.positions.shape, np.nan),
        found.errors, found.work,
        closest=Closest(best, errors, np.ones(1, np.bool_)),
    )  # fmt: skip


def few_outcome(stages: Stages, request: SolveRequest) -> Outcome:
    """Return what a call for one solution of each of a few targets finds.

    Those are left to `Search` that are not over soon.
    """
    made = solve_single(stages, request.targets, 1, request.random_seed, request.check, None, 0.0)
    assert isinstance(made, IKSolutions)  # noqa: S101 (they are poses)
    return with_closest(stages, request, few_of(made))


def few_of(made: IKSolutions) -> Outcome:
    """Return what a result of `solve_single` has for several targets.

    Where there is no solution, there is the closest configuration in place of one.
    """
    return outcome_in(made.__dict__["_unread"][1][1], made.positions)[0]


def with_closest(stages: Stages, request: SolveRequest, found: Outcome) -> Outcome:
    """Return what was found for several targets, and how close to those without a solution.

    Args:
        stages: Verifier.
        request: The call.
        found: Of `few_of`; it is changed.
    """
    notes, positions = found.notes, found.positions
    none = (notes[:, 0] == 0).nonzero()[0]
    if not len(none):
        return found
    over = none[notes[none, 1] == DONE]
    best, best_errors = positions[:, 0].copy(), found.errors[:, 0].copy()
    later = np.zeros(len(notes), np.bool_)
    best[over], best_errors[over] = _closest(stages, request, best[over], over)
    later[over], positions[none] = True, np.nan
    return found._replace(closest=Closest(best, best_errors, later))


def _closest(
    stages: Stages, request: SolveRequest, positions: Floats, targets: Ints
) -> tuple[Floats, Floats]:
    """Return closest configurations (A, n) to some targets within limits, and their errors."""
    space = request.space
    best = _core.nearest_turn(positions, space.reference, space.lower, space.upper, space.circular)
    return best, stages.verifier.errors(best, request.targets, targets)


def _with_turns(stages: Stages, request: SolveRequest, found: SingleFound) -> SingleFound:
    """Return the same with others that are full turns away, as many as are wanted."""
    count, wanted = found.found, request.num_solutions
    known = found.positions[0, :count], found.errors[0, :count]
    more = with_other_turns(stages, request, known, 0, wanted - count)
    positions, errors = (np.full(array.shape, np.nan) for array in (found.positions, found.errors))
    positions[0, : len(more[0])], errors[0, : len(more[1])] = more
    return found._replace(positions=positions, errors=errors, found=len(more[0]))


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
