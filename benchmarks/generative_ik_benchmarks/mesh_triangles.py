"""Triangles of STL and OBJ files, parsed without any library, and points within them."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_Triangles = tuple[NDArray[np.float64], NDArray[np.int64]]


def file_triangles(path: Path) -> _Triangles | None:
    """Return vertices (V, 3) and faces (F, 3) as a file has them; None for other formats."""
    kind = path.suffix.lower()
    if kind == ".obj":
        return _obj(path.read_text(errors="replace"))
    return _stl(path.read_bytes()) if kind == ".stl" else None


def _obj(text: str) -> _Triangles:
    vertices: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            numbers = [int(word.partition("/")[0]) for word in words[1:]]
            corners = [n - 1 if n > 0 else len(vertices) + n for n in numbers]
            pairs = zip(corners[1:], corners[2:], strict=False)
            faces += [(corners[0], second, third) for second, third in pairs]
    return np.array(vertices), np.array(faces, np.int64)


def _stl(data: bytes) -> _Triangles:
    count = int.from_bytes(data[80:84], "little")
    if len(data) == 84 + 50 * count:
        kind = np.dtype([("numbers", "<f4", 12), ("attribute", "<u2")])
        numbers = np.frombuffer(data, kind, count, 84)["numbers"].reshape(-1, 4, 3)[:, 1:]
    else:
        words = [line.split() for line in data.decode(errors="replace").splitlines()]
        numbers = np.array([list(map(float, w[1:4])) for w in words if w[:1] == ["vertex"]])
    vertices = numbers.reshape(-1, 3).astype(np.float64)
    return vertices, np.arange(len(vertices)).reshape(-1, 3)


def winding_number(triangles: NDArray[np.float64], point: NDArray[np.float64]) -> float:
    """Return how often triangles (F, 3, 3) wind around a point (3,): 1 inside, 0 outside.

    The sum of their solid angles (A. van Oosterom and J. Strackee, 1983) over that of a sphere;
    its absolute value, for some files turn their triangles inside out.
    """
    a, b, c = np.moveaxis(triangles - point, 1, 0)
    x, y, z = (np.linalg.norm(one, axis=1) for one in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    below = x * y * z + z * (a * b).sum(1) + x * (b * c).sum(1) + y * (c * a).sum(1)
    return abs(float(2.0 * np.arctan2(volume, below).sum() / (4.0 * np.pi)))
