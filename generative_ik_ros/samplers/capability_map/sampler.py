"""Seeds from a capability map: stored configurations, their outer joints fitted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import _core
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import Sampler, SeedRequest
from generative_ik_ros.samplers.capability_map.grid import GRIDS
from generative_ik_ros.samplers.quasi_random import QuasiRandom


@dataclass(frozen=True)
class SeedTuning:
    """How many seeds are taken from a map."""

    pose: int = 6
    """Joints that reaching a pose takes."""
    seeds_per_solution: float = 1.0
    """Of a redundant arm, whose search goes on by null-space steps from what they find."""


TUNING = SeedTuning()


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
        """Build the map, or find it in memory."""
        super().__init__(chain, device)
        if chain.num_joints > TUNING.pose:
            self.seeds_per_solution = TUNING.seeds_per_solution
        self._grid = GRIDS.of(chain)
        self._beyond = QuasiRandom(chain)

    def propose(self, request: SeedRequest) -> NDArray[np.float64]:
        """Return (T, K, n) configurations inside the bounds."""
        grid = self._grid
        seeds = np.empty((len(request.targets), request.count, len(request.lower)))
        targets = np.ascontiguousarray(self.chain.canonical_target(request.targets))
        shift = np.zeros(len(grid.bins))
        if request.random_seed:
            shift = np.random.default_rng(request.random_seed).uniform(-0.5, 0.5, len(shift))
        lower, upper = np.ascontiguousarray(request.lower), np.ascontiguousarray(request.upper)
        found = np.empty(len(targets), np.int64)
        _core.look_up(*grid, targets, shift, request.first, lower, upper, seeds, found)
        if found.min(initial=request.count) < request.count:
            others = self._beyond.propose(request)[0] if len(targets) else seeds[:0]
            for row in np.flatnonzero(found < request.count):
                seeds[row, found[row] :] = others[found[row] :]
        return seeds
