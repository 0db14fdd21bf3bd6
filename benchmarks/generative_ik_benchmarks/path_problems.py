"""Reader of CppFlow's path problems: poses that a tip must follow among boxes.

CppFlow (J. Morgan, D. Millard, G. S. Sukhatme, ICRA 2024, arXiv 2309.09102). A folder of them has
problems/ROBOT__PATH.yaml and paths/PATH.csv, a pose a row: time, x, y, z, qw, qx, qy, qz.

Variants are problems with their obstacles moved at random; what was found of them is kept in a
file.
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.collision_oracle import Solid
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.robots import read_yaml
from generative_ik_ros.array_types import Floats

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

Where = Callable[[str], Floats]
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
    targets: Floats
    obstacles: tuple[Solid, ...]


def problem_names(folder: Path) -> list[str]:
    """Return the names of a folder's problems: CppFlow's thirteen, or all if it has others."""
    names = sorted(path.stem for path in (folder / "problems").glob("*.yaml"))
    known = [name for name in THIRTEEN if name in names]
    return known or names


def problem_robot(folder: Path, name: str) -> str:
    """Return what moves in a problem."""
    return str(read_yaml(folder / "problems" / f"{name}.yaml")["robot"])


def read_problem(folder: Path, name: str, where: Where) -> PathProblem:
    """Read a problem of a folder."""
    content = read_yaml(folder / "problems" / f"{name}.yaml")
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


def _box(name: str, entry: Any, shift: Floats) -> Solid:  # noqa: ANN401 (YAML)
    """Return a box, which the files write as a list of mappings with one key each."""
    facts: dict[str, float] = {}
    for part in entry if isinstance(entry, list) else [entry]:
        facts.update(part)
    pose = np.eye(4)
    angles = [facts[key] for key in ("roll", "pitch", "yaw")]
    pose[:3, :3] = Rotation.from_euler("xyz", angles).as_matrix()
    pose[:3, 3] = np.array([facts[key] for key in "xyz"]) + shift
    return Solid(name, "box", (facts["size_x"], facts["size_y"], facts["size_z"]), pose)


SHIFT = 0.1
"""How far a box is moved along each axis at most [m]."""
_CUBE = 0.15
"""Edge of the cube that problems without obstacles get [m]."""
_AWAY = (0.15, 0.4)
"""How far its centre is from a pose of the path [m]."""


def moved_obstacles(problem: PathProblem, number: int, seed: int) -> tuple[Solid, ...]:
    """Return the obstacles of a variant of a problem.

    Each box is moved. A problem without boxes gets a cube near one of its poses.
    """
    rng = np.random.default_rng([seed, number])
    if problem.obstacles:
        return tuple(_shifted(box, rng.uniform(-SHIFT, SHIFT, 3)) for box in problem.obstacles)
    way = rng.normal(size=3)
    pose = np.eye(4)
    pose[:3, 3] = problem.targets[rng.integers(len(problem.targets)), :3, 3]
    pose[:3, 3] += rng.uniform(*_AWAY) * way / np.linalg.norm(way)
    return (Solid("cube", "box", (_CUBE,) * 3, pose),)


def _shifted(box: Solid, by: Floats) -> Solid:
    """Return a box moved by (3,) [m]."""
    pose = box.pose.copy()
    pose[:3, 3] += by
    return replace(box, pose=pose)


@dataclass(frozen=True)
class VariantRecord:
    """What was found of one variant."""

    problem: str = figure("The problem's name.")
    number: int = figure("Which variant.")
    seconds: float = figure("Time of our call [s].")
    complete: bool = figure("Whether we say that the path reaches every pose.")
    timed_out: bool = figure("Whether the deadline ended our search.")
    faults: str = figure(
        'What the oracle finds wrong with the path as far as it goes; "" for nothing.'
    )
    valid: bool = figure("Whether the oracle finds it valid.")
    between: int = figure(
        "Its steps on whose way something collides at the oracle's finer resolution."
    )
    length: float = figure("Its length, in `joint_units`.")
    solvable: bool = figure("Whether the dense graph has a path that the oracle finds valid.")
    graph: str = figure('Why it has none; "" if it has one.')


class VariantFile:
    """Finished variants, one a line, so that a run that was broken off goes on.

    Lines are appended as a whole, so several processes may share a file. Those of other settings
    are passed over.

    Args:
        path: The file; None: nothing is kept.
        settings: What a result depends on; values that JSON can hold.
    """

    def __init__(self, path: Path | None, settings: Mapping[str, object]):
        """Remember the file."""
        self._path, self._settings = path, dict(settings)

    def read(self, problem: str) -> dict[int, VariantRecord]:
        """Return the finished variants of a problem by their numbers."""
        found: dict[int, VariantRecord] = {}
        if self._path is None or not self._path.exists():
            return found
        names = {each.name for each in fields(VariantRecord)}
        for line in self._path.read_text().splitlines():
            try:
                entry = json.loads(line)
            except ValueError:  # a line that was broken off
                continue
            if entry.pop("settings", None) == self._settings and set(entry) == names:
                record = VariantRecord(**entry)
                if record.problem == problem:
                    found[record.number] = record
        return found

    def append(self, record: VariantRecord) -> None:
        """Add a variant, in one write."""
        if self._path is None:
            return
        line = json.dumps({"settings": self._settings, **asdict(record)}) + "\n"
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)
