"""Results that are put together in little time: what few callers read is left for later."""

from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.solving_time import solving_time
from generative_ik_ros.solutions import IKSolutions, SolveStatus, Timings

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck
    from generative_ik_ros.search.stages import Stages

_ENDED = (SolveStatus.PARTIAL,), (SolveStatus.SOLVED,)


class AllFound(IKSolutions):
    """Solutions of targets that all have some, the first of each of which is the best effort."""

    @cached_property
    def best_effort(self) -> NDArray[np.float64]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """As of IKSolutions."""
        return self.positions[:, 0].copy()

    @cached_property
    def best_effort_position_error(self) -> NDArray[np.float64]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """As of IKSolutions."""
        return self.position_error[:, 0].copy()

    @cached_property
    def best_effort_orientation_error(self) -> NDArray[np.float64]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """As of IKSolutions."""
        return self.orientation_error[:, 0].copy()

    def __reduce__(self) -> tuple[object, ...]:
        """Copies and pickles have all attributes, and know nothing of how they came about."""
        return IKSolutions, tuple(getattr(self, one.name) for one in fields(IKSolutions))


class FoundForOne(AllFound):
    """Solutions of one pose by closed form; what few callers read is made of records when read."""

    _stages: "Stages"
    _wanted: int
    _notes: NDArray[np.int64]
    _errors: NDArray[np.float64]
    _times: tuple[float, float, float]

    @classmethod
    def made(
        cls,
        stages: "Stages",
        wanted: int,
        notes: NDArray[np.int64],
        positions: NDArray[np.float64],
        errors: NDArray[np.float64],
        times: tuple[float, float, float],
        scores: NDArray[np.float64] | None = None,
    ) -> "FoundForOne":
        """Return the result of a call that has found something.

        Args:
            stages: Of the solver.
            wanted: Number of solutions.
            notes: (1, 5) see `BranchProblem.answer_all`, as the next two.
            positions: (1, N, n) see there.
            errors: (1, N, 2) see there.
            times: Readings when the call began, when it was checked, and when it was solved [s].
            scores: (1, N) by which solutions are ordered, if they are.
        """
        found = object.__new__(cls)
        # A constructor takes ten times as long, a tenth of such a call.
        values = {
            "positions": positions, "scores": scores, "_stages": stages, "_wanted": wanted,
            "_notes": notes, "_errors": errors, "_times": times,
        }  # fmt: skip
        object.__setattr__(found, "__dict__", values)
        return found

    @cached_property
    def joint_names(self) -> tuple[str, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """As of IKSolutions."""
        return self._stages.chain.names

    @cached_property
    def sampler(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """As of IKSolutions."""
        return self._stages.sampler.name

    @cached_property
    def counts(self) -> NDArray[np.int64]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """As of IKSolutions."""
        return self._notes[:, 0]

    @cached_property
    def status(self) -> tuple[SolveStatus, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """As of IKSolutions."""
        count, _, complete = self._notes[0, :3].tolist()
        return _ENDED[count >= self._wanted or complete != 0]

    @cached_property
    def position_error(self) -> NDArray[np.float64]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """As of IKSolutions."""
        return self._errors[..., 0]

    @cached_property
    def orientation_error(self) -> NDArray[np.float64]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """As of IKSolutions."""
        return self._errors[..., 1]

    @cached_property
    def complete(self) -> NDArray[np.bool_]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """As of IKSolutions."""
        return self._notes[:, 2] != 0

    @cached_property
    def timings(self) -> Timings:  # pyright: ignore[reportIncompatibleVariableOverride]
        """As of IKSolutions."""
        start, begin, end = self._times
        seeds, distinct = self._notes[0, 3:].tolist()
        return Timings(
            propose=0.0, refine=solving_time(begin, end), select=0.0,
            total=solving_time(start, end), rounds=0,
            seeds=seeds, walks=0, exact=distinct, distinct=distinct, iterations=0,
        )  # fmt: skip


class FirstFound(AllFound):
    """A single solution, free of collisions, whose clearance is measured when it is first read.

    To measure it takes as long as half of the search.
    """

    _check: "SceneCheck"
    _solution: NDArray[np.float64]

    @classmethod
    def made(cls, values: dict[str, Any], check: "SceneCheck | None") -> IKSolutions:
        """Return IKSolutions; the constructor of a frozen dataclass takes three times as long.

        Args:
            values: All attributes but `clearance` and `blocked_by`.
            check: What measures the clearance; None if collisions were not checked.
        """
        if check is None:
            found = object.__new__(IKSolutions)
            vars(found).update(values, clearance=None, blocked_by=None, target_of=None)
        else:
            found = object.__new__(cls)
            # A copy, for the caller may write to the result.
            solution = values["positions"][0].copy()
            vars(found).update(
                values, blocked_by=(None,), target_of=None, _check=check, _solution=solution
            )
        return found

    @cached_property
    def clearance(self) -> NDArray[np.float64]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """As of IKSolutions."""
        return self._check.clearance(self._solution)[None]
