"""One solution of one target: the call in which Python takes longer than the compiled search.

It does what `Search` and `Results` do for such a call, in memory that is used again. Where a
search is not over soon, or with a solution that spheres do not show to be free, they begin anew.
"""

import math
import time
from collections.abc import Sequence
from operator import itemgetter

import numpy as np
from numpy.typing import DTypeLike, NDArray

from generative_ik_ros import _core
from generative_ik_ros.collision.verdict import MARGIN_WANTED
from generative_ik_ros.compiled.solving_time import solving_time
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.samplers.quasi_random import recurrence
from generative_ik_ros.search.approach import ApproachedLater, ClosestApproaches
from generative_ik_ros.search.first_found import FirstFound
from generative_ik_ros.search.records import LANE, RUN, TARGET, new_records
from generative_ik_ros.search.seeding import Seeding
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.pool import NUMBERS
from generative_ik_ros.select.preferences import DIVERSE
from generative_ik_ros.solutions import IKSolutions, SolveStatus, Timings

# Arguments of compiled code come as tuples, whose length a type checker does not see.
# pyright: reportCallIssue=false

_STEPS, _STEPS_TO_GIVE_UP = 128, 320
"""Steps of all lanes after which a search is left to `Search`, with collisions and without: 99 of
100 poses are solved, and nine of ten that are out of reach are given up, in fewer."""
_LEAST_TIME = 1e-3
"""Timeout below which all of it is; so many steps take a fraction of it [s]."""
_CAPACITY, _BUCKETS = 64, 128
"""Solutions that there is room for, which collide but for the last, and buckets of their cells."""
_COUNTERS = (
    "restarts", "null_space_seeds", "restarts_converged", "null_space_converged", "iterations",
)  # fmt: skip


