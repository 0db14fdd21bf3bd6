"""Bodies from shapes."""

from collections.abc import Sequence

import numpy as np

from generative_ik_ros.collision.body import Body
from generative_ik_ros.collision.cover import DEPTH, cover_of
from generative_ik_ros.collision.inner import inner_of, spread
from generative_ik_ros.collision.patches import patches_of
from generative_ik_ros.collision.shapes import Shape, Sphere
from generative_ik_ros.collision.solid import depths_of
from generative_ik_ros.collision.split import tree_over
from generative_ik_ros.errors import InvalidArgumentError

EXTREMES = 16
"""Points of a body that are far from each other."""


def body_of(shapes: Sequence[Shape], depth: int = DEPTH) -> Body:
    """Build the body that shapes of one rigid thing make together.

    Args:
        shapes: At least one, placed in the frame of the thing: a link, or a scene.
        depth: Levels of the cover below its root.

    Raises:
        InvalidArgumentError: There are no shapes.
    """
    shapes = tuple(shapes)
    if not shapes:
        raise InvalidArgumentError("a body needs at least one shape")
    if all(isinstance(shape, Sphere) for shape in shapes):
        return _of_spheres(shapes)
    patches = patches_of(shapes)
    depths = [grid for shape in shapes if (grid := depths_of(shape)) is not None]
    cover = cover_of(patches, depths, depth)
    extremes = spread(patches.points.reshape(-1, 3), EXTREMES)
    return Body(cover, inner_of(patches, depths), False, extremes)


def _of_spheres(shapes: Sequence[Shape]) -> Body:
    """Build a body that is its own cover, nothing more and nothing less."""
    spheres = np.array([[*s.pose[:3, 3], s.radius] for s in shapes if isinstance(s, Sphere)])
    tree = tree_over(spheres)
    ends = np.concatenate([np.eye(3), -np.eye(3)])
    on_surface = spheres[:, None, :3] + spheres[:, None, 3:] * ends
    return Body(tree, tree, True, spread(on_surface.reshape(-1, 3), EXTREMES))
