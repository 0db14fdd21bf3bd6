"""Seeds by retrieval: the stored configurations whose poses are nearest to each target."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.samplers.base import Sampler, SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.samplers.stored import ChainCache, spread_configurations

if TYPE_CHECKING:
    from scipy.spatial import KDTree


class Retrieval(Sampler):
    """The nearest of 50,000 stored quasi-random configurations by their poses.

    Poses are points: the position divided by a characteristic length, and the columns of the
    rotation divided by sqrt(2), so that for near poses the squared distance is that of the scaled
    positions plus the squared angle. A k-d tree finds the nearest. The index is built when it is
    first needed and kept for the process, one per canonical chain.

    Seed k is the stored configuration of rank k, moved by full turns and clipped into the bounds.
    Random seeds other than 0 move the target, before it is looked up, by about the distance of
    stored neighbours: other configurations are found, about as near. Ranks beyond the stored ones
    are quasi-random seeds.
    """

    name = "retrieval"
    stored: int = 50_000
    """Configurations in an index: 8 MB for seven joints, and a fraction of a second to build."""

    def __init__(self, chain: KinematicChain, device: str = "cpu"):
        super().__init__(chain, device)
        self._index: _Index | None = None
        self._beyond = QuasiRandom(chain)

    def propose(self, request: SeedRequest) -> Floats:
        """Return (T, K, n) configurations inside the bounds."""
        first, last = request.first, request.first + request.count
        seeds = np.empty((len(request.targets), request.count, len(request.lower)))
        ranked = max(min(last, self.stored) - first, 0)
        if ranked and len(seeds):
            seeds[:, :ranked] = self._nearest(request, first, ranked)
        if ranked < request.count:
            rest = replace(
                request, count=request.count - ranked, first=max(first - self.stored, 0)
            )
            seeds[:, ranked:] = self._beyond.propose(rest)
        return seeds

    def _nearest(self, request: SeedRequest, first: int, count: int) -> Floats:
        if self._index is None:
            self._index = _indices.of(self.chain)
        index = self._index
        points = _points(self.chain.canonical_target(request.targets), index.length)
        if request.random_seed:
            aside = np.random.default_rng(request.random_seed).normal(size=points.shape[1])
            points = points + index.gap * aside / np.linalg.norm(aside)
        ranks = np.arange(first + 1, first + count + 1)
        rows = index.tree.query(points, k=ranks, workers=-1 if len(points) > 32 else 1)[1]
        found = index.positions[rows]
        turns = np.rint(((request.lower + request.upper) / 2.0 - found) / TURN)
        found = np.where(self.chain.periodic, found + TURN * turns, found)
        return np.clip(found, request.lower, request.upper)


@dataclass(frozen=True)
class _Index:
    """Stored configurations of one canonical chain.

    Attributes:
        positions: (N, n) configurations [rad or m].
        tree: Of the (N, 12) points of their poses.
        length: Distance that counts as 1 [m].
        gap: Median distance of a stored pose from its nearest neighbour.
    """

    positions: Floats
    tree: "KDTree"
    length: float
    gap: float


def _build(chain: KinematicChain) -> _Index:
    from scipy.spatial import KDTree  # slow to import, and postures do without

    positions = spread_configurations(chain, Retrieval.stored)
    poses = chain.canonical_target(chain.forward(positions))
    reach = float(np.linalg.norm(poses[:, :3, 3], axis=1).max())
    length = reach / 2.0 if reach > 1e-9 else 1.0
    points = _points(poses, length)
    # Measured: such a tree answers fastest, 0.3 ms for 400 neighbours.
    tree = KDTree(points, leafsize=64, balanced_tree=False)
    gap = float(np.median(tree.query(points[:: Retrieval.stored // 250], k=2)[0][:, 1]))
    return _Index(positions, tree, length, gap)


_indices = ChainCache(_build)


def _points(poses: Floats, length: float) -> Floats:
    """Return poses (N, 4, 4) as points (N, 12)."""
    rotations = poses[:, :3, :3].reshape(-1, 9) / np.sqrt(2.0)
    return np.concatenate([poses[:, :3, 3] / length, rotations], axis=1)
