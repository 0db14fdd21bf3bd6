"""Meshes as callers write them: records, trimesh's, arrays, or files."""

from os import PathLike
from pathlib import Path
from typing import Any

from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.mesh_reading import UnreadableMeshError, read_mesh
from generative_ik_ros.collision.shape_poses import one_pose
from generative_ik_ros.collision.shapes import Mesh, unchecked
from generative_ik_ros.errors import InvalidArgumentError, shown


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
        return source if source is value else placed(source, one_pose(name, pose))
    if isinstance(source, str | PathLike):
        return placed(mesh_file(name, Path(source)), one_pose(name, pose))
    if hasattr(source, "vertices") and hasattr(source, "faces"):
        vertices, faces = source.vertices, source.faces
    elif isinstance(source, tuple | list) and len(source) == 2:
        vertices, faces = source
    else:
        raise InvalidArgumentError(f"{name} must be {meant}, not {shown(value)}")
    try:
        return Mesh(vertices, faces, pose=one_pose(name, pose))  # pyright: ignore
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{name}: {error}") from None


def mesh_file(name: str, path: Path, scale: tuple[float, ...] = (1.0, 1.0, 1.0)) -> Mesh:
    """Read the file of a mesh, scaled along its axes.

    Raises:
        InvalidArgumentError: It cannot be read, or is no mesh.
    """
    try:
        return read_mesh(path, scale)
    except (UnreadableMeshError, ValueError) as error:
        raise InvalidArgumentError(f"{name}: mesh file {str(path)!r}: {error}") from None


def placed(mesh: Mesh, pose: Floats) -> Mesh:
    """Return a mesh moved by a pose (4, 4) that was checked already."""
    whole = pose @ mesh.pose
    whole.flags.writeable = False
    return unchecked(Mesh, pose=whole, vertices=mesh.vertices, faces=mesh.faces)


def _is_source(value: object) -> bool:
    known = isinstance(value, Mesh | str | PathLike)
    return known or (hasattr(value, "vertices") and hasattr(value, "faces"))
