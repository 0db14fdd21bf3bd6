"""Distances of points to boxes, spheres, cylinders and capsules."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Shape, Sphere


def primitive_distance(shape: Shape, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (K,) distances of points (K, 3) in the shape's frame to it; negative inside [m].

    Raises:
        TypeError: The shape is a mesh.
    """
    if isinstance(shape, Sphere):
        return np.linalg.norm(points, axis=1) - shape.radius
    if isinstance(shape, Capsule):
        half = shape.length / 2.0
        beyond = points[:, 2] - np.clip(points[:, 2], -half, half)
        return np.sqrt(points[:, 0] ** 2 + points[:, 1] ** 2 + beyond**2) - shape.radius
    if isinstance(shape, Box):
        excess = np.abs(points) - shape.size / 2.0
    elif isinstance(shape, Cylinder):
        around = np.hypot(points[:, 0], points[:, 1]) - shape.radius
        excess = np.stack([around, np.abs(points[:, 2]) - shape.length / 2.0], axis=1)
    else:
        raise TypeError(f"{type(shape).__name__} is no primitive")
    outside = np.linalg.norm(np.maximum(excess, 0.0), axis=1)
    return outside + np.minimum(excess.max(axis=1), 0.0)
