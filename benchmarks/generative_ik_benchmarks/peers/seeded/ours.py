"""This package's own call for the one solution nearest to a seed state."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.peers.seeded.base import SeededSolver
from generative_ik_ros.pipeline import IKSolver


class Ours(SeededSolver):
    """One solution of a pose, the nearest to a seed state.

    Args:
        solver: The solver.
    """

    name = "ours"

    def __init__(self, solver: IKSolver):
        """Take over its tolerances."""
        self._solver = solver
        self.position_tolerance = solver.position_tolerance
        self.orientation_tolerance = solver.orientation_tolerance

    def near(
        self, tip_in_base: NDArray[np.float64], seed_state: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return the nearest solution (n,), see `SeededSolver`."""
        found = self._solver.solve(tip_in_base, num_solutions=1, seed_state=seed_state).of(0)
        return found[0] if len(found) else None
