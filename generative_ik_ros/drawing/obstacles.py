"""Obstacles as triangles in the base link of a chain."""

from collections.abc import Mapping

import trimesh

from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.cloud import PointCloud
from generative_ik_ros.collision.obstacles import Obstacle
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.robot.tree import link_transforms


def surface(shape: Shape) -> trimesh.Trimesh:
    """Return the triangles of a shape in its own frame [m]."""
    match shape:
        case Box():
            return trimesh.creation.box(shape.size)
        case Sphere():
            return trimesh.creation.icosphere(3, shape.radius)
        case Cylinder():
            return trimesh.creation.cylinder(shape.radius, shape.length, sections=32)
        case Capsule():
            made = trimesh.creation.capsule(shape.length, shape.radius)
            return made.apply_translation((0.0, 0.0, -made.bounds.mean(axis=0)[2]))
        case Mesh():
            return trimesh.Trimesh(shape.vertices, shape.faces, process=False)
    raise TypeError(f"a shape is drawn by its kind, and {type(shape)} is none")


class SceneFrames:
    """Where the frames of a scene are in the base link of a chain.

    Args:
        chain: The chain.
        joint_positions: Positions of joints outside the chain, by name [rad or m].
    """

    def __init__(
        self,
        chain: KinematicChain | KinematicTree,
        joint_positions: Mapping[str, float] | None = None,
    ):
        """Compute them once: what the chain moves is no frame of a scene."""
        values = {**dict.fromkeys(chain.names, 0.0), **(joint_positions or {}), **chain.fixed}
        self._frames = link_transforms(chain.description, values, chain.base_link)
        self._root = chain.description.root

    def frame_in_base(self, frame: str | None) -> Floats:
        """Return the pose (4, 4) of a frame in the base link [m]; None is the root link."""
        (pose,) = self._frames[frame or self._root]
        return pose

    def obstacle_in_base(self, obstacle: Obstacle) -> Floats:
        """Return the pose (4, 4) of an obstacle's shape in the base link [m]."""
        return self.frame_in_base(obstacle.frame) @ obstacle.shape.pose

    def pose_of(self, obstacle: Obstacle, pose_in_base: Floats) -> Floats:
        """Return the pose (4, 4), in its frame, of an obstacle that is at one in the base [m]."""
        return inverse(self.frame_in_base(obstacle.frame)) @ pose_in_base

    def points_in_base(self, cloud: PointCloud) -> Floats:
        """Return the points (P, 3) of a cloud in the base link [m]."""
        pose = self.frame_in_base(cloud.frame)
        return cloud.points @ pose[:3, :3].T + pose[:3, 3]
