"""Configurations whose poses are among the hardest to find, and poses that may be out of reach."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_ros.robot.chain import KinematicChain

ANYWHERE, NEAR_LIMITS, AT_LIMITS, CORNERS, FAR, SINGULAR = (
    "anywhere", "near limits", "at limits", "corners", "far", "singular",
)  # fmt: skip
KINDS = (ANYWHERE, NEAR_LIMITS, AT_LIMITS, CORNERS, FAR, SINGULAR)
_NEAR = 1e-3
"""How near a limit a joint is, as a share of its range."""
_OF = 50
"""Configurations of which the furthest, or the one nearest to a singularity, is taken."""


def border_configurations(
    chain: KinematicChain, kind: str, count: int, seed: int
) -> NDArray[np.float64]:
    """Draw (count, n) configurations within the limits [rad or m].

    - Anywhere: uniform within the limits.
    - Near limits: half of the joints within 0.1 % of a limit; at limits: exactly there.
    - Corners: all joints within 0.1 % of a limit.
    - Far: of 50 the one whose tip is furthest from the first joint.
    - Singular: of 50 the one whose Jacobian has the least singular value.

    Args:
        chain: The chain.
        kind: One of `KINDS`.
        count: How many.
        seed: The same seed gives the same.
    """
    box, rng = SearchBox.of(chain), np.random.default_rng((seed, KINDS.index(kind)))
    size = count, chain.num_joints
    anywhere = rng.uniform(box.lower, box.upper, size)
    if kind == ANYWHERE:
        return anywhere
    if kind in (FAR, SINGULAR):
        measure = _distances if kind == FAR else _regularities
        drawn = rng.uniform(box.lower, box.upper, (_OF, *size))
        best = np.argmax([measure(chain, some) for some in drawn], axis=0)
        return drawn[best, np.arange(count)]
    inwards = _NEAR * rng.random(size) * (box.upper - box.lower) * (kind != AT_LIMITS)
    limits = np.where(rng.random(size) < 0.5, box.lower + inwards, box.upper - inwards)
    return limits if kind == CORNERS else np.where(rng.random(size) < 0.5, limits, anywhere)


def poses_about(chain: KinematicChain, count: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Yield batches of `count` poses in the box of what the tip reaches, in any orientation.

    None is further from the first joint than the chain is long.
    """
    box, rng = SearchBox.of(chain), np.random.default_rng((seed, len(KINDS)))
    drawn = rng.uniform(box.lower, box.upper, (20_000, chain.num_joints))
    reached = chain.forward(drawn)[:, :3, 3]
    first = chain.joint_origins[0, :3, 3]
    while True:
        targets = np.tile(np.eye(4), (count, 1, 1))
        targets[:, :3, 3] = rng.uniform(reached.min(axis=0), reached.max(axis=0), (count, 3))
        targets[:, :3, :3] = Rotation.random(count, rng=rng).as_matrix()
        distance = np.linalg.norm(targets[:, :3, 3] - first, axis=1)
        yield np.ascontiguousarray(targets[distance <= chain.reach])


def _distances(chain: KinematicChain, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far the tips (N,) are from the first joint [m]."""
    tips = chain.forward(positions)[:, :3, 3]
    return np.linalg.norm(tips - chain.joint_origins[0, :3, 3], axis=1)


def _regularities(chain: KinematicChain, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return less the least singular values (N,) of the Jacobians, the position in lengths."""
    jacobians = np.array([chain.jacobian(row) for row in positions])
    jacobians[:, :3] /= chain.characteristic_length
    values = np.asarray(np.linalg.svd(jacobians, compute_uv=False), np.float64)
    return -values[:, -1]
