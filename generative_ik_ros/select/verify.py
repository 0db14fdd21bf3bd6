"""Configurations and targets in, their true pose errors out.

Nothing leaves the package unchecked: `core/src/verify` shares no code with the local solver.
"""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import _core
from generative_ik_ros.robot.chain import KinematicChain


class Verifier:
    """Measures how far the tip of a chain is from its target.

    Args:
        chain: The chain.

    Attributes:
        arrays: The chain, for the core.
    """

    def __init__(self, chain: KinematicChain):
        """Take what the formula needs of each joint."""
        self.arrays = chain.rodrigues

    def errors(
        self,
        positions: NDArray[np.float64],
        targets: NDArray[np.float64],
        target_of_row: NDArray[np.int64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Compute the distance [m] and the angle [rad] between tip and target.

        Args:
            positions: (S, n) configurations [rad or m].
            targets: (T, 4, 4) tip in base [m].
            target_of_row: (S,) which target each configuration is meant for.

        Returns:
            (S,) distances and (S,) angles.
        """
        gaps = np.empty((len(positions), 2))
        rows = np.ascontiguousarray(positions), np.ascontiguousarray(targets)
        _core.pose_errors(self.arrays, *rows, target_of_row, gaps)
        return gaps[:, 0], gaps[:, 1]
