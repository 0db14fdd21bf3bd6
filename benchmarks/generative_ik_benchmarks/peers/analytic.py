"""The textbook's closed form of six-axis arms: every branch.

Written from the published geometry: arms like UR's (K. Hawkins, Analytic inverse kinematics for
the Universal Robots UR-5/UR-10 arms, 2013) and arms with a spherical wrist (D. Pieper, The
kinematics of manipulators under computer control, 1968). `ssik` solves these and more; this is a
second solution that shares nothing with it, to check its branches.
"""

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.metrics.space import LARGEST, JointSpace
from generative_ik_benchmarks.peers.closed_form import ClosedForm
from generative_ik_benchmarks.peers.six_axes import (
    THREE_PARALLEL,
    WRIST_PARALLEL,
    WRIST_SHOULDER,
    branches,
)
from generative_ik_benchmarks.solver import Solver, UnsupportedChainError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.select.verify import Verifier

_STRAIGHT = 2e-5
"""Axes no further than this from parallel [rad], or from intersecting [m], count as such:
descriptions round their angles to 1e-5, and Newton steps make up for it."""
_EXACT = 1e-9
"""Errors above this [m or rad] get Newton steps."""
_SAME = 1e-6
"""Branches no further apart than this are one, as at a singularity [rad]."""


class Analytic(ClosedForm):
    """Closed form of a six-axis arm.

    Where the description's rounding keeps the arm from being exactly of its family, branches end
    with Newton steps on the exact chain.

    Args:
        chain: A six-axis arm of one of the families of `six_axes.branches`.

    Raises:
        UnsupportedChainError: The chain is another kind.
    """

    def __init__(self, chain: KinematicChain):
        """Find the family."""
        super().__init__(chain, 6)
        self._space, self._verifier = JointSpace.of(chain), Verifier(chain)
        self._family = self._classify()

    def _classify(self) -> int:
        """Return the family and move the points to where axes intersect."""
        parallel = [
            float(np.linalg.norm(np.cross(a, b))) < _STRAIGHT
            for a, b in zip(self.axes, self.axes[1:], strict=False)
        ]
        if parallel[1] and parallel[2] and not parallel[3] and self._intersect(4, 5):
            return THREE_PARALLEL
        if self._intersect(3, 4, 5):
            if parallel[1]:
                return WRIST_PARALLEL
            if self._intersect(0, 1):
                return WRIST_SHOULDER
        raise UnsupportedChainError(
            "is neither like a UR arm (joints 2 to 4 parallel, 5 and 6 intersect) nor has it a "
            "spherical wrist after joints 2 and 3 that are parallel or 1 and 2 that intersect"
        )

    def _intersect(self, *joints: int) -> bool:
        """Return whether axes intersect in one point; if so make it theirs."""
        chosen = list(joints)
        across = np.eye(3) - np.einsum("mi,mj->mij", self.axes[chosen], self.axes[chosen])
        right = np.einsum("mij,mj->i", across, self.points[chosen])
        point, _, rank, _ = np.linalg.lstsq(across.sum(axis=0), right, rcond=1e-9)
        apart = np.einsum("mij,mj->mi", across, point - self.points[chosen])
        if rank < 3 or np.linalg.norm(apart, axis=1).max() > _STRAIGHT:
            return False
        self.points[chosen] = point
        return True

    def solve(self, tip_in_base: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the branches (k, 6), k at most 8, see `Solver`."""
        target = np.ascontiguousarray(tip_in_base, np.float64)
        found = branches(self._family, self.axes, self.points, self.tip_at_zero, target)
        if len(found) and self._errors(found, target).max() > _EXACT:
            found = self._polished(found, target)
        found = self.into_limits(found)
        gaps = self._space.distances(found[:, None], found[None], LARGEST)
        return found[~np.tril(gaps < _SAME, -1).any(axis=1)]

    def _errors(
        self, found: NDArray[np.float64], target: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the larger of the distance [m] and the angle [rad] that are left, (N,)."""
        rows = np.zeros(len(found), np.int64)
        return np.maximum(*self._verifier.errors(found, target[None], rows))

    def _polished(
        self, found: NDArray[np.float64], target: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Take Newton steps (N, 6) towards the target where the closed form is not exact."""
        for _ in range(3):
            tip, jacobian = self._chain.tip_and_jacobian(found)
            rotation = target[:3, :3] @ tip[:, :3, :3].transpose(0, 2, 1)
            # The axis of a small rotation, times its sine.
            skew = (rotation - rotation.transpose(0, 2, 1)) / 2.0
            angular = np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=1)
            error = np.concatenate([target[:3, 3] - tip[:, :3, 3], angular], axis=1)
            # Least squares: a branch at a singularity has no unique step.
            found = found + np.einsum("nij,nj->ni", np.linalg.pinv(jacobian, 1e-9), error)
        return found[self._errors(found, target) < self.position_tolerance / 2.0]


def solvers(case: ChainCase, wanted: int, seed: int) -> list[Solver]:
    """Return it once; it has all its solutions at once."""
    return [Analytic(case.chain)]
