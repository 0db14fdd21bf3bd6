"""The grid of a capability map: configurations by the cell of their reduced pose."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.robot.rodrigues import forward_many
from generative_ik_ros.samplers.ends import (
    FIXED,
    PRISMATIC,
    REVOLUTE,
    Ends,
    reduce_pose,
    spin_between,
)
from generative_ik_ros.samplers.stored import ChainCache, spread_configurations

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false

STORED = 100_000
"""Configurations in a map: 15 MB for seven joints, a fraction of a second to build."""
_CELLS = STORED // 2
"""Cells of the grid. Most are out of reach, so the others hold a few configurations each."""
_RINGS = 2
"""Configurations up to so many cells from the target's are of use."""


class CapabilityGrid(NamedTuple):
    """Configurations of a canonical chain, by the cells of their reduced poses.

    Attributes:
        ends: The outer joints.
        origin: (D,) least value of each coordinate [m or rad, or a cosine].
        per_unit: (D,) cells per unit.
        bins: (D,) cells along each coordinate.
        circles: (D,) whether a coordinate's last cell is next to its first.
        starts: (C + 1,) where each cell's configurations begin.
        positions: (N, n) configurations whose outer joints are at the azimuth 0 [rad or m].
        poses: (N, 3, 4) of the last joint, without their azimuth [m].
        offsets: (O, D) cells around a cell, nearest rings first.
    """

    ends: Ends
    origin: NDArray[np.float64]
    per_unit: NDArray[np.float64]
    bins: NDArray[np.int64]
    circles: NDArray[np.bool_]
    starts: NDArray[np.int64]
    positions: NDArray[np.float64]
    poses: NDArray[np.float64]
    offsets: NDArray[np.int64]


def _build(chain: KinematicChain) -> CapabilityGrid:
    ends = Ends.of(chain)
    followers = ((ends.first, ends.first_variable), (ends.last, ends.last_variable))
    centred = [variable for kind, variable in followers if kind != FIXED]
    positions = spread_configurations(chain, STORED, centred)
    poses = np.ascontiguousarray(chain.canonical_target(forward_many(chain, positions)))
    turned = np.empty((len(poses), 3, 4))
    coordinates = np.empty((len(poses), ends.num_coordinates))
    _reduce_all(ends, poses, positions, turned, coordinates)
    circles = np.array(ends.circles)
    origin = np.where(circles, -np.pi, coordinates.min(axis=0))
    extent = np.where(circles, TURN, coordinates.max(axis=0) - origin)
    bins = _bins(ends, extent, float(np.abs(turned[:, :, 3]).max()))
    # A whole cell's width beyond the last one, so that the greatest value is inside.
    per_unit = bins / np.maximum(extent * (1.0 + 1e-9), 1e-12)
    cells = np.clip(((coordinates - origin) * per_unit).astype(np.int64), 0, bins - 1)
    cell = np.asarray(np.ravel_multi_index(tuple(cells.T), tuple(bins)))
    order: NDArray[np.int64] = np.argsort(cell, kind="stable")
    starts = np.searchsorted(cell[order], np.arange(int(np.prod(bins)) + 1))
    return CapabilityGrid(
        ends, origin, per_unit, bins, circles, starts,
        positions[order], turned[order], _neighbours(bins),
    )  # fmt: skip


GRIDS = ChainCache(_build)
"""The grids of the chains used last."""


def _bins(ends: Ends, extent: NDArray[np.float64], reach: float) -> NDArray[np.int64]:
    """Choose numbers of cells so that a cell is about equally wide in all directions.

    A length counts by half the reach, an azimuth by the mean sine of an inclination.
    """
    places = len(extent) - (2 if ends.last == REVOLUTE else 3)
    size = extent.copy()
    size[:places] /= max(reach / 2.0, 1e-9)
    size[places + 1 :] *= np.pi / 4.0
    wide = size > 1e-9
    bins = np.ones(len(extent), np.int64)
    width = 4.0
    while width > 1e-4:
        finer = np.where(wide, np.maximum(np.rint(size / width), 1.0), 1.0).astype(np.int64)
        if np.prod(finer.astype(np.float64)) > _CELLS:
            break
        bins, width = finer, width * 0.95
    return bins


