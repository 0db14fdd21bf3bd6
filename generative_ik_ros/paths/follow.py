"""Following of poses along many tracks at once, in threads."""

import math
import time

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled import WIDTH
from generative_ik_ros.parallel import for_each
from generative_ik_ros.paths.follow_kernel import follow_kernel
from generative_ik_ros.paths.records import LANE, TRACK
from generative_ik_ros.paths.task import PathTask
from generative_ik_ros.search.records import RunStatus, new_records
from generative_ik_ros.search.timing import next_steps

# A type checker does not see what compiled code takes.
# pyright: reportCallIssue=false

_SHORT = 256
"""Tracks of a single pose that a thread takes at a time."""


def follow(
    task: PathTask,
    tracks: NDArray[np.void],
    current: NDArray[np.float64],
    seeds: NDArray[np.float64],
    positions: NDArray[np.float64],
    edges: NDArray[np.int64],
) -> None:
    """Follow poses along tracks; the arguments are those of `follow_kernel`.

    A track that time did not suffice for is still UNDER_WAY.
    """
    size = _SHORT if (tracks["left"] == 1).all() else WIDTH
    pieces = [slice(i, i + size) for i in range(0, len(tracks), size)]

    def work(piece: slice) -> None:
        run, _owner = task.new_run()
        lanes = new_records(WIDTH, LANE)
        buffer = np.empty(task.stages.buffer_size + task.num_joints)
        status, begin, left = RunStatus.OUT_OF_STEPS, time.perf_counter(), math.inf
        steps = next_steps(0, 0.0, task.deadline - begin)
        while status == RunStatus.OUT_OF_STEPS and begin < task.deadline:
            status = follow_kernel(
                *task.stages.tracking, task.bounds, task.targets, tracks[piece], current[piece],
                seeds[piece], positions, edges, lanes, buffer, run, steps,
            )  # fmt: skip
            end = time.perf_counter()
            left = task.deadline - end
            steps, begin = next_steps(steps, end - begin, left), end

    for_each(work, pieces, task.deadline)


def new_tracks(count: int) -> NDArray[np.void]:
    """Return TRACK records of zeros."""
    return new_records(count, TRACK)
