"""The equations of a six-joint arm of no special kind with two unknowns eliminated beforehand.

The joints close a loop, E1 E2 ... E6 G' = 1, where G' takes the target back to the tip at zero.
Along a joint's axis, a line with a point on it, that joint does not count; two of the others can
be brought to the other side. M. Raghavan and B. Roth (Inverse kinematics of the general 6R
manipulator and related linkages, 1993) found 14 functions of such a line that are linear in the
cosine and sine of every rotation of it. They are what a rigid motion makes of a point and of a
line in five-dimensional conformal space, which is why rigid motions act on them by matrices
(`motion`). The two joints on the other side bring eight products of cosines and sines that depend
on no pose, so six equations in the other three angles can be prepared once for an arm
(`Elimination`).

We use the loop from any joint on, and from either end, and take what is best conditioned.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.axes import AxesAtZero
from generative_ik_ros.robot.rigid import turn

FUNCTIONS = 15
"""Of a point p on a line of direction l: p, p.p, 1, l, p.l, p x l, (p.p) l - 2 (p.l) p."""
_ONE = 4
_BUT_ONE = [k for k in range(FUNCTIONS) if k != _ONE]
_EQUATIONS, _LEFT = 6, 3
"""Equations, and the angles that are left in them."""
_HALVED = np.array([[1.0, -1.0, 0.0], [0.0, 0.0, 2.0], [1.0, 1.0, 0.0]])
"""1, cos and sin times 1 + t^2, from t^2, t and 1 of the tangent t of half the angle."""


def functions_of(point: NDArray[np.float64], line: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the functions (15,) of a point (3,) on a line of direction (3,)."""
    along = point @ line
    last = (point @ point) * line - 2.0 * along * point
    return np.array([*point, point @ point, 1.0, *line, along, *np.cross(point, line), *last])


def motion(pose: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what a rigid motion (4, 4) does to the functions: a matrix (15, 15)."""
    turned, shift = pose[:3, :3], pose[:3, 3]
    x, y, z = shift
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    point, line, moment, last = slice(0, 3), slice(5, 8), slice(9, 12), slice(12, 15)
    matrix = np.eye(FUNCTIONS)
    matrix[point, point], matrix[point, _ONE] = turned, shift
    matrix[3, point], matrix[3, _ONE] = 2.0 * shift @ turned, shift @ shift
    matrix[line, line], matrix[8, line] = turned, shift @ turned
    matrix[moment, moment], matrix[moment, line] = turned, cross @ turned
    matrix[last, last], matrix[last, moment] = turned, -2.0 * cross @ turned
    squares = (shift @ shift) * np.eye(3) - 2.0 * np.outer(shift, shift)
    matrix[last, line], matrix[last, 8] = squares @ turned, -2.0 * shift
    return matrix


def rotations(axis: NDArray[np.float64], point: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return matrices (3, 15, 15): a rotation u is the sum of (1, cos u, sin u) times them."""
    angles = np.array([0.0, np.pi, np.pi / 2.0])
    poses = turn(axis, angles)
    poses[:, :3, 3] = point - poses[:, :3, :3] @ point
    here, half, quarter = (motion(pose) for pose in poses)
    middle = (here + half) / 2.0
    return np.array([middle, (here - half) / 2.0, quarter - middle])


@dataclass(frozen=True)
class Elimination:
    """Six equations in three angles of an arm, for one choice of joints.

    Joint `dropped` does not move its own axis; the two after it, in the loop, are eliminated, and
    the other three, in the loop, are left. An equation is the sum over i, j, k of

        (rows . motion of G' . columns)[i, equation, j, k]  x_i y_j z_k,    x = (1, cos, sin)

    where y and z are powers of the tangents of half their angles, from the second down.

    Attributes:
        dropped: 0 to 3.
        rows: (..., 15) what comes before G', of equations alone, or of i, equations, and j or j
            and k.
        columns: (15, ...) what comes after it, of the others.
        cosine_and_sine: (2, 15), applied to the functions of the dropped axis as the three angles
            move it and added to `offset` (2,): those of the first eliminated joint.
        offset: See there.
    """

    dropped: int
    rows: NDArray[np.float64]
    columns: NDArray[np.float64]
    cosine_and_sine: NDArray[np.float64]
    offset: NDArray[np.float64]

    @classmethod
    def of(cls, lines: AxesAtZero, dropped: int) -> "Elimination | None":
        """Prepare the equations, None if the eliminated joints cannot be told from them.

        Args:
            lines: Of six joints.
            dropped: Which joint, 0 to 3.
        """
        points = lines.points / lines.length
        start = functions_of(points[dropped], lines.axes[dropped])
        forth = [rotations(*line) for line in zip(lines.axes, points, strict=True)]
        back = [rotations(*line) for line in zip(-lines.axes, points, strict=True)]
        first, second = dropped + 1, dropped + 2
        opposite = np.einsum("jab,ibc,c->aij", back[second], back[first], start)
        opposite = opposite.reshape(FUNCTIONS, 9)
        left, _, _ = np.linalg.svd(opposite[_BUT_ONE][:, 1:])
        equations = np.zeros((_EQUATIONS, FUNCTIONS))
        equations[:, _BUT_ONE] = left[:, -_EQUATIONS:].T
        equations[:, _ONE] = -equations @ opposite[:, 0]
        # What the second eliminated joint leaves as it is tells the first.
        still = forth[second][0] - np.eye(FUNCTIONS)
        left, sizes, _ = np.linalg.svd(still)
        still = left[:, sizes < 1e-9].T
        told = still @ (back[first] @ start).T
        _, sizes, _ = np.linalg.svd(told[:, 1:])
        if sizes[1] < 1e-4 * sizes[0] or sizes[0] < 1e-6:
            return None
        solve = np.linalg.pinv(told[:, 1:])
        rows, columns = _around(equations, forth, start, dropped)
        return cls(dropped, rows, columns, solve @ still, -solve @ told[:, 0])

    def equations(self, loop: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the coefficients (3, 6, 3, 3) of i, equation, j, k for a G' (4, 4)."""
        product = np.tensordot(self.rows @ motion(loop), self.columns, 1)
        return product.swapaxes(0, 1) if self.dropped == _LEFT else product


def _around(
    equations: NDArray[np.float64],
    forth: list[NDArray[np.float64]],
    start: NDArray[np.float64],
    dropped: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Multiply the three rotations that are left into what comes before and after G'."""
    x, y, z = (forth[(dropped + k) % 6] for k in (3, 4, 5))
    three, before = [x, np.tensordot(_HALVED, y, 1), np.tensordot(_HALVED, z, 1)], _LEFT - dropped
    rows, columns = equations, start
    for count, matrices in enumerate(three[:before]):
        inner = "ea,iab->ieb" if count == 0 else "...a,jab->...jb"
        rows = np.einsum(inner, rows, matrices)
    for matrices in three[: before - 1 if before else None : -1]:
        columns = np.einsum("kab,b...->ak...", matrices, columns)
    return rows, columns
