"""Configurations and targets in, their true pose errors out.

Nothing leaves the package unchecked: `robot.rodrigues` shares no code with the solvers.
"""

import math

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rodrigues import RodriguesChain, borrow_rodrigues, place_tip

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)


class Verifier:
    """Measures how far the tip of a chain is from its target.

    Args:
        chain: The chain.

    Attributes:
        arrays: The chain, for compiled code.
    """

    def __init__(self, chain: KinematicChain):
        """Precompute what the formula needs of each joint."""
        arrays = RodriguesChain.of(chain)
        self.arrays = arrays._replace(prismatic=arrays.prismatic.astype(np.int64))

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
        return _errors(self.arrays, positions, targets, target_of_row)


@kernel()
def _errors(chain, positions, targets, target_of_row):
    chain = borrow_rodrigues(chain)
    position_error = np.empty(len(positions))
    orientation_error = np.empty(len(positions))
    if len(positions) == 0:
        return position_error, orientation_error
    tip = place_tip(chain, positions[0])
    for s in range(len(positions)):
        # Targets that time did not suffice for all have the same configuration.
        if s > 0 and not same(positions[s], positions[s - 1]):
            tip = place_tip(chain, positions[s])
        position_error[s], orientation_error[s] = gap(tip, targets[target_of_row[s]])
    return position_error, orientation_error


@inlined
def same(one, other):
    """Say whether two configurations are equal to the last bit."""
    for v in range(one.shape[0]):
        if one[v] != other[v]:
            return False
    return True


@inlined
def pose_error(chain, q, target):
    """Measure one configuration: distance [m] and angle [rad] of the tip from a (4, 4) pose."""
    return gap(place_tip(chain, q), target)


@inlined
def gap(tip, target):
    """Measure distance [m] and angle [rad] of a tip, see `place_tip`, from a (4, 4) pose."""
    r0, r1, r2, p = tip
    squared_distance, squared_chord = 0.0, 0.0
    for k in range(3):
        squared_distance += (p[k] - target[k, 3]) ** 2
        squared_chord += (r0[k] - target[0, k]) ** 2
        squared_chord += (r1[k] - target[1, k]) ** 2
        squared_chord += (r2[k] - target[2, k]) ** 2
    # Rotations that differ by an angle differ by sqrt(8) sin(angle / 2) in the Frobenius norm.
    return (
        math.sqrt(squared_distance),
        2.0 * math.asin(min(1.0, math.sqrt(squared_chord / 8.0))),
    )
