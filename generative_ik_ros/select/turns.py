"""A configuration in, those that differ from it by full turns and respect the limits out."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

TURN = 2.0 * np.pi
_MOST_COMBINATIONS = 200_000


@njit(nogil=True, cache=True)
def nearest_turn(positions, reference, lower, upper, circular):  # noqa: ANN001, ANN201
    """Turn circular joints by full turns to come as near to a reference as the limits allow.

    Args:
        positions: (S, n) configurations [rad or m].
        reference: (n,) configuration inside the limits.
        lower: (n,) limits.
        upper: (n,) likewise.
        circular: (n,) joints with room for a full turn.

    Returns:
        (S, n) configurations, inside the limits where they were and on every circular joint.
    """
    turned = positions.copy()
    for v in range(positions.shape[1]):
        if not circular[v]:
            continue
        for s in range(len(positions)):
            q = positions[s, v] + TURN * np.rint((reference[v] - positions[s, v]) / TURN)
            if q > upper[v]:
                q = q - TURN if q - TURN >= lower[v] else upper[v]
            elif q < lower[v]:
                q = q + TURN if q + TURN <= upper[v] else lower[v]
            turned[s, v] = q
    return turned


def other_turns(
    positions: NDArray[np.float64],
    reference: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    circular: NDArray[np.bool_],
    count: int,
) -> NDArray[np.float64]:
    """List further configurations of the same shape, nearest to the reference first.

    Joints with a range of more than a turn reach the same shape several times. Continuous joints
    do not count: all their turns are one position.

    Args:
        positions: (M, n) configurations, each at its turn nearest to the reference [rad or m].
        reference: (n,) configuration.
        lower: (n,) limits.
        upper: (n,) likewise.
        circular: (n,) joints on which a full turn is possible.
        count: Most configurations to return.

    Returns:
        (at most count, n) configurations, none of them among `positions`.
    """
    limited = np.flatnonzero(circular & np.isfinite(lower) & np.isfinite(upper))
    if not len(limited) or not len(positions) or count <= 0:
        return np.empty((0, positions.shape[1]))
    least = np.ceil((lower[limited] - positions[:, limited]) / TURN).min(axis=0)
    most = np.floor((upper[limited] - positions[:, limited]) / TURN).max(axis=0)
    # A chain with many such joints has more combinations than anybody asks for.
    while np.prod(most - least + 1.0) * len(positions) > _MOST_COMBINATIONS and len(limited) > 1:
        limited, least, most = limited[:-1], least[:-1], most[:-1]
    grid = np.meshgrid(*(np.arange(a, b + 1.0) for a, b in zip(least, most, strict=True)))
    turns = np.stack([axis.ravel() for axis in grid], axis=1)
    turns = turns[turns.any(axis=1)]
    others = np.repeat(positions[:, None], len(turns), axis=1)
    others[:, :, limited] += TURN * turns
    others = others.reshape(-1, positions.shape[1])
    others = others[((others >= lower) & (others <= upper)).all(axis=1)]
    distance = np.linalg.norm(others - reference, axis=1)
    return others[np.argsort(distance, kind="stable")[:count]]
