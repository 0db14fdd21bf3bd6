"""MoveIt's planning scene, followed message by message.

It takes moveit_msgs/PlanningScene messages, or anything with the same attributes, and needs no
ROS. What a message does is what it does in MoveIt's `PlanningScene::usePlanningSceneMsg`.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from generative_ik_ros.collision.allowed_matrix import AllowedCollisions
from generative_ik_ros.collision.cloud import OCTOMAP, PointCloud
from generative_ik_ros.collision.message_shapes import (
    Operation,
    is_empty_pose,
    plain_name,
    read_operation,
    read_pose,
    read_shape_poses,
    read_shapes,
    read_transform,
)
from generative_ik_ros.collision.obstacles import Obstacle, part_names
from generative_ik_ros.collision.octomap import octomap_cloud
from generative_ik_ros.collision.scene_objects import CarriedObject, Pose, WorldObject, moved
from generative_ik_ros.errors import GenerativeIKError, InvalidArgumentError, short
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.robot.tree import link_transforms

Message = Any

WORLD = "world"


@dataclass(frozen=True, eq=False)
class FollowedScene:
    """A planning scene of a robot; it never changes, `updated` returns another one.

    Attributes:
        robot: The robot.
        objects: What stands around it, by name.
        carried: What it carries, by name.
        octomap: The occupied cells of its octomap, in the planning frame; None: there are none.
        matrix: Which of all these may touch.
        frames: Fixed frames in the planning frame (4, 4) [m], by name.
        joints: Where the robot's joints are [rad or m], by name.
        root_in_planning: (4, 4) the root link in the planning frame [m].
    """

    robot: RobotDescription
    objects: Mapping[str, WorldObject] = field(default_factory=dict)
    carried: Mapping[str, CarriedObject] = field(default_factory=dict)
    octomap: PointCloud | None = None
    matrix: AllowedCollisions = field(default_factory=AllowedCollisions)
    frames: Mapping[str, Pose] = field(default_factory=dict)
    joints: Mapping[str, float] = field(default_factory=dict)
    root_in_planning: Pose = field(default_factory=lambda: np.eye(4))

    def updated(self, message: Message) -> tuple["FollowedScene", list[str]]:
        """Return the scene after a moveit_msgs/PlanningScene, and what of it was left out.

        A message that is no diff replaces everything; a diff changes what it names.
        """
        update = _Update(self if message.is_diff else FollowedScene(self.robot))
        update.apply(message)
        return update.scene(), update.faults

    @cached_property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """What stands around the robot, in its root link."""
        shifted = np.abs(self.root_in_planning - np.eye(4)).max() > 0.0
        if not shifted:
            return tuple(part for one in self.objects.values() for part in one.obstacles)
        planning_in_root = inverse(self.root_in_planning)
        return tuple(
            part for one in self.objects.values() for part in one.placed(planning_in_root)
        )

    @cached_property
    def cells(self) -> PointCloud | None:
        """The octomap in the robot's root link."""
        if self.octomap is None or np.array_equal(self.root_in_planning, np.eye(4)):
            return self.octomap
        return self.octomap.moved(inverse(self.root_in_planning))

    @cached_property
    def allowed(self) -> tuple[tuple[str, str], ...]:
        """Pairs of a part of an object, and a link or carried object, that may touch."""
        parts = {one.name: part_names(one.name, len(one.shapes)) for one in self.objects.values()}
        if self.octomap is not None:
            parts[OCTOMAP] = [OCTOMAP]
        if not self.matrix or not parts:
            return ()
        others = [*self.robot.links, *self.carried]
        by_default = [name for name in others if self.matrix.defaults.get(name, False)]
        named = {name for pair in self.matrix.entries for name in pair}
        named.update(self.matrix.defaults)
        return tuple(
            (part, other)
            for name, own in parts.items()
            for other in (others if name in named else by_default)
            if self.matrix.allows(name, other)
            for part in own
        )


