"""Solid shapes: what links and obstacles are made of."""

from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.arguments import number_array, without_tensors
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.errors import InvalidArgumentError, warn_caller

MAX_SIZE = 1e4
"""Larger sizes and distances are taken for mistakes [m]."""
MAX_FACES = 2_000_000
"""Triangles of a mesh."""


@dataclass(frozen=True, eq=False)
class Shape:
    """A solid in the frame of what it belongs to: a link, or a scene.

    Attributes:
        pose: (4, 4) the shape's own frame in that frame [m].
    """

    pose: Floats = field(default_factory=lambda: np.eye(4), kw_only=True)

    def __post_init__(self) -> None:
        """Check the pose and freeze it.

        Raises:
            InvalidArgumentError: The pose is no rigid transform, or too far away.
        """
        pose = _finite("pose", self.pose, (4, 4))
        rotation = pose[:3, :3]
        if (
            np.abs(rotation @ rotation.T - np.eye(3)).max() > 1e-6
            or np.linalg.det(rotation) < 0.0
            or (pose[3] != (0.0, 0.0, 0.0, 1.0)).any()
        ):
            raise InvalidArgumentError("a shape's pose must be a rigid transform, (4, 4)")
        object.__setattr__(self, "pose", pose)


@dataclass(frozen=True, eq=False)
class Box(Shape):
    """A box around its frame's origin.

    Attributes:
        size: (3,) lengths along x, y and z [m].
    """

    size: Floats

    def __post_init__(self) -> None:
        """Check the size.

        Raises:
            InvalidArgumentError: A length is not above 0.
        """
        super().__post_init__()
        size = _finite("a box's size", self.size, (3,))
        if not (size > 0.0).all():
            raise InvalidArgumentError(f"a box's lengths must be above 0, not {size.tolist()}")
        object.__setattr__(self, "size", size)


@dataclass(frozen=True, eq=False)
class Sphere(Shape):
    """A ball around its frame's origin.

    Attributes:
        radius: Above 0 [m].
    """

    radius: float

    def __post_init__(self) -> None:
        """Check the radius."""
        super().__post_init__()
        object.__setattr__(self, "radius", _length("a sphere's radius", self.radius))


@dataclass(frozen=True, eq=False)
class _AboutZ(Shape):
    """A round shape about its frame's z axis, half of it above and half below the origin."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        """Check radius and length."""
        super().__post_init__()
        for name in ("radius", "length"):
            whose = f"a {type(self).__name__.lower()}'s {name}"
            object.__setattr__(self, name, _length(whose, getattr(self, name)))


class Cylinder(_AboutZ):
    """A cylinder around its frame's z axis, half of it above and half below the origin.

    Attributes:
        radius: Above 0 [m].
        length: Along z, above 0 [m].
    """


class Capsule(_AboutZ):
    """All points within `radius` of a line along z, half of it above and half below the origin.

    Attributes:
        radius: Above 0 [m].
        length: Of the line, without the caps; above 0 [m].
    """


@dataclass(frozen=True, eq=False)
class Mesh(Shape):
    """A triangle mesh; what a watertight one encloses belongs to it.

    Faces that point the wrong way are flipped, and degenerate ones are left out. If what looks
    watertight has no consistent winding, it is a surface only.

    Attributes:
        vertices: (V, 3) [m].
        faces: (F, 3) indices of vertices.
    """

    vertices: Floats
    faces: Ints

    def __post_init__(self) -> None:
        """Check vertices and faces.

        Raises:
            InvalidArgumentError: There are none or too many, a vertex is not finite or too far
                away, or a face names a vertex that does not exist.
        """
        super().__post_init__()
        vertices = _finite("a mesh's vertices", self.vertices, (None, 3))
        try:
            faces: Any = np.array(without_tensors(self.faces))
        except ValueError:  # lists of several lengths
            faces = np.empty(0)
        if faces.ndim != 2 or faces.shape[1] != 3 or faces.dtype.kind not in "iu":
            raise InvalidArgumentError(
                f"a mesh's faces must be whole numbers, (F, 3), not {faces.shape}"
            )
        if not 0 < len(faces) <= MAX_FACES:
            raise InvalidArgumentError(f"a mesh has {len(faces)} faces; from 1 to {MAX_FACES}")
        if faces.min() < 0 or faces.max() >= len(vertices):
            raise InvalidArgumentError("a mesh's face names a vertex that does not exist")
        faces, unsure = _core.repair_faces(
            np.ascontiguousarray(vertices), np.ascontiguousarray(faces, np.int64)
        )
        if unsure:
            warn_caller(
                "the faces of a mesh have no consistent winding: what its surface encloses does "
                "not count as part of it"
            )
        faces.flags.writeable = False
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)

    @property
    def triangles(self) -> Floats:
        """(F, 3, 3) corners of the faces in the mesh's own frame [m]."""
        return self.vertices[self.faces]


_Kind = TypeVar("_Kind")


def unchecked(kind: type[_Kind], **attributes: object) -> _Kind:
    """Make a record of attributes that were checked already, as many at once are.

    Args:
        kind: The class.
        attributes: All of its attributes; arrays must be float64 and read-only.
    """
    record = object.__new__(kind)
    record.__dict__.update(attributes)
    return record


def _finite(what: str, values: object, shape: tuple[int | None, ...]) -> Floats:
    """Return a read-only copy of an array of finite numbers of a shape; None is any length."""
    array = np.array(number_array(what, values))  # pyright: ignore[reportArgumentType]
    fits = len(array.shape) == len(shape) and all(
        wanted in (None, size) for size, wanted in zip(array.shape, shape, strict=True)
    )
    if not fits:
        wanted = ", ".join("N" if size is None else str(size) for size in shape)
        raise InvalidArgumentError(f"{what} must have the shape ({wanted}), not {array.shape}")
    # NaN fails the comparison.
    if not (np.abs(array) <= MAX_SIZE).all():
        raise InvalidArgumentError(f"{what} has a number that is not finite, or above {MAX_SIZE}")
    array.flags.writeable = False
    return array


def _length(what: str, value: object) -> float:
    number = float(_finite(what, value, ()))
    if number <= 0.0:
        raise InvalidArgumentError(f"{what} must be above 0, not {number}")
    return number


def cone(radius: float, length: float, *, pose: Floats, sides: int = 64) -> Mesh:
    """Return the pyramid around a cone; with 64 sides it reaches 0.13 % of the radius too far.

    Args:
        radius: Of the base, at z = -length / 2 [m].
        length: From the base to the tip, at z = length / 2 [m].
        pose: (4, 4) [m].
        sides: Of the pyramid.
    """
    angles = np.arange(sides) * (2.0 * np.pi / sides)
    outer = radius / np.cos(np.pi / sides)
    vertices = np.empty((sides + 2, 3))
    vertices[:-2, 0], vertices[:-2, 1] = outer * np.cos(angles), outer * np.sin(angles)
    vertices[:-1, 2] = -length / 2.0
    vertices[-2:, :2] = 0.0
    vertices[-1, 2] = length / 2.0
    here = np.arange(sides)
    after = (here + 1) % sides
    base, tip = np.full(sides, sides), np.full(sides, sides + 1)
    faces = np.concatenate(
        [np.stack([here, after, tip], axis=1), np.stack([after, here, base], axis=1)]
    )
    return Mesh(vertices, faces, pose=pose)
