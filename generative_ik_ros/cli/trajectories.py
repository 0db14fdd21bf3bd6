"""Files of trajectories: comma-separated text or JSON lines, a line for each point in time."""

import csv
import json
from pathlib import Path

import numpy as np

from generative_ik_ros.cli.console import check_writable
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.trajectories.result import Trajectory

_ENDINGS = (".csv", ".jsonl")


def check_trajectory_path(file: Path) -> None:
    """Check that a trajectory can be written to a file, before anything is computed for it.

    Raises:
        InvalidArgumentError: The ending is no known one, or the path cannot be written.
    """
    check_writable(file, _ENDINGS)


def write_trajectory(trajectory: Trajectory, file: Path) -> None:
    """Write the points of a trajectory.

    Columns are time [s], the number of the pose that is passed then, if any, the joints'
    positions [rad or m] by their names, and velocities and accelerations by `NAME.velocity` and
    `NAME.acceleration`. JSON lines have an object for each of the three.

    Args:
        trajectory: The trajectory.
        file: A path that `check_trajectory_path` accepts.

    Raises:
        InvalidArgumentError: The file cannot be written (any more).
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
