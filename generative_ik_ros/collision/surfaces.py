"""Robot and obstacles in convex pieces, as the native core reads them."""

from weakref import WeakKeyDictionary

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.collision.body import Body
from generative_ik_ros.collision.packed_shapes import shape_tuples
from generative_ik_ros.collision.placement import Part, Parts
from generative_ik_ros.collision.world import poses_of

_made: WeakKeyDictionary[Body, _core.BodySurface] = WeakKeyDictionary()


def packed_surfaces(parts: Parts) -> tuple[Floats, Ints]:
    """Pack the pieces of all bodies and primitives.

    Returns:
        Rows of eight of trees, then the pieces; and whole numbers: for each body its tree's row
        and groups, and where its leaves' pieces are listed; the piece of each lane of primitives
        or -1; and these lists, by the leaves' nodes.
    """
    surfaces = _surfaces_of(parts.bodies)
    poses = poses_of([part.pose for part in parts.bodies])
    packed = parts.packed_primitives
    return _core.pack_surfaces(surfaces, poses, *packed.given, packed.order)


def _surfaces_of(parts: tuple[Part, ...]) -> list[_core.BodySurface]:
    """Return the surfaces of parts that have bodies; they are kept as long as these."""
    missing = {part.body: part for part in parts if part.body and part.body not in _made}
    things = [
        body.cover.packed if body.exact else shape_tuples(part.shapes)
        for body, part in missing.items()
    ]
    for body, surface in zip(missing, _core.BodySurface.build(things), strict=True):
        _made[body] = surface
    return [_made[part.body] for part in parts if part.body]
