"""Results that are put together in little time: what few callers read is left for later."""

from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.solutions import IKSolutions

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck


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
