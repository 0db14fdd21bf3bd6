"""Entries of scene files: what they must be, and errors that say which one is not."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.cloud import PointCloud
from generative_ik_ros.collision.mesh_files import MeshFolders
from generative_ik_ros.collision.mesh_forms import mesh_file, placed
from generative_ik_ros.collision.obstacles import AttachedObject, Obstacle
from generative_ik_ros.collision.shapes import MAX_SIZE, Mesh
from generative_ik_ros.errors import InvalidArgumentError, listed, short, shown
from generative_ik_ros.robot.poses import pose_matrix


@dataclass(frozen=True)
class FileScene:
    """What a scene file holds.

    Attributes:
        obstacles: The obstacles.
        allowed: Pairs (obstacle, link) that may touch.
        attached: What the robot carries.
        octomap: Occupied cells, if there are any.
    """

    obstacles: list[Obstacle]
    allowed: list[tuple[str, str]]
    attached: list[AttachedObject]
    octomap: PointCloud | None = None


def mesh_at(
    where: str, folders: MeshFolders, address: object, scale: object, pose: Floats
) -> Mesh:
    """Read the mesh at an address.

    Args:
        where: Whose mesh it is, for messages.
        folders: Where it is looked up.
        address: A path in one of the folders, or package://NAME/PATH.
        scale: Factors along x, y and z, or one for all; None: 1.
        pose: (4, 4) [m].

    Raises:
        InvalidArgumentError: There is no such file, or it is no mesh.
    """
    path = folders.find(text(f"{where}: mesh file", address))
    if path is None:
        raise InvalidArgumentError(
            f"{where}: the mesh file '{short(str(address))}' was not found in "
            f"{listed(map(str, folders.folders))}; name its folder with package_dirs="
        )
    factors = 3 * [scale] if isinstance(scale, int | float) else scale
    scales = np.ones(3) if scale is None else numbers(f"{where}: scale", factors, 3)
    if not scales.all():
        raise InvalidArgumentError(f"{where}: scale must not be 0")
    return placed(mesh_file(where, path, tuple(scales.tolist())), pose)


def listed_mesh(where: str, vertices: list[Floats], corners: list[Any], pose: Floats) -> Mesh:
    """Return the mesh of vertices (3,) [m] and lists of the three corners of each triangle.

    Raises:
        InvalidArgumentError: It is none.
    """
    rows = [numbers(f"{where}: triangle {k}", one, 3, (), 1e15) for k, one in enumerate(corners)]
    faces = np.array(rows).reshape(-1, 3)
    if (faces != np.floor(faces)).any():
        raise InvalidArgumentError(f"{where}: triangles must be whole numbers")
    try:
        return Mesh(np.array(vertices).reshape(-1, 3), faces.astype(np.int64), pose=pose)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{where}: {error}") from None


def mapping(where: str, value: object) -> Mapping[str, Any]:
    """Return a value that must be a mapping; nothing is an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidArgumentError(f"{where} must be a mapping, not {shown(value)}")
    return value


def only_keys(where: str, value: Mapping[str, Any], keys: Collection[str]) -> None:
    """Refuse other keys than some, for they may be misspelt.

    Raises:
        InvalidArgumentError: There is another one.
    """
    for key in value:
        if key not in keys:
            raise InvalidArgumentError(
                f"{where} has the key '{short(key)}'; it must be one of {', '.join(keys)}"
            )


def entries(where: str, value: object) -> list[Any]:
    """Return a value that must be a list; nothing is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise InvalidArgumentError(f"{where} must be a list, not {shown(value)}")
    return value


def text(where: str, value: object) -> str:
    """Return a value that must be a name; a number can be one."""
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
        raise InvalidArgumentError(f"{where} must have a name, not {shown(value)}")
    return str(value)


def numbers(
    where: str,
    value: object,
    count: int,
    keys: tuple[str, ...] = (),
    most: float = MAX_SIZE,
) -> Floats:
    """Return numbers up to `most` of a list, or of a mapping; what is not in that is 0.

    Raises:
        InvalidArgumentError: They are others, or another number of them.
    """
    if value is None and keys:
        value = {}
    if isinstance(value, Mapping) and keys:
        only_keys(where, value, keys)
        value = [value.get(key, 0.0) for key in keys]
    plain = isinstance(value, list) and not any(
        isinstance(one, bool) or not isinstance(one, int | float) for one in value
    )
    if not plain or len(value) != count:  # pyright: ignore[reportArgumentType]
        or_keys = f", or a mapping with {', '.join(keys)}" if keys else ""
        raise InvalidArgumentError(f"{where} must be {count} numbers{or_keys}, not {shown(value)}")
    found = np.array(value, dtype=np.float64)
    # NaN fails the comparison.
    if not (np.abs(found) <= most).all():
        raise InvalidArgumentError(
            f"{where} has a number that is not finite, or above {most}: {value}"
        )
    return found


def length(where: str, value: object) -> float:
    """Return a number that must be above 0 [m]."""
    number = float(numbers(where, [value], 1)[0])
    if number <= 0.0:
        raise InvalidArgumentError(f"{where} must be above 0, not {number:g}")
    return number


def transform(where: str, position: Floats, quaternion_xyzw: Floats) -> Floats:
    """Return a pose (4, 4) [m].

    Raises:
        InvalidArgumentError: The quaternion is zero.
    """
    if not np.abs(quaternion_xyzw).max() > 1e-9:
        raise InvalidArgumentError(f"{where}: the quaternion is zero, which is no rotation")
    return pose_matrix(position, quaternion_xyzw)
