"""The cells of a reachability map that touch each other, in position and in orientation."""

import numpy as np

from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.reach.reachability_map import ReachabilityMap

_UNKNOWN, _BEYOND = -1, -2
"""What stands for the row of a voxel that is not in the map, and for one beyond the reach."""


def _angles_between(map: ReachabilityMap) -> Floats:
    """Return the angles (O, O) between the orientations of a map [rad]."""
    orientations = map.orientations.reshape(-1, 9)
    return np.arccos(np.clip((orientations @ orientations.T - 1.0) / 2.0, -1.0, 1.0))


def widest_gap(map: ReachabilityMap) -> float:
    """Return the largest angle from an orientation of a map to the nearest other one [rad]."""
    between = _angles_between(map)
    np.fill_diagonal(between, np.inf)
    return float(between.min(axis=1).max())


def perhaps_reached(map: ReachabilityMap, angle: float, center: Floats, reach: float) -> Bools:
    """Find the cells in which, or next to which, something is reached or not known.

    Args:
        map: The map.
        angle: Orientations up to which angle from each other touch [rad].
        center: (3,) where the first joint is [m].
        reach: Distance from it beyond which the tip never is [m].

    Returns:
        (P, O) whether that is so.

    Raises:
        InvalidArgumentError: The map has no voxels.
    """
    if not len(map.voxels):
        raise InvalidArgumentError("the map is one of single points; one of voxels is needed")
    reached = map.reachable if map.tested is None else map.reachable | ~map.tested
    reached = reached.reshape(len(map.positions), -1)
    touching = (_angles_between(map) <= angle).astype(np.float32)
    # As numbers, for which there is a fast product.
    spread = reached.astype(np.float32) @ touching > 0.5
    rows = _rows(map, center, reach)
    possible = np.zeros_like(spread)
    for shift in np.ndindex(3, 3, 3):
        other = rows[tuple((map.voxels + shift).T)]
        possible[other >= 0] |= spread[other[other >= 0]]
        possible[other == _UNKNOWN] = True
    return possible


def _rows(map: ReachabilityMap, center: Floats, reach: float) -> Ints:
    """Return the row of each voxel of the grid, with a margin of one voxel on all sides."""
    rows = np.full(map.voxels.max(axis=0) + 3, _UNKNOWN)
    rows[tuple((map.voxels + 1).T)] = np.arange(len(map.voxels))
    centers = map.origin + (np.moveaxis(np.indices(rows.shape), 0, -1) - 0.5) * map.resolution
    gaps = np.maximum(np.abs(centers - center) - map.resolution / 2.0, 0.0)
    rows[(rows < 0) & (np.linalg.norm(gaps, axis=-1) > reach)] = _BEYOND
    return rows
