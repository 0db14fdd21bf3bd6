"""The analytic branches of six-axis arms, and the share of them that solutions reach."""

import numpy as np

from generative_ik_benchmarks.metrics.coverage import coverage
from generative_ik_benchmarks.metrics.space import LARGEST, JointSpace
from generative_ik_benchmarks.peers.ssik import ssik_arm
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain

_AXES = 6
_NEAR = 0.05
"""How near a solution has to be to a branch in every joint: the distance under which the measured
solver merges solutions [rad]."""


class AnalyticBranches:
    """All solutions of a six-axis arm, in closed form by `ssik`, independent of our solvers.

    A pose of such an arm has at most 16 solutions (E. J. F. Primrose, On the input-output
    equation of the general 7R mechanism, 1986), 8 where three axes intersect in a point or are
    parallel. Which of them are within the joint limits depends on the pose.

    For an arm without such a geometry `ssik` prepares its elimination at the first pose, which
    takes it from a second to minutes, and keeps the result in a cache of its own.

    Args:
        chain: Six revolute joints, none of which mimics another.

    Raises:
        MissingDependencyError: `ssik` is not installed.
        UnsupportedChainError: The chain is another kind.
    """

    def __init__(self, chain: KinematicChain):
        """Describe the arm to `ssik`."""
        self._arm = ssik_arm(chain, (_AXES,), "counting analytic branches")

    def solve(self, tip_in_base: Floats) -> Floats:
        """Return every branch (k, 6) of a pose (4, 4) inside the limits, each at one turn [rad].

        Joints with room for several turns reach a branch several times; it counts once.
        """
        found = self._arm.solve(tip_in_base, respect_limits=True, enumerate_windings=False)
        return np.array([solution.q for solution in found], np.float64).reshape(-1, _AXES)


def branch_recall(space: JointSpace, found: Floats, branches: Floats) -> float:
    """Return the share of the branches of a pose that have a returned solution (protocol C).

    Args:
        space: `JointSpace.of` the chain, in which full turns do not matter.
        found: (k, 6) returned solutions [rad].
        branches: (m, 6) all there are.

    Returns:
        From 0 to 1; NaN when the pose has no branch.
    """
    return coverage(space, found, branches, _NEAR, LARGEST)
