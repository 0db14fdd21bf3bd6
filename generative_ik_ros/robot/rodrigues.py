"""Compiled forward kinematics by Rodrigues' formula, on a chain as it was read.

It shares no code with the local solver, which uses quaternions on a chain with its axes rotated
to z, and polynomials for the sine and the cosine; so it can verify the solver's results.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.robot.chain import KinematicChain

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false

_Array = NDArray[np.float64]


class RodriguesChain(NamedTuple):
    """A chain of m joints.

    Attributes:
        rotations: (m, 3, 3) rotation of each joint's frame in the previous one, at zero.
        sine_part: (m, 3, 3) what the sine of its position adds.
        versine_part: (m, 3, 3) what one minus the cosine adds.
        shifts: (m, 3) origin of the joint's frame [m].
        axes: (m, 3) the joint's axis in the previous frame.
        prismatic: (m,) whether the joint is prismatic.
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

    @classmethod
    def of(cls, chain: KinematicChain) -> "RodriguesChain":
        """Precompute what Rodrigues' formula needs of each joint."""
        return cls(
            *rodrigues_parts(chain.joint_origins, chain.joint_axes),
            prismatic=np.array(chain.joint_prismatic),
            variable=np.array(chain.joint_variable, np.int64),
            multiplier=np.array(chain.joint_multiplier),
            offset=np.array(chain.joint_offset),
            tip=np.array(chain.tip_in_last_joint),
        )


def rodrigues_parts(
    origins: _Array, axes: _Array
) -> tuple[_Array, _Array, _Array, _Array, _Array]:
    """Return the first five fields of a RodriguesChain, from (m, 4, 4) origins and (m, 3) axes."""
    rotations = origins[:, :3, :3]
    # Column i of a cross product matrix is axis x e_i.
    skew = np.cross(axes[:, None, :], np.eye(3)).transpose(0, 2, 1)
    return (
        np.ascontiguousarray(rotations),
        np.ascontiguousarray(rotations @ skew),
        np.ascontiguousarray(rotations @ skew @ skew),
        np.ascontiguousarray(origins[:, :3, 3]),
        (rotations @ axes[:, :, None])[:, :, 0].copy(),
    )


def forward_many(chain: KinematicChain, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Place the tip for many configurations; as `KinematicChain.forward`, several times faster.

    Args:
        chain: The chain.
        q: (N, n) joint positions [rad or m].

    Returns:
        (N, 4, 4) tip in base [m].
    """
    return _forward_many(RodriguesChain.of(chain), np.ascontiguousarray(q))


@kernel()
def _forward_many(chain, q):
    chain, poses = borrow_rodrigues(chain), np.zeros((len(q), 4, 4))
    for i in range(len(q)):
        r0, r1, r2, p = place_tip(chain, q[i])
        for k in range(3):
            poses[i, 0, k], poses[i, 1, k], poses[i, 2, k] = r0[k], r1[k], r2[k]
            poses[i, k, 3] = p[k]
        poses[i, 3, 3] = 1.0
    return poses


@inlined
def borrow_rodrigues(chain):
    """Return the same chain without a share in its arrays; see `borrow`."""
    return RodriguesChain(
        borrow(chain.rotations), borrow(chain.sine_part), borrow(chain.versine_part),
        borrow(chain.shifts), borrow(chain.axes), borrow(chain.prismatic),
        borrow(chain.variable), borrow(chain.multiplier), borrow(chain.offset),
        borrow(chain.tip),
    )  # fmt: skip


@inlined
def place_tip(chain, q):
    """Return the three rows of the tip's rotation, and its position, for one configuration."""
    r0, r1, r2, p = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
    for j in range(chain.shifts.shape[0]):
        r0, r1, r2, p = placed(chain, q, j, r0, r1, r2, p)
    return tip_of(chain, r0, r1, r2, p)


@inlined
def tip_of(chain, r0, r1, r2, p):
    """Return rotation and position of the tip, from those of the last joint."""
    tip = chain.tip
    x, y, z = _column(tip, 0), _column(tip, 1), _column(tip, 2)
    shift = _column(tip, 3)
    return (
        (_dot(r0, x), _dot(r0, y), _dot(r0, z)),
        (_dot(r1, x), _dot(r1, y), _dot(r1, z)),
        (_dot(r2, x), _dot(r2, y), _dot(r2, z)),
        (p[0] + _dot(r0, shift), p[1] + _dot(r1, shift), p[2] + _dot(r2, shift)),
    )


@inlined
def place_joints(chain, q, axes):
    """Write each joint's axis and a point on it (m, 6), in base; return what `place_tip` does."""
    r0, r1, r2, p = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
    for j in range(chain.shifts.shape[0]):
        axes[j, 0], axes[j, 1], axes[j, 2] = turned_axis(chain, j, r0, r1, r2)
        r0, r1, r2, p = placed(chain, q, j, r0, r1, r2, p)
        axes[j, 3], axes[j, 4], axes[j, 5] = p
    return tip_of(chain, r0, r1, r2, p)


@inlined
def turned_axis(chain, j, r0, r1, r2):
    """Return a joint's axis in base, from the rotation of the frame before it."""
    axis = chain.axes[j, 0], chain.axes[j, 1], chain.axes[j, 2]
    return _dot(r0, axis), _dot(r1, axis), _dot(r2, axis)


@inlined
def placed(chain, q, j, r0, r1, r2, p):
    """Return rotation and origin of the frame that joint j moves, from those of the one before."""
    value = chain.multiplier[j] * q[chain.variable[j]] + chain.offset[j]
    slide = value if chain.prismatic[j] else 0.0
    sine = 0.0 if chain.prismatic[j] else math.sin(value)
    versine = 0.0 if chain.prismatic[j] else 1.0 - math.cos(value)
    return moved(chain, j, slide, sine, versine, r0, r1, r2, p)


@inlined
def moved(chain, j, slide, sine, versine, r0, r1, r2, p):
    """Do what `placed` does, given what the joint's position makes: numbers, or lanes of them."""
    shift = (
        chain.shifts[j, 0] + slide * chain.axes[j, 0],
        chain.shifts[j, 1] + slide * chain.axes[j, 1],
        chain.shifts[j, 2] + slide * chain.axes[j, 2],
    )
    p = (p[0] + _dot(r0, shift), p[1] + _dot(r1, shift), p[2] + _dot(r2, shift))
    x = _joint_column(chain, j, 0, sine, versine)
    y = _joint_column(chain, j, 1, sine, versine)
    z = _joint_column(chain, j, 2, sine, versine)
    r0 = (_dot(r0, x), _dot(r0, y), _dot(r0, z))
    r1 = (_dot(r1, x), _dot(r1, y), _dot(r1, z))
    r2 = (_dot(r2, x), _dot(r2, y), _dot(r2, z))
    return r0, r1, r2, p


@inlined
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


@inlined
def _column(matrix, k):
    return matrix[0, k], matrix[1, k], matrix[2, k]


@inlined
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
