"""Obstacles as callers write them: shapes, or their numbers and a pose, many checked at once."""

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, TypeGuard

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.mesh_forms import mesh_of
from generative_ik_ros.collision.shape_poses import FORMS, pose_matrices, refuse
from generative_ik_ros.collision.shapes import (
    MAX_SIZE,
    Box,
    Capsule,
    Cylinder,
    Mesh,
    Shape,
    Sphere,
    unchecked,
)
from generative_ik_ros.errors import InvalidArgumentError, shown

MAX_OBSTACLES = 100_000
"""Obstacles of a scene."""
_MEANT: dict[type[Shape], str] = {
    Box: f"a Box, or (size, pose) with size x y z [m] and pose {FORMS}",
    Sphere: f"a Sphere, or (radius, pose) with pose {FORMS}",
    Cylinder: f"a Cylinder, or (radius, length, pose) with pose {FORMS}",
    Capsule: f"a Capsule, or (radius, length, pose) with pose {FORMS}",
    Mesh: "a Mesh, a trimesh.Trimesh, the path of a mesh file, (any of these, pose), "
    f"(vertices, faces) or (vertices, faces, pose), with pose {FORMS}",
}


def named_shapes(kind: type[Shape], entries: object) -> list[tuple[str, Any]]:
    """Return names and shapes of one kind.

    Args:
        kind: `Box`, `Sphere`, `Cylinder`, `Capsule` or `Mesh`.
        entries: An iterable of shapes or of tuples; or a mapping from names to these. Without
            names, they are called after the kind and their place: box_0.

    Raises:
        InvalidArgumentError: An entry is neither; the message names it.
    """
    word = kind.__name__.lower()
    if isinstance(entries, Mapping):
        names, values = list(entries), list(entries.values())
        if wrong := [name for name in names if not isinstance(name, str)]:
            raise InvalidArgumentError(
                f"an obstacle's name must be a string, not {shown(wrong[0])}"
            )
    elif isinstance(entries, Shape | str | PathLike) or not _is_list(entries):
        raise InvalidArgumentError(
            f"obstacles must be a list, or a mapping from names; each is {_MEANT[kind]}"
        )
    else:
        values = list(entries)
        names = [f"{word}_{k}" for k in range(len(values))]
    if len(values) > MAX_OBSTACLES:
        raise InvalidArgumentError(
            f"{len(values)} obstacles are too many; at most {MAX_OBSTACLES}"
        )
    if kind is Mesh:
        return [
            (name, mesh_of(name, value, _MEANT[Mesh]))
            for name, value in zip(names, values, strict=True)
        ]
    shapes: list[Any] = list(values)
    numbered = [k for k, value in enumerate(values) if not isinstance(value, kind)]
    if numbered:
        made = _primitives(kind, [names[k] for k in numbered], [values[k] for k in numbered])
        for k, shape in zip(numbered, made, strict=True):
            shapes[k] = shape
    return list(zip(names, shapes, strict=True))


def _is_list(value: object) -> TypeGuard[Iterable[object]]:
    """Say whether there are items in a value; an array of no dimensions only looks as if."""
    return isinstance(value, Iterable) and getattr(value, "shape", None) != ()


def _primitives(kind: type[Shape], names: list[str], values: list[Any]) -> list[Shape]:
    """Make primitives of one kind from tuples of their numbers and poses."""
    parts = 3 if kind in (Cylinder, Capsule) else 2
    for name, value in zip(names, values, strict=True):
        if not isinstance(value, tuple | list) or len(value) != parts:
            raise InvalidArgumentError(f"{name} must be {_MEANT[kind]}, not {shown(value)}")
    sizes = _lengths(kind, names, [value[:-1] for value in values])
    poses = pose_matrices(names, [value[-1] for value in values])
    if kind is Box:
        return [
            unchecked(kind, pose=pose, size=size)
            for pose, size in zip(poses, sizes[:, 0], strict=True)
        ]
    if kind is Sphere:
        return [
            unchecked(kind, pose=pose, radius=radius)
            for pose, radius in zip(poses, sizes[:, 0].tolist(), strict=True)
        ]
    return [
        unchecked(kind, pose=pose, radius=radius, length=length)
        for pose, (radius, length) in zip(poses, sizes.tolist(), strict=True)
    ]


def _lengths(kind: type[Shape], names: list[str], values: list[Any]) -> Floats:
    """Check the lengths of shapes: read-only (N, 1, 3) of boxes, else (N, 1) or (N, 2) [m]."""
    shape = {Box: (1, 3), Sphere: (1,)}.get(kind, (2,))
    try:
        sizes = np.array(values, dtype=np.float64)
        fits = sizes.shape[1:] == shape
    except (TypeError, ValueError, OverflowError):
        sizes, fits = np.empty(0), False
    if not fits:
        if len(values) == 1:
            raise InvalidArgumentError(
                f"{names[0]} must be {_MEANT[kind]}; its size is {shown(values[0])}"
            )
        for name, value in zip(names, values, strict=True):  # finds the one that does not fit
            _lengths(kind, [name], [value])
    flat = sizes.reshape(len(sizes), -1)
    # NaN fails both comparisons.
    bad = ~((flat > 0.0) & (flat <= MAX_SIZE)).all(axis=1)
    refuse(names, bad, f"its lengths must be above 0, and at most {MAX_SIZE} [m]")
    sizes.flags.writeable = False
    return sizes
