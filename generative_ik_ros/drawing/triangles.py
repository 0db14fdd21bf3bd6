"""Triangle meshes of visual shapes, and the files that a description names."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import trimesh

from generative_ik_ros.robot.elements import Visual


def primitive(visual: Visual) -> trimesh.Trimesh:
    """Return the mesh of a box, cylinder or sphere in the shape's frame; else an empty one."""
    if visual.shape == "box":
        return trimesh.creation.box(visual.size)
    if visual.shape == "cylinder":
        return trimesh.creation.cylinder(*visual.size, sections=20)
    if visual.shape == "sphere":
        return trimesh.creation.uv_sphere(visual.size[0], count=(10, 20))
    return trimesh.Trimesh()


def mesh(path: Path, mesh_scale: tuple[float, ...]) -> trimesh.Trimesh | None:
    """Load a mesh file; None if it cannot be read.

    Args:
        path: A local file in a format supported by trimesh: STL, OBJ, COLLADA, PLY, glTF.
        mesh_scale: Scale factors along x, y and z.
    """
    try:
        made = trimesh.load(path, force="mesh")
    except Exception:  # trimesh's readers raise errors of many types
        return None
    if not isinstance(made, trimesh.Trimesh) or not len(made.faces):
        return None
    return trimesh.Trimesh(made.vertices * np.asarray(mesh_scale), made.faces, process=False)


def find_mesh(uri: str, urdf: Path | None, folders: Iterable[Path]) -> Path | None:
    """Return the local file that a mesh URI refers to.

    `package://NAME/REST` is looked up as NAME/REST in `folders`, in the folders of
    ROS_PACKAGE_PATH, in the share folders of AMENT_PREFIX_PATH, and in the folders above the URDF.
    A path without a scheme is relative to the URDF. Nothing is downloaded.

    Args:
        uri: The URI in the description.
        urdf: File of the description; None if unknown.
        folders: Folders that contain packages.

    Returns:
        An existing file, or None.
    """
    parts = urlsplit(uri)
    if parts.scheme == "package":
        inside = Path(unquote(parts.netloc), unquote(parts.path).lstrip("/"))
        places = (folder / inside for folder in _package_folders(urdf, folders))
    elif parts.scheme == "file":
        places = iter((Path(unquote(parts.path)),))
    elif not parts.scheme:
        places = iter(((urdf.parent if urdf is not None else Path()) / uri,))
    else:
        return None
    return next((place for place in places if place.is_file()), None)


def _package_folders(urdf: Path | None, folders: Iterable[Path]) -> Iterator[Path]:
    yield from folders
    listed = os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)
    yield from map(Path, filter(None, listed))
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    yield from (Path(prefix, "share") for prefix in filter(None, prefixes))
    if urdf is not None:
        yield from urdf.resolve().parents