def first_solution(stages: Stages, request: SolveRequest, start: float) -> IKSolutions | None:
    """Return what a call that began at `start` [s] returns, or None if `Search` has to find it."""
    simple = (
        request.num_solutions == 1
        and len(request.targets) == 1
        and not request.alternatives
        and request.space is stages.whole
        and request.preferences.order == DIVERSE
        and request.timeout >= _LEAST_TIME
        and stages.makes_seeds
    )
    if not simple:
        return None
    try:
        search = stages.spare.pop()
    except IndexError:
        search = FirstSolution(stages, request)
    found = search.solve(stages, request, start)
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
            (TARGET, (1,)), (RUN, (1,)), (np.int64, (1,)), (np.int32, (1, _BUCKETS)),
            (np.float64, (1, n)),
        )  # fmt: skip
        records, self._run, self._counts, heads, closest = parts
        seeding = Seeding(stages, request, math.inf)
        records["restarts_left"], records["closest_error"] = seeding.first_batch, math.inf
        self._run["last"] = self._run["num_solutions"] = self._run["wanted"] = 1
        self._run["step"] = stages.step
        self._run["endless"] = seeding.endless
        self._run["most_colliding"] = _CAPACITY - 1
        self._run["persistence"], self._run["most_restarts"] = stages.persistence
        heads.fill(-1)
        closest[:] = space.reference
        self._begin = self._state.copy()
        self._free, numbers, fields = records["free"], records.view(np.int64), TARGET.fields or {}
        self._closed, self._closest = (records["closed"], records["closest_error"]), closest
        places = [fields[name][1] // 8 for name in _COUNTERS]
        self._numbers = numbers[min(places) : max(places) + 1]
        self._counters = itemgetter(*(place - min(places) for place in places))
        self._positions, self._errors = (
            np.empty((1, _CAPACITY, n)),
            np.empty((1, _CAPACITY, NUMBERS)),
        )
        visits, before = np.empty((1, _CAPACITY), np.int64), np.empty((1, _CAPACITY), np.int32)
        queue = np.empty((1, 2 if stages.redundant else 0, 2), np.int32)
        self._problem = *stages.problem, np.vstack((space.box, np.ones(n)))
        self._memory = (
            *space.grid, self._positions, self._errors, visits, self._counts, heads, before,
            records, queue, closest, np.empty((1, 0, n)), new_records(_core.lanes(), LANE),
            np.empty(stages.search_memory), self._run,
        )  # fmt: skip
        self._same = {
            "joint_names": stages.chain.names,
            "status": (SolveStatus.SOLVED,),
            "sampler": stages.sampler.name,
            "held": stages.held,
        }

    def solve(self, stages: Stages, request: SolveRequest, start: float) -> IKSolutions | None:
        """Return what `first_solution` does; nothing in it refers to this memory."""
        check, begin = request.check, time.perf_counter()
        contexts = [] if check is None else [check.take_context(MARGIN_WANTED)]
        self._state[:] = self._begin
        for one in contexts:
            self._run["check"], self._run["check_context"] = one.function, one.address
        numbers = recurrence(request.random_seed, self._positions.shape[2])
        steps = _STEPS_TO_GIVE_UP if check is None else _STEPS
        _core.search(*self._problem, numbers, request.targets, *self._memory, steps)
        if check is not None:
            check.give_back(contexts)
        if not self._free.item():
            return self._none(stages, request, (start, begin, time.perf_counter()))
        middle, count = time.perf_counter(), self._counts.item()
        # The search ended as soon as one was free.
        best, errors = self._positions[:, count - 1], self._errors[:, count - 1, :2]
        self._counts[0] = 1
        gaps, best_gaps = errors[:, None].copy(), errors.copy()
        values = {
            **self._same,
            "positions": best[:, None].copy(),
            "counts": self._counts.copy(),
            "position_error": gaps[..., 0],
            "orientation_error": gaps[..., 1],
            "best_effort": best.copy(),
            "best_effort_position_error": best_gaps[:, 0],
            "best_effort_orientation_error": best_gaps[:, 1],
            "complete": np.zeros(1, np.bool_),
            "timings": self._timings((start, begin, middle), count),
        }
        return FirstFound.made(values, check)

    def _none(
        self, stages: Stages, request: SolveRequest, readings: tuple[float, float, float]
    ) -> IKSolutions | None:
        """Return that there is no solution, if the search came to that; else None.

        Args:
            stages: As of `solve`.
            request: Likewise.
            readings: As of `_timings`.
        """
        closed, closest_error = (field.item() for field in self._closed)
        if not closed or self._counts.item() or closest_error < stages.near or stages.deficient:
            return None
        space, checks = stages.whole, request.check is not None
        best = _core.nearest_turn(
            self._closest, space.reference, space.lower, space.upper, space.circular
        )
        target = np.zeros(1, np.int64)
        errors = np.stack(stages.verifier.errors(best, request.targets, target), axis=1)
        values = {
            **self._same,
            "status": (SolveStatus.NO_SOLUTION,),
            "positions": np.full((1, 1, best.shape[1]), np.nan),
            "counts": np.zeros(1, np.int64),
            "position_error": np.full((1, 1), np.nan),
            "orientation_error": np.full((1, 1), np.nan),
            "complete": np.zeros(1, np.bool_),
            "timings": self._timings(readings, 0),
            "clearance": np.full((1, 1), np.nan) if checks else None,
            "blocked_by": (None,) if checks else None,
            "target_of": None,
        }
        left = readings[0] + request.timeout - time.perf_counter()
        approaches = ClosestApproaches(stages, request, target, best, errors, left)
        return ApproachedLater.made(values, approaches)

    def _timings(self, readings: tuple[float, float, float], distinct: int) -> Timings:
        """Return how much was done, and how long it took.

        Args:
            readings: Of the clock when the call began, before the kernel, and after it [s].
            distinct: Solutions found.
        """
        # Of the record's numbers, flags among them, all in one.
        restarts, walks, exact, more, iterations = self._counters(self._numbers.tolist())
        start, begin, middle = readings
        end = time.perf_counter()
        # In the order of its fields, which takes half of the time.
        return Timings(
            0.0, solving_time(begin, middle), solving_time(middle, end), solving_time(start, end),
            0, restarts + walks, walks, exact + more, distinct, iterations,
        )  # fmt: skip


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
