"""Polytopes around meshes, which most points of a cloud are clear of at once."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.directions import spread_directions

DIRECTIONS = 128
"""Planes of a polytope, besides those of the box."""


class Polytope:
    """Planes around points, close to their convex hull.

    Args:
        points: (V, 3) [m].
    """

    def __init__(self, points: NDArray[np.float64]) -> None:
        self.low, self.high = points.min(axis=0), points.max(axis=0)
        x, y, z = points.T
        self.normals = np.concatenate([np.eye(3), -np.eye(3), spread_directions(DIRECTIONS)])
        # No matrix product: on busy machines, the threads of BLAS wait for each other.
        self.offsets = np.array([(a * x + b * y + c * z).max() for a, b, c in self.normals])

    def near(
        self, points: NDArray[np.float64], reach: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the points that may be within reach, and how deep inside they are.

        Args:
            points: (K, 3) [m].
            reach: [m].

        Returns:
            (N, 3) points; (N,) how far they are inside of all planes, below 0 outside [m].
        """
        inside = (points >= self.low - reach) & (points <= self.high + reach)
        points = points[inside[:, 0] & inside[:, 1] & inside[:, 2]]
        x, y, z = self.normals.T
        heights = points[:, :1] * x + points[:, 1:2] * y + points[:, 2:] * z - self.offsets
        depth = -heights.max(axis=1, initial=-np.inf)
        kept = depth > -reach
        return points[kept], depth[kept]
