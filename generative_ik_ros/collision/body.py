"""Rigid bodies as the checks see them: spheres that contain them, and spheres inside."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.sphere_tree import SphereTree


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body, a link or an obstacle, in its own frame.

    Attributes:
        cover: Spheres that contain it: clear of these, surely free.
        inner: Spheres inside it, of radius 0 on its surface: touching these, surely colliding.
            None where nothing is known to be inside.
        exact: Whether the body is the leaves of its cover, neither more nor less.
        extremes: (E, 3) points of it that are far from each other [m]: one of them outside
            another body shows that this body is not inside that one.
    """

    cover: SphereTree
    inner: SphereTree | None
    exact: bool
    extremes: NDArray[np.float64]
