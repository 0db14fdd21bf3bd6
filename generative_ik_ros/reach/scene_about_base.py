"""A scene in the world as a robot sees it whose base stands somewhere in the world."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.cloud import PointCloud
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.robot.rigid import inverse


def scene_about_base(scene: Scene, base_in_world: NDArray[np.float64], base_link: str) -> Scene:
    """Return the scene with everything that is in no link's frame moved into that of the base.

    What is given in the frame of a link, or attached to one, stays with the robot.

    Args:
        scene: Obstacles; those without a frame are in the world.
        base_in_world: (4, 4) the chain's base link [m].
        base_link: Its name.
    """
    world_in_base = inverse(base_in_world)

    def moved(cloud: PointCloud | None) -> PointCloud | None:
        if cloud is None or cloud.frame is not None:
            return cloud
        return cloud.moved(world_in_base, base_link)

    obstacles = [
        one
        if one.frame is not None
        else replace(one.placed(world_in_base @ one.shape.pose), frame=base_link)
        for one in scene.obstacles
    ]
    return Scene.of(
        obstacles,
        cloud=moved(scene.cloud),
        octomap=moved(scene.octomap),
        padding=scene.padding,
        allowed=scene.allowed,
        attached=scene.attached,
    )
