"""What a robot is checked among: obstacles of all sources, and what it carries."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from generative_ik_ros.collision.body import CollisionLink, Pairs
from generative_ik_ros.collision.cloud import OCTOMAP, PointCloud
from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.collision.planning_scene import FollowedScene
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.collision.stored import stored_bodies
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.description import RobotDescription

EMPTY = Scene()


@dataclass(frozen=True, eq=False)
class Surroundings:
    """The sources of a scene; immutable, so that a request sees one state of all of them.

    Attributes:
        file: Obstacles from a file.
        followed: MoveIt's planning scene; None if no message has come.
        cloud: Points from a depth camera, in the root link; None if there are none.
        padding: Smallest accepted distance from obstacles [m].
    """

    file: Scene = EMPTY
    followed: FollowedScene | None = None
    cloud: PointCloud | None = None
    padding: float = 0.0

    @cached_property
    def scene(self) -> Scene:
        """All obstacles; those of the planning scene count instead of a file's of their name."""
        obstacles, allowed = self.file.obstacles, self.file.allowed
        octomap = self.file.octomap
        if self.followed is not None:
            new = self.followed.obstacles
            names = {one.name for one in new}
            kept = tuple(one for one in obstacles if one.name not in names)
            left = {one.name for one in kept}
            if self.followed.cells is None:
                left.add(OCTOMAP)
            else:
                octomap = self.followed.cells
            allowed = {pair for pair in allowed if pair[0] in left}
            obstacles, allowed = kept + new, {*allowed, *self.followed.allowed}
        return Scene.of(
            obstacles,
            cloud=self.cloud,
            octomap=octomap,
            padding=self.padding,
            allowed=allowed,
            attached=self.file.attached,
        )

    def changed(self, **changes: object) -> "Surroundings":
        """Return other surroundings; their scene is the same one if no obstacle has changed.

        MoveIt sends a scene whenever the robot moves.
        """
        new = replace(self, **changes)  # pyright: ignore[reportArgumentType]
        old_followed, followed = self.followed, new.followed
        if (
            new.file is self.file
            and new.cloud is self.cloud
            and new.padding == self.padding
            and old_followed is not None
            and followed is not None
            and followed.objects is old_followed.objects
            and followed.carried is old_followed.carried
            and followed.octomap is old_followed.octomap
            and followed.matrix is old_followed.matrix
            and followed.root_in_planning is old_followed.root_in_planning
        ):
            new.__dict__["scene"] = self.scene
        return new

    @property
    def joints(self) -> Mapping[str, float]:
        """Where joints are, as far as the planning scene says [rad or m]."""
        return {} if self.followed is None else self.followed.joints

    def loaded(self, model: CollisionModel) -> CollisionModel:
        """Return a model that carries what the planning scene says, and may touch it likewise.

        As in MoveIt, what is carried is checked against all links but its own, its `touch_links`
        and those that the allowed collision matrix says.
        """
        followed = self.followed
        if followed is None or not (followed.carried or followed.matrix):
            return model
        matrix, links = followed.matrix, list(model.links)
        carried = list(followed.carried.values())
        bodies = stored_bodies([one.shapes_in_link for one in carried])
        for one, body in zip(carried, bodies, strict=True):
            links.append(CollisionLink(one.name, one.shapes_in_link, body, 0.0, one.link))
        # A matrix of defaults alone says nothing of neighbours, which touch in every position.
        allowed: Pairs = frozenset() if matrix.entries else model.unchecked
        allowed |= matrix.allowed_pairs(link.name for link in links)
        for one in followed.carried.values():
            allowed |= {frozenset((one.name, other)) for other in (one.link, *one.touch_links)}
        return replace(model, links=tuple(links), allowed=allowed)

    def description(self) -> str:
        """Say in a few words what there is."""
        scene = self.scene
        carried = len(scene.attached)
        if self.followed is not None:
            carried += len(self.followed.carried)
        points = sum(len(cloud.points) for cloud in scene.clouds.values())
        return f"{len(scene.obstacles)} obstacles, {points} points, {carried} attached"


def standing(
    description: RobotDescription, positions: Mapping[str, float], moving: tuple[str, ...]
) -> dict[str, float]:
    """Return those positions that say where joints stand that a chain does not move.

    Args:
        description: The robot.
        positions: By joint [rad or m]; names that the robot does not have do not count.
        moving: The chain's joints.

    Raises:
        InvalidArgumentError: A position is not finite.
    """
    found = {}
    for name, value in positions.items():
        joint = description.joint_named.get(name)
        if joint is None or name in moving or description.driver(joint)[0].name in moving:
            continue
        if not np.isfinite(value):
            raise InvalidArgumentError(f"the position of joint '{name}' is {value}")
        found[name] = value
    return found
