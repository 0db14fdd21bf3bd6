"""A reachability map as a dense grid, and the surface of those of its voxels that are shown."""

import numpy as np
from scipy.ndimage import binary_erosion

from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.reach.reachability_map import ReachabilityMap
from generative_ik_ros.robot.chain import KinematicChain

_CORNERS = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], dtype=float)


class VoxelGrid:
    """The box of I x J x K voxels around all those of a map in which a pose is reached.

    Args:
        reach: The map.

    Attributes:
        resolution: Edge of a voxel [m].
        lower: (3,) lower corner of the box [m].
        upper: (3,) upper corner [m].
        row: (I, J, K) row of each voxel in the map, -1 where no pose is reached.
        index: (I, J, K) reachability index.

    Raises:
        InvalidArgumentError: The map is one of given points, or reaches nothing.
    """

    def __init__(self, reach: ReachabilityMap):
        """Lay the map's voxels out."""
        index = reach.index
        rows = np.flatnonzero(index > 0.0)
        if not len(reach.voxels) or not len(rows):
            what = "one that reaches nothing" if len(reach.voxels) else "one of given points"
            raise InvalidArgumentError(f"only a map of voxels can be drawn, not {what}")
        voxels = reach.voxels[rows]
        first, last = voxels.min(axis=0), voxels.max(axis=0)
        self.resolution = reach.resolution
        self.lower = reach.origin + first * reach.resolution
        self.upper = reach.origin + (last + 1) * reach.resolution
        places = tuple((voxels - first).T)
        self.row: Ints = np.full(last - first + 1, -1)
        self.row[places] = rows
        self.index: Floats = np.zeros(self.row.shape)
        self.index[places] = index[rows]

    def centres(self, axis: int) -> Floats:
        """Return where the voxels' centres are along an axis (I,), (J,) or (K,) [m]."""
        return self.lower[axis] + (np.arange(self.row.shape[axis]) + 0.5) * self.resolution

    def layer(self, axis: int, where: float) -> int:
        """Return the number of the layer across an axis that is nearest to a coordinate [m]."""
        layer = int(np.floor((where - self.lower[axis]) / self.resolution + 1e-9))
        return int(np.clip(layer, 0, self.row.shape[axis] - 1))

    def half(self, chain: KinematicChain) -> int:
        """Return the layer across y at which the voxels behind the first joint's axis begin.

        Where the axis does not pass the box, it is the layer in the middle.
        """
        where = chain.canonical.first_joint_in_base[1, 3]
        if not self.lower[1] < where < self.upper[1]:
            where = (self.lower[1] + self.upper[1]) / 2.0
        return self.layer(1, where)

    def exposed(self, shown: Bools) -> Bools:
        """Return which of the shown voxels (I, J, K) have a neighbour that is not shown."""
        return shown & ~binary_erosion(shown)

    def faces(self, shown: Bools, axis: int, side: int) -> tuple[Floats, Ints]:
        """Return the open faces of shown voxels (I, J, K) on one side of them.

        Args:
            shown: Which voxels are there.
            axis: 0, 1 or 2: the faces' normal is along x, y or z.
            side: 1 or -1: and points up or down this axis.

        Returns:
            (F, 4, 3) corners [m], and (F, 3) the voxels that they belong to.
        """
        cells = np.argwhere(shown & ~_neighbour(shown, axis, side))
        corners = np.zeros((4, 3))
        corners[:, axis] = max(side, 0)
        corners[:, [one for one in range(3) if one != axis]] = _CORNERS
        return self.lower + (cells[:, None] + corners) * self.resolution, cells

    def hit(self, shown: Bools, origin: Floats, along: Floats) -> int | None:
        """Return the row of the first of the shown voxels (I, J, K) on a ray; None: there is none.

        Args:
            shown: Which voxels are there.
            origin: (3,) where the ray begins [m].
            along: (3,) its direction.
        """
        cells = np.argwhere(shown)
        with np.errstate(divide="ignore", invalid="ignore"):
            low = (self.lower + cells * self.resolution - origin) / along
            high = low + self.resolution / along
        # A ray within a face divides 0 by 0; it touches the voxel, whichever side it is on.
        enter = np.nanmax(np.minimum(low, high), axis=1)
        leave = np.nanmin(np.maximum(low, high), axis=1)
        met = np.flatnonzero((enter <= leave) & (leave >= 0.0))
        if not len(met):
            return None
        return int(self.row[tuple(cells[met[np.argmin(enter[met])]])])


def _neighbour(shown: Bools, axis: int, side: int) -> Bools:
    """Return for each voxel whether the next one along an axis is shown; outside, none is."""
    moved = np.zeros_like(shown)
    to, of = [slice(None)] * 3, [slice(None)] * 3
    to[axis], of[axis] = (slice(-1), slice(1, None)) if side > 0 else (slice(1, None), slice(-1))
    moved[tuple(to)] = shown[tuple(of)]
    return moved
