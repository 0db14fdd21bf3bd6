"""What meshes enclose: their connected parts, which of them are closed, and winding numbers."""

import numpy as np
from numpy.typing import NDArray


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
    from scipy.sparse import coo_matrix  # slow to import, and not every robot has meshes
    from scipy.sparse.csgraph import connected_components

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


class Enclosure:
    """What a closed surface encloses, by its winding number.

    A hollow whose surface faces into it is not inside, and parts may overlap.

    Args:
        triangles: (T, 3, 3) corners [m].
    """

    def __init__(self, triangles: NDArray[np.float64]) -> None:
        # Corner, axis, triangle: numbers of one kind lie side by side.
        self._corners = np.ascontiguousarray(triangles.transpose(1, 2, 0))

    def contains(self, point: NDArray[np.float64]) -> bool:
        """Say whether the surface winds around a point (3,), by the solid angles of its triangles.

        A. van Oosterom and J. Strackee, "The solid angle of a plane triangle", 1983.
        """
        a, b, c = self._corners - point[:, None]
        la, lb, lc = (np.sqrt(_dot(one, one)) for one in (a, b, c))
        volume = (
            a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
        )
        flat = la * lb * lc + _dot(a, b) * lc + _dot(b, c) * la + _dot(c, a) * lb
        return bool(abs(np.arctan2(volume, flat).sum()) > np.pi)


def _dot(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
