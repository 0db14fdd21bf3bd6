"""Rigid transforms (4 x 4 matrices) of joints, and angles on the circle; numpy, float64."""

import numpy as np

from generative_ik_ros.array_types import Floats

TURN = 2.0 * np.pi
"""A full turn [rad]."""


def wrapped(angle: Floats) -> Floats:
    """Bring angles to the turn from -pi to pi [rad]."""
    return np.remainder(angle + np.pi, TURN) - np.pi


def inverse(pose: Floats) -> Floats:
    """Invert (..., 4, 4) rigid transforms."""
    transposed = np.swapaxes(pose[..., :3, :3], -1, -2)
    inverted = np.zeros_like(pose)
    inverted[..., :3, :3] = transposed
    inverted[..., :3, 3:] = -transposed @ pose[..., :3, 3:]
    inverted[..., 3, 3] = 1.0
    return inverted


def turn(axis: Floats, angle: Floats) -> Floats:
    """Rotate about a unit axis (3,) by (...,) angles [rad]: Rodrigues' formula, (..., 4, 4)."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    angle = np.asarray(angle)[..., None, None]
    moved = np.zeros((*angle.shape[:-2], 4, 4))
    moved[..., :3, :3] = (
        np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)
    )
    moved[..., 3, 3] = 1.0
    return moved


def rotation_to(axis: Floats) -> Floats:
    """Return a rotation (3, 3) whose z axis is a unit vector (3,)."""
    x = np.cross(np.eye(3)[np.argmin(np.abs(axis))], axis)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(axis, x), axis], axis=1)


def shift(axis: Floats, distance: Floats) -> Floats:
    """Translate along a unit axis (3,) by (...,) distances [m]: (..., 4, 4)."""
    distance = np.asarray(distance)[..., None]
    moved = np.zeros((*distance.shape[:-1], 4, 4))
    moved[..., :, :] = np.eye(4)
    moved[..., :3, 3] = distance * axis
    return moved
