"""Calls for solutions of one pose, or of one region, by closed form: a short way.

To put a request and a general result together takes longer than to solve it. What needs more than
the closed form says goes the general way, which ends in the same compiled code.
"""

import time

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros._core import are_poses
from generative_ik_ros.request import MAX_SEED
from generative_ik_ros.search.branches import Branches, Curves
from generative_ik_ros.search.first_found import FoundForOne
from generative_ik_ros.search.form_call import DONE
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.search.surface_answers import surface_kernel
from generative_ik_ros.search.surfaces import Surfaces

_FLOATS = np.dtype(np.float64)
_POSE, _BATCH_OF_ONE = (4, 4), (1, 4, 4)
_MOST = 1000
"""Solutions that may be wanted: of more the other way takes hardly longer."""


def solved_at_once(
    stages: Stages,
    targets: object,
    wanted: object,
    random_seed: object,
    of_tree: bool = False,
) -> FoundForOne | None:
    """Return the result of a call without further arguments, None if it goes the general way.

    Args:
        stages: The closed form, of poses or of a region, and what verifies it.
        targets: The caller's; what is no array of a pose goes the general way, and so do errors.
        wanted: Likewise, the number of solutions.
        random_seed: Likewise; one solution of many is searched for with any but 0.
        of_tree: Whether the solver is for a tree: of one tip, (1, 4, 4) is a pose, (4, 4) is none.
    """
    start = time.perf_counter()
    if type(targets) is not np.ndarray or targets.dtype is not _FLOATS:
        return None
    shape = targets.shape
    if shape != _BATCH_OF_ONE and (of_tree or shape != _POSE):
        return None
    if type(wanted) is not int or not 0 < wanted <= _MOST:
        return None
    if random_seed is not None and not (type(random_seed) is int and 0 <= random_seed <= MAX_SEED):
        return None
    form = _form_for(stages, wanted, random_seed or 0)
    if form is None or not targets.flags.carray:
        return None
    if isinstance(form, Surfaces):
        pose = targets[None] if shape == _POSE else targets
        return _on_surfaces(stages, form, pose, wanted, start)
    begin = time.perf_counter()
    if isinstance(form, Curves):
        found = form.on_curves(stages, stages.whole).answer_one(targets, wanted)
    else:
        found = form.problem(stages, stages.whole).answer_one(targets, wanted)
    if found is None:
        return None
    notes, positions, errors = found
    if form.turns and notes.item(0) < wanted:
        return None
    if form.more:
        positions = positions[..., : len(form.ones)].copy()
    times = start, begin, time.perf_counter()
    return FoundForOne.made(stages, wanted, notes, positions, errors, times)


def _on_surfaces(
    stages: Stages, form: Surfaces, pose: NDArray[np.float64], wanted: int, start: float
) -> FoundForOne | None:
    """Return the result on the surfaces of a pose (1, 4, 4), None as `solved_at_once`."""
    if not are_poses(pose):
        return None
    notes, n = np.zeros((1, 5), np.int64), len(form.ones)
    positions = np.empty((1, wanted, n + form.more))
    errors = np.empty((1, wanted, 2))
    begin = time.perf_counter()
    surface_kernel(*form.packed(stages, stages.whole), pose, 0, 1, notes, positions, errors)
    count = notes.item(0)
    if notes.item(1) != DONE or not count:
        return None
    positions = positions[..., :n].copy()
    times = start, begin, time.perf_counter()
    return FoundForOne.made(stages, wanted, notes, positions, errors, times)


def _form_for(stages: Stages, wanted: int, random_seed: int) -> Branches | None:
    """Return the closed form that finds so many solutions soonest, None if none does."""
    form = stages.branches
    if form is not None:
        return form if wanted > 1 or form.special else None
    if wanted == 1:
        # A search finds another one with each random seed.
        return None if random_seed else stages.for_one
    form = stages.curves
    if isinstance(form, Surfaces):
        return form if wanted <= form.most_wanted else None
    return form
