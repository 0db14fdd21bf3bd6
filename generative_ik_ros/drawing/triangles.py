"""Triangle meshes of visual shapes."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import trimesh
from numpy.typing import NDArray

from generative_ik_ros.robot.description import Visual

_SIDES = 20


class Triangles(NamedTuple):
    """A triangle mesh.

    Attributes:
        vertices: (V, 3) vertices [m].
        faces: (F, 3) vertex indices of each triangle, counter-clockwise seen from outside.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]

    def moved(self, frame: NDArray[np.float64]) -> "Triangles":
        """Return the mesh transformed by `frame` (4, 4)."""
        return Triangles(self.vertices @ frame[:3, :3].T + frame[:3, 3], self.faces)

    @staticmethod
    def joined(parts: "list[Triangles]") -> "Triangles":
        """Concatenate several meshes."""
        starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
        faces = [part.faces + start for part, start in zip(parts, starts, strict=False)]
        return Triangles(
            np.concatenate([np.empty((0, 3)), *(part.vertices for part in parts)]),
            np.concatenate([np.empty((0, 3), np.int64), *faces]),
        )


def primitive(visual: Visual) -> Triangles:
    """Return the mesh of a box, cylinder or sphere in the shape's frame; else an empty one."""
    if visual.shape == "box":
        made = trimesh.creation.box(visual.size)
    elif visual.shape == "cylinder":
        made = trimesh.creation.cylinder(visual.size[0], visual.size[1], sections=_SIDES)
    elif visual.shape == "sphere":
        made = trimesh.creation.uv_sphere(visual.size[0], count=(_SIDES // 2, _SIDES))
    else:
        return Triangles.joined([])
    return _triangles(made)


def mesh(path: Path, mesh_scale: tuple[float, ...]) -> Triangles | None:
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
    surface = _triangles(made)
    return Triangles(surface.vertices * np.asarray(mesh_scale), surface.faces)


def _triangles(made: trimesh.Trimesh) -> Triangles:
    return Triangles(np.array(made.vertices, np.float64), np.array(made.faces, np.int64))
