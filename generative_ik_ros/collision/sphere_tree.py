"""Trees of spheres, eight below each, as the native core packs them."""

from dataclasses import dataclass

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats

CHILDREN = 8
"""Nodes below each node that is no leaf."""
ROOT = CHILDREN - 1
"""The root's node: the last lane of group 0."""
EMPTY = -1e30
"""Radius of a node that contains nothing."""


@dataclass(frozen=True, eq=False)
class SphereTree:
    """Spheres around parts of a body, and above them spheres around more of it.

    A node's sphere contains the parts that the leaves below it stand for: clear of a node means
    clear of these parts. Of the leaves' spheres themselves, which may reach beyond the body, some
    can stick out of it. Where a leaf's sphere is the part itself, it is contained.

    Attributes:
        packed: (G, 4, 8) groups of eight siblings, a row each of x, y, z and radius [m]. The root
            stands alone in the last lane of group 0, so that the children of lane i of group g are
            group 8g + i - 6. Leaves are all on one level: the group below them would lie beyond
            the last. Where there is nothing, the radius is `EMPTY`.
    """

    packed: Floats

    @classmethod
    def over(cls, leaves: Floats) -> "SphereTree":
        """Build the levels above leaves (L, 4), neighbours in which lie near each other."""
        return cls(_core.tree_above(leaves))

    @property
    def root(self) -> Floats:
        """(4,) the sphere around all."""
        return self.packed[0, :, ROOT]

    def near(self, center: Floats, reach: float) -> Floats:
        """Return the leaves (L, 4) that touch a ball.

        Args:
            center: (3,) of the ball [m].
            reach: Its radius [m].
        """
        groups = np.zeros(1, dtype=np.int64)
        while True:
            spheres = self.packed[groups]
            apart = spheres[:, :3] - center[:, None]
            far = np.sqrt(np.einsum("gik,gik->gk", apart, apart))
            # Empty ones are as far away as their radius is below 0.
            rows, lanes = np.nonzero(far <= spheres[:, 3] + reach)
            below = CHILDREN * groups[rows] + lanes - (CHILDREN - 2)
            if not len(below) or below[0] >= len(self.packed):
                return spheres[rows, :, lanes]
            groups = below
