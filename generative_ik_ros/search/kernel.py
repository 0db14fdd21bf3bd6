"""The compiled search: seeds are made, refined, verified and kept one by one, in vector lanes.

Eight seeds are under way at a time. What one leads to is known to the next: a solution is verified
and kept as soon as it is found, its target closes as soon as it has enough, and the lane takes the
next seed at once.

The search for poses of one tip is the native core's (core/src/search). What is here serves several
tips and regions.
"""

from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray

from generative_ik_ros import _core
from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.compiled.lanes import WIDTH
from generative_ik_ros.refine.local import advance_lanes, clear_lanes, measure, rows_for
from generative_ik_ros.search.lane import SearchState, seed_begins, seed_ends
from generative_ik_ros.search.local import out_of_reach, unpacked
from generative_ik_ros.search.problem import Seeds, box_of
from generative_ik_ros.search.records import RunStatus, StoppingCriteria
from generative_ik_ros.select.pool import pool_of

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false


def search_for(poses: NDArray[np.float64]) -> Callable[..., int]:
    """Return the search for poses (T, 4, 4) of one tip, or for (T, G, 4, 4) goals.

    Both take what `search_kernel` takes.
    """
    return _core.search if poses.ndim == 3 else search_kernel


@kernel(error_model="numpy")
def search_kernel(
    problem_floats, problem_ints, box, recurrence, poses,
    grid_floats, grid_ints, positions, position_errors, visits, counts, heads, before,
    targets, queue, closest, given, lanes, buffer, run, max_steps,
):  # fmt: skip
    """Search for solutions of some targets until all are closed or something is lacking.

    Arrays are passed one by one, because tuples of arrays take several times as long to pass;
    what belongs together is put together here: a packed Problem, or GoalProblem if poses are
    (T, G, 4, 4), the rows of a Box, shift and ratios of Seeds, what `pool_of` takes, and the
    rest of a SearchState.

    Returns:
        A RunStatus; OUT_OF_STEPS after `max_steps` steps of all lanes.
    """
    problem = unpacked(poses, borrow(problem_floats), borrow(problem_ints))
    pool = pool_of(
        grid_floats, grid_ints, positions, position_errors, visits, counts, heads, before
    )
    box, recurrence, buffer, run = borrow(box), borrow(recurrence), borrow(buffer), borrow(run)[0]
    if poses.ndim == 3:
        regions = borrow(poses)
    else:
        regions = problem.regions
    rows, n = rows_for(poses, problem.chain), box.shape[1]
    memory = buffer[rows.end * WIDTH :]
    search = SearchState(
        problem,
        box_of(box),
        Seeds(borrow(given), run.seeds_before, run.endless, recurrence[0], recurrence[1]),
        StoppingCriteria(
            run.num_solutions, run.wanted, run.min_restarts, problem.redundant, run.persistence,
            run.most_restarts, run.traced and problem.redundant,
        ),
        pool, borrow(poses), regions, borrow(targets), borrow(queue), borrow(closest),
        borrow(lanes), buffer, rows, run, memory[:n], memory[n:],
    )  # fmt: skip
    return _iterate(search, max_steps)


@inlined
def _iterate(search, max_steps):
    """Iterate the seeds in all lanes, and replace those that have ended."""
    poses, problem, box, lanes = search.poses, search.problem, search.box, search.lanes
    buffer, rows = search.buffer, search.rows
    if not search.run.begun:
        _begin(search)
    for _ in range(max_steps):
        measured = measure(poses, problem.chain, problem.options, buffer, rows)
        active = False
        for lane in range(WIDTH):
            # Written only when it changes: a row just written lane by lane is slow to load.
            if buffer[rows.alive * WIDTH + lane] == 0.0:
                buffer[rows.alive * WIDTH + lane] = 1.0
            if lanes[lane].target >= 0:
                if not seed_ends(search, lane):
                    active = True
                    continue
                lanes[lane].target = -1
            if seed_begins(search, lane):
                active = True
        if not active:
            return _status(search)
        advance_lanes(
            poses, problem.chain, problem.options, buffer, rows, box.soft_lower, box.soft_upper,
            measured,
        )  # fmt: skip
    return RunStatus.OUT_OF_STEPS.value


@njit(inline="always")
def _begin(search):
    """Prepare lanes that have no seed yet, and close the targets that are out of reach."""
    clear_lanes(search.poses, search.problem.options, search.buffer, search.rows)
    for lane in range(WIDTH):
        state = search.lanes[lane]
        state.target = state.loaded = state.bound = -1
    if search.run.alternatives == 0:
        for t in range(search.run.first, search.run.last):
            if out_of_reach(search.poses, search.problem, t):
                search.targets[t].closed = True
    search.run.begun = True


@njit(inline="always")
def _status(search):
    """Say why no lane has a seed."""
    for t in range(search.run.first, search.run.last):
        if not search.targets[t].closed:
            return RunStatus.OUT_OF_SEEDS.value
    return RunStatus.OVER.value
