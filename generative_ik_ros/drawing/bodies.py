"""The rigid bodies of a robot, with their shapes and poses."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.drawing.bones import bones
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import Joint, Visual
from generative_ik_ros.robot.rigid import inverse, shift, turn


@dataclass(frozen=True, eq=False)
class Shape:
    """A shape of a rigid body.

    Attributes:
        link: The link that the shape belongs to.
        visual: The shape.
        shape_in_body: (4, 4) pose of the shape in the body [m].
    """

    link: str
    visual: Visual
    shape_in_body: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Mount:
    """How a body is attached: its parent body, and the joint between them."""

    parent: int
    joint_in_parent: NDArray[np.float64]
    joint: Joint
    variable: int
    multiplier: float
    offset: float


class Bodies:
    """A robot as rigid bodies: links that do not move relative to each other form one body.

    An arm with seven joints has eight bodies, however many links and fixed joints it has, which
    makes it cheap to place a hundred arms. Joints outside the chain are at zero, or at the nearest
    position within their limits; floating and planar joints are at their origin.

    Args:
        chain: The chain.
        visuals: The shapes of the links; None: those of the description.

    Attributes:
        links: The first link of each of the K bodies, starting with the root.
        shapes: The shapes of each body. Links of the chain without visuals have bones instead.
        base: Index of the body of the base link, which is fixed in every configuration.
        tip: Index of the body of the tip link.
    """

    def __init__(
        self, chain: KinematicChain, visuals: Mapping[str, tuple[Visual, ...]] | None = None
    ):
        """Group the links into bodies."""
        self._chain = chain
        description = chain.description
        looks = description.visuals if visuals is None else visuals
        looks = {**bones(chain, looks), **looks}
        links, mounts = [description.root], []
        shapes: list[list[Shape]] = [[]]
        body_of = {description.root: (0, np.eye(4))}
        order = [description.root]
        for link in order:
            body, link_in_body = body_of[link]
            shapes[body] += [
                Shape(link, visual, link_in_body @ visual.visual_in_link)
                for visual in looks.get(link, ())
            ]
            for joint in description.child_joints.get(link, ()):
                order.append(joint.child)
                child = link_in_body @ joint.child_in_parent
                variable, multiplier, offset = self._driver(joint)
                if variable >= 0:
                    mounts.append(_Mount(body, child, joint, variable, multiplier, offset))
                    body_of[joint.child] = (len(links), np.eye(4))
                    links.append(joint.child)
                    shapes.append([])
                else:
                    still = _moved(joint, np.array(offset)) if joint.moves else np.eye(4)
                    body_of[joint.child] = (body, child @ still)
        self.links = tuple(links)
        self.shapes: tuple[tuple[Shape, ...], ...] = tuple(map(tuple, shapes))
        self.base, self._base_in_body = body_of[chain.base_link]
        self.tip = body_of[chain.tip_link][0]
        self._mounts = tuple(mounts)

    @property
    def moving(self) -> tuple[int, ...]:
        """Indices of the bodies that move relative to the base."""
        return tuple(k for k in range(len(self.links)) if k != self.base)

    def frames(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Compute the pose of every body.

        Args:
            positions: (A, n) configurations of the chain [rad or m].

        Returns:
            (K, A, 4, 4) poses of the bodies in the base link [m].
        """
        frames = np.empty((len(self.links), len(positions), 4, 4))
        frames[0] = np.eye(4)
        for body, mount in enumerate(self._mounts, start=1):
            position = mount.multiplier * positions[:, mount.variable] + mount.offset
            moved = _moved(mount.joint, position)
            frames[body] = frames[mount.parent] @ (mount.joint_in_parent @ moved)
        return inverse(frames[self.base] @ self._base_in_body) @ frames

    def _driver(self, joint: Joint) -> tuple[int, float, float]:
        """Return a joint's variable, multiplier and offset; -1, 0 and its position if fixed."""
        multiplier, offset = 1.0, 0.0
        while joint.name not in self._chain.names and joint.mimic is not None:
            offset += multiplier * joint.mimic.offset
            multiplier *= joint.mimic.multiplier
            joint = self._chain.description.joint_named[joint.mimic.joint]
        if joint.moves and joint.name in self._chain.names:
            return self._chain.names.index(joint.name), multiplier, offset
        return -1, 0.0, multiplier * float(np.clip(0.0, joint.lower, joint.upper)) + offset


def _moved(joint: Joint, position: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the transform of a joint at some positions, (..., 4, 4)."""
    return (shift if joint.type == "prismatic" else turn)(joint.axis, position)
