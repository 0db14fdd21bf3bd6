"""This package's own call for the one solution nearest to a seed state."""

import numpy as np

from generative_ik_benchmarks.peers.seeded.base import SeededSolver
from generative_ik_ros.array_types import Floats
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.rigid import TURN


class Ours(SeededSolver):
    """One solution of a pose, the nearest to a seed state.

    Args:
        solver: The solver.
        timeout: Of a call [s]; consistency limits of a turn are asked for as well. None: nothing
            but the nearest is asked for.
    """

    names = "ours", "ours, limits and timeout"

    def __init__(self, solver: IKSolver, timeout: float | None = None):
        """Take over its tolerances."""
        self._solver, self._timeout, self._limits = solver, timeout, None
        self.name = self.names[timeout is not None]
        if timeout is not None:
            self._limits = np.full(solver.chain.num_joints, TURN)
        self.position_tolerance = solver.position_tolerance
        self.orientation_tolerance = solver.orientation_tolerance

    def near(self, tip_in_base: Floats, seed_state: Floats) -> Floats | None:
        """Return the nearest solution (n,), see `SeededSolver`."""
        found = self._solver.solve(
            tip_in_base, 1, seed_state, consistency_limits=self._limits, timeout=self._timeout
        ).of(0)
        return found[0] if len(found) else None
