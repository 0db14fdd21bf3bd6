"""Seeds by retrieval for several tips: stored postures, base and limbs fitted to the goal."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.errors import UnsupportedChainError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.floating_base import BASE_JOINTS
from generative_ik_ros.robot.joints import finite_limits
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.samplers.base import IsFree, Sampler, SeedRequest
from generative_ik_ros.samplers.limbs import stored_limbs
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.samplers.retrieval import Retrieval
from generative_ik_ros.samplers.stored import spread_configurations


@dataclass(frozen=True)
class PostureTuning:
    """How many postures are stored and compared."""

    looked_at: int = 1024
    """Postures whose tips are compared with a goal's."""
    block: int = 8
    """So many of the nearest are sorted by how near their tips come with fitted limbs."""
    stored: int = 4 * looked_at
    """Stored ones, all of which have limbs to choose from; those that are looked at begin at one
    of the first, which depends on the random seed."""
    variance: float = 0.965
    """Share of the variance of their tips' places that has to be in what is compared."""
    near_every: int = 4
    """Every fourth one on a floating base is near the neutral configuration, all joints as near to
    0 as they can be. Few that are spread over the limits are, but humanoids often stay there."""
    near: float = 0.3
    """How far such a one is from there, in parts of the limits."""
    first_seeds: tuple[int, ...] = (block, 3 * block, 8 * block)
    """Those of a call for one solution: most goals need no more than a block."""
    drawn: int = 4096
    """Configurations that are checked for collisions at a time."""
    rounds: int = 32
    """How often at most."""


TUNING = PostureTuning()


