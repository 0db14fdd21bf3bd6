"""What a path search is given, as the core takes it, and by what paths are compared."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.errors import InvalidArgumentError, check_names
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.search.stages import PackedProblem, Stages

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck

OBJECTIVES = "length", "largest_step", "clearance", "limit_margin"
"""What may make one path better than another, in the order of core/src/paths/task.hpp."""
RESOLUTION = 0.02
"""Largest motion of a joint between two collision checks, in its own unit (`joint_units`)."""


@dataclass(frozen=True)
class PathTask:
    """Poses to follow, and within what bounds.

    Attributes:
        stages: Verifier of the chain or tree, and of the regions about the targets.
        problem: The chain and its tolerances, for the poses themselves; None for a tree.
        regions: The same with regions, or the tree's goals; None: there are none.
        around: Whether all poses are within the regions about them.
        targets: (B, 4, 4) tip in base [m]; of a tree (B, G, 4, 4) those of all goals.
        bounds: (5, n) joint limits, lower and upper; largest step from a pose to the next; what
            counts as 1 rad [rad or m]; what a radian or metre of each joint's motion counts.
        deadline: Reading of `time.perf_counter` [s].
        check: The robot among its obstacles; None: nothing is checked.
    """

    stages: Stages
    problem: PackedProblem | None
    regions: PackedProblem | None
    around: bool
    targets: Floats
    bounds: Floats
    deadline: float
    check: "SceneCheck | None"

    @property
    def freedom(self) -> int:
        """Of a tree, in how many ways its goals leave it free at most."""
        chain = self.stages.chain
        if self.problem is not None or not isinstance(chain, KinematicTree):
            return 0
        return max(chain.mobility - self.stages.held, 0)

    def errors(self, q: Floats, poses: Ints) -> Floats:
        """Return the errors (L, 2) [m and rad] of configurations (L, n) for poses (L,)."""
        of_goals = self.problem is not None and self.regions is not None
        targets = self.targets[:, None] if of_goals else self.targets
        return self.stages.verifier.errors(q, targets, poses)

    @property
    def num_joints(self) -> int:
        """Number of joints."""
        return self.bounds.shape[1]

    def motions(self, path: Floats) -> Floats:
        """Return the weighted motions of the joints along a path (L, n), (L - 1, n)."""
        return np.diff(path, axis=0) * self.bounds[4]

    def is_solution(self, q: Floats, pose: int) -> bool:
        """Say whether a configuration (n,) is on a pose, or exactly inside its region."""
        return _core.is_solution(self.problem, self.regions, self.targets, self.bounds, q, pose)


def check_objective(name: str | None, *, collisions: bool) -> None:
    """Check an argument of `IKSolver.solve_path`."""
    if name is not None:
        check_names("objective", [name], OBJECTIVES)
    if name == "clearance" and not collisions:
        raise InvalidArgumentError("objective='clearance' needs IKSolver(chain, collision=...)")
