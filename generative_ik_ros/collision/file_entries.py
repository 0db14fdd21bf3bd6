"""Entries of scene files: what they must be, and errors that say which one is not."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.mesh_forms import read_mesh
from generative_ik_ros.collision.obstacles import AttachedObject, Obstacle
from generative_ik_ros.collision.shapes import MAX_SIZE, Mesh
from generative_ik_ros.drawing.mesh_files import find_mesh
from generative_ik_ros.errors import InvalidArgumentError, short
from generative_ik_ros.robot.poses import pose_matrix


@dataclass(frozen=True)
class FileScene:
    """What a scene file holds.

    Attributes:
        obstacles: The obstacles.
        allowed: Pairs (obstacle, link) that may touch.
        attached: What the robot carries.
    """

    obstacles: list[Obstacle]
    allowed: list[tuple[str, str]]
    attached: list[AttachedObject]


@dataclass(frozen=True)
class Folders:
    """Where the files of meshes are looked up.

    Attributes:
        file: The scene file, to which paths are relative.
        package_dirs: Folders of packages.
    """

    file: Path
    package_dirs: list[Path]

    def mesh(self, where: str, address: object, scale: object, pose: NDArray[np.float64]) -> Mesh:
        """Read a mesh file, and scale it along its axes.

        Raises:
            InvalidArgumentError: There is no such file, or it is no mesh.
        """
        path = find_mesh(text(where, address), self.file, self.package_dirs)
        if path is None:
            raise InvalidArgumentError(f"{where}: the mesh file '{address}' was not found")
        vertices, faces = read_mesh(where, path)
        if scale is not None:
            factors = [scale] * 3 if isinstance(scale, int | float) else scale
            vertices = vertices * numbers(f"{where}: scale", factors, 3)
        return Mesh(vertices, faces, pose=pose)


def mapping(where: str, value: object) -> Mapping[str, Any]:
    """Return a value that must be a mapping; nothing is an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidArgumentError(f"{where} must be a mapping, not {short(repr(value))}")
    return value


def entries(where: str, value: object) -> list[Any]:
    """Return a value that must be a list; nothing is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise InvalidArgumentError(f"{where} must be a list, not {short(repr(value))}")
    return value


def text(where: str, value: object) -> str:
    """Return a value that must be a name; a number can be one."""
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
        raise InvalidArgumentError(f"{where} must have a name, not {short(repr(value))}")
    return str(value)


def numbers(
    where: str, value: object, count: int, keys: tuple[str, ...] = ()
) -> NDArray[np.float64]:
    """Return finite numbers of a list, or of a mapping with some keys.

    Raises:
        InvalidArgumentError: They are others, or another number of them.
    """
    if isinstance(value, Mapping) and keys:
        value = [value.get(key, 0.0) for key in keys]
    plain = isinstance(value, list) and not any(
        isinstance(one, bool) or not isinstance(one, int | float) for one in value
    )
    if not plain or len(value) != count:  # pyright: ignore[reportArgumentType]
        or_keys = f", or a mapping with {', '.join(keys)}" if keys else ""
        raise InvalidArgumentError(
            f"{where} must be {count} numbers{or_keys}, not {short(repr(value))}"
        )
    found = np.array(value, dtype=np.float64)
    # NaN fails the comparison.
    if not (np.abs(found) <= MAX_SIZE).all():
        raise InvalidArgumentError(
            f"{where} has a number that is not finite, or above {MAX_SIZE}: {value}"
        )
    return found


def length(where: str, value: object) -> float:
    """Return a number that must be above 0 [m]."""
    number = float(numbers(where, [value], 1)[0])
    if number <= 0.0:
        raise InvalidArgumentError(f"{where} must be above 0, not {number:g}")
    return number


def transform(
    where: str, position: NDArray[np.float64], quaternion_xyzw: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return a pose (4, 4) [m].

    Raises:
        InvalidArgumentError: The quaternion is zero.
    """
    if not np.abs(quaternion_xyzw).max() > 1e-9:
        raise InvalidArgumentError(f"{where}: the quaternion is zero, which is no rotation")
    return pose_matrix(position, quaternion_xyzw)