class Postures(Retrieval):
    """The nearest stored configurations of a tree, by how its tips stand to each other.

    4096 are stored, 1024 of which are compared with a goal: which, depends on the random seed.

    A floating base follows in closed form, and need not be searched for. On it, each limb is taken
    from a stored configuration, of all of them, whose limb comes near to the tip's goal: where the
    base and the joints that tips share are is given, and the goal of a limb has but six
    coordinates.

    Where solutions must be free of collisions, the stored configurations are free of those of the
    robot with itself: random ones of a humanoid mostly are not, and what a seed leads to is near
    it. Most of those that are put together of them are free, too.

    Seeds come in blocks of 8, the nearest postures first, and with fitted limbs in each block
    those first whose tips come nearest to their goals. Beyond 1024, and in bounds narrower
    than the limits, seeds are quasi-random.

    Args:
        chain: The tree.
        device: Not used.
        free: Says which configurations are free; None: all may be stored.

    Raises:
        UnsupportedChainError: The chain is no tree.
    """

    name = "postures"
    takes_trees = True
    stored = TUNING.looked_at
    first_seeds = TUNING.first_seeds

    def __init__(self, chain: KinematicChain, device: str = "cpu", *, free: IsFree | None = None):
        if not isinstance(chain, KinematicTree):
            raise UnsupportedChainError(
                f"sampler '{self.name}' is for trees with several tips; chains take 'retrieval'"
            )
        if chain.closures:
            raise UnsupportedChainError(f"sampler '{self.name}' is for trees without loops")
        super().__init__(chain, device)
        self._tree, self._free = chain, free
        self._limits = finite_limits(chain)
        self._bank: PostureBank | None = None
        self._among_free: Postures | None = None

    def among_free(self, free: IsFree) -> Sampler:
        """Return the same with postures that are free of collisions.

        It is made once: where joints outside the tree have moved since, those are good seeds, too.
        They are stored now, so that no call's time limit counts it.
        """
        if self._among_free is None:
            self._among_free = Postures(self._tree, self.device, free=free)
            self._among_free._bank = PostureBank.of(self._tree, free)
        return self._among_free

    def __getstate__(self) -> dict[str, Any]:
        """Return what copies and pickles are made from: of the stored data only configurations."""
        bank = self._bank
        return self.__dict__ | {"_bank": None if bank is None else bank.positions}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Prepare them again."""
        positions = state["_bank"]
        for name, value in state.items():
            setattr(self, name, value)
        if positions is not None:
            self._bank = PostureBank.at(self._tree, positions)

    def propose(self, request: SeedRequest) -> Floats:
        """Return (T, K, n) configurations inside the bounds."""
        lower, upper = self._limits
        if (request.lower > lower).any() or (request.upper < upper).any():
            return self._beyond.propose(request)
        return super().propose(request)

    def _nearest(self, request: SeedRequest, first: int, count: int) -> Floats:
        if self._bank is None:
            self._bank = PostureBank.of(self._tree, self._free)
        bank = self._bank
        begin = _beginning(request.random_seed, len(bank.positions) - self.stored)
        # Whole blocks, as each is sorted.
        skipped, seeds = (
            first % TUNING.block,
            np.empty((len(request.targets), count, len(request.lower))),
        )
        ranks = -(-(skipped + count) // TUNING.block) * TUNING.block
        targets = request.targets.reshape(-1, self._tree.num_tips, 4, 4)
        goals = Places.of(tip_points(targets, self._tree), bank.mean)
        seen = np.ascontiguousarray(goals.features @ bank.directions)
        rows = np.empty((len(targets), ranks), np.int64)
        _core.nearest_places(
            bank.columns, bank.squares, begin, begin + self.stored, seen, first - skipped, rows
        )
        if bank.floating is None:
            return bank.positions[rows[:, skipped : skipped + count]]
        given = np.ascontiguousarray(targets), goals.turns, goals.centres
        bank.floating.fit(*given, rows, TUNING.block, skipped, seeds)
        return seeds


@lru_cache(maxsize=256)
def _beginning(random_seed: int, room: int) -> int:
    """Return the first stored posture that is looked at, so many before the last at the most."""
    if not random_seed or not room:
        return 0
    return int(np.random.default_rng(random_seed).integers(1, min(room, TUNING.looked_at)))


class PosturesAmongFree(QuasiRandom):
    """What `auto` takes for a floating base: quasi-random seeds until collisions are checked.

    Without them, a search takes less time than it takes to look for near postures.
    """

    def __init__(self, chain: KinematicChain, device: str = "cpu"):
        super().__init__(chain, device)
        self._postures = Postures(chain, device)

    def among_free(self, free: IsFree) -> Sampler:
        """Return postures that are free of collisions."""
        return self._postures.among_free(free)


class Places(NamedTuple):
    """Sets of P points on the tips' frames, and how they were moved.

    A floating base moves all tips alike. So the points are moved together to where they are
    nearest to the mean of many such sets (W. Kabsch 1976), and the rest is compared.

    Attributes:
        features: (N, 3 P) coordinates after that, in single precision [m].
        turns: (N, 3, 3) how the points were turned about their centres.
        centres: (N, 3) what was moved to the origin [m].
    """

    features: NDArray[np.float32]
    turns: Floats
    centres: Floats

    @classmethod
    def of(cls, points: Floats, mean: Floats | None) -> "Places":
        """Move sets of points (N, P, 3) so that they are nearest to (P, 3) about the origin.

        They stay where they are if there is no mean.
        """
        count = len(points)
        turns, centres = np.empty((count, 3, 3)), np.zeros((count, 3))
        turns[:] = np.eye(3)
        if mean is not None:
            points = np.array(points, order="C")
            _core.gather_points(points, np.ascontiguousarray(mean), turns, centres)
        return cls(points.reshape(count, -1).astype(np.float32), turns, centres)


def tip_points(poses: Floats, tree: KinematicTree) -> Floats:
    """Return points (N, 4 K, 3) of the frames of (N, K, 4, 4) tips, also of one, (N, 4, 4) [m]."""
    poses = poses.reshape(-1, tree.num_tips, 4, 4)
    origin = poses[:, :, None, :3, 3]
    axes = origin + tree.characteristic_length * np.swapaxes(poses[..., :3, :3], -1, -2)
    return np.concatenate([origin, axes], axis=2).reshape(len(poses), 4 * tree.num_tips, 3)


@dataclass(frozen=True)
class PostureBank:
    """Stored postures of one tree.

    Attributes:
        positions: (N, n) configurations, at the world's origin where the base floats [rad or m].
        columns: (D, N) features of their tips' points in the directions in which they differ.
        directions: (3 P, D) these, orthonormal.
        squares: (N,) of the lengths of these.
        mean: (P, 3) of the points about their centre [m]; None where the base does not float.
        floating: What fits a base that floats, and limbs, to goals; None where it does not. There
            limbs hang from where they always do, or nearly so, and all postures would have the
            same ones.
    """

    positions: Floats
    columns: NDArray[np.float32]
    directions: NDArray[np.float32]
    squares: NDArray[np.float32]
    mean: Floats | None
    floating: _core.StoredPostures | None

    @classmethod
    def of(cls, tree: KinematicTree, free: IsFree | None) -> "PostureBank":
        """Choose configurations that are spread over the limits, some of them near neutral."""
        positions = np.empty((TUNING.stored, tree.num_joints))
        near = np.arange(TUNING.stored) % TUNING.near_every == TUNING.near_every - 1
        near &= tree.base_follows
        for rows, scale in ((~near, 1.0), (near, TUNING.near)):
            positions[rows] = _spread(tree, int(rows.sum()), free, scale)
        return cls.at(tree, positions)

    @classmethod
    def at(cls, tree: KinematicTree, positions: Floats) -> "PostureBank":
        """Prepare configurations."""
        base, floating = _base_of(tree), None
        points, mean = tip_points(tree.forward(positions), tree), None
        if len(base):
            mean = (points - points.mean(axis=1, keepdims=True)).mean(axis=0)
        places = Places.of(points, mean)
        directions = _directions(places.features)
        columns = np.ascontiguousarray((places.features @ directions).T)
        squares = np.square(columns).sum(axis=0)
        if len(base):
            floating = _core.StoredPostures(
                positions, base, *finite_limits(tree), places.turns, places.centres,
                tree.characteristic_length, stored_limbs(tree, positions),
            )  # fmt: skip
        return cls(positions, columns, directions, squares, mean, floating)


def _directions(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the directions (F, D) that have most of the variance of features (N, F)."""
    variances, axes = np.linalg.eigh(np.cov(features.T))
    share = np.cumsum(variances[::-1]) / max(variances.sum(), np.finfo(float).tiny)
    count = 3 * (int(np.searchsorted(share, TUNING.variance)) // 3 + 1)
    return np.ascontiguousarray(axes[:, ::-1][:, :count], np.float32)


def _base_of(tree: KinematicTree) -> Ints:
    """Return the variables of a base that floats (6,), else (0,)."""
    return np.array(
        [tree.names.index(name) for name in BASE_JOINTS if tree.base_follows], np.int64
    )


def _spread(tree: KinematicTree, count: int, free: IsFree | None, scale: float) -> Floats:
    """Return configurations (count, n) about neutral, free ones first, the base at 0.

    They are as far from the neutral configuration as `scale` parts of the limits.
    """
    neutral = np.clip(0.0, *finite_limits(tree))
    found, others, drawn = np.empty((0, tree.num_joints)), [], 0
    while len(found) < count and drawn < TUNING.rounds * TUNING.drawn:
        some = spread_configurations(tree, TUNING.drawn, begin=drawn)
        if scale < 1.0:
            some = neutral + scale * (some - neutral)
        some[:, _base_of(tree)] = 0.0
        good = np.ones(len(some), np.bool_) if free is None else free(some)
        found, drawn = np.concatenate([found, some[good]]), drawn + TUNING.drawn
        others.append(some[~good])
    return np.concatenate([found, *others])[:count]
