"""In which ways the poses of a path hold the tip, and in which they leave it free."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.paths.held import Held, HeldInRegion, with_room
from generative_ik_ros.robot.rodrigues_kernel import borrow_rodrigues, place_tip
from generative_ik_ros.select.verify_goals import GoalVerifier

# A type checker does not see what compiled code takes.
# pyright: reportCallIssue=false

if TYPE_CHECKING:
    from generative_ik_ros.paths.task import PathTask


class Freedom:
    """Constraints of the tip's velocity at each pose, for self-motions.

    A way in which a tip is held is a row (6,) of a linear and an angular part, in the base: its
    velocity along it is 0. A pose without a region holds the tip in six.

    Args:
        task: Poses and regions.

    Attributes:
        nullity: Largest dimension of the joints' null space at any pose.
    """

    def __init__(self, task: "PathTask"):
        """Find out which coordinates of the tip have room."""
        self._task, refiner = task, task.stages.refiner
        weights = np.array([refiner.position_weight, refiner.orientation_weight])
        self._weight = np.repeat(weights, 3)
        tolerances = refiner.position_tolerance, refiner.orientation_tolerance
        self._tolerance, verifier = np.repeat(tolerances, 3), task.stages.verifier
        self._checks, free = None, np.zeros((1, 6), np.bool_)
        if isinstance(verifier, GoalVerifier):
            self._checks = verifier.checks[:, 0]
            free = with_room(self._checks, self._tolerance)
        self._constant = np.diag((self._weight > 0.0).astype(np.float64))[None]
        held = (~free & (self._weight > 0.0)).sum(axis=1)
        self.nullity = max(task.num_joints - int(held.min()), 0)

    def at(self, positions: NDArray[np.float64], poses: NDArray[np.int64]) -> "Held":
        """Return how configurations (S, n) [rad or m] of poses (S,) are held."""
        if self._checks is None:
            return Held(self._constant)
        check = self._checks[poses if len(self._checks) > 1 else np.zeros_like(poses)]
        return HeldInRegion(
            check, self._task.targets[poses, 0], self._tips, positions, self._weight,
            self._tolerance,
        )  # fmt: skip

    def _tips(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the tips (S, 4, 4) of configurations (S, n), in base [m]."""
        tips = np.zeros((len(positions), 4, 4))
        _write_tips(self._task.arrays, np.ascontiguousarray(positions), tips)
        return tips


@kernel()
def _write_tips(chain, positions, tips):  # noqa: ANN001, ANN202 (numba's types)
    chain, positions, tips = borrow_rodrigues(chain), borrow(positions), borrow(tips)
    for s in range(positions.shape[0]):
        r0, r1, r2, p = place_tip(chain, positions[s])
        for k in range(3):
            tips[s, 0, k], tips[s, 1, k], tips[s, 2, k] = r0[k], r1[k], r2[k]
            tips[s, k, 3] = p[k]
        tips[s, 3, 3] = 1.0
