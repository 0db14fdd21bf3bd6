"""Surfaces of a robot's rigid bodies, from meshes, primitive shapes and bones."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import trimesh
from numpy.typing import NDArray

from generative_ik_ros.drawing.bodies import Bodies
from generative_ik_ros.drawing.triangles import find_mesh, mesh, primitive
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.elements import Visual
from generative_ik_ros.robot.kinematic_tree import KinematicTree


class Surfaces(NamedTuple):
    """The geometry of a robot.

    Attributes:
        bodies: The rigid bodies.
        of_body: The surface of each body, in the body's frame [m]; it may be empty.
        missing: URIs of meshes that were not found or could not be read.
    """

    bodies: Bodies
    of_body: tuple[trimesh.Trimesh, ...]
    missing: tuple[str, ...]


def triangles(surface: trimesh.Trimesh) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """Return the vertices and the faces of a surface, as viser takes them."""
    return surface.vertices.astype(np.float32), surface.faces.astype(np.uint32)


def read_surfaces(
    chain: KinematicChain | KinematicTree,
    mesh_folders: Iterable[Path] = (),
    joint_positions: Mapping[str, float] | None = None,
) -> Surfaces:
    """Load a robot's meshes and primitive shapes, with bones for links that have neither.

    Args:
        chain: The chain, or a tree with several tips.
        mesh_folders: Folders that contain packages, for package:// URIs.
        joint_positions: Where joints outside the chain stand, by name [rad or m].
    """
    folders, missing = tuple(mesh_folders), []
    known: dict[Visual, trimesh.Trimesh] = {}
    looks: dict[str, tuple[Visual, ...]] = {}
    for link, visuals in chain.description.visuals.items():
        for visual in visuals:
            surface = _read(visual, chain.description.file, folders)
            if surface is None:
                missing.append(visual.mesh_uri)
            else:
                known[visual] = surface
        found = tuple(visual for visual in visuals if visual in known)
        if found:
            looks[link] = found
    bodies = Bodies(chain, looks, joint_positions)
    of_body = []
    for shapes in bodies.shapes:
        surfaces = [(known.get(one.visual) or primitive(one.visual)).copy() for one in shapes]
        for surface, shape in zip(surfaces, shapes, strict=True):
            surface.apply_transform(shape.shape_in_body)
        of_body.append(trimesh.util.concatenate(surfaces) if surfaces else trimesh.Trimesh())
    return Surfaces(bodies, tuple(of_body), tuple(dict.fromkeys(missing)))


def _read(visual: Visual, urdf: Path | None, folders: tuple[Path, ...]) -> trimesh.Trimesh | None:
    if visual.shape != "mesh":
        return primitive(visual)
    path = find_mesh(visual.mesh_uri, urdf, folders)
    return None if path is None else mesh(path, visual.size)
