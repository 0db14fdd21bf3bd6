"""Robots whose geometry is spheres: the robot files of cuRobo."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from generative_ik_ros.collision.file_entries import entries, mapping, numbers, text
from generative_ik_ros.collision.shapes import Sphere
from generative_ik_ros.errors import InvalidArgumentError, RobotDescriptionError, short
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.yaml_files import read_yaml

MAX_SPHERES = 4096
"""Spheres of a link."""
PLACEHOLDER = "attached_object"
"""What cuRobo calls a link for things that are grasped later."""


class RobotSpheres(NamedTuple):
    """What a robot file says about collisions.

    Attributes:
        shapes: The spheres of each link that has any.
        ignored: Pairs of links that are not checked.
        padding: How far links stay from others of the robot, where it is not 0 [m].
    """

    shapes: Mapping[str, tuple[Sphere, ...]]
    ignored: frozenset[frozenset[str]]
    padding: Mapping[str, float]


def read_spheres(path: Path, description: RobotDescription) -> RobotSpheres:
    """Read a robot file.

    Its `collision_spheres` stand in the file or in another one beside it. Spheres without a
    radius above 0 are switched off, as cuRobo does.

    Raises:
        RobotDescriptionError: The file cannot be read, has no spheres that are on, or has ones of
            links that the robot does not have.
    """
    try:
        return _read(path, description)
    except InvalidArgumentError as error:
        raise RobotDescriptionError(str(error)) from None


def _read(path: Path, description: RobotDescription) -> RobotSpheres:
    where = f"robot file '{path}'"
    content = mapping(where, read_yaml(path))
    for key in ("robot_cfg", "kinematics"):
        content = mapping(where, content.get(key, content))
    given = content.get("collision_spheres")
    if isinstance(given, str):
        if Path(given).name != given:
            raise RobotDescriptionError(
                f"{where}: its collision_spheres are '{short(given)}'; only files beside it are "
                "read"
            )
        beside = path.parent / given
        given = mapping(f"'{beside}'", read_yaml(beside)).get("collision_spheres")
    if not isinstance(given, Mapping) or not given:
        raise RobotDescriptionError(f"{where} has no collision_spheres")
    extra = {PLACEHOLDER, *mapping(where, content.get("extra_links"))}
    names = content.get("collision_link_names")
    chosen = set(given if names is None else _names(where, names)) - extra
    if unknown := sorted(chosen - set(description.links)):
        raise RobotDescriptionError(
            f"{where} names the link '{short(unknown[0])}', which the robot does not have"
        )
    buffers = content.get("collision_sphere_buffer") or 0.0
    shapes = {}
    for link in description.links:
        if link in chosen and link in given:
            about = f"{where}: link '{short(link)}'"
            buffer = buffers.get(link, 0.0) if isinstance(buffers, Mapping) else buffers
            if spheres := _spheres(about, given[link], _number(about, buffer)):
                shapes[link] = spheres
    paddings = mapping(where, content.get("self_collision_buffer"))
    padding = {
        link: number
        for link, value in paddings.items()
        if (number := _number(f"{where}: the self_collision_buffer of '{link}'", value))
    }
    ignored = frozenset(_ignored(where, content))
    if not shapes:
        raise RobotDescriptionError(f"{where} has no spheres of links with a radius above 0")
    return RobotSpheres(shapes, ignored, padding)


def _ignored(where: str, content: Mapping[str, Any]) -> Iterator[frozenset[str]]:
    for link, others in mapping(where, content.get("self_collision_ignore")).items():
        yield from (frozenset((link, other)) for other in _names(where, others) if other != link)


def _names(where: str, value: object) -> list[str]:
    return [text(where, name) for name in entries(where, value)]


def _number(where: str, value: object) -> float:
    return float(numbers(where, [value], 1)[0])


def _spheres(where: str, given: object, buffer: float) -> tuple[Sphere, ...]:
    found = []
    for entry in entries(where, given)[: MAX_SPHERES + 1]:
        sphere, pose = mapping(where, entry), np.eye(4)
        pose[:3, 3] = numbers(f"{where}: center", sphere.get("center"), 3)
        radius = _number(f"{where}: radius", sphere.get("radius"))
        # The buffer must not switch on what is off.
        if radius > 0.0 and radius + buffer > 0.0:
            found.append(Sphere(radius + buffer, pose=pose))
    if len(found) > MAX_SPHERES:
        raise RobotDescriptionError(f"{where} has more than {MAX_SPHERES} spheres")
    return tuple(found)
