"""Shapes of moveit_msgs/CollisionObject messages, or of anything with the same attributes."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.shapes import Box, Cylinder, Mesh, Shape, Sphere, cone
from generative_ik_ros.errors import GenerativeIKError, InvalidArgumentError
from generative_ik_ros.robot.poses import pose_matrix

_SIZES = {1: 3, 2: 1, 3: 2, 4: 2}
"""Number of dimensions of a box, sphere, cylinder and cone in shape_msgs/SolidPrimitive."""

Message = Any
Pose = Floats


def read_pose(pose: Message) -> Pose:
    """Return a geometry_msgs/Pose as (4, 4) [m]; as in MoveIt, zeros are no rotation.

    Raises:
        InvalidArgumentError: A number is not finite.
    """
    p, q = pose.position, pose.orientation
    return _matrix((p.x, p.y, p.z), (q.x, q.y, q.z, q.w))


def read_transform(transform: Message) -> Pose:
    """Return a geometry_msgs/Transform as (4, 4) [m]; see `read_pose`."""
    p, q = transform.translation, transform.rotation
    return _matrix((p.x, p.y, p.z), (q.x, q.y, q.z, q.w))


def _matrix(position: tuple[float, ...], quaternion: tuple[float, ...]) -> Pose:
    numbers = np.array([*position, *quaternion], dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise InvalidArgumentError("a pose is not finite")
    if not numbers[3:].any():
        numbers[6] = 1.0
    return pose_matrix(numbers[:3], numbers[3:])


def plain_name(frame_id: str) -> str:
    """Return the name of a frame without the slash that it had before TF2."""
    return frame_id.lstrip("/")


class Operation(IntEnum):
    """What a moveit_msgs/CollisionObject does."""

    ADD = 0
    REMOVE = 1
    APPEND = 2
    MOVE = 3


def read_operation(entry: Message) -> int:
    """Return a CollisionObject's `Operation`, or an unknown one; rclpy gives it as one byte."""
    value = entry.operation
    return value[0] if isinstance(value, bytes) else int(value)


def is_empty_pose(pose: Message) -> bool:
    """Say whether a pose is at the origin without a rotation, as one that was not set."""
    return bool(np.abs(read_pose(pose) - np.eye(4)).max() == 0.0)


def read_shapes(entry: Message) -> tuple[Pose, tuple[Shape, ...], list[str]]:
    """Read pose and shapes of a moveit_msgs/CollisionObject.

    As in MoveIt, shapes without a pose of their own are at the object's, and an object of one
    shape whose pose is not set has that of its shape.

    Returns:
        The object's pose in its header's frame (4, 4) [m], its shapes in the object's frame, and
        what of it was left out.

    Raises:
        InvalidArgumentError: Nothing of it can be read.
    """
    kinds = (
        ("primitive", entry.primitives, entry.primitive_poses),
        ("mesh", entry.meshes, entry.mesh_poses),
    )
    planes = len(entry.planes)
    given = len(entry.primitives) + len(entry.meshes) + planes
    if not given:
        raise InvalidArgumentError("it has no shapes")
    for kind, solids, poses in kinds:
        if len(poses) > len(solids):
            raise InvalidArgumentError(f"it has more {kind} poses than shapes")
    faults = ["planes are not read: use a large box"] if planes else []
    base = read_pose(entry.pose)
    swapped = given == 1 and is_empty_pose(entry.pose)
    shapes: list[Shape] = []
    for kind, solids, poses in kinds:
        for k, solid in enumerate(solids):
            try:
                pose = read_pose(poses[k]) if k < len(poses) else np.eye(4)
                if swapped:
                    base, pose = pose, np.eye(4)
                make = _primitive if kind == "primitive" else _mesh
                shapes.append(make(solid, pose))
            except GenerativeIKError as error:
                faults.append(f"{kind} {k}: {error}")
    if not shapes:
        raise InvalidArgumentError("; ".join(faults))
    return base, tuple(shapes), faults


def read_shape_poses(entry: Message) -> list[Pose]:
    """Return the poses of an object's primitives, then of its meshes, in the object's frame."""
    return [read_pose(pose) for pose in (*entry.primitive_poses, *entry.mesh_poses)]


def _primitive(entry: Message, pose: Pose) -> Shape:
    kind, sizes = int(entry.type), [float(size) for size in entry.dimensions]
    if kind not in _SIZES:
        raise InvalidArgumentError(
            f"its type is {kind}; only 1 to 4 (box, sphere, cylinder, cone) are read"
        )
    if len(sizes) < _SIZES[kind]:
        raise InvalidArgumentError(f"it has {len(sizes)} dimensions, not {_SIZES[kind]}")
    if kind == 1:
        return Box(np.array(sizes[:3]), pose=pose)
    if kind == 2:
        return Sphere(sizes[0], pose=pose)
    height, radius = sizes[:2]
    if kind == 3:
        return Cylinder(radius, height, pose=pose)
    # Checked as what it is made of would not be.
    Cylinder(radius, height)
    return cone(radius, height, pose=pose)


def _mesh(entry: Message, pose: Pose) -> Shape:
    vertices = np.array([(p.x, p.y, p.z) for p in entry.vertices], dtype=np.float64)
    faces: Sequence = [one.vertex_indices for one in entry.triangles]
    return Mesh(vertices.reshape(-1, 3), np.array(faces, dtype=np.int64).reshape(-1, 3), pose=pose)
