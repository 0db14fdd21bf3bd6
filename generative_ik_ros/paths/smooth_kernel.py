"""Compiled step of null-space smoothing: the configurations of a whole path move at once.

Every configuration may move along the self-motion of its pose. To first order the sum of the
weighted squares of the motions between poses is then quadratic in these moves, and its minimum
follows from a block tridiagonal system, whose blocks are as large as the null space.
"""

import math

import numpy as np

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.robot.rodrigues import borrow_rodrigues, place_joints

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

_DEPENDENT = 1e-8
"""A row of the Jacobian of which only this share is left beside the others does not count."""
_DAMPING = 1e-6
"""Share of a diagonal block that is added, for configurations that are held."""


@kernel(error_model="numpy")
def smoothing_step(chain, path, weight, stiffness, held, nullity, position, orientation, moves):
    """Write the move of each configuration that shortens a path most, to first order.

    Args:
        chain: RodriguesChain.
        path: (L, n) configurations [rad or m].
        weight: (n,) what a unit of each joint's motion counts; above 0.
        stiffness: (L - 1,) weight of the square of each motion.
        held: (L,) which configurations stay.
        nullity: Dimension of the null space.
        position: Whether a pose fixes the position.
        orientation: Whether it fixes the orientation.
        moves: (L, n) out [rad or m].
    """
    length, n, joints = path.shape[0], path.shape[1], chain.shifts.shape[0]
    memory = np.zeros((length, nullity, n)), np.empty((joints, 6)), np.empty((6, n))
    system = np.zeros((length, nullity, nullity + 1)), np.empty((nullity, 2 * nullity + 1))
    chain, path, weight = borrow_rodrigues(chain), borrow(path), borrow(weight)
    stiffness, held, moves = borrow(stiffness), borrow(held), borrow(moves)
    bases, axes, jacobian = borrow(memory[0]), borrow(memory[1]), borrow(memory[2])
    solved, rows = borrow(system[0]), borrow(system[1])
    for t in range(length):
        if not held[t]:
            _jacobian(chain, path[t], weight, axes, jacobian)
            _null_basis(jacobian, bases[t], position, orientation)
    for t in range(length):
        _fill(path, weight, stiffness, bases, rows, t)
        if t > 0:
            _eliminate(rows, solved[t - 1], stiffness[t - 1], bases[t - 1], bases[t])
        _solve(rows)
        for a in range(nullity):
            for b in range(nullity + 1):
                solved[t, a, b] = rows[a, nullity + b]
    for t in range(length - 1, -1, -1):
        for v in range(n):
            moves[t, v] = 0.0
        for a in range(nullity):
            along = solved[t, a, nullity]
            if t < length - 1:
                for b in range(nullity):
                    along -= solved[t, a, b] * solved[t + 1, b, nullity]
            solved[t, a, nullity] = along
            for v in range(n):
                moves[t, v] += along * bases[t, a, v] / weight[v]
    # Until here the memory must be there, which the compiler does not see.
    memory[0][0] = system[0][0, 0, 0]
    memory[1][0] = memory[2][0, 0] = system[1][0, 0] = 0.0


@inlined
def _jacobian(chain, q, weight, axes, jacobian):
    """Write the geometric Jacobian (6, n) per weighted unit of each joint: linear, angular."""
    p = place_joints(chain, q, axes)
    jacobian[:] = 0.0
    for j in range(axes.shape[0]):
        v = chain.variable[j]
        unit = chain.multiplier[j] / weight[v]
        ax, ay, az = axes[j, 0] * unit, axes[j, 1] * unit, axes[j, 2] * unit
        if chain.prismatic[j]:
            jacobian[0, v] += ax
            jacobian[1, v] += ay
            jacobian[2, v] += az
        else:
            x, y, z = p[0] - axes[j, 3], p[1] - axes[j, 4], p[2] - axes[j, 5]
            jacobian[0, v] += ay * z - az * y
            jacobian[1, v] += az * x - ax * z
            jacobian[2, v] += ax * y - ay * x
            jacobian[3, v] += ax
            jacobian[4, v] += ay
            jacobian[5, v] += az


