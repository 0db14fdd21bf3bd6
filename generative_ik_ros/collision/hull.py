"""Convex hulls of meshes, which most points of a cloud are clear of at once."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError


class Hull:
    """The convex hull of points, as the planes around it.

    Args:
        points: (V, 3) [m].
    """

    def __init__(self, points: NDArray[np.float64]) -> None:
        self.low, self.high = points.min(axis=0), points.max(axis=0)
        try:
            self.planes = ConvexHull(points).equations
        except QhullError:  # flat, or hardly more
            axes = np.concatenate([np.eye(3), -np.eye(3)])
            self.planes = np.column_stack([axes, np.concatenate([-self.high, self.low])])

    def near(
        self, points: NDArray[np.float64], reach: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the points that may be within reach of the hull, and how deep in it they are.

        Args:
            points: (K, 3) [m].
            reach: [m].

        Returns:
            (N, 3) points; (N,) how far they are inside of all planes, below 0 outside [m].
        """
        inside = (points >= self.low - reach) & (points <= self.high + reach)
        points = points[inside[:, 0] & inside[:, 1] & inside[:, 2]]
        x, y, z, offset = self.planes.T
        # No matrix product: on busy machines, the threads of BLAS wait for each other.
        heights = points[:, :1] * x + points[:, 1:2] * y + points[:, 2:] * z + offset
        depth = -heights.max(axis=1, initial=-np.inf)
        kept = depth > -reach
        return points[kept], depth[kept]
