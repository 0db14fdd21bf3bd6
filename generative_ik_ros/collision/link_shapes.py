"""Shapes of a robot's links from the collision elements of its description."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from generative_ik_ros.collision.mesh_files import MeshFolders, find_all
from generative_ik_ros.collision.mesh_reading import UnreadableMeshError, read_mesh
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Shape, Sphere
from generative_ik_ros.errors import (
    InvalidArgumentError,
    RobotDescriptionError,
    listed,
    short,
    warn_caller,
)
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.elements import CollisionShape


def link_shapes(
    description: RobotDescription, folders: MeshFolders, *, visuals: bool = False
) -> dict[str, tuple[Shape, ...]]:
    """Return the shapes of each link that has any, in the link's frame.

    Args:
        description: The robot.
        folders: Where meshes are looked up.
        visuals: Whether links without collision elements have the shapes of their visual ones.

    Raises:
        RobotDescriptionError: A collision element is malformed, or meshes are missing or cannot
            be read; the message lists all of them.

    Warns:
        GenerativeIKWarning: Planes are left out.
    """
    elements = _without_planes(description.collisions)
    if visuals:
        for link in description.visuals.keys() - elements.keys():
            elements[link] = tuple(
                CollisionShape(look.shape, look.size, look.mesh_uri, look.visual_in_link)
                for look in description.visuals[link]
            )
        elements = {link: elements[link] for link in description.links if link in elements}
    faults = [
        f"link '{short(link)}': {element.fault}"
        for link, those in elements.items()
        for element in those
        if element.fault
    ]
    if faults:
        raise RobotDescriptionError(f"collision elements are malformed: {_lines(faults)}")
    uris = [element.mesh_uri for those in elements.values() for element in those]
    files = find_all([uri for uri in uris if uri], folders)
    shapes: dict[str, tuple[Shape, ...]] = {}
    for link, those in elements.items():
        made = []
        for element in those:
            try:
                made.append(_shape(element, files))
            except UnreadableMeshError as error:
                faults.append(f"link '{short(link)}': {short(element.mesh_uri, 200)}: {error}")
            except InvalidArgumentError as error:
                faults.append(f"link '{short(link)}': {error}")
        shapes[link] = tuple(made)
    if faults:
        raise RobotDescriptionError(f"collision shapes cannot be used: {_lines(faults)}")
    return shapes


def _without_planes(
    collisions: Mapping[str, tuple[CollisionShape, ...]],
) -> dict[str, tuple[CollisionShape, ...]]:
    kept = {
        link: tuple(element for element in those if element.shape != "plane")
        for link, those in collisions.items()
    }
    if flat := [link for link, those in collisions.items() if len(kept[link]) < len(those)]:
        warn_caller(
            f"planes are left out of the collision shapes of {listed(flat)}: give a scene a box "
            "for a floor"
        )
    return {link: those for link, those in kept.items() if those}


def _shape(element: CollisionShape, files: Mapping[str, Path]) -> Shape:
    pose, size = element.shape_in_link, element.size
    match element.shape:
        case "box":
            return Box(np.array(size), pose=pose)
        case "sphere":
            return Sphere(*size, pose=pose)
        case "cylinder":
            return Cylinder(*size, pose=pose)
        case "capsule":
            return Capsule(*size, pose=pose)
    return read_mesh(files[element.mesh_uri], size, pose)


def _lines(faults: list[str], most: int = 20) -> str:
    more = [f"and {len(faults) - most} more"] if len(faults) > most else []
    return "; ".join([*faults[:most], *more])
