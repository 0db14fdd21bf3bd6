"""A motion prior for several tips: seeds and likelihoods by what a robot was seen to do."""

from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.arguments import number_array
from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.limits import beyond_limit, overshoot
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.samplers.base import IsFree, Sampler
from generative_ik_ros.samplers.gaussian_mixture import GaussianMixture
from generative_ik_ros.samplers.postures import TUNING as POSTURES
from generative_ik_ros.samplers.postures import PostureBank, Postures


@dataclass(frozen=True)
class DemonstrationTuning:
    """How demonstrations are stored and learned."""

    least: int = 50
    """Different configurations that a motion prior can be learned from."""
    same: float = 1e-3
    """Configurations whose joints all round to the same count once [rad or m]."""
    most: int = 4096
    """Configurations that seeds are looked up in; of more, evenly spread ones."""
    floor: float = 0.02
    """Standard deviation by which each joint is taken to vary at the least [rad]."""
    pieces: int = 50
    """Pieces that a recording is cut into,"""
    held_out: int = 10
    """of which one of so many is held out."""


TUNING = DemonstrationTuning()


class Demonstrations(Postures):
    """Seeds and likelihoods of a tree by configurations that the robot was seen in.

    Seeds are those of `postures`, with demonstrated configurations for stored ones: the nearest by
    how their tips stand to each other, a floating base and limbs fitted to the goal. Beyond as
    many as there are demonstrations, and in bounds narrower than the limits, they are
    quasi-random.

    The likelihood, by which `order_by="likelihood"` orders solutions, is a mixture of Gaussians
    over all joints but those of a floating base: where the robot is makes no difference. It takes
    a second or so to fit. As it is a density of configurations, it also compares those that reach
    different poses, in regions and goal sets.

    Args:
        chain: The tree.
        configurations: (M, n) in the order in which they were recorded [rad or m].
        device: Not used.

    Raises:
        UnsupportedChainError: The chain is no tree, or has loops.
        InvalidArgumentError: The configurations have another shape, are too few different ones,
            or one is outside the limits.
    """

    name = "demonstrations"
    any_pose: ClassVar[bool] = True

    def __init__(self, chain: KinematicTree, configurations: ArrayLike, device: str = "cpu"):
        # A tree has all that is used of a chain here.
        super().__init__(cast(KinematicChain, chain), device)
        demonstrated = _checked(chain, configurations)
        self._joints = np.array([name not in chain.base_joints for name in chain.names])
        self._middle, self._units = demonstrated[0], chain.joint_units
        self._middle = self._middle + self._apart(demonstrated).mean(axis=0)
        self._mixture = self._learned(demonstrated)
        some = demonstrated[:: -(-len(demonstrated) // TUNING.most)].copy()
        if chain.base_follows:
            some[:, ~self._joints] = 0.0
        # Whole blocks of seeds, of which each is sorted.
        self.stored = -(-len(some) // POSTURES.block) * POSTURES.block
        self._bank = PostureBank.at(chain, np.resize(some, (self.stored, some.shape[1])))

    def among_free(self, free: IsFree) -> Sampler:
        """Return the same: what was demonstrated is as good as free."""
        return self

    def log_likelihood(self, positions: Floats) -> Floats:
        """Return how likely configurations (N, n) [rad or m] are, wherever the base is [nats]."""
        return self._mixture.log_density(self._points(positions))

    def _points(self, positions: Floats) -> Floats:
        """Return the joints of (N, n) that the density is of [rad]."""
        return (self._apart(positions) / self._units)[:, self._joints]

    def _apart(self, positions: Floats) -> Floats:
        """Return how far joints are from the middle, without full turns."""
        apart = positions - self._middle
        return np.where(self.chain.periodic, apart - TURN * np.rint(apart / TURN), apart)

    def _learned(self, demonstrated: Floats) -> GaussianMixture:
        points = self._points(demonstrated)
        _, held_out = in_pieces(len(points))
        return GaussianMixture.best(points[~held_out], points[held_out], TUNING.floor)


def _checked(tree: KinematicTree, configurations: ArrayLike) -> Floats:
    """Return the different ones of some configurations, inside the limits, in order."""
    rows = number_array("configurations", configurations)
    if rows.ndim != 2 or rows.shape[1] != tree.num_joints:
        raise InvalidArgumentError(
            f"configurations have shape {rows.shape}; they must be (M, {tree.num_joints})"
        )
    over = np.maximum(rows - tree.upper, tree.lower - rows) - overshoot(tree.prismatic)
    over[:, [tree.names.index(name) for name in tree.base_joints if name in tree.names]] = 0.0
    if not np.isfinite(rows).all() or (over > 0.0).any():
        row, k = np.unravel_index(np.argmax(np.where(np.isnan(over), np.inf, over)), over.shape)
        limits = float(rows[row, k]), float(tree.lower[k]), float(tree.upper[k])
        raise InvalidArgumentError(f"configuration {row}: {beyond_limit(tree.names[k], *limits)}")
    return np.clip(different(rows), tree.lower, tree.upper)


def different(configurations: Floats) -> Floats:
    """Return the different ones of configurations (M, n) [rad or m], in order.

    Raises:
        InvalidArgumentError: There are too few.
    """
    seen = np.unique(np.round(configurations / TUNING.same), axis=0, return_index=True)[1]
    if len(seen) < TUNING.least:
        raise InvalidArgumentError(
            f"a motion prior is learned from {TUNING.least} different configurations or more, not "
            f"from {len(seen)}"
        )
    return configurations[np.sort(seen)]


def in_pieces(count: int) -> tuple[Ints, Bools]:
    """Return the piece (M,) of a recording that each configuration is in, and which are held out.

    Neighbours in time are alike: a piece is held out whole.
    """
    piece = np.arange(count) * TUNING.pieces // count
    return piece, piece % TUNING.held_out == TUNING.held_out - 1
