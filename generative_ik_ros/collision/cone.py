"""Cones, which are no shape of their own, as the meshes around them."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.shapes import Mesh

CONE_SIDES = 64
"""Sides of the pyramid that stands for a cone; it reaches 0.13 % of the radius too far."""


def cone(radius: float, length: float, *, pose: NDArray[np.float64]) -> Mesh:
    """Return the pyramid around a cone.

    Args:
        radius: Of the base, at z = -length / 2 [m].
        length: From the base to the tip, at z = length / 2 [m].
        pose: (4, 4) [m].
    """
    angles = np.arange(CONE_SIDES) * (2.0 * np.pi / CONE_SIDES)
    outer = radius / np.cos(np.pi / CONE_SIDES)
    vertices = np.empty((CONE_SIDES + 2, 3))
    vertices[:-2, 0], vertices[:-2, 1] = outer * np.cos(angles), outer * np.sin(angles)
    vertices[:-1, 2] = -length / 2.0
    vertices[-2:, :2] = 0.0
    vertices[-1, 2] = length / 2.0
    here = np.arange(CONE_SIDES)
    after = (here + 1) % CONE_SIDES
    base, tip = np.full(CONE_SIDES, CONE_SIDES), np.full(CONE_SIDES, CONE_SIDES + 1)
    faces = np.concatenate(
        [np.stack([here, after, tip], axis=1), np.stack([after, here, base], axis=1)]
    )
    return Mesh(vertices, faces, pose=pose)
