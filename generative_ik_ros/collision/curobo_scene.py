"""Worlds of cuRobo: cuboids, spheres, cylinders, capsules and meshes by name."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.file_entries import (
    FileScene,
    entries,
    length,
    listed_mesh,
    mapping,
    mesh_at,
    numbers,
    transform,
)
from generative_ik_ros.collision.mesh_files import MeshFolders
from generative_ik_ros.collision.obstacles import Obstacle
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Shape, Sphere
from generative_ik_ros.errors import InvalidArgumentError, short
from generative_ik_ros.robot.rigid import rotation_to

KINDS = ("cuboid", "sphere", "cylinder", "capsule", "mesh")
"""Keys of a world that are read."""
UNREAD = ("blox", "voxel", "voxelgrid", "pointcloud")
"""Keys of a world that have obstacles, and are not read."""
_W_X_Y_Z = [4, 5, 6, 3]
"""cuRobo writes quaternions w x y z, ours are x y z w."""


def curobo_scene(content: Mapping[str, Any], folders: MeshFolders, frame: str | None) -> FileScene:
    """Return the obstacles of a world.

    Args:
        content: The world.
        folders: Where meshes are.
        frame: The link in whose frame the obstacles are.

    Raises:
        InvalidArgumentError: An obstacle cannot be one; the message names it.
    """
    if unread := [key for key, value in content.items() if key not in KINDS and value]:
        raise InvalidArgumentError(
            f"obstacles of kind '{short(unread[0])}' cannot be read; kinds are {', '.join(KINDS)}"
        )
    makers = (_cuboid, _sphere, _cylinder, _capsule, _mesh)
    obstacles = []
    for kind, make in zip(KINDS, makers, strict=True):
        for name, entry in mapping(kind, content.get(kind)).items():
            where = f"{kind} '{short(name)}'"
            shape = make(where, mapping(where, entry), folders)
            obstacles.append(Obstacle(name, shape, frame))
    return FileScene(obstacles, [], [])


def _cuboid(where: str, entry: Mapping[str, Any], folders: MeshFolders) -> Shape:
    what = f"{where}: dims"
    sizes = [length(what, size) for size in numbers(what, entry.get("dims"), 3).tolist()]
    return Box(np.array(sizes), pose=_pose(where, entry))


def _sphere(where: str, entry: Mapping[str, Any], folders: MeshFolders) -> Shape:
    radius = length(f"{where}: radius", entry.get("radius"))
    pose = np.eye(4)
    if entry.get("position") is not None:
        pose[:3, 3] = numbers(f"{where}: position", entry["position"], 3)
    else:
        pose[:3, 3] = _pose(where, entry)[:3, 3]
    return Sphere(radius, pose=pose)


def _cylinder(where: str, entry: Mapping[str, Any], folders: MeshFolders) -> Shape:
    radius = length(f"{where}: radius", entry.get("radius"))
    height = length(f"{where}: height", entry.get("height"))
    return Cylinder(radius, height, pose=_pose(where, entry))


def _capsule(where: str, entry: Mapping[str, Any], folders: MeshFolders) -> Shape:
    """Return a capsule between two points in its frame; the caps are beyond them."""
    radius = length(f"{where}: radius", entry.get("radius"))
    base = numbers(f"{where}: base", entry.get("base"), 3)
    tip = numbers(f"{where}: tip", entry.get("tip"), 3)
    own = np.eye(4)
    own[:3, 3] = (base + tip) / 2.0
    size = float(np.linalg.norm(tip - base))
    around = _pose(where, entry) if entry.get("pose") is not None else np.eye(4)
    if size < 1e-9:
        return Sphere(radius, pose=around @ own)
    own[:3, :3] = rotation_to((tip - base) / size)
    return Capsule(radius, size, pose=around @ own)


def _mesh(where: str, entry: Mapping[str, Any], folders: MeshFolders) -> Shape:
    pose, scale = _pose(where, entry), entry.get("scale")
    if entry.get("file_path") is not None:
        return mesh_at(where, folders, entry["file_path"], scale, pose)
    factors = np.ones(3) if scale is None else numbers(f"{where}: scale", scale, 3)
    vertices = [
        factors * numbers(f"{where}: vertices[{k}]", one, 3)
        for k, one in enumerate(entries(f"{where}: vertices", entry.get("vertices")))
    ]
    faces = entries(f"{where}: faces", entry.get("faces"))
    return listed_mesh(where, vertices, faces, pose)


def _pose(where: str, entry: Mapping[str, Any]) -> Floats:
    """Return a pose that is x y z, and a quaternion w x y z."""
    what = f"{where}: pose (x y z qw qx qy qz)"
    found = numbers(what, entry.get("pose"), 7)
    return transform(what, found[:3], found[_W_X_Y_Z])
