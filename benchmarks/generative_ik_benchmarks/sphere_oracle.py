"""cuRobo's spheres and boxes, checked by numpy on pinocchio's kinematics."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from generative_ik_benchmarks.oracle import RobotFrames
from generative_ik_benchmarks.robots import read_yaml
from generative_ik_ros.array_types import Bools, Floats


class SphereOracle:
    """The spheres of a robot file of cuRobo, among the boxes of a world file.

    Links that a joint joins are not checked against each other, nor are links that do not move
    against each other or, against boxes, at all: nothing can be done about what a base touches.

    Args:
        urdf: The robot's description.
        robot: cuRobo's robot file.
        world: Its world file, of boxes that are not turned.
        joint_names: The joints, in the order of the configurations.
    """

    def __init__(self, urdf: str, robot: Path, world: Path, joint_names: Sequence[str]):
        """Read both files."""
        content = kinematics(robot)
        spheres = content["collision_spheres"]
        links = [name for name in content["collision_link_names"] if name in spheres]
        self._robot = RobotFrames(urdf, joint_names, content.get("lock_joints"))
        self._frames = [self._robot.frame(link) for link in links]
        table = np.array(
            [(k, *one["center"], one["radius"]) for k, link in enumerate(links)
             for one in spheres[link]]
        )  # fmt: skip
        self._link, self._centres = table[:, 0].astype(int), table[:, 1:4]
        self._radii = table[:, 4] + content.get("collision_sphere_buffer", 0.0)
        buffers = content.get("self_collision_buffer", {})
        reach = self._radii + np.array([buffers.get(link, 0.0) for link in links])[self._link]
        apart = self._apart(urdf, links, content["self_collision_ignore"])
        self._pairs = np.argwhere(np.triu(apart[self._link][:, self._link], 1))
        self._reach = reach[self._pairs].sum(axis=1)
        self._moves = np.array([self._robot.moves(k) for k in self._frames])[self._link]
        self._boxes = [
            (np.array(one["pose"][:3]), np.array(one["dims"]) / 2.0)
            for one in read_yaml(world)["cuboid"].values()
        ]

    def _apart(self, urdf: str, links: list[str], ignored: dict[str, list[str]]) -> Bools:
        """Return which links (L, L) are checked against each other."""
        unchecked = {frozenset((a, b)) for a, others in ignored.items() for b in others}
        for joint in ElementTree.fromstring(urdf).iter("joint"):
            ends = (joint.find("parent"), joint.find("child"))
            unchecked.add(frozenset(str(end.get("link")) for end in ends if end is not None))
        moved_by = [self._robot.moved_by(frame) for frame in self._frames]
        apart = [
            [moved_by[i] != moved_by[j] and frozenset((a, b)) not in unchecked
             for j, b in enumerate(links)]
            for i, a in enumerate(links)
        ]  # fmt: skip
        return np.array(apart)

    def collides(self, q: Floats) -> bool:
        """Say whether a configuration (n,) collides."""
        poses = self._robot.in_world(q, self._frames)[self._link]
        centres = np.einsum("kij,kj->ki", poses[:, :3, :3], self._centres) + poses[:, :3, 3]
        for middle, half in self._boxes:
            beyond = np.maximum(np.abs(centres - middle) - half, 0.0)
            if (np.linalg.norm(beyond, axis=1) < self._radii)[self._moves].any():
                return True
        gaps = np.linalg.norm(centres[self._pairs[:, 0]] - centres[self._pairs[:, 1]], axis=1)
        return bool((gaps < self._reach).any())


def kinematics(robot: Path) -> dict[str, Any]:
    """Return what a robot file says of the kinematics."""
    content = read_yaml(robot)
    return content.get("robot_cfg", content)["kinematics"]
