"""The order of a target's solutions: nearest to a seed state, or most diverse first."""

import numpy as np

from generative_ik_ros.array_types import Floats, Ints


def nearest_first(
    positions: Floats, seed_state: Floats, count: int, weights: Floats | None = None
) -> Ints:
    """Rank (M, n) solutions by `seed_distance` from the (n,) seed state; (count,)."""
    distance = seed_distance(positions, seed_state, weights)
    return np.argsort(distance, kind="stable")[:count]


def seed_distance(positions: Floats, seed_state: Floats, weights: Floats | None = None) -> Floats:
    """Return the Euclidean joint distance (M,) of (M, n) solutions from the (n,) seed state.

    Args:
        positions: [rad or m].
        seed_state: Likewise.
        weights: (n,) what a rad or m of each joint counts; None: 1.
    """
    gaps = positions - seed_state
    return np.linalg.norm(gaps if weights is None else gaps * weights, axis=1)


def tip_points(tips: Floats, length: float) -> Floats:
    """Return points as far apart as poses are, (M, 12) or (M, 12 K), for `diverse_ranks`.

    Args:
        tips: (M, 4, 4) or (M, K, 4, 4), each tip in its reference link [m].
        length: Distance that counts as much as 1 rad [m]. Rotations are 2 sin(angle / 2) apart.
    """
    places, rotations = tips[..., :3, 3] / length, tips[..., :3, :3] / np.sqrt(2.0)
    parts = places, rotations.reshape(*places.shape[:-1], 9)
    return np.concatenate(parts, axis=-1).reshape(len(tips), -1)
