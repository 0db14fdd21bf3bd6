"""Trees of spheres, eight below each, as the native core reads them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CHILDREN = 8
"""Nodes below each node that is no leaf."""
ROOT = CHILDREN - 1
"""The root's node: the last lane of group 0; see `SphereTree.packed`."""
TREE_ROWS = 4
"""Rows of a group of eight siblings: x, y, z and radius."""
EMPTY = -1e30
"""Radius of a node that contains nothing."""


@dataclass(frozen=True, eq=False)
class SphereTree:
    """Spheres around parts of a body, and above them spheres around more of it.

    A node's sphere contains the parts that the leaves below it stand for: clear of a node means
    clear of these parts. Of the leaves' spheres themselves, which may reach beyond the body, some
    can stick out of it. Where a leaf's sphere is the part itself, it is contained.

    Attributes:
        levels: Level l is (8^l, 4): centre x, y, z and radius [m]. Below node k of a level are
            nodes 8k to 8k + 7 of the next one. Where there is nothing, the radius is `EMPTY`; an
            empty node has only empty ones below it. The last level holds the leaves.
    """

    levels: tuple[NDArray[np.float64], ...]

    @classmethod
    def over(cls, leaves: NDArray[np.float64]) -> "SphereTree":
        """Build the levels above leaves (L, 4), neighbours in which lie near each other.

        A parent's sphere is centred in the box around its children.
        """
        depth = 0
        while CHILDREN**depth < len(leaves):
            depth += 1
        level = _empty(CHILDREN**depth)
        level[: len(leaves)] = leaves
        levels, filled = [level], len(leaves)
        for below in range(depth, 0, -1):
            filled = -(-filled // CHILDREN)
            level = _empty(CHILDREN ** (below - 1))
            level[:filled] = enclosing(levels[-1][: filled * CHILDREN].reshape(-1, CHILDREN, 4))
            levels.append(level)
        return cls(tuple(reversed(levels)))

    @property
    def leaves(self) -> NDArray[np.float64]:
        """(L, 4) leaves without the empty ones."""
        last = self.levels[-1]
        return last[last[:, 3] > EMPTY / 2]

    def near(self, center: NDArray[np.float64], reach: float) -> NDArray[np.float64]:
        """Return the leaves (L, 4) that touch a ball.

        Args:
            center: (3,) of the ball [m].
            reach: Its radius [m].
        """
        nodes = np.zeros(1, dtype=np.int64)
        for depth, level in enumerate(self.levels):
            if depth:
                nodes = (nodes[:, None] * CHILDREN + np.arange(CHILDREN)).ravel()
            spheres = level[nodes]
            apart = spheres[:, :3] - center
            far = np.sqrt(np.einsum("ki,ki->k", apart, apart))
            # Empty ones are as far away as their radius is below 0.
            nodes = nodes[far <= spheres[:, 3] + reach]
        return self.levels[-1][nodes]

    def packed(self) -> NDArray[np.float64]:
        """Return (G, 4, 8): groups of eight siblings, a row each of x, y, z and radius.

        The root stands alone in the last lane of group 0, so that the children of lane i of group
        g are group 8g + i - 6. A node whose group of children would lie beyond the last is a leaf.
        """
        root = np.zeros((CHILDREN, 4))
        root[:, 3] = EMPTY
        root[-1] = self.levels[0][0]
        groups = [root[None], *(level.reshape(-1, CHILDREN, 4) for level in self.levels[1:])]
        return np.ascontiguousarray(np.concatenate(groups).transpose(0, 2, 1))


def enclosing(spheres: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (K, 4) spheres that contain (K, C, 4) spheres, empty where all of them are."""
    made = _empty(len(spheres))
    # So many nodes that are made at once stay in the processor's cache.
    together = 4096
    for start in range(0, len(spheres), together):
        some = spheres[start : start + together]
        centers = [np.ascontiguousarray(some[..., axis].T) for axis in range(3)]
        radii = np.ascontiguousarray(some[..., 3].T)
        there = radii > EMPTY / 2
        whole = bool(there.all())
        square = np.zeros(radii.shape)
        for axis, center in enumerate(centers):
            low, high = center - radii, center + radii
            if not whole:
                # Empty ones are farther than anything is.
                low, high = np.where(there, low, 1e300), np.where(there, high, -1e300)
            middle = (low.min(axis=0) + high.max(axis=0)) / 2.0
            made[start : start + together, axis] = middle
            square += (center - middle) ** 2
        reach = (np.sqrt(square) + radii).max(axis=0)
        # Rounding must not leave a child outside.
        reach = np.where(reach > EMPTY / 2, reach * (1.0 + 1e-12) + 1e-12, EMPTY)
        made[start : start + together, 3] = reach
    return made


def _empty(count: int) -> NDArray[np.float64]:
    """Return nodes (count, 4) that contain nothing."""
    nodes = np.zeros((count, 4))
    nodes[:, 3] = EMPTY
    return nodes
