"""What meshes enclose: their connected parts, which of them are closed, and winding numbers."""

import numpy as np
from numpy.typing import NDArray


class _Edges:
    """The edges of a mesh whose vertices at the same place are one.

    Args:
        vertices: (V, 3) [m].
        faces: (F, 3) indices of vertices.

    Attributes:
        places: (P, 3) places of vertices [m].
        corners: (F, 3) the faces' corners, indices of places.
        of: (F, 3) the edge that begins at each corner of each face.
        surplus: (E,) how many more faces pass it from its lower place to the higher than back.
        faces: (E,) how many faces pass it.
    """

    def __init__(self, vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> None:
        # -0.0 and 0.0 are one.
        self.places, same = np.unique(vertices + 0.0, axis=0, return_inverse=True)
        self.corners = same.reshape(-1)[faces]
        around = np.roll(self.corners, -1, axis=1)
        low, high = np.minimum(self.corners, around), np.maximum(self.corners, around)
        keys, which, self.faces = np.unique(
            (low * len(self.places) + high).ravel(), return_inverse=True, return_counts=True
        )
        self.of = which.reshape(-1, 3)
        self.up = np.sign(around - self.corners)
        self.surplus = np.zeros(len(keys), np.int64)
        np.add.at(self.surplus, self.of, self.up)

    def parts(self) -> NDArray[np.int64]:
        """Return the connected part (F,) that each face belongs to."""
        from scipy.sparse import coo_matrix  # slow to import, and not every robot has meshes
        from scipy.sparse.csgraph import connected_components

        around = np.roll(self.corners, -1, axis=1)
        links = (np.ones(around.size), (self.corners.ravel(), around.ravel()))
        shape = len(self.places), len(self.places)
        _, part = connected_components(coo_matrix(links, shape=shape), directed=False)
        return part[self.corners[:, 0]]

    def has(self, marked: NDArray[np.bool_], part: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say for each face (F,) whether its part has one of the edges that are marked (E,)."""
        return np.isin(part, part[marked[self.of].any(axis=1)])


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
    edges = _Edges(vertices, faces)
    part = edges.parts()
    closed = ~edges.has(edges.surplus != 0, part)
    _, first = np.unique(part, return_index=True)
    return edges.places[edges.corners[first, 0]], edges.places[edges.corners[closed]]


def is_closed(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> bool:
    """Say whether a mesh is watertight: each edge is passed as often one way as the other."""
    edges = _Edges(vertices, faces)
    return bool(edges.up.any() and not edges.surplus.any())


def degenerate(triangles: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which triangles (T, 3, 3) have no area but for rounding: corners on a line."""
    a, b, c = triangles.transpose(1, 0, 2)
    longest = np.maximum(_squared(b - a), np.maximum(_squared(c - a), _squared(c - b)))
    return np.sqrt(_squared(np.cross(b - a, c - a))) <= 1e-12 * longest


def repaired_faces(
    vertices: NDArray[np.float64], faces: NDArray[np.int64]
) -> tuple[NDArray[np.int64], bool]:
    """Leave out degenerate faces, and give the others a consistent winding.

    Faces are flipped in parts of a mesh that are closed if all have the same side outwards: the
    side that most have, by area. Degenerate faces stay only where a part is not closed without
    them, or where no others are.

    Args:
        vertices: (V, 3) [m].
        faces: (F, 3) indices of vertices.

    Returns:
        The faces (G, 3); whether a part has no consistent winding, although each of its edges has
        two faces, or four, and so on. The inside of such a part is not known.
    """
    flat = degenerate(vertices[faces])
    if not flat.any() or flat.all():
        return _consistent(vertices, faces)[:2]
    best, unsure, gaps = _consistent(vertices, faces[~flat])
    if gaps:
        corners = vertices[faces]
        whole = (corners != np.roll(corners, 1, axis=1)).any(axis=2).all(axis=1)
        other, other_unsure, other_gaps = _consistent(vertices, faces[whole])
        if other_gaps < gaps:
            return other, other_unsure
    return best, unsure


def _consistent(
    vertices: NDArray[np.float64], faces: NDArray[np.int64]
) -> tuple[NDArray[np.int64], bool, int]:
    """Return faces with a consistent winding, whether some have none, and how many edges do not.

    These are edges that more faces pass one way than back, open ones included.
    """
    edges = _Edges(vertices, faces)
    gaps = int(np.count_nonzero(edges.surplus))
    if not gaps:
        return faces, False, 0
    part = edges.parts()
    # Where an edge has an odd number of faces, the part is open, whatever their winding.
    wrong = edges.has(edges.surplus != 0, part) & ~edges.has(edges.faces % 2 != 0, part)
    if not wrong.any():
        return faces, False, gaps
    flipped = np.where((wrong & _to_flip(edges))[:, None], faces[:, ::-1], faces)
    now = _Edges(vertices, flipped)
    failed = now.has(now.surplus != 0, part) & wrong
    if failed.any():
        return np.where(failed[:, None], faces, flipped), True, gaps
    return flipped, False, int(np.count_nonzero(now.surplus))


def _to_flip(edges: _Edges) -> NDArray[np.bool_]:
    """Return which faces (F,) to flip so that neighbours, two at an edge, have the same side out.

    Each face is taken twice, as it is and flipped. Those that go together are connected, and of
    two sets that are each other's opposite the one is taken that flips less area, or points
    outwards.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    count = len(edges.of)
    order = np.argsort(edges.of.ravel(), kind="stable")
    order = order[edges.faces[edges.of.ravel()[order]] == 2].reshape(-1, 2)
    one, other = (order // 3).T
    against = edges.up.ravel()[order[:, 0]] == edges.up.ravel()[order[:, 1]]
    rows = np.concatenate([one, one + count])
    columns = np.concatenate([other + count * against, other + count * ~against])
    links = coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(2 * count, 2 * count))
    number, group = connected_components(links, directed=False)
    a, b, c = edges.places[edges.corners].transpose(1, 0, 2)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    volume = np.einsum("fi,fi->f", a, np.cross(b, c))
    kept = np.bincount(group[:count], area, number)
    outwards = np.bincount(group, np.concatenate([volume, -volume]), number)
    as_it_is, flipped = group[:count], group[count:]
    tie = np.isclose(kept[as_it_is], kept[flipped], rtol=1e-9)
    better = np.where(tie, outwards[flipped] > outwards[as_it_is], kept[flipped] > kept[as_it_is])
    return better & (as_it_is != flipped)


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


def _squared(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.einsum("...i,...i->...", vectors, vectors)


def _dot(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
