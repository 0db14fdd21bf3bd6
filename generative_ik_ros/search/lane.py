"""Seeds in the lanes of the compiled search: how each begins, and what is kept when it ends."""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lanes import WIDTH
from generative_ik_ros.refine.goals.rows import GoalRows
from generative_ik_ros.refine.lm_step import Rows, within_tolerances
from generative_ik_ros.refine.local import lane_error, load_target
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.search.goal_problem import GoalProblem
from generative_ik_ros.search.keeping import keep_solution
from generative_ik_ros.search.local import closeness
from generative_ik_ros.search.null_space import next_step
from generative_ik_ros.search.policy import choose_seed, count_seed
from generative_ik_ros.search.problem import Box, Problem, Seeds
from generative_ik_ros.search.records import SeedKind, StoppingCriteria
from generative_ik_ros.search.towards_seed import (
    is_near,
    keep_nearest,
    seed_between,
    settle_nearest,
)
from generative_ik_ros.search.trace import leads_away, queue_trace
from generative_ik_ros.select.full_turns import turn_towards
from generative_ik_ros.select.pool import PoolArrays

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)


_EASY = 8
"""Restarts without a solution after which a target counts as hard."""
_STRETCHES = 1.0, 1e9, 2.0
"""By what seeds are then stretched from the middle of the limits, in turns: not, to a corner, and
with half of the joints to limits."""
_EASY_TO_TRACE, _STRETCH_OF_TRACES = 16, 1.5
"""Restarts after which every second seed of curves that are traced is stretched, and by what."""
_HOPEFUL = 4.0
"""Squared error of which no more than the share `stall_ratio` may be left at the first look at its
progress; else it is given up, as nine of ten that come to a solution are not."""


class SearchState(NamedTuple):
    """All that a call of the search kernel reads and writes.

    Attributes:
        problem: Chain or goals, and tolerances.
        box: Where to search.
        seeds: Seeds of random restarts.
        criteria: When a search is over.
        pool: The solutions found.
        poses: (T, 4, 4) targets, tip in base [m]; (T, G, 4, 4) for several goals or regions.
        regions: (R, G, 18) regions about the targets of goals; anything for chains.
        targets: (T,) TARGET records.
        queue: (T, Q, 2) null-space steps to take: a solution, and one behind it, or -1 where the
            direction is not known yet.
        closest: (T, n) the configuration closest to each target while there is no solution; the
            nearest solution during the refinement towards the seed state [rad or m].
        lanes: (8,) LANE records.
        buffer: The lanes' numbers.
        rows: Where in the buffer they are.
        run: RUN record.
        q: (n,) memory for one configuration.
        memory: Memory for the verification.
    """

    problem: Problem | GoalProblem
    box: Box
    seeds: Seeds
    criteria: StoppingCriteria
    pool: PoolArrays
    poses: NDArray[np.float64]
    regions: NDArray[np.float64]
    targets: NDArray[np.void]
    queue: NDArray[np.int32]
    closest: NDArray[np.float64]
    lanes: NDArray[np.void]
    buffer: NDArray[np.float64]
    rows: Rows | GoalRows
    run: np.void
    q: NDArray[np.float64]
    memory: NDArray[np.float64]


@njit(inline="always")
def seed_ends(search, lane):
    """Check the seed in a lane after an iteration; if it has ended, keep what it led to.

    Returns:
        Whether it has ended.
    """
    options, buffer, rows = search.problem.options, search.buffer, search.rows
    state = search.lanes[lane]
    target = search.targets[state.target]
    position = buffer[rows.position_error * WIDTH + lane]
    orientation = buffer[rows.orientation_error * WIDTH + lane]
    error = lane_error(search.poses, options, buffer, rows, lane, position, orientation)
    converged = within_tolerances(options, position, orientation)
    state.iterations += 1
    stalled = False
    if state.iterations % options.stall_window == 0:
        stalled = error > options.stall_ratio * state.past_error
        state.past_error = error
    failed = state.iterations >= options.max_iterations or not error < np.inf
    if not (converged or stalled or failed or target.closed):
        return False
    target.iterations += state.iterations
    if not target.closed:
        for v in range(search.q.shape[0]):
            search.q[v] = buffer[v * WIDTH + lane]
        if not converged:
            error = closeness(search.poses, options, position, orientation, error)
        _keep_outcome(search, state, target, error, converged)
    return True


@njit(inline="always")
def _keep_outcome(search, state, target, error, converged):
    """Keep the configuration `q` that a seed has led to as far as it is of use, and count it."""
    pool, closest = search.pool, search.closest
    t, q, kind, new = state.target, search.q, state.kind, False
    inside = converged and _turn_inside(pool, search.box, q)
    if kind == SeedKind.TOWARDS_SEED_STATE:
        if inside:
            keep_nearest(search, target, t, state.pose, q)
    elif converged:
        before, poses = pool.counts[t], search.poses
        away = inside and leads_away(search, poses, target, t, kind, q)
        # Near what is known, the first of those wanted and what shows a direction are kept.
        lacking = target.usable < search.criteria.wanted
        shows = kind == SeedKind.NULL_SPACE and state.base < 0
        if inside and (away or lacking or shows):
            new = keep_solution(search, target, t, state.pose, q)
        place = before if pool.counts[t] > before else -1
        if place >= 0 and search.criteria.min_restarts > 0:
            target.near |= is_near(search, t, place)
        queue_trace(search, poses, target, t, kind, state.base, place, away)
        new = new and (away or lacking)
    elif pool.counts[t] == 0:
        _keep_closest(target, closest, t, q, error)
    count_seed(target, search.criteria, pool.counts[t], kind, converged, new)
    if kind == SeedKind.TOWARDS_SEED_STATE and target.closed:
        settle_nearest(search, target, closest[t], t)


