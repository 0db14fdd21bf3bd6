"""Objects of MoveIt's planning scene: those that stand, and those that the robot carries."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.obstacles import Obstacle, part_names
from generative_ik_ros.collision.shapes import Shape

Pose = Floats


@dataclass(frozen=True, eq=False)
class WorldObject:
    """An object that stands in the planning frame.

    Attributes:
        name: What it is called.
        pose: (4, 4) in the planning frame [m].
        shapes: The solids of which it consists, in its own frame.
    """

    name: str
    pose: Pose
    shapes: tuple[Shape, ...]

    @cached_property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """Its parts in the planning frame."""
        return self.placed(np.eye(4))

    def placed(self, planning_in_root: Pose) -> tuple[Obstacle, ...]:
        """Return its parts in the root link, given the planning frame in that [m]."""
        names = part_names(self.name, len(self.shapes))
        frame = planning_in_root @ self.pose
        return tuple(
            Obstacle(name, moved(shape, frame))
            for name, shape in zip(names, self.shapes, strict=True)
        )


@dataclass(frozen=True, eq=False)
class CarriedObject:
    """An object that is attached to a link.

    Attributes:
        name: What it is called.
        link: The link that carries it.
        pose: (4, 4) in that link [m].
        shapes: The solids of which it consists, in its own frame.
        touch_links: The links that may touch it, besides the one that carries it.
    """

    name: str
    link: str
    pose: Pose
    shapes: tuple[Shape, ...]
    touch_links: frozenset[str]

    @cached_property
    def shapes_in_link(self) -> tuple[Shape, ...]:
        """Its shapes in the frame of its link."""
        return tuple(moved(shape, self.pose) for shape in self.shapes)


def moved(shape: Shape, frame: Pose) -> Shape:
    """Return a shape whose frame has another pose (4, 4) [m]."""
    return replace(shape, pose=frame @ shape.pose)
