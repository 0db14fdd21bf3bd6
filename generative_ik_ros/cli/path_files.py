"""Files of trajectories, which `path` writes, and of paths with or without times, to view."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.trajectories.result import Trajectory

_MALFORMED = ValueError, TypeError, AttributeError, EOFError, RecursionError, BadZipFile, csv.Error


def read_path(file: Path, chain: KinematicChain) -> tuple[Floats, Floats]:
    """Read configurations over time; poses that are not reached are left out.

    Args:
        file: `.csv`, `.jsonl` or `.npz`.
        chain: The chain whose joints are read, by their names.

    Returns:
        (M,) times from 0 [s], those of the file or for an even pace, and (M, n) configurations
        [rad or m].

    Raises:
        InvalidArgumentError: The file cannot be read, lacks a joint, or has no configuration.
    """
    try:
        times, rows = _rows(file, chain.joint_names)
        positions = np.array(rows, dtype=np.float64).reshape(-1, chain.num_joints)
        when = None if times is None else np.array(times, dtype=np.float64)
    except OSError as error:
        raise InvalidArgumentError(f"cannot read '{file}': {error.strerror or error}") from error
    except KeyError as error:
        raise InvalidArgumentError(f"'{file}' has no joint {error}") from None
    except _MALFORMED as error:
        raise InvalidArgumentError(f"'{file}' is no path: {error}") from None
    there = np.isfinite(positions).all(axis=1)
    positions = positions[there]
    if not len(positions):
        raise InvalidArgumentError(f"'{file}' has no configuration")
    if when is None:
        steps = np.linalg.norm(np.diff(positions / chain.joint_units, axis=0), axis=1)
        # An even pace: joints move by 1 rad in a second, or as far in their unit.
        return np.r_[0.0, np.cumsum(steps)], positions
    when = when[there]
    if not (np.isfinite(when).all() and (np.diff(when) > 0.0).all()):
        raise InvalidArgumentError(f"the times in '{file}' do not increase")
    return when - when[0], positions


def _rows(
    file: Path, names: Sequence[str]
) -> tuple[Sequence[float] | None, Sequence[Sequence[float]] | Floats]:
    """Return times, if there are any, and joint positions in the order of `names`."""
    if file.suffix.lower() == ".npz":
        with np.load(file, allow_pickle=False) as content:
            order = {name: k for k, name in enumerate(content["joint_names"].tolist())}
            return None, content["positions"][:, [order[name] for name in names]]
    with file.open(encoding="utf-8", newline="") as stream:
        if file.suffix.lower() == ".jsonl":
            lines = [json.loads(line) for line in stream if line.strip()]
            lines = [line for line in lines if line["positions"] is not None]
            rows = [[line["positions"][name] for name in names] for line in lines]
        else:
            lines = [line for line in csv.DictReader(stream) if line[names[0]]]
            rows = [[float(line[name]) for name in names] for line in lines]
    timed = bool(lines) and "time" in lines[0]
    return [float(line["time"]) for line in lines] if timed else None, rows


def write_trajectory(trajectory: Trajectory, file: Path) -> None:
    """Write the points of a trajectory.

    Columns are time [s], the number of the pose that is passed then, if any, the joints'
    positions [rad or m] by their names, and velocities and accelerations by `NAME.velocity` and
    `NAME.acceleration`. JSON lines have an object for each of the three.

    Args:
        trajectory: The trajectory.
        file: `.csv` or `.jsonl`, which can be written.
    """
    pose: list[int | None] = [None] * len(trajectory.times)
    for number, point in reversed(list(enumerate(trajectory.pose_points.tolist()))):
        pose[point] = number
    values = trajectory.positions, trajectory.velocities, trajectory.accelerations
    try:
        with file.open("w", encoding="utf-8", newline="") as stream:
            if file.suffix.lower() == ".jsonl":
                names = trajectory.joint_names
                for when, number, *rows in zip(
                    trajectory.times.tolist(), pose, *values, strict=True
                ):
                    position, velocity, acceleration = (
                        dict(zip(names, row.tolist(), strict=True)) for row in rows
                    )
                    line = {
                        "time": when, "pose": number, "positions": position,
                        "velocities": velocity, "accelerations": acceleration,
                    }  # fmt: skip
                    stream.write(json.dumps(line) + "\n")
                return
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(["time", "pose", *_columns(trajectory.joint_names)])
            rows = np.hstack(values).tolist()
            for when, number, row in zip(trajectory.times.tolist(), pose, rows, strict=True):
                writer.writerow([when, "" if number is None else number, *row])
    except OSError as error:
        raise InvalidArgumentError(f"cannot write '{file}': {error.strerror}") from error


def _columns(names: tuple[str, ...]) -> list[str]:
    return [name + ending for ending in ("", ".velocity", ".acceleration") for name in names]