def _neighbours(bins: NDArray[np.int64]) -> NDArray[np.int64]:
    """List the (O, D) offsets of cells around a cell, ring by ring, shuffled within a ring.

    No cell of a short circle is listed twice.
    """
    axes = [np.arange(-min(_RINGS, (b - 1) // 2), min(_RINGS, b // 2) + 1) for b in bins]
    offsets = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
    ring = np.abs(offsets).max(axis=1)
    shuffled = np.random.default_rng(0).permutation(len(offsets))
    return np.ascontiguousarray(offsets[shuffled[np.argsort(ring[shuffled], kind="stable")]])


@kernel()
def _reduce_all(ends, poses, positions, turned, coordinates):
    """Reduce (N, 4, 4) poses, and turn each first joint so that the azimuth is 0."""
    for i in range(len(poses)):
        angle = reduce_pose(ends, poses[i], turned[i], coordinates[i])
        if ends.first == REVOLUTE:
            positions[i, ends.first_variable] -= ends.first_sign * angle


@kernel()
def look_up(grid, targets, shift, first, lower, upper, seeds):
    """Write stored configurations of the cells around each target, outer joints fitted.

    Args:
        grid: CapabilityGrid.
        targets: (T, 4, 4) last joint frame in the first joint frame.
        shift: (D,) shares of a cell by which targets are moved before they are looked up.
        first: How many fitting configurations to skip.
        lower: (n,) bounds [rad or m].
        upper: (n,) likewise.
        seeds: (T, K, n) out; how many of the K were found is returned, (T,).
    """
    ends, dimensions, num_joints = grid.ends, len(grid.bins), seeds.shape[2]
    origin, per_unit, bins = borrow(grid.origin), borrow(grid.per_unit), borrow(grid.bins)
    circles, starts, offsets = borrow(grid.circles), borrow(grid.starts), borrow(grid.offsets)
    positions, poses = borrow(grid.positions), borrow(grid.poses)
    found = np.zeros(len(targets), np.int64)
    coordinates, cell = np.empty(dimensions), np.empty(dimensions, np.int64)
    turned, q = np.empty((3, 4)), np.empty(num_joints)
    for t in range(len(targets)):
        angle = reduce_pose(ends, targets[t], turned, coordinates)
        inside = True
        for d in range(dimensions):
            place = (coordinates[d] - origin[d]) * per_unit[d] + shift[d]
            inside &= -_RINGS <= place <= bins[d] + _RINGS
            cell[d] = int(np.floor(place))
        passed, size = 0, 0
        for o in range(len(offsets) if inside else 0):
            if size == seeds.shape[1]:
                break
            index = 0
            for d in range(dimensions):
                place = cell[d] + offsets[o, d]
                if circles[d]:
                    place %= bins[d]
                elif place < 0 or place >= bins[d]:
                    index = -1
                    break
                index = index * bins[d] + place
            if index < 0:
                continue
            for i in range(starts[index], starts[index + 1]):
                if not _fit(ends, positions, poses, i, angle, turned, lower, upper, q):
                    continue
                passed += 1
                if passed > first:
                    for v in range(num_joints):
                        seeds[t, size, v] = q[v]
                    size += 1
                    if size == seeds.shape[1]:
                        break
        found[t] = size
    return found


@inlined
def _fit(ends, positions, poses, i, angle, target, lower, upper, q):
    """Fit the outer joints of configuration i to a target; say whether it is in the bounds."""
    for v in range(q.shape[0]):
        q[v] = positions[i, v]
    if ends.first == REVOLUTE:
        v = ends.first_variable
        q[v] = _turned(q[v] + ends.first_sign * angle, lower[v], upper[v])
    elif ends.first == PRISMATIC:
        v = ends.first_variable
        q[v] += ends.first_sign * (target[2, 3] - poses[i, 2, 3])
    if ends.last == REVOLUTE:
        v = ends.last_variable
        spin = spin_between(poses[i], target)
        q[v] = _turned(q[v] + ends.last_sign * spin, lower[v], upper[v])
    for v in range(q.shape[0]):
        if not lower[v] <= q[v] <= upper[v]:
            return False
    return True


@inlined
def _turned(angle, lower, upper):
    """Move an angle by full turns as close to the middle of its bounds as possible."""
    return angle - TURN * np.rint((angle - (lower + upper) / 2.0) / TURN)
