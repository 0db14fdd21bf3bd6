"""The textbook's closed form of six-axis arms: every branch.

Written from the published geometry: arms like UR's (K. Hawkins, Analytic inverse kinematics for
the Universal Robots UR-5/UR-10 arms, 2013) and arms with a spherical wrist (D. Pieper, The
kinematics of manipulators under computer control, 1968). `ssik` solves these and more; this is a
second solution that shares nothing with it, to check its branches.
"""

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.metrics.space import LARGEST, JointSpace
from generative_ik_benchmarks.peers.closed_form import ClosedForm
from generative_ik_benchmarks.solver import Solver, UnsupportedChainError
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.closed_form import find_family, why_none
from generative_ik_ros.select.verify import Verifier

_EXACT = 1e-9
"""Errors above this [m or rad] get Newton steps."""
_SAME = 1e-6
"""Branches no further apart than this are one, as at a singularity [rad]."""


class Analytic(ClosedForm):
    """Closed form of a six-axis arm.

    Where the description's rounding keeps the arm from being exactly of its family, branches end
    with Newton steps on the exact chain.

    Raises:
        UnsupportedChainError: The chain is another kind.
    """

    def __init__(self, chain: KinematicChain):
        """Find the family."""
        super().__init__(chain, 6)
        family = find_family(chain)
        if family is None:
            raise UnsupportedChainError(why_none(chain))
        self._family = family
        self._space, self._verifier = JointSpace.of(chain), Verifier(chain)

    def solve(self, tip_in_base: Floats) -> Floats:
        """Return the branches (k, 6), k at most 8, see `Solver`."""
        target = np.ascontiguousarray(tip_in_base, np.float64)
        (rows,), (count,) = self._family.kernel.find(self._family.parameters, target[None])
        found = rows[: max(count, -1 - count)]
        if len(found) and self._errors(found, target).max() > _EXACT:
            found = self._polished(found, target)
        found = self.into_limits(found)
        gaps = self._space.distances(found[:, None], found[None], LARGEST)
        return found[~np.tril(gaps < _SAME, -1).any(axis=1)]

    def _errors(self, found: Floats, target: Floats) -> Floats:
        """Return the larger of the distance [m] and the angle [rad] that are left, (N,)."""
        rows = np.zeros(len(found), np.int64)
        return self._verifier.errors(found, target[None], rows).max(axis=1)

    def _polished(self, found: Floats, target: Floats) -> Floats:
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
