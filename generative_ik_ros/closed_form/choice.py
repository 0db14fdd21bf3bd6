"""Which elimination suits an arm: what is known of random configurations has to come out."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.axes import AxesAtZero
from generative_ik_ros.closed_form.elimination import Elimination
from generative_ik_ros.robot.rigid import inverse, turn

_DEGREE = 8
"""Of the polynomial that the determinant of the equations is."""
_POSES = 12
_WORST = 1e-6
"""How far a zero may be from where it is known to be [rad]; Newton steps do the rest."""


def best_elimination(lines: AxesAtZero) -> tuple[bool, Elimination] | None:
    """Return whether to mirror an arm and which elimination to take, None if none is any good.

    Where axes intersect or are parallel, the polynomial of some is zero, or has zeros in pairs.
    """
    rng, best = np.random.default_rng(0), None
    angles = rng.uniform(-np.pi, np.pi, (_POSES, 6))
    for mirrored in (False, True):
        seen = lines.mirrored if mirrored else lines
        for dropped in range(4):
            elimination = Elimination.of(seen, dropped)
            if elimination is None:
                continue
            error = _worst_error(seen, elimination, angles)
            if error < _WORST and (best is None or error < best[0]):
                best = error, mirrored, elimination
    return best and best[1:]


def _worst_error(
    lines: AxesAtZero, elimination: Elimination, angles: NDArray[np.float64]
) -> float:
    """Return how far from known angles the polynomial's zeros are at the worst [rad]."""
    worst, k = 0.0, np.arange(_DEGREE + 1)
    for known in angles:
        values = _determinants(elimination.equations(inverse(_together(lines, known))))
        waves = np.fft.rfft(values) / len(values)
        waves = waves[: _DEGREE + 1] * np.exp(1j * k * known[(elimination.dropped + 3) % 6])
        value, slope = waves[0].real + 2.0 * waves[1:].real.sum(), -2.0 * (k * waves.imag).sum()
        worst = max(worst, abs(value) / max(abs(slope), 1e-300))
        if not worst < _WORST:
            return np.inf
    return worst


def _together(lines: AxesAtZero, angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the motion (4, 4) that all joints make together, lengths in shares of the arm's."""
    pose = np.eye(4)
    for axis, point, angle in zip(lines.axes, lines.points / lines.length, angles, strict=True):
        step = turn(axis, angle)
        step[:3, 3] = point - step[:3, :3] @ point
        pose = pose @ step
    return pose


def _determinants(equations: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the determinants of the equations at angles all round the circle."""
    size = 2 * _DEGREE + 1
    angles = 2.0 * np.pi * np.arange(size) / size
    around = np.stack([np.ones(size), np.cos(angles), np.sin(angles)])
    blocks = np.einsum("ix,ieab->xaeb", around, equations)
    matrix = np.zeros((size, 2, 6, 12))
    for a in range(3):
        matrix[:, 0, :, 3 * a : 3 * a + 3] = matrix[:, 1, :, 3 * a + 3 : 3 * a + 6] = blocks[:, a]
    return np.linalg.det(matrix.reshape(size, 12, 12))
