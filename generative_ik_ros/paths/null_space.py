"""Compiled null spaces of configurations: the directions of their self-motions."""

import math

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.robot.rodrigues_kernel import place_joints

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

_DEPENDENT = 1e-8
"""A row of the Jacobian of which only this share is left beside the others does not count."""


@inlined
def weighted_jacobian(chain, q, weight, axes, jacobian):
    """Write the geometric Jacobian (6, n) per weighted unit of each joint: linear, angular.

    Returns:
        What `place_tip` does.
    """
    tip = place_joints(chain, q, axes)
    p = tip[3]
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
    return tip


@inlined
def hold(jacobian, ways):
    """Turn a Jacobian (6, n) into that of the ways (6, 6) in which a tip is held."""
    for v in range(jacobian.shape[1]):
        x, y, z = jacobian[0, v], jacobian[1, v], jacobian[2, v]
        a, b, c = jacobian[3, v], jacobian[4, v], jacobian[5, v]
        for r in range(6):
            way = ways[r]
            linear = way[0] * x + way[1] * y + way[2] * z
            jacobian[r, v] = linear + (way[3] * a + way[4] * b + way[5] * c)


@inlined
def null_basis(jacobian, basis, position, orientation):
    """Write orthonormal rows (k, n) orthogonal to those of the Jacobian (6 G, n), 0 if too many.

    The rows of the Jacobian are made orthonormal in place (modified Gram-Schmidt). Then of the
    unit vectors the one that sticks out of their span most is added, again and again.
    """
    rows, n = jacobian.shape
    for r in range(rows):
        counts = position if r % 6 < 3 else orientation
        size = math.sqrt(dot(jacobian[r], jacobian[r])) if counts else 0.0
        for s in range(r):
            _remove(jacobian[r], jacobian[s])
        left = math.sqrt(dot(jacobian[r], jacobian[r])) if counts else 0.0
        scale = 1.0 / left if left > _DEPENDENT * size else 0.0
        for v in range(n):
            jacobian[r, v] *= scale
    for a in range(basis.shape[0]):
        longest, best = -1.0, 0
        for v in range(n):
            left = 1.0
            for r in range(rows):
                left -= jacobian[r, v] ** 2
            for b in range(a):
                left -= basis[b, v] ** 2
            if left > longest:
                longest, best = left, v
        for v in range(n):
            basis[a, v] = 1.0 if v == best else 0.0
        for _ in range(2):
            for r in range(rows):
                _remove(basis[a], jacobian[r])
            for b in range(a):
                _remove(basis[a], basis[b])
        scale = 0.0
        if longest > _DEPENDENT:
            scale = 1.0 / math.sqrt(max(dot(basis[a], basis[a]), 1e-300))
        for v in range(n):
            basis[a, v] *= scale


@inlined
def _remove(vector, other):
    """Take from a vector what it has of a unit vector."""
    share = dot(vector, other)
    for v in range(vector.shape[0]):
        vector[v] -= share * other[v]


@inlined
def dot(a, b):
    """Return the inner product of two vectors."""
    total = 0.0
    for v in range(a.shape[0]):
        total += a[v] * b[v]
    return total
