"""Solutions of a six-axis arm in, the share of its analytic branches that they reach out."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.metrics.coverage import coverage
from generative_ik_benchmarks.metrics.space import LARGEST, JointSpace
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_ros.errors import MissingDependencyError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.random_poses import finite_limits

_AXES = 6


class AnalyticBranches:
    """All solutions of a six-axis arm, in closed form by `ssik`, independent of our solvers.

    A pose of such an arm has at most 16 solutions (E. J. F. Primrose, On the input-output
    equation of the general 7R mechanism, 1986), 8 where three axes meet in a point or are
    parallel. Which of them are within the joint limits depends on the pose.

    For an arm that has none of these special shapes `ssik` prepares its elimination at the first
    pose, which takes it from a second to minutes, and keeps the result in a cache of its own.

    Args:
        chain: Six turning joints, none of which mimics another.

    Raises:
        MissingDependencyError: `ssik` is not installed.
        UnsupportedChainError: The chain is another kind.
    """

    def __init__(self, chain: KinematicChain):
        """Hand the chain's own frames over, so that no second URDF parser has a say."""
        try:
            import ssik
        except ImportError as error:
            raise MissingDependencyError(
                "analytic branches need ssik, which is not installed: "
                "pip install 'generative_ik_ros[bench]' (or: pip install ssik)"
            ) from error
        independent = chain.joint_variable.tolist() == list(range(_AXES))
        plain = np.all(chain.joint_multiplier == 1.0) and np.all(chain.joint_offset == 0.0)
        if chain.num_joints != _AXES or not (independent and plain) or chain.prismatic.any():
            raise UnsupportedChainError("has not exactly six independent turning joints")
        self._lower, self._upper = finite_limits(chain)
        self._arm = ssik.Manipulator.from_transforms(
            np.concatenate([chain.joint_origins, chain.tip_in_last_joint[None]]),
            chain.joint_axes,
            limits=np.stack([self._lower, self._upper], axis=1),
        )

    def solve(self, tip_in_base: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return every branch (k, 6) of a pose (4, 4) inside the limits, each at one turn [rad].

        Joints with room for several turns reach a branch several times; it counts once.
        """
        found = self._arm.solve(tip_in_base, respect_limits=True, enumerate_windings=False)
        return np.array([solution.q for solution in found], np.float64).reshape(-1, _AXES)


def branch_recall(
    space: JointSpace,
    found: NDArray[np.float64],
    branches: NDArray[np.float64],
    distance: float = 0.05,
) -> float:
    """Return the share of the branches of a pose that have a returned solution (protocol C).

    Args:
        space: `JointSpace.of` the chain, in which turns do not matter.
        found: (k, 6) returned solutions [rad].
        branches: (m, 6) all there are.
        distance: How near a solution has to be in every joint; not below the distance under
            which the judged solver merges solutions, 0.05 by default [rad].

    Returns:
        From 0 to 1; NaN when the pose has no branch.
    """
    return coverage(space, found, branches, distance, LARGEST)
