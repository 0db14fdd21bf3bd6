"""Seeds from a capability map: stored configurations by the cell of their reduced pose."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.samplers.base import Sampler, SeedRequest
from generative_ik_ros.samplers.ends import End, Ends
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.samplers.stored import ChainCache, spread_configurations


@dataclass(frozen=True)
class MapTuning:
    """How large a map is, and how many seeds are taken from it."""

    stored: int = 100_000
    """Configurations in it: 15 MB for seven joints, a fraction of a second to build."""
    cells: int = 50_000
    """Cells of its grid. Most are out of reach, so the others hold a few configurations each."""
    rings: int = 2
    """Configurations up to so many cells from the target's are of use (core/src/samplers)."""
    pose: int = 6
    """Joints that reaching a pose takes."""
    seeds_per_solution: float = 1.0
    """Of a redundant arm, whose search goes on by null-space steps from what they find."""


TUNING = MapTuning()


class CapabilityMap(Sampler):
    """Looks up configurations by what the joints between the first and the last reach.

    A capability map (F. Zacharias et al., Capturing robot workspace structure, IROS 2007) sorts
    configurations into cells of the workspace. This one leaves out what the two outer joints can
    do: with revolute joints at both ends a pose has four coordinates left, radius and height of
    the last joint and the direction of its axis, so that 100,000 configurations lie as close
    together as 30 million would in all six. The outer joints follow in closed form. A map is built
    in a tenth of a second when first needed and kept for the process, one per canonical chain.

    Seeds are the configurations of the target's cell, then those of the rings of cells around it,
    as far as they are within the bounds, then quasi-random ones. Random seeds other than 0 move
    the target by less than a cell before it is looked up.
    """

    name = "capability_map"
    only_first = True

    def __init__(self, chain: KinematicChain, device: str = "cpu"):
        super().__init__(chain, device)
        if chain.num_joints > TUNING.pose:
            self.seeds_per_solution = TUNING.seeds_per_solution
        self._grid = GRIDS.of(chain)
        self._beyond = QuasiRandom(chain)

    def propose(self, request: SeedRequest) -> Floats:
        """Return (T, K, n) configurations inside the bounds."""
        grid = self._grid
        seeds = np.empty((len(request.targets), request.count, len(request.lower)))
        targets = np.ascontiguousarray(self.chain.canonical_target(request.targets))
        shift = np.zeros(len(grid.bins))
        if request.random_seed:
            shift = np.random.default_rng(request.random_seed).uniform(-0.5, 0.5, len(shift))
        lower, upper = np.ascontiguousarray(request.lower), np.ascontiguousarray(request.upper)
        found = np.empty(len(targets), np.int64)
        _core.look_up(grid, targets, shift, request.first, lower, upper, seeds, found)
        if found.min(initial=request.count) < request.count:
            others = self._beyond.propose(request)[0] if len(targets) else seeds[:0]
            for row in np.flatnonzero(found < request.count):
                seeds[row, found[row] :] = others[found[row] :]
        return seeds


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
    origin: Floats
    per_unit: Floats
    bins: Ints
    circles: Bools
    starts: Ints
    positions: Floats
    poses: Floats
    offsets: Ints


def _build(chain: KinematicChain) -> CapabilityGrid:
    ends = Ends.of(chain)
    followers = ((ends.first, ends.first_variable), (ends.last, ends.last_variable))
    centred = [variable for kind, variable in followers if kind != End.FIXED]
    positions = spread_configurations(chain, TUNING.stored, centred)
    poses = np.ascontiguousarray(chain.canonical_target(chain.forward(positions)))
    azimuths, turned = np.empty(len(poses)), np.empty((len(poses), 3, 4))
    coordinates = np.empty((len(poses), len(ends.circles)))
    _core.reduce_poses(ends, poses, azimuths, turned, coordinates)
    positions[:, ends.first_variable] -= ends.first_sign * azimuths
    circles = np.array(ends.circles)
    origin = np.where(circles, -np.pi, coordinates.min(axis=0))
    extent = np.where(circles, TURN, coordinates.max(axis=0) - origin)
    bins = _bins(ends, extent, float(np.abs(turned[:, :, 3]).max()))
    # A whole cell's width beyond the last one, so that the greatest value is inside.
    per_unit = bins / np.maximum(extent * (1.0 + 1e-9), 1e-12)
    cells = np.clip(((coordinates - origin) * per_unit).astype(np.int64), 0, bins - 1)
    cell = np.asarray(np.ravel_multi_index(tuple(cells.T), tuple(bins)))
    order: Ints = np.argsort(cell, kind="stable")
    starts = np.searchsorted(cell[order], np.arange(int(np.prod(bins)) + 1))
    return CapabilityGrid(
        ends, origin, per_unit, bins, circles, starts,
        positions[order], turned[order], _neighbours(bins),
    )  # fmt: skip


GRIDS = ChainCache(_build)
"""The grids of the chains used last."""


def _bins(ends: Ends, extent: Floats, reach: float) -> Ints:
    """Choose numbers of cells so that a cell is about equally wide in all directions.

    A length counts by half the reach, an azimuth by the mean sine of an inclination.
    """
    places = len(extent) - (2 if ends.last == End.REVOLUTE else 3)
    size = extent.copy()
    size[:places] /= max(reach / 2.0, 1e-9)
    size[places + 1 :] *= np.pi / 4.0
    wide = size > 1e-9
    bins = np.ones(len(extent), np.int64)
    width = 4.0
    while width > 1e-4:
        finer = np.where(wide, np.maximum(np.rint(size / width), 1.0), 1.0).astype(np.int64)
        if np.prod(finer.astype(np.float64)) > TUNING.cells:
            break
        bins, width = finer, width * 0.95
    return bins


def _neighbours(bins: Ints) -> Ints:
    """List the (O, D) offsets of cells around a cell, ring by ring, shuffled within a ring.

    No cell of a short circle is listed twice.
    """
    rings = TUNING.rings
    axes = [np.arange(-min(rings, (b - 1) // 2), min(rings, b // 2) + 1) for b in bins]
    offsets = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
    ring = np.abs(offsets).max(axis=1)
    shuffled = np.random.default_rng(0).permutation(len(offsets))
    return np.ascontiguousarray(offsets[shuffled[np.argsort(ring[shuffled], kind="stable")]])
