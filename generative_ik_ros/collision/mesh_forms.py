"""Meshes as callers write them: records, trimesh's, arrays, or files."""

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.shape_poses import one_pose
from generative_ik_ros.collision.shapes import Mesh
from generative_ik_ros.errors import InvalidArgumentError, short

MAX_BYTES = 256 * 2**20
"""Size of a mesh file."""
ENDINGS = (".stl", ".obj", ".dae", ".ply")
"""Mesh files that are read."""


def mesh_of(name: str, value: object, meant: str) -> Mesh:
    """Return a mesh that was written in any of the forms that `Scene` takes.

    Args:
        name: The obstacle's name, for messages.
        value: What was written.
        meant: The forms, for messages.

    Raises:
        InvalidArgumentError: It is none of the forms, or no mesh.
    """
    pose: object = (0.0, 0.0, 0.0)
    source: Any = value
    if isinstance(value, tuple | list):
        if len(value) == 2 and (_is_source(value[0])):
            source, pose = value
        elif len(value) == 3:
            source, pose = tuple(value[:2]), value[2]
    if isinstance(source, Mesh):
        placed = one_pose(name, pose) @ source.pose
        return source if source is value else _mesh(name, source.vertices, source.faces, placed)
    if isinstance(source, str | PathLike):
        vertices, faces = read_mesh(name, Path(source))
    elif hasattr(source, "vertices") and hasattr(source, "faces"):
        vertices, faces = source.vertices, source.faces
    elif isinstance(source, tuple | list) and len(source) == 2:
        vertices, faces = source
    else:
        raise InvalidArgumentError(f"{name} must be {meant}, not {short(repr(value))}")
    return _mesh(name, vertices, faces, one_pose(name, pose))


def read_mesh(name: str, path: Path) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the vertices and the faces of a mesh file, all its parts as one.

    Raises:
        InvalidArgumentError: It cannot be read, or is no mesh.
    """
    # Imported here: a scene without mesh files needs no trimesh.
    import trimesh

    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InvalidArgumentError(
            f"{name}: mesh file {path} must end in one of {', '.join(ENDINGS)}"
        )
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InvalidArgumentError(
                f"{name}: mesh file {path} is larger than {MAX_BYTES} bytes"
            )
        with path.open("rb") as file:
            loaded = trimesh.load_scene(
                file, file_type=ending[1:], process=False, skip_materials=True
            )
        vertices, faces = _joined(loaded)
    except InvalidArgumentError:
        raise
    except OSError as error:
        raise InvalidArgumentError(
            f"{name}: mesh file {path} cannot be read: {error.strerror or error}"
        ) from None
    except Exception as error:  # noqa: BLE001 (readers of broken files raise anything)
        raise InvalidArgumentError(
            f"{name}: mesh file {path} cannot be read: {short(str(error), 200)}"
        ) from None
    if not len(faces):
        raise InvalidArgumentError(f"{name}: mesh file {path} has no triangles")
    return vertices, faces


def _joined(loaded: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:  # noqa: ANN401
    """Return the triangles of a trimesh.Scene where its nodes place them; not their looks."""
    vertices, faces, count = [np.empty((0, 3))], [np.empty((0, 3), dtype=np.int64)], 0
    for node in loaded.graph.nodes_geometry:
        pose, name = loaded.graph[node]
        part = loaded.geometry[name]
        if hasattr(part, "faces"):
            vertices.append(np.asarray(part.vertices) @ pose[:3, :3].T + pose[:3, 3])
            faces.append(np.asarray(part.faces) + count)
            count += len(part.vertices)
    return np.concatenate(vertices), np.concatenate(faces)


def _is_source(value: object) -> bool:
    known = isinstance(value, Mesh | str | PathLike)
    return known or (hasattr(value, "vertices") and hasattr(value, "faces"))


def _mesh(name: str, vertices: object, faces: object, pose: NDArray[np.float64]) -> Mesh:
    try:
        return Mesh(vertices, faces, pose=pose)  # pyright: ignore[reportArgumentType]
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{name}: {error}") from None
