"""Calls that a closed form answers: nothing is searched for but where it proves nothing.

The rest is left to `Search`: poses at which it is singular, and some checks of collisions.
"""

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros._core import CheckCall
from generative_ik_ros.collision.check import MARGIN_WANTED
from generative_ik_ros.compiled.cache import solving_time
from generative_ik_ros.parallel import for_each
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.approach import ApproachedLater, ClosestApproaches
from generative_ik_ros.search.branches import Branches, Curves
from generative_ik_ros.search.curve_pool import curves_help
from generative_ik_ros.search.first_found import FirstFound, FoundForOne
from generative_ik_ros.search.form_call import DONE, LEFT, UNDONE
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.search.surface_answers import surface_kernel
from generative_ik_ros.search.surfaces import Surfaces
from generative_ik_ros.select.preferences import DIVERSE, NEAREST
from generative_ik_ros.solutions import IKSolutions, SolveStatus, Timings, statuses

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck

_PIECE, _PIECE_OF_SURFACES = 16, 2
"""Targets that a thread answers at a time where collisions are checked, and on surfaces."""
_FIRST, _NO_ONE = np.zeros(1, np.int64), np.zeros(0, np.int64)
_NO = np.zeros(1, np.bool_)


class ClosedFormAnswers:
    """What the closed form of a chain says about the poses of a call.

    Args:
        branches: The closed form.
        stages: Verifier and tolerances.
        request: What is wanted.
        start: Reading of `time.perf_counter` when the call began [s].
        searched: What a search has found for all targets, if there was one; the others are looked
            at.

    Attributes:
        left: (L,) targets that are left to the search.
    """

    __slots__ = (
        "_begin", "_end", "_errors", "_notes", "_positions", "_request", "_scores", "_stages",
        "_start", "left",
    )  # fmt: skip

    def __init__(
        self,
        branches: Branches,
        stages: Stages,
        request: SolveRequest,
        start: float,
        searched: IKSolutions | None = None,
    ):
        """Answer as far as there is time."""
        self._stages, self._request, self._start = stages, request, start
        self._scores: NDArray[np.float64] | None = None
        count, wanted, n = len(request.targets), request.num_solutions, stages.chain.num_joints
        self._notes = notes = np.zeros((count, 5), np.int64)
        self._positions = np.empty((count, wanted, n + branches.more))
        self._errors = np.empty((count, wanted, 2))
        if searched is not None:
            notes[:, 0], notes[:, 1] = searched.counts, UNDONE
            notes[searched.counts > 0, 1] = DONE
            self._positions[:] = searched.positions
            self._errors[..., 0] = searched.position_error
            self._errors[..., 1] = searched.orientation_error
        self._begin = time.perf_counter()
        if isinstance(branches, Curves):
            self._answer_on_curves(branches)
        else:
            self._answer(branches)
        self.left = _NO_ONE
        if count != 1 or notes.item(1) != DONE:
            self.left = self._targets_in(UNDONE, LEFT)
        if branches.more:
            self._positions = self._positions[..., :n].copy()
        self._end = time.perf_counter()

    def _leave_turns(self) -> None:
        """Leave targets with fewer solutions than are wanted to what lists full turns, if any."""
        if (self._request.space.circular & ~self._stages.chain.continuous).any():
            self._notes[self._notes[:, 0] < self._request.num_solutions, 1] = LEFT
            self.left = self._targets_in(UNDONE, LEFT)

    @property
    def rows(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Solutions (T, K, n), and how many of each target; none of those that are left."""
        counts = self._notes[:, 0].copy()
        counts[self.left] = 0
        self._positions[np.arange(self._positions.shape[1]) >= counts[:, None]] = np.nan
        return self._positions, counts

    def _targets_in(self, *states: int) -> NDArray[np.int64]:
        """Return the targets that are in one of some states."""
        if len(self._notes) == 1:
            return _FIRST if self._notes.item(1) in states else _NO_ONE
        return np.isin(self._notes[:, 1], states).nonzero()[0]

    @staticmethod
    def of(
        stages: Stages,
        request: SolveRequest,
        start: float,
        searched: IKSolutions | None = None,
    ) -> "ClosedFormAnswers | None":
        """Return the answers to a call, None if they would be no help; see the class."""
        branches, preferences = stages.branches or stages.curves, request.preferences
        if request.alternatives or preferences.optimize:
            return None
        if preferences.order not in (DIVERSE, NEAREST):
            return None
        if branches is None or (stages.curves is not None and request.check is not None):
            return None
        one = request.takes_any and len(request.targets) == 1 and request.random_seed == 0
        if one and stages.for_one is not None:
            branches = stages.for_one
        elif stages.curves is not None and not curves_help(request, stages.curves):
            return None
        answers = ClosedFormAnswers(branches, stages, request, start, searched)
        if branches.turns and (answers._notes[:, 0] < request.num_solutions).any():
            answers._leave_turns()
        return answers if len(answers.left) < len(request.targets) else None

    def _answer(self, branches: Branches) -> None:
        """Have the native core answer for all targets."""
        request, preferences = self._request, self._request.preferences
        problem = branches.problem(self._stages, request.space)
        weights, deadline = preferences.joint_weights, self._start + request.timeout
        given = (
            self._poses, branches.ones if weights is None else weights,
            preferences.order == NEAREST,
        )  # fmt: skip
        results, check = (self._notes, self._positions, self._errors), request.check
        if check is None:
            problem.answer_all(*given, deadline - time.perf_counter(), *results)
            return

        def answer(piece: tuple[int, int]) -> None:
            memory = check.take_context(MARGIN_WANTED)
            call = CheckCall(memory.function, memory.address)
            problem.answer_some(*given, *piece, call, *results)
            check.give_back([memory])

        for_each(answer, self._pieces(_PIECE), deadline)

    def _answer_on_curves(self, curves: Curves) -> None:
        """Have the native core, or compiled code, answer for all targets."""
        results = self._notes, self._positions, self._errors
        deadline = self._start + self._request.timeout
        if not isinstance(curves, Surfaces):
            problem = curves.on_curves(self._stages, self._request.space)
            problem.answer_all(self._poses, deadline - time.perf_counter(), *results)
            return
        packed = curves.packed(self._stages, self._request.space)
        for_each(
            lambda piece: surface_kernel(*packed, self._poses, *piece, *results),
            self._pieces(_PIECE_OF_SURFACES),
            deadline,
        )

    @property
    def _poses(self) -> NDArray[np.float64]:
        """Where tips are to be, (T, 4, 4)."""
        poses = self._request.targets
        return poses if poses.ndim == 3 else poses[:, 0]

    def _pieces(self, size: int) -> list[tuple[int, int]]:
        """Split the targets: first and last of so many at a time."""
        count = len(self._notes)
        return [(i, min(i + size, count)) for i in range(0, count, size)]

    def result(self, rest: IKSolutions | None) -> IKSolutions:
        """Return the result of the call.

        Args:
            rest: What was found for the targets that were left; None if none were.
        """
        notes, left, wanted = self._notes, self.left, self._request.num_solutions
        check = self._request.check
        if rest is check is None and len(notes) == 1 and notes.item(0):
            times = self._start, self._begin, self._end
            return FoundForOne.made(
                self._stages, wanted, notes, self._positions, self._errors, times, self._scores
            )
        counts, complete = notes[:, 0].copy(), notes[:, 2] != 0
        timed_out = _NO
        if rest is not None:
            self._positions[left], counts[left] = rest.positions, rest.counts
            self._errors[left, :, 0] = rest.position_error
            self._errors[left, :, 1] = rest.orientation_error
            if self._scores is not None and rest.scores is not None:
                self._scores[left] = rest.scores
            complete[left] = rest.complete
            timed_out = np.zeros(len(counts), np.bool_)
            late = np.array([one is SolveStatus.TIMED_OUT for one in rest.status], np.bool_)
            timed_out[left] = late
        values = {
            "joint_names": self._stages.chain.names,
            "positions": self._positions,
            "counts": counts,
            "position_error": self._errors[..., 0],
            "orientation_error": self._errors[..., 1],
            "status": statuses(counts, wanted, complete, timed_out),
            "complete": complete,
            "sampler": self._stages.sampler.name,
            "timings": self._timings(None if rest is None else rest.timings),
            "clearance": None,
            "blocked_by": None,
            "target_of": None,
            "scores": self._scores,
        }
        best, errors = self._positions[:, 0].copy(), self._errors[:, 0].copy()
        reached = all(counts.tolist())
        later = reached and rest is None and len(counts) == wanted == 1
        if check is not None and not later:
            values |= self._collisions(check, rest)
        if not reached:
            return ApproachedLater.made(values, self._approaches(rest, counts, best, errors))
        values["best_effort"] = best
        values["best_effort_position_error"] = errors[:, 0]
        values["best_effort_orientation_error"] = errors[:, 1]
        if check is not None and later:
            # To measure it takes as long as all the rest.
            del values["clearance"]
            return FirstFound.made(values, check)
        # The constructor of a frozen dataclass takes three times as long.
        found = object.__new__(IKSolutions)
        vars(found).update(values)
        return found

    def _collisions(self, check: "SceneCheck", rest: IKSolutions | None) -> dict[str, Any]:
        """Return the solutions' clearance (B, N), and what collides where all solutions do."""
        blocked_by: list[tuple[str, str] | None] = [None] * len(self._notes)
        clearance = np.full(self._positions.shape[:2], np.nan)
        deadline = self._start + self._request.timeout
        for first, last in self._pieces(_PIECE):
            if first and time.perf_counter() >= deadline:
                break
            check.measure(self._positions[first:last], clearance[first:last])
        if rest is not None and rest.blocked_by is not None:
            for t, pair in zip(self.left.tolist(), rest.blocked_by, strict=True):
                blocked_by[t] = pair
        return {"clearance": clearance, "blocked_by": tuple(blocked_by)}

    def _approaches(
        self,
        rest: IKSolutions | None,
        counts: NDArray[np.int64],
        best: NDArray[np.float64],
        errors: NDArray[np.float64],
    ) -> ClosestApproaches:
        """Return what finds the best effort (B, n) where there are no solutions."""
        left, none = self.left, counts == 0
        best[none], errors[none] = self._request.space.reference, np.inf
        if rest is not None:
            begun = vars(rest).get("_approaches")
            none[left] = False
            if begun is None:
                best[left] = rest.best_effort
                errors[left, 0] = rest.best_effort_position_error
                errors[left, 1] = rest.best_effort_orientation_error
            else:
                none[left[begun.targets]] = True
                best[left], errors[left] = begun.positions, begun.errors
        time_left = self._start + self._request.timeout - time.perf_counter()
        return ClosestApproaches(
            self._stages, self._request, none.nonzero()[0], best, errors, time_left
        )

    def _timings(self, rest: Timings | None) -> Timings:
        """Return how much was done, and how long it took."""
        own = self._own_timings(time.perf_counter(), *self._notes[:, 3:].sum(axis=0).tolist())
        if rest is None:
            return own
        apart = ("select", "total")
        sums = {
            name: getattr(own, name) + getattr(rest, name)
            for name in Timings._fields
            if name not in apart
        }
        return own._replace(**sums)

    def _own_timings(self, end: float, seeds: int, distinct: int) -> Timings:
        """Return what was done here, and how long it took."""
        # In the order of its fields, which takes half of the time.
        return Timings(
            0.0, solving_time(self._begin, self._end), solving_time(self._end, end),
            solving_time(self._start, end), 0, seeds, 0, distinct, distinct, 0,
        )  # fmt: skip
