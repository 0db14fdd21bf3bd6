"""What meshes enclose: their connected parts, which of them are closed, and winding numbers."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

_TOGETHER = 4_000_000
"""Solid angles that are computed at once."""


def mesh_parts(
    vertices: NDArray[np.float64], faces: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Find the connected parts of a mesh.

    Vertices at the same place are one. A part is closed if along every edge as many of its faces
    run one way as the other.

    Args:
        vertices: (V, 3) [m].
        faces: (F, 3) indices of vertices.

    Returns:
        (C, 3) a vertex of each part [m]; (T, 3, 3) corners of the triangles of all parts that are
        closed [m].
    """
    # -0.0 and 0.0 are one.
    places, same = np.unique(vertices + 0.0, axis=0, return_inverse=True)
    welded = same.reshape(-1)[faces]
    count = len(places)
    around = np.roll(welded, -1, axis=1)
    links = (np.ones(welded.size), (welded.ravel(), around.ravel()))
    _, part_of = connected_components(coo_matrix(links, shape=(count, count)), directed=False)
    part = part_of[welded[:, 0]]
    # Each edge once more one way than the other, where something is open.
    low, high = np.minimum(welded, around).ravel(), np.maximum(welded, around).ravel()
    sign = np.sign(around - welded).ravel()
    edges, which = np.unique(low * count + high, return_inverse=True)
    surplus = np.zeros(len(edges), dtype=np.int64)
    np.add.at(surplus, which.reshape(-1), sign)
    open_parts = np.unique(part_of[edges[surplus != 0] // count])
    _, first = np.unique(part, return_index=True)
    closed = ~np.isin(part, open_parts)
    return places[welded[first, 0]], places[welded[closed]]


def enclosed(points: NDArray[np.float64], triangles: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say which points (P, 3) the closed surface of triangles (T, 3, 3) winds around.

    A hollow whose surface faces into it is not inside, and parts may overlap.
    """
    inside = np.zeros(len(points), dtype=bool)
    if not len(triangles):
        return inside
    step = max(1, _TOGETHER // len(triangles))
    for start in range(0, len(points), step):
        some = slice(start, start + step)
        inside[some] = np.abs(_winding(points[some], triangles)) > 0.5
    return inside


def _winding(points: NDArray[np.float64], triangles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how often a surface winds around points, by the solid angles of its triangles.

    A. van Oosterom and J. Strackee, "The solid angle of a plane triangle", 1983.
    """
    a, b, c = (triangles[None, :, k] - points[:, None] for k in range(3))
    la, lb, lc = (np.sqrt(np.einsum("pti,pti->pt", one, one)) for one in (a, b, c))
    volume = np.einsum("pti,pti->pt", a, np.cross(b, c))
    dots = (
        np.einsum("pti,pti->pt", a, b) * lc
        + np.einsum("pti,pti->pt", b, c) * la
        + np.einsum("pti,pti->pt", c, a) * lb
    )
    return np.arctan2(volume, la * lb * lc + dots).sum(axis=1) / (2.0 * np.pi)
