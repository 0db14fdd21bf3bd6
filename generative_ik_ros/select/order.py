"""The order of a target's solutions: nearest to a seed state, or most diverse first."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import _core

WORK = 16_000_000
"""Most coordinates that are compared to put one target's solutions in order (about 1 ms). With
very many solutions only some are ranked; the others follow as found."""


def nearest_first(
    positions: NDArray[np.float64],
    seed_state: NDArray[np.float64],
    count: int,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.int64]:
    """Rank (M, n) solutions by `seed_distance` from the (n,) seed state; (count,)."""
    distance = seed_distance(positions, seed_state, weights)
    return np.argsort(distance, kind="stable")[:count]


def seed_distance(
    positions: NDArray[np.float64],
    seed_state: NDArray[np.float64],
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the Euclidean joint distance (M,) of (M, n) solutions from the (n,) seed state.

    Args:
        positions: [rad or m].
        seed_state: Likewise.
        weights: (n,) what a rad or m of each joint counts; None: 1.
    """
    gaps = positions - seed_state
    return np.linalg.norm(gaps if weights is None else gaps * weights, axis=1)


def most_diverse_first(
    positions: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    turning: NDArray[np.bool_],
    scale: NDArray[np.float64],
    count: int,
    work: int = WORK,
) -> NDArray[np.int64]:
    """Rank solutions so that for every k the first k are spread widely.

    The first is the one furthest from its limits, each next the one furthest from all before it
    (T. F. Gonzalez, Clustering to minimize the maximum intercluster distance, 1985: no k others
    cover the set twice as well). Distances are modulo full turns: revolute joints count as points
    on a circle.

    Args:
        positions: (M, n) solutions [rad or m].
        lower: (n,) limits; infinite for continuous joints.
        upper: (n,) likewise.
        turning: (n,) whether a full turn of the joint changes nothing.
        scale: (n,) travel of a prismatic joint that counts as much as 1 rad [m].
        count: How many to rank, at most M.
        work: Most coordinates to compare.

    Returns:
        (count,) indices of solutions.
    """
    rows = np.ascontiguousarray(positions)
    ends = np.array([len(rows)])
    return _core.diverse_ranks(rows, ends, lower, upper, turning, scale, count, work)[0]


def tip_points(tips: NDArray[np.float64], length: float) -> NDArray[np.float64]:
    """Return points as far apart as poses are, (M, 12) or (M, 12 K), for `most_diverse_first`.

    Args:
        tips: (M, 4, 4) or (M, K, 4, 4), each tip in its reference link [m].
        length: Distance that counts as much as 1 rad [m]. Rotations are 2 sin(angle / 2) apart.
    """
    places, rotations = tips[..., :3, 3] / length, tips[..., :3, :3] / np.sqrt(2.0)
    parts = places, rotations.reshape(*places.shape[:-1], 9)
    return np.concatenate(parts, axis=-1).reshape(len(tips), -1)
