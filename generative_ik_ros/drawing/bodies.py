"""The rigid bodies of a robot, with their shapes and poses."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.drawing.bones import bones
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.elements import Visual
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.robot.tree import link_transforms


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
    shape_in_body: Floats


class Bodies:
    """A robot as rigid bodies: links that do not move relative to each other form one body.

    An arm with seven joints has eight bodies, however many links and fixed joints it has, which
    makes it cheap to draw a hundred arms. Joints outside the chain stand.

    Args:
        chain: The chain, or a tree with several tips.
        visuals: The shapes of the links; None: those of the description.
        joint_positions: Where joints outside the chain stand, by name [rad or m]; those that are
            not named are where `link_transforms` has them.

    Attributes:
        links: The first link of each of the K bodies, starting with the root.
        shapes: The shapes of each body. Links of the chain without visuals have bones instead.
        base: Index of the body of the base link, which is fixed in every configuration.
    """

    def __init__(
        self,
        chain: KinematicChain | KinematicTree,
        visuals: Mapping[str, tuple[Visual, ...]] | None = None,
        joint_positions: Mapping[str, float] | None = None,
    ):
        """Group the links into bodies."""
        self._chain, self._others = chain, dict(joint_positions or {})
        description = chain.description
        looks = description.visuals if visuals is None else visuals
        looks = {**bones(chain, looks), **looks}
        still = link_transforms(description, {**self._others, **chain.fixed}, description.root)
        body_of, links = {description.root: 0}, [description.root]
        shapes: list[list[Shape]] = [[]]
        order = [description.root]
        for link in order:
            body = body_of[link]
            link_in_body = inverse(still[links[body]][0]) @ still[link][0]
            shapes[body] += [
                Shape(link, visual, link_in_body @ visual.visual_in_link)
                for visual in looks.get(link, ())
            ]
            for joint in description.child_joints.get(link, ()):
                order.append(joint.child)
                body_of[joint.child] = body
                driver, _, _ = description.driver(joint, chain.names)
                if joint.moves and driver.name in chain.names:
                    body_of[joint.child] = len(links)
                    links.append(joint.child)
                    shapes.append([])
        self.links = tuple(links)
        self.shapes: tuple[tuple[Shape, ...], ...] = tuple(map(tuple, shapes))
        self.base = body_of[chain.base_link]

    @property
    def moving(self) -> tuple[int, ...]:
        """Indices of the bodies that move relative to the base."""
        return tuple(k for k in range(len(self.links)) if k != self.base)

    def frames(self, positions: Floats) -> Floats:
        """Compute the pose of every body.

        Args:
            positions: (A, n) configurations of the chain [rad or m].

        Returns:
            (K, A, 4, 4) poses of the bodies in the base link [m].
        """
        chain = self._chain
        values = {**self._others, **chain.joint_values(positions)}
        frames = link_transforms(chain.description, values, chain.base_link)
        return np.stack([frames[link] for link in self.links])
