"""Seeds by looking up: the stored configurations whose poses are nearest to each target."""

import threading
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import Sampler, SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom

_STORED = 50_000
"""Configurations in an index: 8 MB for seven joints, and a fraction of a second to build."""
_INDICES = 8
"""Most indices in memory; the one that was not used for the longest time goes first."""
_TURN = 2.0 * np.pi


class Retrieval(Sampler):
    """The nearest of 50,000 stored quasi-random configurations, by what they reach.

    Poses are points: the position divided by a characteristic length, and the columns of the
    rotation divided by sqrt(2), so that near poses are as far apart as the root of the squared
    scaled distance and the squared angle. A k-d tree finds the nearest. Poses are those of the
    canonical chain, so that chains which differ in mounting or tool share one index; it is built
    when it is first needed and kept for the process.

    Seed k is the stored configuration of rank k, turned and clipped into the bounds. Other
    random seeds than 0 move the target, before it is looked up, by about the distance of stored
    neighbours: what is found is different, and about as near. Ranks beyond the stored ones are
    quasi-random seeds.
    """

    name = "retrieval"

    def __init__(self, chain: KinematicChain, device: str = "cpu"):
        """Remember the chain; the index waits for the first request."""
        super().__init__(chain, device)
        self._index: _Index | None = None
        self._beyond = QuasiRandom(chain)

    def propose(self, request: SeedRequest) -> NDArray[np.float64]:
        """Return (T, K, n) configurations inside the bounds."""
        first, last = request.first, request.first + request.count
        seeds = np.empty((len(request.targets), request.count, len(request.lower)))
        ranked = max(min(last, _STORED) - first, 0)
        if ranked and len(seeds):
            seeds[:, :ranked] = self._nearest(request, first, ranked)
        if ranked < request.count:
            rest = SeedRequest(
                request.targets,
                request.count - ranked,
                request.lower,
                request.upper,
                request.random_seed,
                max(first - _STORED, 0),
            )
            seeds[:, ranked:] = self._beyond.propose(rest)
        return seeds

    def _nearest(self, request: SeedRequest, first: int, count: int) -> NDArray[np.float64]:
        if self._index is None:
            self._index = _index_of(self.chain)
        index = self._index
        points = _points(self.chain.canonical_target(request.targets), index.length)
        if request.random_seed:
            aside = np.random.default_rng(request.random_seed).normal(size=points.shape[1])
            points = points + index.gap * aside / np.linalg.norm(aside)
        ranks = np.arange(first + 1, first + count + 1)
        rows = index.tree.query(points, k=ranks, workers=-1 if len(points) > 32 else 1)[1]
        found = index.positions[rows]
        turns = np.rint(((request.lower + request.upper) / 2.0 - found) / _TURN)
        found = np.where(self.chain.periodic, found + _TURN * turns, found)
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

    positions: NDArray[np.float64]
    tree: KDTree
    length: float
    gap: float


_indices: OrderedDict[tuple[str, bytes], _Index] = OrderedDict()
_lock = threading.Lock()


def _index_of(chain: KinematicChain) -> _Index:
    """Return the index of a chain, built at most once in the process however many threads ask."""
    key = chain.fingerprint, chain.lower.tobytes() + chain.upper.tobytes()
    with _lock:
        if key not in _indices:
            _indices[key] = _build(chain)
            while len(_indices) > _INDICES:
                _indices.popitem(last=False)
        _indices.move_to_end(key)
        return _indices[key]


def _build(chain: KinematicChain) -> _Index:
    lower = np.where(np.isfinite(chain.lower), chain.lower, -np.pi)
    upper = np.where(np.isfinite(chain.upper), chain.upper, np.pi)
    # More than one turn of a joint would store the same shapes twice.
    middle, half = (lower + upper) / 2.0, (upper - lower) / 2.0
    half = np.where(chain.prismatic, half, np.minimum(half, np.pi))
    everywhere = SeedRequest(np.eye(4)[None], _STORED, middle - half, middle + half, 0)
    positions = QuasiRandom(chain).propose(everywhere)[0].copy()
    poses = chain.canonical_target(chain.forward(positions))
    reach = float(np.linalg.norm(poses[:, :3, 3], axis=1).max())
    length = reach / 2.0 if reach > 1e-9 else 1.0
    points = _points(poses, length)
    # Measured: this shape of tree is fastest to ask, 0.3 ms for 400 neighbours.
    tree = KDTree(points, leafsize=64, balanced_tree=False)
    gap = float(np.median(tree.query(points[:: _STORED // 250], k=2)[0][:, 1]))
    return _Index(positions, tree, length, gap)


def _points(poses: NDArray[np.float64], length: float) -> NDArray[np.float64]:
    """Return poses (N, 4, 4) as points (N, 12)."""
    rotations = poses[:, :3, :3].reshape(-1, 9) / np.sqrt(2.0)
    return np.concatenate([poses[:, :3, 3] / length, rotations], axis=1)