@njit(inline="always")
def seed_begins(search, lane):
    """Give a free lane its next seed; say whether there was one."""
    buffer, rows, state = search.buffer, search.rows, search.lanes[lane]
    # The errors at hand are the last seed's: the new one must not move by them.
    buffer[rows.alive * WIDTH + lane] = 0.0
    kind = SeedKind.NONE_LEFT
    t = -1
    while kind == SeedKind.NONE_LEFT:
        t = _next_target(search, lane)
        if t < 0:
            return False
        given = search.seeds.before + search.seeds.given.shape[1]
        kind = choose_seed(
            search.targets[t], search.criteria, search.pool.counts[t], given, search.seeds.endless
        )
        search.targets[t].needs_seeds = kind == SeedKind.NONE_LEFT
    if kind == SeedKind.NONE_NEEDED:
        return False
    _write_seed(search, state, search.targets[t], t, kind)
    for v in range(search.q.shape[0]):
        buffer[v * WIDTH + lane] = search.q[v]
    state.pose = _pose_for(search, state, search.targets[t], t, kind)
    if state.loaded != state.pose:
        load_target(search.poses, search.regions, buffer, rows, lane, state.pose)
        state.loaded = state.pose
    state.target, state.kind, state.iterations, state.past_error = t, kind, 0, np.inf
    if kind == SeedKind.RESTART and _gives_up_soon(search, search.targets[t], t):
        state.past_error = _HOPEFUL
    return True


@inlined
def _gives_up_soon(search, target, t):
    """Say whether restarts that come to nothing cost more than some that would are worth."""
    # Errors of several tips, or of other regions, are another matter.
    if search.poses.ndim == 3:
        return _is_hard(search.pool, target, t)
    return search.criteria.traced and search.pool.counts[t] > 0


@njit(inline="always")
def _write_seed(search, state, target, t, kind):
    """Write target t's next seed of some kind to `q`."""
    box, seeds, pool, q = search.box, search.seeds, search.pool, search.q
    if kind == SeedKind.RESTART:
        _write_restart(seeds, box, pool, target, t, q, search.criteria.traced)
    elif kind == SeedKind.NULL_SPACE:
        state.base = next_step(seeds, box, pool, target, search.queue, t, search.run.step, q)
    else:
        seed_between(search, target, t, q)


@inlined
def _pose_for(search, state, target, t, kind):
    """Return the pose that a seed is for; restarts take the poses of a goal set in turns."""
    if search.run.alternatives == 0:
        return t
    if kind == SeedKind.RESTART:
        return (target.restarts - 1) % search.run.alternatives
    base = target.nearest
    if kind == SeedKind.NULL_SPACE:
        base = state.base if state.base >= 0 else -1 - state.base
    return int(search.pool.errors[t, base, 3])


@njit(inline="always")
def _next_target(search, lane):
    """Return the target that a free lane works for next, or -1.

    A lane works for one target as long as there are targets without a lane; after that it helps
    the lanes beside it with theirs.
    """
    lanes, run = search.lanes, search.run
    t = lanes[lane].bound
    if t >= 0 and _is_open(search.targets[t]):
        return t
    while run.next_target < run.last:
        t = run.next_target
        run.next_target += 1
        if _is_open(search.targets[t]):
            lanes[lane].bound = t
            return t
    for k in range(1, WIDTH):
        t = lanes[(lane + k) % WIDTH].bound
        if t >= 0 and _is_open(search.targets[t]):
            return t
    return -1


@inlined
def _is_open(target):
    return not target.closed and not target.needs_seeds


@inlined
def _is_hard(pool, target, t):
    return pool.counts[t] == 0 and target.restarts > _EASY


@inlined
def _write_restart(seeds, box, pool, target, t, q, traced):
    """Write the seed of target t's latest random restart; restarts count from 1.

    Solutions with joints at limits are the ones that are hard to find, and from seeds at limits
    they are found up to fifty times as often.
    """
    index = target.restarts
    row = index - 1 - seeds.before
    if 0 <= row < seeds.given.shape[1]:
        for v in range(q.shape[0]):
            q[v] = seeds.given[target.seed_row, row, v]
        return
    stretch = _STRETCHES[index % len(_STRETCHES)] if _is_hard(pool, target, t) else 1.0
    if traced and pool.counts[t] > 0 and index > _EASY_TO_TRACE and index % 2:
        # Curves that are not traced yet are short ones, in corners of the limits.
        stretch = _STRETCH_OF_TRACES
    for v in range(q.shape[0]):
        unit = seeds.shift[v] + index * seeds.ratios[v]
        unit -= math.floor(unit)
        # With more than a turn of range a joint passes its limits' angles elsewhere, too.
        if not pool.grid.circular[v] and box.upper[v] - box.lower[v] <= TURN:
            unit = min(max(0.5 + stretch * (unit - 0.5), 0.0), 1.0)
        q[v] = min(box.lower[v] + unit * (box.upper[v] - box.lower[v]), box.upper[v])


@inlined
def _turn_inside(pool, box, q):
    """Turn circular joints as near to the reference as limits allow; say whether q is inside."""
    for v in range(q.shape[0]):
        if pool.grid.circular[v]:
            q[v] = turn_towards(q[v], box.reference[v], box.lower[v], box.upper[v])
        if not box.lower[v] <= q[v] <= box.upper[v]:
            return False
    return True


@inlined
def _keep_closest(target, closest, t, q, error):
    """Keep a configuration that is no solution if it is closer to the target than all before."""
    if error < target.closest_error:
        target.closest_error = error
        for v in range(q.shape[0]):
            closest[t, v] = q[v]
