"""Configurations and targets in, their true pose errors out.

Nothing leaves the package unchecked, so this forward kinematics shares no code with the solvers:
rotation matrices by Rodrigues' formula on the chain as it was read, not quaternions on a chain
turned to z axes, and the C library's sine and cosine instead of polynomials.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from generative_ik_ros.robot.chain import KinematicChain

# ruff: noqa: ANN001, ANN202  (types inside compiled code are numba's, not Python's)


class Verifier:
    """Measures how far the tip of a chain is from its target.

    Args:
        chain: The chain.
    """

    def __init__(self, chain: KinematicChain):
        """Precompute what Rodrigues' formula needs of each joint."""
        rotations = chain.joint_origins[:, :3, :3]
        # Column i of a cross product matrix is axis x e_i.
        skew = np.cross(chain.joint_axes[:, None, :], np.eye(3)).transpose(0, 2, 1)
        self._arrays = (
            np.ascontiguousarray(rotations),
            np.ascontiguousarray(rotations @ skew),
            np.ascontiguousarray(rotations @ skew @ skew),
            np.ascontiguousarray(chain.joint_origins[:, :3, 3]),
            (rotations @ chain.joint_axes[:, :, None])[:, :, 0].copy(),
            np.array(chain.joint_prismatic),
            np.array(chain.joint_variable, np.int64),
            np.array(chain.joint_multiplier),
            np.array(chain.joint_offset),
            np.array(chain.tip_in_last_joint),
        )

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
        return _errors(*self._arrays, positions, targets, target_of_row)


@njit(nogil=True, cache=True)
def _errors(
    rotations, sine_part, versine_part, shifts, axes, prismatic, variable, multiplier, offset, tip,
    positions, targets, target_of_row,
):  # fmt: skip
    """Measure each row: joint matrix = rotation + sin * sine_part + (1 - cos) * versine_part."""
    position_error = np.empty(len(positions))
    orientation_error = np.empty(len(positions))
    frame, joint, moved = np.empty((3, 4)), np.empty((3, 4)), np.empty((3, 4))
    for s in range(len(positions)):
        frame[:] = 0.0
        frame[0, 0] = frame[1, 1] = frame[2, 2] = 1.0
        for j in range(len(shifts)):
            value = multiplier[j] * positions[s, variable[j]] + offset[j]
            if prismatic[j]:
                sine, versine, slide = 0.0, 0.0, value
            else:
                sine, versine, slide = math.sin(value), 1.0 - math.cos(value), 0.0
            for a in range(3):
                for b in range(3):
                    joint[a, b] = (
                        rotations[j, a, b]
                        + sine * sine_part[j, a, b]
                        + versine * versine_part[j, a, b]
                    )
                joint[a, 3] = shifts[j, a] + slide * axes[j, a]
            _compose(frame, joint, moved)
            frame, moved = moved, frame
        _compose(frame, tip, moved)
        target = targets[target_of_row[s]]
        squared_distance, squared_chord = 0.0, 0.0
        for a in range(3):
            squared_distance += (moved[a, 3] - target[a, 3]) ** 2
            for b in range(3):
                squared_chord += (moved[a, b] - target[a, b]) ** 2
        # Rotations that differ by an angle differ by sqrt(8) sin(angle / 2) in the Frobenius norm.
        position_error[s] = math.sqrt(squared_distance)
        orientation_error[s] = 2.0 * math.asin(min(1.0, math.sqrt(squared_chord / 8.0)))
    return position_error, orientation_error


@njit(forceinline=True)
def _compose(left, right, product):
    """Multiply two poses, given by their first three rows."""
    for a in range(3):
        for b in range(4):
            product[a, b] = (
                left[a, 0] * right[0, b] + left[a, 1] * right[1, b] + left[a, 2] * right[2, b]
            )
        product[a, 3] += left[a, 3]
