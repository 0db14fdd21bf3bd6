"""The package's own collision checks of poses and motions, as the other path solvers use them."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.path_oracle import motion_points
from generative_ik_ros.collision.checker import SceneCheck
from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.robot.chain import KinematicChain

RESOLUTION = 0.02
"""Largest motion of a joint between two checks of a motion, in its unit; that of `solve_path`."""


class SceneMotions:
    """Checks configurations and the motions between them.

    Args:
        chain: The chain.
        check: The robot among its obstacles.
    """

    def __init__(self, chain: KinematicChain, check: SceneCheck):
        """Remember them."""
        self._spacing, self._check = RESOLUTION * chain.joint_units, check

    def free(self, positions: NDArray[np.float64], *, exact: bool) -> NDArray[np.bool_]:
        """Say which configurations (N, n) are free.

        Args:
            positions: The configurations [rad or m].
            exact: Whether the shapes themselves decide where spheres cannot; else these collide.
        """
        if exact:
            return ~self._check.colliding(positions)
        return self._check.verdicts(positions) == Verdict.FREE

    def colliding_steps(self, path: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the steps of a path (B, n) on whose way something collides, ends left out."""
        points, step_of = motion_points(path, self._spacing)
        return np.unique(step_of[self._check.colliding(points)])
