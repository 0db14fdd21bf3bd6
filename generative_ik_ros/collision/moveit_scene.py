"""MoveIt's planning scenes: moveit_msgs/PlanningScene as YAML."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.cone import cone
from generative_ik_ros.collision.file_entries import (
    FileScene,
    entries,
    length,
    mapping,
    mesh_at,
    numbers,
    only_keys,
    text,
    transform,
)
from generative_ik_ros.collision.mesh_files import MeshFolders
from generative_ik_ros.collision.obstacles import AttachedObject, Obstacle, part_names
from generative_ik_ros.collision.shapes import Box, Cylinder, Mesh, Shape, Sphere
from generative_ik_ros.errors import GenerativeIKWarning, InvalidArgumentError, short

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


def moveit_scene(content: Mapping[str, Any], folders: MeshFolders, frame: str | None) -> FileScene:
    """Return what a planning scene holds.

    Args:
        content: The message.
        folders: Where meshes are.
        frame: The link in whose frame objects are that name none.

    Raises:
        InvalidArgumentError: An object cannot be one; the message names it.
    """
    world = mapping("world", content.get("world"))
    only_keys("world", world, ("collision_objects", "octomap"))
    _check_rest(content, world)
    fixed = _planning_frames(content)
    obstacles: list[Obstacle] = []
    names: dict[str, list[str]] = {}
    for k, entry in enumerate(entries("world.collision_objects", world.get("collision_objects"))):
        name, own_frame, shapes = _object(f"collision object {k}", entry, folders)
        names[name] = part_names(name, len(shapes))
        where = frame if own_frame in fixed else own_frame
        obstacles += [
            Obstacle(part, shape, where) for part, shape in zip(names[name], shapes, strict=True)
        ]
    state = mapping("robot_state", content.get("robot_state"))
    attached = [
        _attached(f"attached object {k}", entry, folders, fixed)
        for k, entry in enumerate(
            entries("attached_collision_objects", state.get("attached_collision_objects"))
        )
    ]
    carried = {one.name for one in attached}
    return FileScene(obstacles, _allowed(content, names, carried), attached)


def _object(
    where: str, entry: object, folders: MeshFolders
) -> tuple[str, str | None, list[Shape]]:
    """Return the name, the frame and the shapes of a moveit_msgs/CollisionObject."""
    entry = mapping(where, entry)
    name = text(f"{where}: id", entry.get("id"))
    only_keys(f"{where} '{short(name)}'", entry, _OBJECT_KEYS)
    where = f"collision object '{short(name)}'"
    if entry.get("operation") not in _ADD:
        raise InvalidArgumentError(
            f"{where}: its operation is {entry['operation']!r}; only objects that are added "
            "(operation 0) can be read"
        )
    if entries(f"{where}: planes", entry.get("planes")):
        raise InvalidArgumentError(f"{where} has planes, which are not supported: use a large box")
    base = _pose(f"{where}: pose", entry["pose"]) if entry.get("pose") is not None else np.eye(4)
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
            own = _pose(f"{part}: pose", poses[k]) if poses else np.eye(4)
            shapes.append(make(part, mapping(part, solid), base @ own, folders))
    if not shapes:
        raise InvalidArgumentError(f"{where} has no shapes")
    header = mapping(f"{where}: header", entry.get("header"))
    return name, str(header.get("frame_id") or "").lstrip("/") or None, shapes


def _primitive(
    where: str, entry: Mapping[str, Any], pose: NDArray[np.float64], folders: MeshFolders
) -> Shape:
    """Return a shape_msgs/SolidPrimitive."""
    kind = entry.get("type")
    known = _TYPES.get(kind, kind) if isinstance(kind, int) else str(kind).lower()
    if known not in _DIMENSIONS:
        raise InvalidArgumentError(
            f"{where}: its type is {kind!r}; it must be {', '.join(_DIMENSIONS)}, or 1 to 4"
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


def _mesh(
    where: str, entry: Mapping[str, Any], pose: NDArray[np.float64], folders: MeshFolders
) -> Shape:
    """Return a shape_msgs/Mesh, or a mesh file as robowflex names it in `resource`."""
    if entry.get("resource") is not None:
        return mesh_at(where, folders, entry["resource"], entry.get("dimensions"), pose)
    faces = [
        numbers(
            f"{where}: triangles[{k}]",
            one.get("vertex_indices") if isinstance(one, Mapping) else one,
            3,
        )
        for k, one in enumerate(entries(f"{where}: triangles", entry.get("triangles")))
    ]
    vertices = [
        numbers(f"{where}: vertices[{k}]", one, 3, ("x", "y", "z"))
        for k, one in enumerate(entries(f"{where}: vertices", entry.get("vertices")))
    ]
    whole = np.array(faces).reshape(-1, 3)
    if (whole != np.floor(whole)).any():
        raise InvalidArgumentError(f"{where}: triangles must be whole numbers")
    try:
        return Mesh(np.array(vertices).reshape(-1, 3), whole.astype(np.int64), pose=pose)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{where}: {error}") from None


def _pose(where: str, entry: object) -> NDArray[np.float64]:
    """Return a geometry_msgs/Pose; as in MoveIt, a quaternion of zeros is no rotation."""
    pose = mapping(where, entry)
    only_keys(where, pose, ("position", "orientation"))
    position = numbers(f"{where}.position", pose.get("position"), 3, ("x", "y", "z"))
    quaternion = numbers(f"{where}.orientation", pose.get("orientation"), 4, ("x", "y", "z", "w"))
    if not quaternion.any():
        quaternion[3] = 1.0
    return transform(where, position, quaternion)


def _attached(
    where: str, entry: object, folders: MeshFolders, fixed: set[str | None]
) -> AttachedObject:
    """Return a moveit_msgs/AttachedCollisionObject."""
    entry = mapping(where, entry)
    link = text(f"{where}: link_name", entry.get("link_name"))
    name, frame, shapes = _object(f"{where}: object", entry.get("object"), folders)
    touch = [
        text(f"{where}: touch_links", one)
        for one in entries(f"{where}: touch_links", entry.get("touch_links"))
    ]
    own_frame = None if frame in fixed else frame
    return AttachedObject(name, link, tuple(shapes), frozenset(touch), own_frame)


def _planning_frames(content: Mapping[str, Any]) -> set[str | None]:
    """Return the names of the planning frame, in which objects are that name no frame."""
    names: set[str | None] = {None, "world"}
    for k, entry in enumerate(
        entries("fixed_frame_transforms", content.get("fixed_frame_transforms"))
    ):
        where = f"fixed_frame_transforms[{k}]"
        entry = mapping(where, entry)
        moved = mapping(f"{where}.transform", entry.get("transform"))
        if _is_identity(where, moved) and entry.get("child_frame_id"):
            names.add(str(entry["child_frame_id"]).lstrip("/"))
    return names


def _is_identity(where: str, entry: Mapping[str, Any]) -> bool:
    """Say whether a geometry_msgs/Transform moves nothing; zeros are no rotation."""
    position = numbers(f"{where}: translation", entry.get("translation"), 3, tuple("xyz"))
    quaternion = numbers(f"{where}: rotation", entry.get("rotation"), 4, tuple("xyzw"))
    return bool(np.abs(position).max() < 1e-9 and np.abs(quaternion[:3]).max() < 1e-9)


def _check_rest(content: Mapping[str, Any], world: Mapping[str, Any]) -> None:
    """Refuse what would be obstacles elsewhere than they seem, and warn of what is left out.

    Raises:
        InvalidArgumentError: There is an octomap, or the robot stands elsewhere than at the
            origin of the planning frame.
    """
    octomap = mapping("world.octomap", world.get("octomap"))
    if mapping("world.octomap.octomap", octomap.get("octomap")).get("data"):
        raise InvalidArgumentError(
            "world.octomap has data, which cannot be read: give the points it was made of to "
            "Scene(points=...)"
        )
    state = mapping("robot_state", content.get("robot_state"))
    joints = mapping("multi_dof_joint_state", state.get("multi_dof_joint_state"))
    for k, moved in enumerate(entries("transforms", joints.get("transforms"))):
        where = f"robot_state.multi_dof_joint_state.transforms[{k}]"
        if not _is_identity(where, mapping(where, moved)):
            raise InvalidArgumentError(
                f"{where} moves the robot in the planning frame; obstacles must be given in the "
                "frame of its root link"
            )
    ignored = [
        key
        for key, field, neutral in (
            ("link_padding", "padding", 0.0),
            ("link_scale", "scale", 1.0),
        )
        for entry in entries(key, content.get(key))
        if mapping(key, entry).get(field, neutral) != neutral
    ]
    if ignored:
        warnings.warn(
            f"{ignored[0]} of the planning scene is left out: links keep their sizes; use "
            "padding= for a security margin",
            GenerativeIKWarning,
            stacklevel=5,
        )


def _allowed(
    content: Mapping[str, Any], obstacles: Mapping[str, list[str]], attached: set[str]
) -> list[tuple[str, str]]:
    """Return the pairs of an obstacle and a link that may touch; pairs of links are the SRDF's."""
    where = "allowed_collision_matrix"
    matrix = mapping(where, content.get(where))
    names = [str(name) for name in entries(f"{where}.entry_names", matrix.get("entry_names"))]
    rows = entries(f"{where}.entry_values", matrix.get("entry_values"))
    if len(rows) != len(names):
        raise InvalidArgumentError(f"{where} has {len(names)} names and {len(rows)} rows")
    found = []
    for name, row in zip(names, rows, strict=True):
        values = entries(
            f"{where}: row of {short(name)}", row.get("enabled") if isinstance(row, dict) else row
        )
        if len(values) != len(names):
            raise InvalidArgumentError(
                f"{where}: the row of {short(name)} has {len(values)} values, not {len(names)}"
            )
        if name in obstacles:
            found += [
                (part, other)
                for other, value in zip(names, values, strict=True)
                if value in (True, 1) and other not in obstacles and other not in attached
                for part in obstacles[name]
            ]
    return found
