"""One solution of one target: the search in which Python takes longer than the core.

It does what `Search` and `Results` do for such a call, in memory that is used again. Where a
search is not over soon, or with a solution that spheres do not show to be free, they begin anew.
"""

import math
import time
from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from generative_ik_ros import _core
from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.samplers.quasi_random import recurrence
from generative_ik_ros.search.outcome import DONE, LEFT, Closest, Outcome
from generative_ik_ros.search.records import LANE, RUN, TARGET, new_records
from generative_ik_ros.search.seeding import Seeding
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.pool import NUMBERS
from generative_ik_ros.solutions import Timings

# Arguments of the core come as tuples, whose length a type checker does not see.
# pyright: reportCallIssue=false

_FOUND, _NONE = np.array([[1, DONE, 0, 0, 0]]), np.array([[0, DONE, 0, 0, 0]])
_NONE_YET = np.array([[0, LEFT, 0, 0, 0]])
"""Notes of a target, see `Outcome`."""
_COUNTERS = (
    "restarts", "null_space_seeds", "restarts_converged", "null_space_converged", "iterations",
)  # fmt: skip


class FirstSolutionTuning(NamedTuple):
    """How long one solution is searched for in this memory, and how large it is."""

    steps: int = 128
    """Steps of all lanes after which a search with collisions is left to `Search`: 99 of 100 poses
    are solved in fewer."""
    steps_to_give_up: int = 320
    """The same without collisions: nine of ten poses that are out of reach are given up in fewer.
    """
    capacity: int = 64
    """Solutions that there is room for; they collide but for the last."""
    buckets: int = 128
    """Of the cells that they are in."""


TUNING = FirstSolutionTuning()


def first_solution(stages: Stages, request: SolveRequest) -> Outcome | None:
    """Return what a call for one solution of one target finds, None if `Search` has to find it."""
    try:
        search = stages.spare.pop()
    except IndexError:
        search = FirstSolution(stages, request)
    found = search.solve(stages, request)
    stages.spare.append(search)
    return found


class FirstSolution:
    """Memory for such calls, one at a time; see `_core.search` for what it is.

    Args:
        stages: Sampler, refiner and verifier.
        request: A call.
    """

    def __init__(self, stages: Stages, request: SolveRequest):
        """Take the memory, and write down what every search begins with."""
        n, space = stages.chain.num_joints, stages.whole
        self._state, parts = _side_by_side(
            (TARGET, (1,)), (RUN, (1,)), (np.int64, (1,)), (np.int32, (1, TUNING.buckets)),
            (np.float64, (1, n)),
        )  # fmt: skip
        records, self._run, self._counts, heads, closest = parts
        seeding = Seeding(stages, request, math.inf)
        records["restarts_left"], records["closest_error"] = seeding.first_batch, math.inf
        self._run["last"] = self._run["num_solutions"] = self._run["wanted"] = 1
        self._run["step"] = stages.step
        self._run["endless"] = seeding.endless
        self._run["most_colliding"] = TUNING.capacity - 1
        self._run["persistence"], self._run["most_restarts"] = stages.persistence
        heads.fill(-1)
        closest[:] = space.reference
        self._begin = self._state.copy()
        self._free, numbers, fields = records["free"], records.view(np.int64), TARGET.fields or {}
        self._closed, self._closest = (records["closed"], records["closest_error"]), closest
        places = [fields[name][1] // 8 for name in _COUNTERS]
        self._numbers = numbers[min(places) : max(places) + 1]
        self._counters = itemgetter(*(place - min(places) for place in places))
        one = 1, TUNING.capacity
        self._positions, self._errors = np.empty((*one, n)), np.empty((*one, NUMBERS))
        visits, before = np.empty(one, np.int64), np.empty(one, np.int32)
        queue = np.empty((1, 2 if stages.redundant else 0, 2), np.int32)
        self._problem = *stages.problem, np.vstack((space.box, np.ones(n)))
        self._memory = (
            *space.grid, self._positions, self._errors, visits, self._counts, heads, before,
            records, queue, closest, np.empty((1, 0, n)), new_records(_core.lanes(), LANE),
            np.empty(stages.search_memory), self._run,
        )  # fmt: skip

    def solve(self, stages: Stages, request: SolveRequest) -> Outcome | None:
        """Return what `first_solution` does; nothing in it refers to this memory."""
        check, begin = request.check, time.perf_counter()
        self._state[:] = self._begin
        numbers = recurrence(request.random_seed, self._positions.shape[2])
        steps, world = TUNING.steps_to_give_up, None
        if check is not None:
            steps, world = TUNING.steps, check.world
        _core.search(*self._problem, numbers, request.targets, *self._memory, steps, world)
        if not self._free.item():
            return self._none(stages, request, begin)
        count = self._counts.item()
        if count == 1:
            first = 0
        else:
            # Seeds that end in the same step may have been kept after the one that is free.
            first = self._errors[0, :count, 2].tolist().index(Verdict.FREE)
        best, errors = self._positions[:, first], self._errors[:, first, :2]
        work = self._work(begin, count)
        return Outcome(_FOUND.copy(), best[:, None].copy(), errors[:, None].copy(), work)

    def _none(self, stages: Stages, request: SolveRequest, begin: float) -> Outcome | None:
        """Return that there is no solution, if the search came to that; else None.

        Args:
            stages: As of `solve`.
            request: Likewise.
            begin: Reading of the clock before the core [s].
        """
        closed, closest_error = (field.item() for field in self._closed)
        if not closed or self._counts.item() or closest_error < stages.near or stages.deficient:
            return None
        space, work = stages.whole, self._work(begin, 0)
        best = _core.nearest_turn(
            self._closest, space.reference, space.lower, space.upper, space.circular
        )
        errors = stages.verifier.errors(best, request.targets, np.zeros(1, np.int64))
        return Outcome(
            (_NONE_YET if stages.hurried else _NONE).copy(), np.full((1, *best.shape), np.nan),
            np.full((1, 1, 2), np.nan), work,
            closest=Closest(best, np.stack(errors, axis=1), np.ones(1, np.bool_)),
        )  # fmt: skip

    def _work(self, begin: float, distinct: int) -> Timings:
        """Return how much was done.

        Args:
            begin: Reading of the clock before the core [s].
            distinct: Solutions found.
        """
        spent = time.perf_counter() - begin
        # Of the record's numbers, flags among them, all in one.
        restarts, steps, exact, more, iterations = self._counters(self._numbers.tolist())
        # In the order of its fields, which takes half of the time.
        return Timings(
            0.0, spent, 0.0, 0.0, 0, restarts + steps, steps, exact + more, distinct, iterations
        )


def _side_by_side(
    *parts: tuple[DTypeLike, tuple[int, ...]],
) -> tuple[NDArray[np.uint8], Sequence[NDArray]]:
    """Return memory, and arrays of some types and shapes that lie in it one after the other."""
    sizes = [np.dtype(kind).itemsize * math.prod(shape) for kind, shape in parts]
    # Each begins at a multiple of eight.
    ends = np.cumsum([-(-size // 8) * 8 for size in sizes]).tolist()
    memory = np.zeros(ends[-1], np.uint8)
    begins = [0, *ends[:-1]]
    views = [
        memory[at : at + size].view(kind).reshape(shape)
        for (kind, shape), at, size in zip(parts, begins, sizes, strict=True)
    ]
    return memory, views
