"""Robots whose geometry is spheres: the robot files of cuRobo."""

import math
import reprlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from generative_ik_ros.collision.shapes import MAX_SIZE, Sphere
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
    where = f"robot file '{path}'"
    entries = _kinematics(_loaded(path), where)
    given = entries.get("collision_spheres")
    if isinstance(given, str):
        beside = path.parent / given
        if Path(given).name != given:
            raise RobotDescriptionError(
                f"{where}: its collision_spheres are '{short(given)}'; only files beside it are "
                "read"
            )
        given = _mapping(_loaded(beside), f"'{beside}'").get("collision_spheres")
    if not isinstance(given, Mapping) or not given:
        raise RobotDescriptionError(f"{where} has no collision_spheres")
    extra = {PLACEHOLDER, *_mapping(entries.get("extra_links") or {}, where)}
    names = entries.get("collision_link_names")
    chosen = set(given if names is None else _names(names, where)) - extra
    if unknown := sorted(map(str, chosen - set(description.links))):
        raise RobotDescriptionError(
            f"{where} names the link '{short(unknown[0])}', which the robot does not have"
        )
    buffers = entries.get("collision_sphere_buffer") or 0.0
    shapes = {}
    for link in description.links:
        if link in chosen and link in given:
            about = f"{where}: link '{short(link)}'"
            buffer = buffers.get(link, 0.0) if isinstance(buffers, Mapping) else buffers
            spheres = _spheres(given[link], _number(buffer, about), about)
            if spheres:
                shapes[link] = spheres
    paddings = _mapping(entries.get("self_collision_buffer") or {}, where)
    padding = {
        str(link): number
        for link, value in paddings.items()
        if (number := _number(value, f"{where}: the self_collision_buffer of '{link}'"))
    }
    ignored = frozenset(_ignored(entries, where))
    if not shapes:
        raise RobotDescriptionError(f"{where} has no spheres of links with a radius above 0")
    return RobotSpheres(shapes, ignored, padding)


def _ignored(entries: Mapping, where: str) -> Iterator[frozenset[str]]:
    for link, others in _mapping(entries.get("self_collision_ignore") or {}, where).items():
        for other in _names(others or [], where):
            if other != link:
                yield frozenset((str(link), other))


def _loaded(path: Path) -> Any:  # noqa: ANN401 (whatever the file holds)
    try:
        return read_yaml(path)
    except InvalidArgumentError as error:
        raise RobotDescriptionError(str(error)) from None


def _kinematics(loaded: object, where: str) -> Mapping:
    entries = _mapping(loaded, where)
    for key in ("robot_cfg", "kinematics"):
        if key in entries:
            entries = _mapping(entries[key], where)
    return entries


def _mapping(value: object, where: str) -> Mapping:
    if not isinstance(value, Mapping):
        raise RobotDescriptionError(
            f"{where} is no robot file: it has {short(reprlib.repr(value), 60)}"
        )
    return value


def _list(value: object, where: str) -> list:
    if not isinstance(value, list):
        raise RobotDescriptionError(
            f"{where}: a list is needed, not {short(reprlib.repr(value), 60)}"
        )
    return value


def _names(value: object, where: str) -> list[str]:
    names = _list(value, where)
    if not all(isinstance(name, str) for name in names):
        raise RobotDescriptionError(f"{where}: a list of names is needed")
    return names


def _spheres(entries: object, buffer: float, where: str) -> tuple[Sphere, ...]:
    found = []
    for entry in _list(entries, where)[: MAX_SPHERES + 1]:
        sphere = _mapping(entry, where)
        center = _list(sphere.get("center"), where)
        if len(center) != 3:
            raise RobotDescriptionError(f"{where}: a sphere's center needs three numbers")
        numbers = [_number(x, where) for x in (*center, sphere.get("radius"))]
        # The buffer must not switch on what is off.
        if numbers[3] > 0.0 and numbers[3] + buffer > 0.0:
            pose = np.eye(4)
            pose[:3, 3] = numbers[:3]
            found.append(Sphere(numbers[3] + buffer, pose=pose))
    if len(found) > MAX_SPHERES:
        raise RobotDescriptionError(f"{where} has more than {MAX_SPHERES} spheres")
    return tuple(found)


def _number(value: object, where: str) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number = float(value)
        if math.isfinite(number) and abs(number) <= MAX_SIZE:
            return number
    raise RobotDescriptionError(
        f"{where}: {short(reprlib.repr(value), 60)} is no number that fits"
    )
