"""Configurations and targets in, their true pose errors out.

Nothing leaves the package unchecked, so this forward kinematics shares no code with the solvers:
rotation matrices by Rodrigues' formula on the chain as it was read, not quaternions on a chain
turned to z axes, and the C library's sine and cosine instead of polynomials.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from generative_ik_ros.robot.chain import KinematicChain

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)


class VerifierArrays(NamedTuple):
    """A chain of m joints for Rodrigues' formula.

    Attributes:
        rotations: (m, 3, 3) rotation of each joint's frame in the previous one, at zero.
        sine_part: (m, 3, 3) what the sine of its position adds.
        versine_part: (m, 3, 3) what one minus the cosine adds.
        shifts: (m, 3) origin of the joint's frame [m].
        axes: (m, 3) the joint's axis in the previous frame.
        prismatic: (m,) whether the joint slides.
        variable: (m,) index of the variable that drives the joint.
        multiplier: (m,) joint position per variable.
        offset: (m,) joint position where the variable is 0.
        tip: (4, 4) tip in the last joint's frame.
    """

    rotations: NDArray[np.float64]
    sine_part: NDArray[np.float64]
    versine_part: NDArray[np.float64]
    shifts: NDArray[np.float64]
    axes: NDArray[np.float64]
    prismatic: NDArray[np.bool_]
    variable: NDArray[np.int64]
    multiplier: NDArray[np.float64]
    offset: NDArray[np.float64]
    tip: NDArray[np.float64]


class Verifier:
    """Measures how far the tip of a chain is from its target.

    Args:
        chain: The chain.

    Attributes:
        arrays: The chain, for compiled code.
    """

    def __init__(self, chain: KinematicChain):
        """Precompute what Rodrigues' formula needs of each joint."""
        rotations = chain.joint_origins[:, :3, :3]
        # Column i of a cross product matrix is axis x e_i.
        skew = np.cross(chain.joint_axes[:, None, :], np.eye(3)).transpose(0, 2, 1)
        self.arrays = VerifierArrays(
            rotations=np.ascontiguousarray(rotations),
            sine_part=np.ascontiguousarray(rotations @ skew),
            versine_part=np.ascontiguousarray(rotations @ skew @ skew),
            shifts=np.ascontiguousarray(chain.joint_origins[:, :3, 3]),
            axes=(rotations @ chain.joint_axes[:, :, None])[:, :, 0].copy(),
            prismatic=np.array(chain.joint_prismatic),
            variable=np.array(chain.joint_variable, np.int64),
            multiplier=np.array(chain.joint_multiplier),
            offset=np.array(chain.joint_offset),
            tip=np.array(chain.tip_in_last_joint),
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
        return _errors(self.arrays, positions, targets, target_of_row)


@njit(nogil=True, cache=True)
def _errors(chain, positions, targets, target_of_row):
    position_error = np.empty(len(positions))
    orientation_error = np.empty(len(positions))
    for s in range(len(positions)):
        position_error[s], orientation_error[s] = pose_error(
            chain, positions[s], targets[target_of_row[s]]
        )
    return position_error, orientation_error


@njit(forceinline=True)
def pose_error(chain, q, target):
    """Measure one configuration: distance [m] and angle [rad] of the tip from a (4, 4) pose.

    Args:
        chain: VerifierArrays.
        q: (n,) configuration [rad or m].
        target: (4, 4) tip in base [m].
    """
    r0, r1, r2, p = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
    for j in range(chain.shifts.shape[0]):
        value = chain.multiplier[j] * q[chain.variable[j]] + chain.offset[j]
        slide = value if chain.prismatic[j] else 0.0
        shift = (
            chain.shifts[j, 0] + slide * chain.axes[j, 0],
            chain.shifts[j, 1] + slide * chain.axes[j, 1],
            chain.shifts[j, 2] + slide * chain.axes[j, 2],
        )
        p = (p[0] + _dot(r0, shift), p[1] + _dot(r1, shift), p[2] + _dot(r2, shift))
        sine = 0.0 if chain.prismatic[j] else math.sin(value)
        versine = 0.0 if chain.prismatic[j] else 1.0 - math.cos(value)
        x = _joint_column(chain, j, 0, sine, versine)
        y = _joint_column(chain, j, 1, sine, versine)
        z = _joint_column(chain, j, 2, sine, versine)
        r0 = (_dot(r0, x), _dot(r0, y), _dot(r0, z))
        r1 = (_dot(r1, x), _dot(r1, y), _dot(r1, z))
        r2 = (_dot(r2, x), _dot(r2, y), _dot(r2, z))
    shift = (chain.tip[0, 3], chain.tip[1, 3], chain.tip[2, 3])
    p = (p[0] + _dot(r0, shift), p[1] + _dot(r1, shift), p[2] + _dot(r2, shift))
    squared_distance, squared_chord = 0.0, 0.0
    for a in range(3):
        squared_distance += (p[a] - target[a, 3]) ** 2
        column = (chain.tip[0, a], chain.tip[1, a], chain.tip[2, a])
        squared_chord += (_dot(r0, column) - target[0, a]) ** 2
        squared_chord += (_dot(r1, column) - target[1, a]) ** 2
        squared_chord += (_dot(r2, column) - target[2, a]) ** 2
    # Rotations that differ by an angle differ by sqrt(8) sin(angle / 2) in the Frobenius norm.
    return (
        math.sqrt(squared_distance),
        2.0 * math.asin(min(1.0, math.sqrt(squared_chord / 8.0))),
    )


@njit(forceinline=True)
def _joint_column(chain, j, k, sine, versine):
    """Return column k of a joint's matrix, which is linear in sine and versine."""
    return (
        chain.rotations[j, 0, k]
        + sine * chain.sine_part[j, 0, k]
        + versine * chain.versine_part[j, 0, k],
        chain.rotations[j, 1, k]
        + sine * chain.sine_part[j, 1, k]
        + versine * chain.versine_part[j, 1, k],
        chain.rotations[j, 2, k]
        + sine * chain.sine_part[j, 2, k]
        + versine * chain.versine_part[j, 2, k],
    )


@njit(forceinline=True)
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
