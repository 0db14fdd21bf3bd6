"""Forward kinematics by Rodrigues' formula in numba, for paths and optimization.

Like `core/src/verify/rodrigues.hpp` it shares no code with the local solver.
"""

import math

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.robot.rodrigues import RodriguesChain

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false


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
    return _tip_of(chain, r0, r1, r2, p)


@inlined
def _tip_of(chain, r0, r1, r2, p):
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
        axes[j, 0], axes[j, 1], axes[j, 2] = _turned_axis(chain, j, r0, r1, r2)
        r0, r1, r2, p = placed(chain, q, j, r0, r1, r2, p)
        axes[j, 3], axes[j, 4], axes[j, 5] = p
    return _tip_of(chain, r0, r1, r2, p)


@inlined
def _turned_axis(chain, j, r0, r1, r2):
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
