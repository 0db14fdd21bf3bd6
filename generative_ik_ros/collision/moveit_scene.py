"""MoveIt's planning scenes: moveit_msgs/PlanningScene as YAML."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from generative_ik_ros.collision.cloud import OCTOMAP, PointCloud
from generative_ik_ros.collision.file_entries import (
    FileScene,
    entries,
    mapping,
    numbers,
    only_keys,
    text,
)
from generative_ik_ros.collision.mesh_files import MeshFolders
from generative_ik_ros.collision.moveit_objects import collision_object, pose_entry
from generative_ik_ros.collision.obstacles import AttachedObject, Obstacle, part_names
from generative_ik_ros.collision.octomap import octomap_cloud
from generative_ik_ros.errors import InvalidArgumentError, short, shown, warn_caller


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
    _check_rest(content)
    fixed = _planning_frames(content)
    obstacles: list[Obstacle] = []
    names: dict[str, list[str]] = {}
    for k, entry in enumerate(entries("world.collision_objects", world.get("collision_objects"))):
        name, own_frame, shapes = collision_object(f"collision object {k}", entry, folders)
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
    octomap = _octomap("world.octomap", world.get("octomap"), fixed, frame)
    if octomap is not None:
        names[OCTOMAP] = [OCTOMAP]
    carried = {one.name for one in attached}
    return FileScene(obstacles, _allowed(content, names, carried), attached, octomap)


def _octomap(
    where: str, entry: object, fixed: set[str | None], frame: str | None
) -> PointCloud | None:
    """Return the occupied cells of an octomap_msgs/OctomapWithPose; None if there are none."""
    entry = mapping(where, entry)
    own = mapping(f"{where}.octomap", entry.get("octomap"))
    data = entries(f"{where}.octomap.data", own.get("data"))
    if not data:
        return None
    binary = own.get("binary")
    if not isinstance(binary, bool):
        raise InvalidArgumentError(
            f"{where}.octomap.binary must be true or false, not {shown(binary)}"
        )
    message = SimpleNamespace(
        id=own.get("id"), binary=binary, resolution=own.get("resolution"), data=data
    )
    try:
        cloud = octomap_cloud(message)
        origin = pose_entry(f"{where}.origin", entry.get("origin"))
        header = mapping(f"{where}.header", entry.get("header"))
        name = str(header.get("frame_id") or "").lstrip("/") or None
        return None if cloud is None else cloud.moved(origin, frame if name in fixed else name)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{where} cannot be read: {error}") from None


def _attached(
    where: str, entry: object, folders: MeshFolders, fixed: set[str | None]
) -> AttachedObject:
    """Return a moveit_msgs/AttachedCollisionObject."""
    entry = mapping(where, entry)
    link = text(f"{where}: link_name", entry.get("link_name"))
    name, frame, shapes = collision_object(f"{where}: object", entry.get("object"), folders)
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


def _check_rest(content: Mapping[str, Any]) -> None:
    """Refuse what would be obstacles elsewhere than they seem, and warn of what is left out.

    Raises:
        InvalidArgumentError: The robot stands elsewhere than at the origin of the planning
            frame.
    """
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
        warn_caller(
            f"{ignored[0]} of the planning scene is left out: links keep their sizes; use "
            "padding= for a security margin"
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
