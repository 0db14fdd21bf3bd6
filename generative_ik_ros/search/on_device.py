"""Random restarts on a GPU, for all targets of a call at once; what it leaves goes to the CPU."""

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.device.crossover import MEASURING
from generative_ik_ros.device.open import OPENED
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.samplers.base import Sampler
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.search.branches import PackedProblem
from generative_ik_ros.search.budget import budget_of
from generative_ik_ros.search.outcome import DONE, LEFT, Outcome
from generative_ik_ros.search.stages import DeviceUse, Stages
from generative_ik_ros.select.preferences import DIVERSE
from generative_ik_ros.solutions import Timings

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck

Given = tuple[
    PackedProblem, Floats, tuple[Floats, Ints],
    _core.ClosedForm | None, Floats, _core.CollisionWorld | None,
]  # fmt: skip
"""The first argument of a device's calls, see `problem_of`."""
_NONE = np.zeros(0)


def device_use(device: str, sampler: Sampler) -> DeviceUse | None:
    """Return when a solver's calls go to a GPU; None: never.

    Args:
        device: "cpu", "cuda" or "auto".
        sampler: Of the solver. Where it is a model of its own, the device is for that.

    Raises:
        InvalidArgumentError: It is "cuda", and there is none.
    """
    if device == "cpu":
        return None
    if device == "cuda" and OPENED.get() is None:
        if not isinstance(sampler, QuasiRandom):
            return None
        OPENED.require()
    return DeviceUse(device == "cuda")


def serves(stages: Stages, request: SolveRequest) -> bool:
    """Return whether a call may go to a GPU, for which nothing is looked at but its arguments.

    Those for poses of one tip do that say nothing of a seed state or of what comes first. Of an
    arm that is not redundant they want one solution, or branches of a closed form: it has but a
    few.
    """
    use, preferences = stages.device, request.preferences
    if use is None or not stages.makes_seeds or stages.goals or stages.preference is not None:
        return False
    if request.alternatives or request.space is not stages.whole:
        return False
    if request.seed_states is not None or request.seed_state is not None:
        return False
    if preferences.order != DIVERSE or preferences.optimize:
        return False
    size = len(request.targets) * request.num_solutions
    if size == 0 or not (use.always or size >= MEASURING.least):
        return False
    return request.num_solutions == 1 or stages.redundant or _wants_branches(stages, request)


def _wants_branches(stages: Stages, request: SolveRequest) -> bool:
    """Return whether a call wants several branches of a closed form that a GPU has, too."""
    form = stages.branches
    return (
        form is not None
        and 1 < request.num_solutions <= form.form.max_branches
        and request.check is None
        and _core.Device.takes_form(form.form)
    )


def answer(
    stages: Stages,
    request: SolveRequest,
    start: float,
    on_cpu: Callable[[SolveRequest, float], object],
) -> Outcome | None:
    """Return what a GPU finds in a call that began at `start` [s]; None if it is not for it.

    Args:
        stages: What the solver has.
        request: The call, which it `serves`.
        start: Reading of `time.perf_counter` [s].
        on_cpu: Answers a request that began at such a reading on the CPU.
    """
    use, wanted = stages.device, request.num_solutions
    if use is None or not _core.Device.takes(stages.problem):
        return None
    if not (use.always or request.timeout == math.inf or use.crossover.knows(wanted)):
        return None  # to open a device and to measure it takes more time than there may be
    device = OPENED.get()
    if device is None:
        return None
    if request.check is not None and not _core.Device.takes_world(request.check.world):
        return None
    try:
        if not use.always and not _pays(use, device, stages, request, on_cpu):
            return None
        return _found(device, stages, request, start)
    except MemoryError:
        return None  # for the CPU, whose memory holds more
    except RuntimeError as error:
        OPENED.give_up(error)
        return None


def _pays(
    use: DeviceUse,
    device: _core.Device,
    stages: Stages,
    request: SolveRequest,
    on_cpu: Callable[[SolveRequest, float], object],
) -> bool:
    """Return whether a GPU answers the call sooner than the CPU does."""

    def like(poses: Floats) -> SolveRequest:
        return request._replace(targets=poses, timeout=math.inf)

    def poses_of(count: int) -> Floats:
        from generative_ik_ros.robot.random_poses import random_reachable_poses

        return random_reachable_poses(stages.chain, count, 0)

    return use.crossover.pays(
        len(request.targets),
        request.num_solutions,
        poses_of,
        lambda poses: _found(device, stages, like(poses), time.perf_counter()),
        lambda poses: on_cpu(like(poses), time.perf_counter()),
    )


def problem_of(stages: Stages, check: "SceneCheck | None") -> Given:
    """Return what a device takes of chain, limits, closed form and obstacles."""
    branches, world = stages.branches, None if check is None else check.world
    form = None if branches is None else branches.form
    parameters = _NONE if branches is None else branches.parameters
    return stages.problem, stages.whole.box, stages.whole.grid, form, parameters, world


def _found(device: _core.Device, stages: Stages, request: SolveRequest, start: float) -> Outcome:
    """Return what a GPU finds; a target with fewer solutions than are wanted is left."""
    count, wanted = len(request.targets), request.num_solutions
    n, looked_for = stages.chain.num_joints, budget_of(stages, request).looked_for
    if stages.branches is not None and _wants_branches(stages, request):
        looked_for = stages.branches.form.max_branches  # of which the most diverse are chosen
    positions, errors = np.empty((count, looked_for, n)), np.empty((count, looked_for, 2))
    counts, begin = np.zeros(count, np.int64), time.perf_counter()
    rounds, seeds = device.solve(
        problem_of(stages, request.check), request.targets, looked_for, request.random_seed,
        start + request.timeout - begin, positions, errors, counts,
    )  # fmt: skip
    solved, end = counts >= wanted, time.perf_counter()
    notes = np.zeros((count, 5), np.int64)
    notes[:, 0], notes[:, 1] = np.where(solved, wanted, 0), np.where(solved, DONE, LEFT)
    positions[~solved], errors[~solved] = np.nan, np.nan
    if looked_for > 1:
        positions, errors = _in_order(stages, wanted, counts, positions, errors)
    distinct = int(counts[solved].sum())
    work = Timings(
        propose=0.0, refine=end - begin, select=time.perf_counter() - end, total=0.0,
        rounds=rounds, seeds=seeds, null_space_steps=0, exact=distinct, distinct=distinct,
        iterations=0, on_device=int(solved.sum()),
    )  # fmt: skip
    return Outcome(notes, positions, errors, work)


def _in_order(
    stages: Stages, wanted: int, counts: Ints, positions: Floats, errors: Floats
) -> tuple[Floats, Floats]:
    """Return the most diverse solutions of each target, and their errors."""
    chosen = np.full((len(counts), wanted, positions.shape[2]), np.nan)
    chosen_errors = np.full((len(counts), wanted, 2), np.nan)
    solved = (counts >= wanted).nonzero()[0]
    # As many at a time as have the numbers of a large target.
    size = max(1, (1 << 20) // positions.shape[1])
    for i in range(0, len(solved), size):
        some = solved[i : i + size]
        rows = np.concatenate([positions[t, : counts[t]] for t in some])
        ends = np.cumsum(counts[some])
        ranks = _core.diverse_ranks(rows, ends, stages.joints, wanted, _core.ORDER_WORK)
        chosen[some] = np.take_along_axis(positions[some], ranks[..., None], 1)
        chosen_errors[some] = np.take_along_axis(errors[some], ranks[..., None], 1)
    return chosen, chosen_errors
