"""Triangles of STL, OBJ, COLLADA and PLY files, without what else these files point at."""

import io
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.collision.shapes import MAX_FACES, Mesh, unchecked
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.description_source import parse_xml

MAX_BYTES = 200 * 2**20
"""Size of a mesh file."""
FORMATS = (".stl", ".obj", ".dae", ".ply")


class UnreadableMeshError(Exception):
    """A mesh file cannot be used; the message says why."""


def read_mesh(
    path: Path, scale: tuple[float, ...] = (1.0, 1.0, 1.0), pose: Floats | None = None
) -> Mesh:
    """Read a mesh.

    The same mesh is returned as before, unless the file's size or time has changed.

    Args:
        path: An STL, OBJ or COLLADA file.
        scale: Factors along the mesh's own axes; a negative one mirrors it.
        pose: (4, 4) where it is placed [m]; None: where it is.

    Raises:
        UnreadableMeshError: The file cannot be read, is too large or of an unknown format, or
            holds no triangles.
    """
    try:
        stat = path.stat()
    except OSError as error:
        raise UnreadableMeshError(error.strerror or "cannot be read") from None
    place = (np.eye(4) if pose is None else np.ascontiguousarray(pose, np.float64)).tobytes()
    return _placed(path, stat.st_mtime_ns, stat.st_size, tuple(scale), place)


@lru_cache(maxsize=512)
def _placed(path: Path, changed: int, size: int, scale: tuple[float, ...], place: bytes) -> Mesh:
    mesh = _read(path, changed, size, scale)
    return unchecked(Mesh, **{**vars(mesh), "pose": np.frombuffer(place).reshape(4, 4)})


@lru_cache(maxsize=64)
def _read(path: Path, changed: int, size: int, scale: tuple[float, ...]) -> Mesh:
    if path.suffix.lower() not in FORMATS:
        raise UnreadableMeshError(f"its format is none of {', '.join(FORMATS)}")
    if size > MAX_BYTES:
        raise UnreadableMeshError(f"it is larger than {MAX_BYTES // 2**20} MiB")
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableMeshError(error.strerror or "cannot be read") from None
    if len(data) > MAX_BYTES:
        raise UnreadableMeshError(f"it is larger than {MAX_BYTES // 2**20} MiB")
    vertices, faces = _triangles(data, path.suffix.lower()[1:])
    used, index = np.unique(faces, return_inverse=True)
    faces = index.reshape(-1, 3)
    if np.prod(scale) < 0.0:  # mirrored: inside would be outside
        faces = faces[:, ::-1]
    try:
        return Mesh(vertices[used] * np.asarray(scale), faces)
    except InvalidArgumentError as error:
        raise UnreadableMeshError(str(error)) from None


def _triangles(data: bytes, kind: str) -> tuple[Floats, Ints]:
    """Parse a file; materials and textures that it names are never opened."""
    import trimesh

    try:
        unit = _unit(data) if kind == "dae" else 1.0
        options: dict[str, Any] = {"skip_materials": True} if kind == "obj" else {}
        scene = trimesh.load(
            io.BytesIO(data), file_type=kind, force="scene", process=False, **options
        )
        assert isinstance(scene, trimesh.Scene)
        placed = [scene.graph[node] for node in scene.graph.nodes_geometry]
        parts = [
            (frame, part)
            for frame, name in placed
            if isinstance(part := scene.geometry[name], trimesh.Trimesh) and len(part.faces)
        ]
    except Exception as error:  # trimesh's readers raise errors of many types
        raise UnreadableMeshError(f"it is no sound {kind.upper()} file") from error
    if (count := sum(len(part.faces) for _, part in parts)) > MAX_FACES or not parts:
        raise UnreadableMeshError(f"it holds {count} triangles; from 1 to {MAX_FACES}")
    vertices, faces, before = [], [], 0
    for frame, part in parts:
        vertices.append(part.vertices @ (frame[:3, :3].T * unit) + frame[:3, 3] * unit)
        mirrored = np.linalg.det(frame[:3, :3]) < 0.0
        faces.append((part.faces[:, ::-1] if mirrored else part.faces) + before)
        before += len(part.vertices)
    return np.concatenate(vertices), np.concatenate(faces).astype(np.int64)


def _unit(data: bytes) -> float:
    """Return the length of a COLLADA file's unit [m].

    Which of its axes points up is left aside, as in RViz and MoveIt.
    """
    # Refuses entities, and archives, before another parser sees them.
    root = parse_xml(data)
    for unit in root.findall("{*}asset/{*}unit"):
        return float(unit.get("meter", 1.0))
    return 1.0
