"""What makes one path better than another."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.paths.task import PathTask
from generative_ik_ros.select.preferences import limit_margin

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck

LENGTH, LARGEST_STEP, CLEARANCE, LIMIT_MARGIN = OBJECTIVES = (
    "length", "largest_step", "clearance", "limit_margin",
)  # fmt: skip
_GAIN = 1e-4
"""Share of a value by which a better one differs."""


@dataclass(frozen=True)
class Objective:
    """How paths are compared.

    Attributes:
        name: One of OBJECTIVES.
        task: Weights, and what may collide.
    """

    name: str
    task: PathTask

    @property
    def of_poses(self) -> bool:
        """Whether the worst pose of a path counts, rather than its motions."""
        return self.name in (CLEARANCE, LIMIT_MARGIN)

    def value(self, path: NDArray[np.float64]) -> float:
        """Return what a path (L, n) scores: a length or step, or a margin to be made large."""
        if self.name == LENGTH:
            return float(self.task.lengths(path).sum())
        if self.name == LARGEST_STEP:
            return float(np.abs(np.diff(path, axis=0) * self.task.weight).max(initial=0.0))
        return float(self.margins(path).min(initial=np.inf))

    def better(self, one: float, other: float) -> bool:
        """Say whether one value is better than another by more than rounding."""
        gain = one - other if self.of_poses else other - one
        return gain > _GAIN * max(abs(other), 1e-9)

    def margins(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the clearance [m] or limit margin of configurations (N, n)."""
        if self.name == LIMIT_MARGIN:
            return limit_margin(self.task.stages.chain, q)
        assert self.task.check is not None  # noqa: S101 (see check_objective)
        return self.task.check.clearance(q)


def check_objective(name: str | None, check: "SceneCheck | None") -> None:
    """Check an argument of `IKSolver.solve_path`.

    Raises:
        UnknownNameError: There is no such objective.
        InvalidArgumentError: It needs a collision model.
    """
    if name is not None and name not in OBJECTIVES:
        raise UnknownNameError("objective", name, OBJECTIVES)
    if name == CLEARANCE and check is None:
        raise InvalidArgumentError("objective='clearance' needs IKSolver(chain, collision=...)")
