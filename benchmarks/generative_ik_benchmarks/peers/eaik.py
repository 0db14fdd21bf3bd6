"""The analytic solver EAIK: the branches of a six-axis arm by subproblems, in C++.

D. Ostermeier, J. Kuelz, M. Althoff, Automatic geometric decomposition for analytical inverse
kinematics, IEEE Robotics and Automation Letters, 2025.
"""

from typing import Any

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.peers.closed_form import AxesAtZero, require_revolute_joints
from generative_ik_benchmarks.solver import Solver, UnsupportedChainError, imported
from generative_ik_ros._core import usable_cores
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain

_JOINTS = 6


class Eaik(Solver):
    """Every branch that it has, each at one turn.

    It knows no joint limits, so what is outside of them is its caller's to drop; and it returns
    configurations that come nearest to the pose beside those that reach it, marked as such, which
    are left out here.

    Raises:
        MissingDependencyError: EAIK is not installed.
        UnsupportedChainError: It cannot take the chain.
    """

    position_tolerance = orientation_tolerance = 1e-5

    def __init__(self, case: ChainCase):
        """Have it find the arm's decomposition."""
        robots = imported("eaik.IK_Homogeneous", "EAIK", "peer 'eaik'")
        require_revolute_joints(case.chain, (_JOINTS,))
        self._robot = robots.HomogeneousRobot(_frames(case.chain))
        if not self._robot.hasKnownDecomposition():
            raise UnsupportedChainError("knows no decomposition of it")
        self.name = f"EAIK, {self._robot.getKinematicFamily()}"

    def solve(self, tip_in_base: Floats) -> Floats:
        """Return the branches (k, 6), see `Solver`."""
        found = self._robot.IK(tip_in_base)
        exact = ~np.asarray(found.is_LS, np.bool_)
        return found.Q[exact] if len(exact) else np.empty((0, _JOINTS))

    def solve_many(self, targets: Floats) -> Any:  # noqa: ANN401 (its own)
        """Solve poses (N, 4, 4) in one call, on all cores."""
        return self._robot.IK_batched(targets, usable_cores())


def _frames(chain: KinematicChain) -> Floats:
    """Return a frame on each axis at zero, whose z is the axis, and that of the tip, (7, 4, 4)."""
    lines = AxesAtZero.of(chain)
    frames = np.tile(np.eye(4), (_JOINTS + 1, 1, 1))
    for frame, axis, point in zip(frames[:-1], lines.axes, lines.points, strict=True):
        across = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
        across /= np.linalg.norm(across)
        frame[:3] = np.column_stack((across, np.cross(axis, across), axis, point))
    frames[-1] = lines.tip
    return frames


def solvers(case: ChainCase, wanted: int, seed: int) -> list[Solver]:
    """Return it once; it has all its solutions at once."""
    return [Eaik(case)]
