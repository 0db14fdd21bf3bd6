"""A visual shape in, triangles to draw in its link's frame out."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import trimesh
from numpy.typing import NDArray

from generative_ik_ros.robot.description import Visual

_SIDES = 20


class Triangles(NamedTuple):
    """A surface.

    Attributes:
        vertices: (V, 3) corners [m].
        faces: (F, 3) which three corners make each triangle, counter-clockwise from outside.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]

    def moved(self, frame: NDArray[np.float64]) -> "Triangles":
        """Return the surface in the frame that `frame` (4, 4) is given in."""
        return Triangles(self.vertices @ frame[:3, :3].T + frame[:3, 3], self.faces)

    @staticmethod
    def joined(parts: "list[Triangles]") -> "Triangles":
        """Make one surface of several."""
        starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
        faces = [part.faces + start for part, start in zip(parts, starts, strict=False)]
        return Triangles(
            np.concatenate([np.empty((0, 3)), *(part.vertices for part in parts)]),
            np.concatenate([np.empty((0, 3), np.int64), *faces]),
        )


def primitive(visual: Visual) -> Triangles:
    """Return the surface of a box, cylinder or sphere in the shape's own frame; else nothing."""
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
    """Read a mesh file into the shape's own frame; None where it cannot be read as one.

    Args:
        path: A local file in a format of trimesh: STL, OBJ, COLLADA, PLY, glTF.
        mesh_scale: Factors along x, y and z.
    """
    try:
        made = trimesh.load(path, force="mesh")
    except Exception:  # each of trimesh's readers has errors of its own
        return None
    if not isinstance(made, trimesh.Trimesh) or not len(made.faces):
        return None
    surface = _triangles(made)
    return Triangles(surface.vertices * np.asarray(mesh_scale), surface.faces)


def _triangles(made: trimesh.Trimesh) -> Triangles:
    return Triangles(np.array(made.vertices, np.float64), np.array(made.faces, np.int64))
