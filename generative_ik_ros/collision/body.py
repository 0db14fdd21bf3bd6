"""Rigid bodies and links as the checks see them: spheres that contain them, spheres inside."""

from dataclasses import dataclass

from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.shapes import Shape
from generative_ik_ros.collision.sphere_tree import SphereTree

Pairs = frozenset[frozenset[str]]
"""Pairs of names."""


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body, a link or an obstacle, in its own frame.

    Attributes:
        cover: Spheres that contain it: clear of these, surely free.
        inner: Spheres inside it, of radius 0 on its surface: touching these, surely colliding.
            None where nothing is known to be inside.
        exact: Whether the body is the leaves of its cover, neither more nor less.
        extremes: (E, 3) points of it that are far from each other [m]: one of them outside
            another body shows that this body is not inside that one.
    """

    cover: SphereTree
    inner: SphereTree | None
    exact: bool
    extremes: Floats

    @property
    def packed(
        self,
    ) -> tuple[Floats, Floats | None, bool, Floats]:
        """Cover, what is inside, exactness and extremes, as the native core takes them."""
        inner = None if self.inner is None else self.inner.packed
        return self.cover.packed, inner, self.exact, self.extremes


@dataclass(frozen=True, eq=False)
class CollisionLink:
    """A link as collision checks see it, or what is attached to one.

    Attributes:
        name: The name of the link or of the attached object.
        shapes: Its shapes in the frame of `parent` [m].
        body: The same as spheres around and inside.
        padding: How far from others it must stay in the robot [m]; two links add theirs.
        parent: The link in whose frame it is: the link itself, or the one it is attached to.
    """

    name: str
    shapes: tuple[Shape, ...]
    body: Body
    padding: float = 0.0
    parent: str = ""

    def __post_init__(self) -> None:
        """Take the link itself for the parent where none is given."""
        object.__setattr__(self, "parent", self.parent or self.name)
