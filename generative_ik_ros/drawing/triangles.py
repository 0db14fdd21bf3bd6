"""Triangle meshes of visual shapes."""

from pathlib import Path

import numpy as np
import trimesh

from generative_ik_ros.robot.elements import Visual

_SIDES = 20


def primitive(visual: Visual) -> trimesh.Trimesh:
    """Return the mesh of a box, cylinder or sphere in the shape's frame; else an empty one."""
    if visual.shape == "box":
        return trimesh.creation.box(visual.size)
    if visual.shape == "cylinder":
        return trimesh.creation.cylinder(visual.size[0], visual.size[1], sections=_SIDES)
    if visual.shape == "sphere":
        return trimesh.creation.uv_sphere(visual.size[0], count=(_SIDES // 2, _SIDES))
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
