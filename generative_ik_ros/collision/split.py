"""Division of items into groups of neighbours, halving the groups again and again."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.sphere_tree import EMPTY, SphereTree


def halved(
    places: NDArray[np.float64], weights: NDArray[np.float64], times: int
) -> NDArray[np.int64]:
    """Return the group of each item, from 0 to 2^times - 1; groups 2k and 2k + 1 were one.

    Each group is cut across its longest direction into halves of about the same weight, neither
    of them empty unless it has a single item.

    Args:
        places: (N, 3) where the items are [m].
        weights: (N,) above 0.
        times: How often groups are halved.
    """
    group = np.zeros(len(places), np.int64)
    for depth in range(times):
        count = 2**depth
        along = np.einsum("ni,ni->n", places, _longest(places, weights, group, count)[group])
        order = np.lexsort((along, group))
        sums = np.cumsum(weights[order])
        number = np.bincount(group, minlength=count)
        first = np.cumsum(number) - number
        total = np.bincount(group, weights, count)
        mine = group[order]
        before = sums - weights[order] / 2.0 - (np.cumsum(total) - total)[mine]
        rank = np.arange(len(order)) - first[mine]
        upper = before > total[mine] / 2.0
        upper[rank == 0] = False
        upper |= (rank == number[mine] - 1) & (rank > 0)
        # Sums round, and a group's upper half must follow its lower one.
        group[order] = 2 * mine + upper
    return group


def tree_over(spheres: NDArray[np.float64]) -> SphereTree:
    """Build a tree whose leaves are spheres (N, 4), those near each other below one parent."""
    leaves = np.zeros((8 ** _depth(spheres), 4))
    leaves[:, 3] = EMPTY
    leaves[slots_of(spheres)] = spheres
    return SphereTree.over(leaves)


def slots_of(spheres: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return which leaf of `tree_over` each of the spheres (N, 4) is."""
    return halved(spheres[:, :3], np.ones(len(spheres)), 3 * _depth(spheres))


def _depth(spheres: NDArray[np.float64]) -> int:
    depth = 0
    while 8**depth < len(spheres):
        depth += 1
    return depth


def _longest(
    places: NDArray[np.float64],
    weights: NDArray[np.float64],
    group: NDArray[np.int64],
    count: int,
) -> NDArray[np.float64]:
    """Return the principal direction of each group, (count, 3)."""
    total = np.maximum(np.bincount(group, weights, count), 1e-300)

    def mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(group, weights * values, count) / total

    middle = np.stack([mean(places[:, i]) for i in range(3)], axis=-1)
    apart = places - middle[group]
    spread = np.empty((count, 3, 3))
    for i in range(3):
        for j in range(i + 1):
            spread[:, i, j] = spread[:, j, i] = mean(apart[:, i] * apart[:, j])
    return np.linalg.eigh(spread)[1][:, :, 2]