class _Update:
    """What a message makes of a scene."""

    def __init__(self, scene: FollowedScene):
        self.faults: list[str] = []
        self._before, self._robot = scene, scene.robot
        self._objects, self._carried = dict(scene.objects), dict(scene.carried)
        self._octomap, self._matrix, self._frames = scene.octomap, scene.matrix, scene.frames
        self._joints, self._root = scene.joints, scene.root_in_planning
        self._links: Mapping[str, Pose] | None = None

    def scene(self) -> FollowedScene:
        """Return what has become of it; parts that are as before are the same objects."""
        before = self._before
        same_root = np.array_equal(self._root, before.root_in_planning)
        return FollowedScene(
            self._robot,
            before.objects if self._objects == before.objects else self._objects,
            before.carried if self._carried == before.carried else self._carried,
            self._octomap,
            self._matrix,
            self._frames,
            self._joints,
            before.root_in_planning if same_root else self._root,
        )

    def apply(self, message: Message) -> None:
        name = message.robot_model_name
        if name and name != self._robot.name:
            self.faults.append(
                f"the planning scene is of robot '{short(name)}', not of '{self._robot.name}'"
            )
        if len(message.fixed_frame_transforms):
            self._frames = dict(self._fixed_frames(message.fixed_frame_transforms))
        state = message.robot_state
        if (
            not message.is_diff
            or len(state.joint_state.name)
            or len(state.multi_dof_joint_state.joint_names)
            or len(state.attached_collision_objects)
        ):
            self._apply_state(state)
        matrix = message.allowed_collision_matrix
        if len(matrix.entry_names) or len(matrix.default_entry_names):
            with self._noting("the allowed collision matrix"):
                self._matrix = AllowedCollisions.read(matrix)
        for entry in message.world.collision_objects:
            self._apply_object(entry)
        # A diff that has cleared the octomap names it, without data.
        if len(message.world.octomap.octomap.data) or message.world.octomap.octomap.id:
            self._octomap = None
            with self._noting("the planning scene's octomap"):
                self._octomap = self._read_octomap(message.world.octomap)
        if any(one.padding for one in message.link_padding) or any(
            one.scale != 1.0 for one in message.link_scale
        ):
            self.faults.append(
                "the planning scene's padding and scale of links are left out: use the parameter "
                "collision_padding"
            )

    def _read_octomap(self, entry: Message) -> PointCloud | None:
        cloud = octomap_cloud(entry.octomap) if len(entry.octomap.data) else None
        pose = self._frame(entry.header.frame_id) @ read_pose(entry.origin)
        return None if cloud is None else cloud.moved(pose)

    def _fixed_frames(self, transforms: Iterable[Message]) -> Iterable[tuple[str, Pose]]:
        for entry in transforms:
            # The frame that they are given in is the planning frame.
            yield plain_name(entry.header.frame_id), np.eye(4)
            with self._noting(f"frame '{short(entry.child_frame_id)}'"):
                yield plain_name(entry.child_frame_id), read_transform(entry.transform)

    def _apply_state(self, state: Message) -> None:
        given = zip(state.joint_state.name, state.joint_state.position, strict=False)
        known = {
            name: float(value)
            for name, value in given
            if name in self._robot.joint_named and np.isfinite(value)
        }
        self._joints = {**self._joints, **known}
        moved = state.multi_dof_joint_state
        for name, transform in zip(moved.joint_names, moved.transforms, strict=False):
            # A virtual joint, which the SRDF puts between the planning frame and the root link.
            if name not in self._robot.joint_named:
                with self._noting(f"joint '{short(name)}'"):
                    self._root = read_transform(transform)
        self._links = None
        if not state.is_diff:
            self._carried = {}
        for entry in state.attached_collision_objects:
            if not state.is_diff and read_operation(entry.object) != Operation.ADD:
                self.faults.append(
                    f"attached object '{short(entry.object.id)}': a robot state that is no diff "
                    "can only add"
                )
                continue
            self._apply_attached(entry)

    def _apply_object(self, entry: Message) -> None:
        name, operation = entry.id, read_operation(entry)
        with self._noting(f"collision object '{short(name)}'"):
            if name == OCTOMAP:
                raise InvalidArgumentError("the name is that of the octomap")
            if operation in (Operation.ADD, Operation.APPEND):
                self._add(entry, operation)
            elif operation == Operation.REMOVE:
                gone = [one for one in self._objects if one == name or not name]
                self._objects = {k: v for k, v in self._objects.items() if k not in gone}
                self._matrix = self._matrix.without(gone)
            elif operation == Operation.MOVE:
                self._move(entry)
            else:
                raise InvalidArgumentError(f"unknown operation {operation}")

    def _add(self, entry: Message, operation: int) -> None:
        name = entry.id
        if not name:
            raise InvalidArgumentError("it has no name")
        frame = self._frame(entry.header.frame_id)
        pose, shapes, faults = read_shapes(entry)
        self.faults += [f"collision object '{short(name)}': {fault}" for fault in faults]
        before = self._objects.get(name)
        pose = frame @ pose
        if before is not None and operation == Operation.APPEND:
            # It is where its message says; for MoveIt 2.12 its poses are relative to the object.
            back = inverse(before.pose) @ pose
            pose, shapes = before.pose, (*before.shapes, *(moved(one, back) for one in shapes))
        self._objects[name] = WorldObject(name, pose, shapes)

    def _move(self, entry: Message) -> None:
        before = self._objects.get(entry.id)
        if before is None:
            raise InvalidArgumentError("it is to be moved, but there is none")
        pose = self._frame(entry.header.frame_id) @ read_pose(entry.pose)
        poses, shapes = read_shape_poses(entry), before.shapes
        if poses and len(poses) != len(shapes):
            self._objects[entry.id] = WorldObject(entry.id, pose, shapes)
            raise InvalidArgumentError(
                f"it is to be moved with {len(poses)} poses, but has {len(shapes)} shapes"
            )
        if poses:
            shapes = tuple(
                replace(one, pose=pose) for one, pose in zip(shapes, poses, strict=True)
            )
        self._objects[entry.id] = WorldObject(entry.id, pose, shapes)

    def _apply_attached(self, entry: Message) -> None:
        own = entry.object
        name, operation = own.id, read_operation(own)
        with self._noting(f"attached object '{short(name)}'"):
            if operation in (Operation.ADD, Operation.APPEND):
                self._attach(entry, operation)
            elif operation == Operation.REMOVE:
                self._detach(name, entry.link_name)
            else:
                raise InvalidArgumentError(f"unknown operation {operation}")

    def _attach(self, entry: Message, operation: int) -> None:
        own, link = entry.object, entry.link_name
        name = own.id
        if not name or name in self._robot.links:
            raise InvalidArgumentError("it has no name of its own")
        if link not in self._robot.links:
            raise InvalidArgumentError(f"the robot has no link '{short(link)}'")
        link_back = inverse(self._link_frames()[link])
        standing = self._objects.get(name)
        empty = not (len(own.primitives) or len(own.meshes) or len(own.planes))
        touch = frozenset(entry.touch_links)
        if operation == Operation.ADD and empty:
            if standing is None:
                raise InvalidArgumentError("it has no shapes, and there is no such object")
            pose, shapes = link_back @ standing.pose, standing.shapes
        else:
            local, shapes, faults = read_shapes(own)
            self.faults += [f"attached object '{short(name)}': {fault}" for fault in faults]
            pose = link_back @ self._frame(own.header.frame_id) @ local
        before = self._carried.get(name)
        if before is not None and operation == Operation.APPEND:
            if is_empty_pose(own.pose):
                pose = before.pose
            shapes, touch = (*shapes, *before.shapes), touch | before.touch_links
        self._objects.pop(name, None)
        self._carried[name] = CarriedObject(name, link, pose, shapes, touch)

    def _detach(self, name: str, link: str) -> None:
        if name:
            found = self._carried.get(name)
            if found is None:
                raise InvalidArgumentError("it is to be detached, but is not attached")
            if link and found.link != link:
                raise InvalidArgumentError(
                    f"it is to be detached from '{short(link)}', but '{found.link}' carries it"
                )
            gone = [found]
        else:
            known = link in self._robot.links
            gone = [one for one in self._carried.values() if not known or one.link == link]
        for one in gone:
            del self._carried[one.name]
            if one.name in self._objects:
                self.faults.append(f"detached object '{short(one.name)}': its name is taken")
                continue
            pose = self._link_frames()[one.link] @ one.pose
            self._objects[one.name] = WorldObject(one.name, pose, one.shapes)

    def _frame(self, frame_id: str) -> Pose:
        """Return a frame in the planning frame, (4, 4) [m]."""
        name = plain_name(frame_id)
        if name in self._robot.links:
            return self._link_frames()[name]
        if name in self._carried:
            one = self._carried[name]
            return self._link_frames()[one.link] @ one.pose
        if name in self._objects:
            return self._objects[name].pose
        if name in self._frames:
            return self._frames[name]
        if name in ("", WORLD):
            return np.eye(4)
        raise InvalidArgumentError(
            f"its frame '{short(name)}' is neither a link, an object nor a fixed frame"
        )

    def _link_frames(self) -> Mapping[str, Pose]:
        """Return all links in the planning frame, where the scene's robot state puts them."""
        if self._links is None:
            found = link_transforms(self._robot, self._joints, self._robot.root)
            self._links = {name: self._root @ frames[0] for name, frames in found.items()}
        return self._links

    @contextmanager
    def _noting(self, what: str) -> Iterator[None]:
        """Turn an error about a part of a message into a line; the rest counts."""
        try:
            yield
        except GenerativeIKError as error:
            self.faults.append(f"{what} is refused: {error}")
