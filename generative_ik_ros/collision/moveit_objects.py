"""MoveIt's collision objects: moveit_msgs/CollisionObject as YAML."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.file_entries import (
    entries,
    length,
    listed_mesh,
    mapping,
    mesh_at,
    numbers,
    only_keys,
    text,
    transform,
)
from generative_ik_ros.collision.mesh_files import MeshFolders
from generative_ik_ros.collision.shapes import Box, Cylinder, Shape, Sphere, cone
from generative_ik_ros.errors import InvalidArgumentError, short, shown

_TYPES = {1: "box", 2: "sphere", 3: "cylinder", 4: "cone"}
"""Primitives by their numbers in shape_msgs/SolidPrimitive."""
_DIMENSIONS = {
    "box": ("x", "y", "z"),
    "sphere": ("radius",),
    "cylinder": ("height", "radius"),
    "cone": ("height", "radius"),
}
_OBJECT_KEYS = (
    *("id", "header", "pose", "operation", "primitives", "primitive_poses", "meshes"),
    *("mesh_poses", "planes", "plane_poses", "type", "subframe_names", "subframe_poses"),
)
_ADD = (0, "0", "add", "ADD", "\0", "", None)
"""Ways to write the operation that adds an object."""


def collision_object(
    where: str, entry: object, folders: MeshFolders
) -> tuple[str, str | None, list[Shape]]:
    """Return the name, the frame and the shapes of a moveit_msgs/CollisionObject.

    Args:
        where: Which one it is, for messages.
        entry: The message.
        folders: Where meshes are.

    Raises:
        InvalidArgumentError: It is none, or has something that cannot be read.
    """
    entry = mapping(where, entry)
    name = text(f"{where}: id", entry.get("id"))
    only_keys(f"{where} '{short(name)}'", entry, _OBJECT_KEYS)
    where = f"collision object '{short(name)}'"
    if entry.get("operation") not in _ADD:
        raise InvalidArgumentError(
            f"{where}: its operation is {shown(entry['operation'])}; only objects that are added "
            "(operation 0) can be read"
        )
    if entries(f"{where}: planes", entry.get("planes")):
        raise InvalidArgumentError(f"{where} has planes, which are not supported: use a large box")
    base = pose_entry(f"{where}: pose", entry.get("pose"))
    shapes: list[Shape] = []
    for kind, poses_key, make in (
        ("primitives", "primitive_poses", _primitive),
        ("meshes", "mesh_poses", _mesh),
    ):
        solids = entries(f"{where}: {kind}", entry.get(kind))
        poses = entries(f"{where}: {poses_key}", entry.get(poses_key))
        if len(poses) != len(solids) and not (not poses and len(solids) == 1):
            raise InvalidArgumentError(
                f"{where} has {len(solids)} {kind}, but {len(poses)} {poses_key}"
            )
        for k, solid in enumerate(solids):
            part = f"{where}, {kind}[{k}]"
            own = pose_entry(f"{part}: pose", poses[k]) if poses else np.eye(4)
            shapes.append(make(part, mapping(part, solid), base @ own, folders))
    if not shapes:
        raise InvalidArgumentError(f"{where} has no shapes")
    header = mapping(f"{where}: header", entry.get("header"))
    return name, str(header.get("frame_id") or "").lstrip("/") or None, shapes


def _primitive(where: str, entry: Mapping[str, Any], pose: Floats, folders: MeshFolders) -> Shape:
    """Return a shape_msgs/SolidPrimitive."""
    kind = entry.get("type")
    known = _TYPES.get(kind, kind) if isinstance(kind, int) else str(kind).lower()
    if known not in _DIMENSIONS:
        raise InvalidArgumentError(
            f"{where}: its type is {shown(kind)}; it must be {', '.join(_DIMENSIONS)}, or 1 to 4"
        )
    meant = _DIMENSIONS[known]
    what = f"{where}: dimensions ({', '.join(meant)} of a {known})"
    sizes = [
        length(what, size) for size in numbers(what, entry.get("dimensions"), len(meant)).tolist()
    ]
    if known == "box":
        return Box(np.array(sizes), pose=pose)
    if known == "sphere":
        return Sphere(sizes[0], pose=pose)
    height, radius = sizes
    return (Cylinder if known == "cylinder" else cone)(radius, height, pose=pose)


def _mesh(where: str, entry: Mapping[str, Any], pose: Floats, folders: MeshFolders) -> Shape:
    """Return a shape_msgs/Mesh, or a mesh file as robowflex names it in `resource`."""
    if entry.get("resource") is not None:
        return mesh_at(where, folders, entry["resource"], entry.get("dimensions"), pose)
    faces = [
        one.get("vertex_indices") if isinstance(one, Mapping) else one
        for one in entries(f"{where}: triangles", entry.get("triangles"))
    ]
    vertices = [
        numbers(f"{where}: vertices[{k}]", one, 3, ("x", "y", "z"))
        for k, one in enumerate(entries(f"{where}: vertices", entry.get("vertices")))
    ]
    return listed_mesh(where, vertices, faces, pose)


def pose_entry(where: str, entry: object) -> Floats:
    """Return a geometry_msgs/Pose; as in MoveIt, a quaternion of zeros is no rotation."""
    pose = mapping(where, entry)
    only_keys(where, pose, ("position", "orientation"))
    position = numbers(f"{where}.position", pose.get("position"), 3, ("x", "y", "z"))
    quaternion = numbers(f"{where}.orientation", pose.get("orientation"), 4, ("x", "y", "z", "w"))
    if not quaternion.any():
        quaternion[3] = 1.0
    return transform(where, position, quaternion)
