"""Reader of CppFlow's path problems: poses that a tip must follow among boxes.

CppFlow (J. Morgan, D. Millard, G. S. Sukhatme, ICRA 2024, arXiv 2309.09102). A folder of them has
problems/ROBOT__PATH.yaml and paths/PATH.csv, a pose a row: time, x, y, z, qw, qx, qy, qz.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.collision_oracle import Solid

THIRTEEN = (
    "fetch_arm__circle",
    "fetch_arm__hello",
    "fetch_arm__rot_yz2",
    "fetch_arm__s",
    "fetch_arm__square",
    "fetch__circle",
    "fetch__hello",
    "fetch__rot_yz2",
    "fetch__s",
    "fetch__square",
    "panda__1cube",
    "panda__2cubes",
    "panda__flappy_bird",
)
"""The problems that CppFlow is measured by."""

Where = Callable[[str], NDArray[np.float64]]
"""Takes a link's name, returns its origin in the root link, all joints at zero (3,) [m]."""


@dataclass(frozen=True)
class PathProblem:
    """One problem.

    Attributes:
        name: ROBOT__PATH.
        robot: What moves.
        targets: (B, 4, 4) the tip's poses in the robot's root link [m].
        obstacles: Boxes in the root link.
    """

    name: str
    robot: str
    targets: NDArray[np.float64]
    obstacles: tuple[Solid, ...]


def problem_names(folder: Path) -> list[str]:
    """Return the names of a folder's problems: CppFlow's thirteen, or all if it has others."""
    names = sorted(path.stem for path in (folder / "problems").glob("*.yaml"))
    known = [name for name in THIRTEEN if name in names]
    return known or names


def problem_robot(folder: Path, name: str) -> str:
    """Return what moves in a problem."""
    return str(_yaml(folder / "problems" / f"{name}.yaml")["robot"])


def read_problem(folder: Path, name: str, where: Where) -> PathProblem:
    """Read a problem.

    Args:
        folder: The folder of all problems.
        name: Its name.
        where: Where the robot's links are.
    """
    content = _yaml(folder / "problems" / f"{name}.yaml")
    rows = np.loadtxt(
        folder / "paths" / f"{content['path_name']}.csv", delimiter=",", skiprows=1, ndmin=2
    )
    targets = np.tile(np.eye(4), (len(rows), 1, 1))
    # Scalar first in the file, last for SciPy.
    turned = Rotation.from_quat(rows[:, [5, 6, 7, 4]]).as_matrix()
    targets[:, :3, :3] = turned @ np.array(content["path_R_offset"], float)
    origin = where(content["path_offset_frame"]) + np.array(content["path_xyz_offset"], float)
    targets[:, :3, 3] = rows[:, 1:4] + origin
    shift = np.array(content.get("obstacle_xyz_offset", (0, 0, 0)), float)
    obstacles = tuple(
        _box(f"box_{k}", entry, shift) for k, entry in enumerate(content.get("obstacles") or ())
    )
    return PathProblem(name, str(content["robot"]), targets, obstacles)


def _box(name: str, entry: Any, shift: NDArray[np.float64]) -> Solid:  # noqa: ANN401 (YAML)
    """Return a box, which the files write as a list of mappings with one key each."""
    facts: dict[str, float] = {}
    for part in entry if isinstance(entry, list) else [entry]:
        facts.update(part)
    pose = np.eye(4)
    angles = [facts[key] for key in ("roll", "pitch", "yaw")]
    pose[:3, :3] = Rotation.from_euler("xyz", angles).as_matrix()
    pose[:3, 3] = np.array([facts[key] for key in "xyz"]) + shift
    return Solid(name, "box", (facts["size_x"], facts["size_y"], facts["size_z"]), pose)


def _yaml(path: Path) -> Mapping[str, Any]:
    return yaml.load(path.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