@inlined
def _null_basis(jacobian, basis, position, orientation):
    """Write orthonormal rows (k, n) that are orthogonal to those of the Jacobian.

    The rows of the Jacobian are made orthonormal in place (modified Gram-Schmidt). Then of the
    unit vectors the one that sticks out of their span most is added, again and again.
    """
    n = jacobian.shape[1]
    for r in range(6):
        counts = position if r < 3 else orientation
        size = math.sqrt(_dot(jacobian[r], jacobian[r])) if counts else 0.0
        for s in range(r):
            _remove(jacobian[r], jacobian[s])
        left = math.sqrt(_dot(jacobian[r], jacobian[r])) if counts else 0.0
        scale = 1.0 / left if left > _DEPENDENT * size else 0.0
        for v in range(n):
            jacobian[r, v] *= scale
    for a in range(basis.shape[0]):
        longest, best = -1.0, 0
        for v in range(n):
            left = 1.0
            for r in range(6):
                left -= jacobian[r, v] ** 2
            for b in range(a):
                left -= basis[b, v] ** 2
            if left > longest:
                longest, best = left, v
        for v in range(n):
            basis[a, v] = 1.0 if v == best else 0.0
        for _ in range(2):
            for r in range(6):
                _remove(basis[a], jacobian[r])
            for b in range(a):
                _remove(basis[a], basis[b])
        scale = 1.0 / math.sqrt(max(_dot(basis[a], basis[a]), 1e-300))
        for v in range(n):
            basis[a, v] *= scale


@inlined
def _fill(path, weight, stiffness, bases, rows, t):
    """Write the rows (k, 2 k + 1) of pose t: its own block, the next pose's, the right side."""
    k, last = rows.shape[0], path.shape[0] - 1
    before = stiffness[t - 1] if t > 0 else 0.0
    after = stiffness[t] if t < last else 0.0
    for a in range(k):
        for b in range(k):
            rows[a, b] = (before + after) * (1.0 + _DAMPING) if a == b else 0.0
            rows[a, k + b] = -after * _dot(bases[t, a], bases[t + 1, b]) if t < last else 0.0
        pull = 0.0
        for v in range(path.shape[1]):
            one = 0.0
            if t < last:
                one += after * (path[t + 1, v] - path[t, v])
            if t > 0:
                one -= before * (path[t, v] - path[t - 1, v])
            pull += bases[t, a, v] * weight[v] * one
        rows[a, 2 * k] = pull


@inlined
def _eliminate(rows, solved, stiffness, basis_before, basis):
    """Take the pose before out of a pose's rows."""
    k = rows.shape[0]
    for a in range(k):
        for c in range(k):
            factor = -stiffness * _dot(basis[a], basis_before[c])
            for b in range(k):
                rows[a, b] -= factor * solved[c, b]
            rows[a, 2 * k] -= factor * solved[c, k]


@inlined
def _solve(rows):
    """Solve rows (k, k + m) for the m right sides, in place (Gauss-Jordan; the block is definite)."""
    k = rows.shape[0]
    for a in range(k):
        scale = 1.0 / rows[a, a] if rows[a, a] != 0.0 else 0.0
        for b in range(a, rows.shape[1]):
            rows[a, b] *= scale
        for c in range(k):
            if c != a:
                factor = rows[c, a]
                for b in range(a, rows.shape[1]):
                    rows[c, b] -= factor * rows[a, b]


@inlined
def _remove(vector, other):
    """Take from a vector what it has of a unit vector."""
    share = _dot(vector, other)
    for v in range(vector.shape[0]):
        vector[v] -= share * other[v]


@inlined
def _dot(a, b):
    total = 0.0
    for v in range(a.shape[0]):
        total += a[v] * b[v]
    return total
