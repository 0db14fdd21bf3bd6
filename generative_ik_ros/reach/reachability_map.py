"""The record of a reachability map: voxels, the orientations tried in each, and what was found."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ReachabilityMap:
    """Which of the same O orientations of the tip a chain reaches at each of P positions.

    Attributes:
        fingerprint: The chain's; a map says nothing about others.
        base_link: The frame of all positions and orientations.
        tip_link: What is placed.
        resolution: Edge of a voxel [m]; NaN for a map of given points.
        origin: (3,) a corner of the grid: voxel (i, j, k) has its centre at
            origin + (i + 0.5, j + 0.5, k + 0.5) * resolution [m].
        positions: (P, 3) the voxels' centres, or the points [m].
        voxels: (P, 3) int32 places (i, j, k) of the positions in the grid; (0, 3) for points.
        approach: (3,) unit vector in the tip's frame, about which orientations of one direction
            are turned against each other: the last joint's axis where that is revolute, else z.
        directions: (D, 3) unit vectors, where `approach` points in the base's frame.
        orientations: (D, R, 3, 3) rotations tip in base: R turns about each direction.
        reachable: (P, D, R) bool.
        tested: (P, D, R) bool, or None where every pose was tried.
        num_solutions: (P, D, R) uint16 distinct solutions up to the map's cap, or None.
        manipulability: (P, D, R) float32 best of the solutions found, 0 where there is none, or
            None; scaled as `order_by="manipulability"`.
        limit_margin: (P, D, R) float32 likewise, as `order_by="limit_margin"`.
        clearance: (P, D, R) float32 likewise [m].
    """

    fingerprint: str
    base_link: str
    tip_link: str
    resolution: float
    origin: NDArray[np.float64]
    positions: NDArray[np.float64]
    voxels: NDArray[np.int32]
    approach: NDArray[np.float64]
    directions: NDArray[np.float64]
    orientations: NDArray[np.float64]
    reachable: NDArray[np.bool_]
    tested: NDArray[np.bool_] | None = None
    num_solutions: NDArray[np.uint16] | None = None
    manipulability: NDArray[np.float32] | None = None
    limit_margin: NDArray[np.float32] | None = None
    clearance: NDArray[np.float32] | None = None

    @property
    def index(self) -> NDArray[np.float64]:
        """(P,) reachability index: share of the orientations that are reached.

        F. Zacharias, C. Borst, G. Hirzinger: Capturing robot workspace structure: representing
        robot capabilities. IROS 2007.
        """
        if self.tested is None:
            return self.reachable.mean(axis=(1, 2))
        tested = self.tested.sum(axis=(1, 2))
        reached = (self.reachable & self.tested).sum(axis=(1, 2))
        return reached / np.maximum(tested, 1)
