"""Paths through the poses themselves, where the regions about them are too wide to be searched.

A region makes an arm more redundant, so that waves spread over more dimensions and leave more out.
Where there is a path through the poses, it is one through their regions, too, and smoothing makes
it better than that.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.paths.solved import solved
from generative_ik_ros.paths.task import PathTask
from generative_ik_ros.search.goal_stages import RegionsOfGoals
from generative_ik_ros.search.stages import Stages


def with_exact_poses(
    task: PathTask,
    regions: RegionsOfGoals,
    exact: Stages,
    search: Callable[[PathTask], NDArray[np.float64]],
) -> PathTask:
    """Return a task whose `narrower` finds paths through the poses, if all are in their regions.

    Args:
        task: Poses with regions.
        regions: (1, 1) or (B, 1) the regions.
        exact: Refiner and verifier for the poses themselves.
        search: Returns a path (L, n) of a task, as far as one leads.
    """
    refiner = task.stages.refiner
    tolerances = refiner.position_tolerance, refiner.orientation_tolerance
    different = {each[0].key: each[0] for each in regions}
    if not all(region.is_around(*tolerances) for region in different.values()):
        return task

    def narrower() -> NDArray[np.float64]:
        poses = replace(task, stages=exact, targets=np.ascontiguousarray(task.targets[:, 0]))
        path = search(poses)
        inside = solved(task.stages, path, task.targets, np.arange(len(path)))
        return path[: np.append(inside, False).argmin()]

    return replace(task, narrower=narrower)
