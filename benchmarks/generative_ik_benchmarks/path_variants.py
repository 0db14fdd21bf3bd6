"""Path problems with their obstacles moved at random, and the file of what was found of them."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from generative_ik_benchmarks.collision_oracle import Solid
from generative_ik_benchmarks.path_oracle import shifted
from generative_ik_benchmarks.path_problems import PathProblem

SHIFT = 0.1
"""How far a box is moved along each axis at most [m]."""
_CUBE = 0.15
"""Edge of the cube that problems without obstacles get [m]."""
_AWAY = (0.15, 0.4)
"""How far its centre is from a pose of the path [m]."""


def moved_obstacles(problem: PathProblem, number: int, seed: int) -> tuple[Solid, ...]:
    """Return the obstacles of a variant of a problem.

    Each box is moved. A problem without boxes gets a cube near one of its poses.

    Args:
        problem: The problem.
        number: Which variant.
        seed: Of all variants.
    """
    rng = np.random.default_rng([seed, number])
    if problem.obstacles:
        by = rng.uniform(-SHIFT, SHIFT, (len(problem.obstacles), 3))
        return shifted(problem.obstacles, by)
    way = rng.normal(size=3)
    pose = np.eye(4)
    pose[:3, 3] = problem.targets[rng.integers(len(problem.targets)), :3, 3]
    pose[:3, 3] += rng.uniform(*_AWAY) * way / np.linalg.norm(way)
    return (Solid("cube", "box", (_CUBE,) * 3, pose),)


@dataclass(frozen=True)
class VariantRecord:
    """What was found of one variant.

    Attributes:
        problem: The problem's name.
        number: Which variant.
        seconds: Time of our call [s].
        complete: Whether we say that the path reaches every pose.
        timed_out: Whether the deadline ended our search.
        faults: What the oracle finds wrong with the path as far as it goes; "" for nothing.
        valid: Whether the oracle finds it valid.
        between: Its steps on whose way something collides at the oracle's finer resolution.
        length: Its length, in `joint_units`.
        solvable: Whether the dense graph has a path that the oracle finds valid.
        graph: Why it has none; "" if it has one.
        graph_seconds: Time of its search [s].
    """

    problem: str
    number: int
    seconds: float
    complete: bool
    timed_out: bool
    faults: str
    valid: bool
    between: int
    length: float
    solvable: bool
    graph: str
    graph_seconds: float


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
