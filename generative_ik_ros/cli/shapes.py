"""A link's simple visual shape comes in, flat faces to draw go out; meshes have none.

All faces have four corners, a triangle two equal ones: matplotlib pads polygons of different sizes
with whatever the memory holds, and takes it for part of the picture.
"""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.description import Visual

_SIDES = 20
_RINGS = 8


def faces(visual: Visual) -> list[NDArray[np.float64]]:
    """Return the faces of a box, cylinder or sphere, each (4, 3) in the link's frame [m]."""
    make = {"box": _box, "cylinder": _cylinder, "sphere": _sphere}.get(visual.shape)
    if make is None:
        return []
    turn, shift = visual.visual_in_link[:3, :3], visual.visual_in_link[:3, 3]
    return [face @ turn.T + shift for face in make(*visual.size)]


def _box(x: float, y: float, z: float) -> list[NDArray[np.float64]]:
    corners = np.array(list(product((-x / 2, x / 2), (-y / 2, y / 2), (-z / 2, z / 2))))
    sides = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))
    return [corners[list(side)] for side in sides]


def _cylinder(radius: float, length: float) -> list[NDArray[np.float64]]:
    rings = [_ring(radius, end * length / 2) for end in (-1, 1)]
    return [*_between(rings[0], rings[1]), *_disc(rings[0]), *_disc(rings[1])]


def _sphere(radius: float) -> list[NDArray[np.float64]]:
    heights = np.linspace(-np.pi / 2, np.pi / 2, _RINGS + 1)
    rings = [_ring(radius * np.cos(h), radius * np.sin(h)) for h in heights]
    return [f for a, b in zip(rings, rings[1:], strict=False) for f in _between(a, b)]


def _ring(radius: float, height: float) -> NDArray[np.float64]:
    angle = np.linspace(0, 2 * np.pi, _SIDES, endpoint=False)
    return np.column_stack(
        (radius * np.cos(angle), radius * np.sin(angle), np.full(_SIDES, height))
    )


def _disc(ring: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    middle = ring.mean(axis=0)
    return [
        np.array((a, b, middle, middle))
        for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True)
    ]


def _between(a: NDArray[np.float64], b: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    following = np.roll(np.arange(_SIDES), -1)
    return [np.array((a[i], a[j], b[j], b[i])) for i, j in enumerate(following)]
