"""What a robot description is made of: joints and the shapes of links."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.robot.rigid import shift, turn

GREY = (0.7, 0.7, 0.7, 1.0)
"""Colour of shapes that have none [red, green, blue, opacity]."""
Color = tuple[float, float, float, float]
MOVING_TYPES = ("revolute", "continuous", "prismatic")
_X = np.array([1.0, 0.0, 0.0])
_X.flags.writeable = False


@dataclass(frozen=True)
class Mimic:
    """A joint follows another: position = multiplier * position of `joint` + offset.

    Attributes:
        joint: Name of the joint that is followed.
        multiplier: Factor, in units of this joint per unit of the other.
        offset: Position at the other joint's zero [rad or m].
    """

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint between a parent and a child link.

    Attributes:
        name: Unique among the robot's joints.
        type: One of "revolute", "continuous", "prismatic", "fixed", "floating", "planar", "ball"
            (MJCF and SDF), "screw", "universal", "revolute2" and "gearbox" (SDF).
        parent: Name of the parent link.
        child: Name of the child link.
        child_in_parent: (4, 4) child frame in the parent frame at position zero [m].
        axis: (3,) unit vector in the joint frame, which is the child frame at position zero.
        lower: Least position [rad or m]; -inf where none is given and for continuous joints.
        upper: Greatest position [rad or m]; inf where none is given and for continuous joints.
        mimic: The joint that this one follows, or None.
        velocity: Greatest velocity [rad/s or m/s]; inf where none above 0 is given.
        soft_limits: Least and greatest position that its `<safety_controller>` allows [rad or m];
            None where it gives none. Chains are within them where asked (`robot.limits`).
        obstacle: Why no chain may have the joint though its type is one that chains have, as
            "follows 'two' by a polynomial of degree 2"; "" where one may.
        actuated: Whether something drives the joint; None where the description does not say.
    """

    name: str
    type: str
    parent: str
    child: str
    child_in_parent: Floats
    axis: Floats
    lower: float
    upper: float
    mimic: Mimic | None
    velocity: float = math.inf
    soft_limits: tuple[float, float] | None = None
    obstacle: str = ""
    actuated: bool | None = None

    @property
    def moves(self) -> bool:
        """Whether the joint is revolute, continuous or prismatic."""
        return self.type in MOVING_TYPES

    @property
    def supported(self) -> bool:
        """Whether a chain may have the joint: its type is one of few, and nothing couples it."""
        return (self.moves or self.type == "fixed") and not self.obstacle

    @property
    def floats(self) -> bool:
        """Whether the joint is floating or planar."""
        return self.type in ("floating", "planar")

    @property
    def neutral(self) -> float:
        """The position nearest to zero within the limits [rad or m]."""
        return min(max(0.0, self.lower), self.upper)

    def motion(self, position: ArrayLike) -> Floats:
        """Return the moved frame in the joint frame (..., 4, 4) at positions (...) [rad or m].

        Joints that are neither revolute, continuous nor prismatic stay where they are.
        """
        if not self.moves:
            return np.eye(4)
        return (shift if self.type == "prismatic" else turn)(self.axis, np.asarray(position))


def fixed_joint(name: str, parent: str, child: str, child_in_parent: Floats) -> Joint:
    """Return a joint that does not move; its child in its parent is (4, 4) [m]."""
    return Joint(name, "fixed", parent, child, child_in_parent, _X, 0.0, 0.0, None)


@dataclass(frozen=True, eq=False)
class Loop:
    """A joint that closes a loop of links, which a tree of links cannot have.

    Attributes:
        name: The joint's name, "" where it has none.
        links: The two links that it joins.
        frames: (4, 4) the joint's frame in each of them [m]; a hinge turns about z, a slide goes
            along z. None where the description does not say: nothing keeps the loop closed then.
        region: Where the second frame may be in the first.
    """

    name: str
    links: tuple[str, str]
    frames: tuple[Floats, Floats] | None = None
    region: TaskSpaceRegion = TaskSpaceRegion.exact()


@dataclass(frozen=True)
class Coupling:
    """Joints of which a weighted sum stays within bounds, as gears or a tendon make it.

    Attributes:
        name: What messages call it.
        factors: Joints, and by how much the position [rad or m] of each is multiplied.
        lower: Least sum.
        upper: Greatest sum.
    """

    name: str
    factors: tuple[tuple[str, float], ...]
    lower: float
    upper: float


@dataclass(frozen=True, eq=False)
class Visual:
    """A shape that is drawn for a link.

    Attributes:
        shape: "box", "cylinder", "sphere" or "mesh".
        size: Box x, y, z [m]; cylinder radius, length [m]; sphere radius [m]; mesh scale x, y, z.
        mesh_uri: The mesh's address as the description has it, never opened here; else "".
        visual_in_link: (4, 4) the shape's frame in the link's frame [m].
        rgba: Red, green, blue and opacity, each from 0 to 1.
    """

    shape: str
    size: tuple[float, ...]
    mesh_uri: str
    visual_in_link: Floats
    rgba: Color


@dataclass(frozen=True, eq=False)
class CollisionShape:
    """A shape that collision checks take a link, or a part of it, for.

    Attributes:
        shape: "box", "cylinder", "capsule", "sphere", "mesh" or "plane", which is the half-space
            below x and y (MJCF and SDF); "" where the element is malformed.
        size: Box x, y, z [m]; cylinder and capsule radius, length (a capsule's without its caps)
            [m]; sphere radius [m]; mesh scale x, y, z.
        mesh_uri: The mesh's address as the description has it, never opened here; else "".
        shape_in_link: (4, 4) the shape's frame in the link's frame [m].
        fault: What is wrong with the element; "" for a sound one.
    """

    shape: str
    size: tuple[float, ...]
    mesh_uri: str
    shape_in_link: Floats
    fault: str = ""


class Parts(NamedTuple):
    """What a robot description holds, whatever its format; see `RobotDescription`."""

    name: str
    links: tuple[str, ...]
    joints: tuple[Joint, ...]
    visuals: dict[str, tuple[Visual, ...]]
    collisions: dict[str, tuple[CollisionShape, ...]]
    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()
