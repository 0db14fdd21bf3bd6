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
_EQUAL = 1e-6
"""Share by which equal values may differ."""


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

    def score(self, path: NDArray[np.float64]) -> tuple[float, float]:
        """Return what `better` compares: the value of a path (L, n), and its length."""
        return self.value(path), float(self.task.lengths(path).sum())

    def better(self, one: tuple[float, float], other: tuple[float, float]) -> bool:
        """Say whether one score is better than another; of equal values the shorter path is."""
        gain = one[0] - other[0] if self.of_poses else other[0] - one[0]
        scale = max(abs(other[0]), 1e-9)
        if abs(gain) > _GAIN * scale:
            return gain > 0.0
        return gain >= -_EQUAL * scale and other[1] - one[1] > _GAIN * other[1]

    def worse_poses(self, path: NDArray[np.float64], value: float) -> NDArray[np.int64]:
        """Return the poses of a path (L, n) at which its margin is below a value."""
        if not self.of_poses:
            return np.empty(0, np.int64)
        return np.flatnonzero(self.margins(path) < value - _EQUAL * max(abs(value), 1e-9))

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
