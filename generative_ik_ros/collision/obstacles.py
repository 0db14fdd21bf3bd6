"""What stands around a robot: obstacles, and objects that it carries."""

from collections.abc import Iterable
from dataclasses import dataclass

from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.shapes import Shape, unchecked
from generative_ik_ros.errors import InvalidArgumentError, short, shown


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A solid that the robot must not touch.

    Attributes:
        name: What it is called, once in a scene. The parts of an object of several shapes are
            called after it: shelf[0], shelf[1].
        shape: The solid; its pose is in `frame` [m].
        frame: A link of the robot that the chain does not move; None: the root link.
    """

    name: str
    shape: Shape
    frame: str | None = None

    def __post_init__(self) -> None:
        """Check the types.

        Raises:
            InvalidArgumentError: A name is empty or no string, or the shape is none.
        """
        check_name("an obstacle's name", self.name)
        if not isinstance(self.shape, Shape):
            raise InvalidArgumentError(
                f"{self.name}: an obstacle's shape must be a Box, Sphere, Cylinder, Capsule or "
                f"Mesh, not {type(self.shape).__name__}"
            )
        check_frame(f"{self.name}: frame", self.frame)

    def part_of(self, name: str) -> bool:
        """Say whether this is the object of that name, or one of its shapes."""
        own = self.name
        if own == name:
            return True
        return own.startswith(name) and own[-1] == "]" and own[len(name) : len(name) + 1] == "["

    def placed(self, pose: Floats) -> "Obstacle":
        """Return it with another pose (4, 4) in its frame, which was checked already."""
        shape = unchecked(type(self.shape), **{**vars(self.shape), "pose": pose})
        return unchecked(Obstacle, name=self.name, shape=shape, frame=self.frame)


@dataclass(frozen=True, eq=False)
class AttachedObject:
    """An object that is fixed to a link, as a grasped one is, and must touch nothing else.

    Attributes:
        name: What it is called.
        link: The link that carries it.
        shapes: The solids of which it consists; their poses are in `frame` [m].
        touch_links: The links that may touch it, besides the one that carries it.
        frame: The link in whose frame the shapes are; None: the root link.
    """

    name: str
    link: str
    shapes: tuple[Shape, ...]
    touch_links: frozenset[str] = frozenset()
    frame: str | None = None


def part_names(name: str, count: int) -> list[str]:
    """Return the names of the parts of an object of so many shapes."""
    return [name] if count == 1 else [f"{name}[{k}]" for k in range(count)]


def check_names_once(obstacles: Iterable[Obstacle]) -> set[str]:
    """Return the names of obstacles.

    Raises:
        InvalidArgumentError: Two have the same one.
    """
    names: set[str] = set()
    for one in obstacles:
        if one.name in names:
            raise InvalidArgumentError(f"two obstacles have the name '{short(one.name)}'")
        names.add(one.name)
    return names


def check_name(what: str, name: object) -> None:
    """Raise an error about a name that is no string, or empty.

    Raises:
        InvalidArgumentError: It is.
    """
    if not isinstance(name, str) or not name:
        raise InvalidArgumentError(f"{what} must be a string that is not empty, not {shown(name)}")


def check_frame(what: str, frame: object) -> None:
    """Raise an error about a frame that is neither None nor a name.

    Raises:
        InvalidArgumentError: It is.
    """
    if frame is not None:
        check_name(f"{what} (a link of the robot; None for its root link)", frame)
