"""Compiled step of null-space smoothing: the configurations of a whole path move at once.

Every configuration may move along the self-motion of its pose. To first order the sum of the
weighted squares of the motions between poses is then quadratic in these moves, and its minimum
follows from a block tridiagonal system, whose blocks are as large as the null space.
"""

import numpy as np

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.paths.null_space import dot, hold, null_basis, weighted_jacobian
from generative_ik_ros.robot.rodrigues_kernel import borrow_rodrigues

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false

_DAMPING = 1e-6
"""Share of a diagonal block that is added, for configurations that are held."""


@kernel(error_model="numpy")
def smoothing_step(chain, path, weight, stiffness, held, stopped, nullity, ways, moves):
    """Write the move of each configuration that shortens a path most, to first order.

    Args:
        chain: RodriguesChain.
        path: (L, n) configurations [rad or m].
        weight: (n,) what a unit of each joint's motion counts; above 0.
        stiffness: (L - 1,) weight of the square of each motion.
        held: (L,) which configurations stay.
        stopped: (L, n) which of their joints do.
        nullity: Largest dimension of a null space.
        ways: (L, 6, 6) or (1, 6, 6) in which ways each pose holds the tip.
        moves: (L, n) out [rad or m].
    """
    length, n, joints = path.shape[0], path.shape[1], chain.shifts.shape[0]
    memory = np.zeros((length, nullity, n)), np.empty((joints, 6)), np.empty((6, n))
    system = np.zeros((length, nullity, nullity + 1)), np.empty((nullity, 2 * nullity + 1))
    chain, path, weight = borrow_rodrigues(chain), borrow(path), borrow(weight)
    stiffness, held, moves = borrow(stiffness), borrow(held), borrow(moves)
    stopped, ways = borrow(stopped), borrow(ways)
    bases, axes, jacobian = borrow(memory[0]), borrow(memory[1]), borrow(memory[2])
    solved, rows = borrow(system[0]), borrow(system[1])
    for t in range(length):
        if not held[t]:
            weighted_jacobian(chain, path[t], weight, axes, jacobian)
            hold(jacobian, ways[t if ways.shape[0] > 1 else 0])
            for v in range(n):
                if stopped[t, v]:
                    jacobian[:, v] = 0.0
            null_basis(jacobian, bases[t], True, True)  # noqa: FBT003
            # Of a joint that moves no tip the basis has a unit vector, and nothing else.
            for v in range(n):
                if stopped[t, v]:
                    bases[t, :, v] = 0.0
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
def _fill(path, weight, stiffness, bases, rows, t):
    """Write the rows (k, 2 k + 1) of pose t: its own block, the next pose's, the right side."""
    k, last = rows.shape[0], path.shape[0] - 1
    before = stiffness[t - 1] if t > 0 else 0.0
    after = stiffness[t] if t < last else 0.0
    for a in range(k):
        for b in range(k):
            rows[a, b] = (before + after) * (1.0 + _DAMPING) if a == b else 0.0
            rows[a, k + b] = -after * dot(bases[t, a], bases[t + 1, b]) if t < last else 0.0
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
            factor = -stiffness * dot(basis[a], basis_before[c])
            for b in range(k):
                rows[a, b] -= factor * solved[c, b]
            rows[a, 2 * k] -= factor * solved[c, k]


@inlined
def _solve(rows):
    """Solve rows (k, k + m) for the m right sides, in place.

    The block is definite, so Gauss-Jordan elimination needs no pivots.
    """
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
