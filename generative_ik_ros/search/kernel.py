"""The compiled search: seeds are made, refined, verified and kept one by one, in vector lanes.

Eight seeds are under way at a time. Whatever becomes of one is known to the next: a solution is
verified and kept the moment it is found, its target closes the moment it has enough, and the lane
takes the next seed at once. A lane works for one target as long as there are targets without a
lane; after that it helps another.
"""

import math

import numpy as np
from numba import njit

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.compiled.lanes import WIDTH
from generative_ik_ros.refine.lm_step import clear, errors, rows_of, step
from generative_ik_ros.search.nearest import (
    draw,
    keep_closest,
    keep_nearest,
    settle_nearest,
    turn_inside,
)
from generative_ik_ros.search.policy import choose, record
from generative_ik_ros.search.state import (
    BASE,
    BOUND,
    CLOSED,
    CURSOR,
    DRAW,
    ITERATED,
    ITERATIONS,
    KIND,
    LOADED,
    NO_SEEDS,
    SCOUT,
    TARGET,
    TRIED,
    UNFED,
    WALK,
    Box,
    Closest,
    Seeds,
    Wish,
    unpack,
)
from generative_ik_ros.search.walk import go_on, walk
from generative_ik_ros.select.pool import PoolArrays, find_known, insert, unpack_grid
from generative_ik_ros.select.verify import pose_error

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false

OVER, OUT_OF_STEPS, OUT_OF_SEEDS = 0, 1, 2
"""How a call ends: all targets are closed; it goes on where it was; some targets need seeds."""


@kernel(error_model="numpy")
def search_kernel(
    floats, ints, box, recurrence, grid_floats, grid_ints,
    rows, poses, enough, least, spare,
    positions, position_errors, visits, counts, heads, before,
    counters, steps, closest_positions, closest_errors,
    given, given_row, first_seed, endless, first, last, buffer, table, max_steps,
):  # fmt: skip
    """Search for solutions of some targets until all are closed or something is lacking.

    Arrays come one by one, because a call takes a fifth of the time that way; what belongs
    together is put together here.

    Args:
        floats: Problem, packed.
        ints: Problem, packed.
        box: (6, n) Box.
        recurrence: (2, n) shift and ratios of Seeds.
        grid_floats: Grid of the pool, packed.
        grid_ints: Grid of the pool, packed.
        rows: (T, 7) targets: x y z, quaternion xyzw.
        poses: (T, 4, 4) the same.
        enough: Of Wish.
        least: Of Wish.
        spare: Of Wish.
        positions: Of PoolArrays, as the next five.
        position_errors: Its errors.
        visits: Likewise.
        counts: Likewise.
        heads: Likewise.
        before: Likewise.
        counters: (T, NUM_COUNTERS); changed.
        steps: (T, Q, 2) queue of each target: a solution, and one behind it to step away from.
        closest_positions: Of Closest.
        closest_errors: Of Closest.
        given: Of Seeds.
        given_row: Of Seeds.
        first_seed: Of Seeds.
        endless: Of Seeds.
        first: The first of the targets.
        last: One behind the last of them.
        buffer: Of LaneState.
        table: Of LaneState.
        max_steps: Steps of all lanes before it returns.

    Returns:
        OVER, OUT_OF_STEPS or OUT_OF_SEEDS.
    """
    floats, ints, box, recurrence = borrow(floats), borrow(ints), borrow(box), borrow(recurrence)
    grid_floats, grid_ints = borrow(grid_floats), borrow(grid_ints)
    rows, poses, positions = borrow(rows), borrow(poses), borrow(positions)
    position_errors, visits, counts = borrow(position_errors), borrow(visits), borrow(counts)
    heads, before, counters, steps = borrow(heads), borrow(before), borrow(counters), borrow(steps)
    closest = Closest(borrow(closest_positions), borrow(closest_errors))
    given, given_row, buffer, table = (
        borrow(given),
        borrow(given_row),
        borrow(buffer),
        borrow(table),
    )
    problem = unpack(floats, ints)
    chain, options = problem.chain, problem.options
    bounds = Box(box[0], box[1], box[2], box[3], box[4], box[5])
    seeds = Seeds(given, given_row, first_seed, endless, recurrence[0], recurrence[1])
    wish = Wish(enough, least, spare)
    grid = unpack_grid(grid_floats, grid_ints)
    pool = PoolArrays(grid, positions, position_errors, visits, counts, heads, before)
    n, layout = box.shape[1], rows_of(chain)
    q = np.empty(n)
    if table[CURSOR, 1] == 0:
        clear(buffer, layout, options)
        table[:CURSOR] = -1
        table[CURSOR, 0] = first
        for t in range(first, last):
            squared_distance = 0.0
            for k in range(3):
                squared_distance += (poses[t, k, 3] - problem.verifier.shifts[0, k]) ** 2
            if squared_distance > problem.reach**2:
                counters[t, CLOSED] = 1
    for _ in range(max_steps):
        table[CURSOR, 1] += 1
        tip, position_gap, orientation_gap = errors(chain, buffer, layout)
        active = False
        for lane in range(WIDTH):
            t = table[TARGET, lane]
            # Written only when it changes: a row just written lane by lane is slow to load.
            if buffer[layout.alive * WIDTH + lane] == 0.0:
                buffer[layout.alive * WIDTH + lane] = 1.0
            if t >= 0:
                position = buffer[layout.position_error * WIDTH + lane]
                orientation = buffer[layout.orientation_error * WIDTH + lane]
                table[ITERATIONS, lane] += 1
                iterations = table[ITERATIONS, lane]
                error = (options.position_weight * position) ** 2 + (
                    options.orientation_weight * orientation
                ) ** 2
                done = (
                    options.position_weight == 0.0 or position <= options.position_tolerance
                ) and (
                    options.orientation_weight == 0.0
                    or orientation <= options.orientation_tolerance
                )
                stalled = False
                if iterations % options.stall_window == 0:
                    stalled = error > options.stall_ratio * buffer[layout.end * WIDTH + lane]
                    buffer[layout.end * WIDTH + lane] = error
                closed = counters[t, CLOSED] != 0
                lost = iterations >= options.max_iterations or not error < np.inf
                if not (done or stalled or lost or closed):
                    active = True
                    continue
                counters[t, ITERATED] += iterations
                if not closed:
                    for v in range(n):
                        q[v] = buffer[v * WIDTH + lane]
                    kind, new = table[KIND, lane], False
                    if kind == DRAW:
                        if done and turn_inside(pool, bounds, q):
                            keep_nearest(problem, bounds, closest, poses, t, q)
                    elif done:
                        new = turn_inside(pool, bounds, q) and _keep(problem, pool, poses, t, q)
                        if new and kind == WALK:
                            go_on(counters, steps, t, counts[t] - 1, table[BASE, lane])
                    elif counts[t] == 0:
                        keep_closest(options, closest, t, q, position, orientation)
                    record(counters, t, wish, counts[t], kind, done, new)
                    if kind == DRAW and counters[t, CLOSED]:
                        settle_nearest(problem, pool, closest, poses, counters, t)
                table[TARGET, lane] = -1
            # The errors at hand are the last seed's: the new one must not move by them.
            buffer[layout.alive * WIDTH + lane] = 0.0
            kind = NO_SEEDS
            while kind == NO_SEEDS:
                t = _next_target(table, counters, last, lane)
                if t < 0:
                    break
                kind = choose(counters, t, wish, counts[t], first_seed + given.shape[1], endless)
                counters[t, UNFED] = kind == NO_SEEDS
            if kind < 0:
                continue
            if kind == SCOUT:
                _scout(seeds, bounds, t, counters[t, TRIED], q)
            elif kind == WALK:
                table[BASE, lane] = walk(seeds, bounds, pool, counters, steps, t, q)
            else:
                draw(bounds, pool, closest, counters, t, q)
            for v in range(n):
                buffer[v * WIDTH + lane] = q[v]
            if table[LOADED, lane] != t:
                for k in range(7):
                    buffer[(layout.target + k) * WIDTH + lane] = rows[t, k]
                table[LOADED, lane] = t
            table[TARGET, lane], table[KIND, lane], table[ITERATIONS, lane] = t, kind, 0
            buffer[layout.end * WIDTH + lane] = np.inf
            active = True
        if not active:
            for t in range(first, last):
                if counters[t, CLOSED] == 0:
                    return OUT_OF_SEEDS
            return OVER
        step(
            chain, options, buffer, layout, bounds.soft_lower, bounds.soft_upper,
            tip, position_gap, orientation_gap,
        )  # fmt: skip
    return OUT_OF_STEPS


@njit(forceinline=True)
def _next_target(table, counters, last, lane):
    """Return the target that a free lane works for next, or -1."""
    t = table[BOUND, lane]
    if t >= 0 and _open(counters, t):
        return t
    while table[CURSOR, 0] < last:
        t = table[CURSOR, 0]
        table[CURSOR, 0] += 1
        if _open(counters, t):
            table[BOUND, lane] = t
            return t
    for k in range(1, WIDTH):
        t = table[BOUND, (lane + k) % WIDTH]
        if t >= 0 and _open(counters, t):
            return t
    return -1


@njit(forceinline=True)
def _open(counters, t):
    return counters[t, CLOSED] == 0 and counters[t, UNFED] == 0


@njit(forceinline=True)
def _scout(seeds, box, t, index, q):
    """Write independent seed number `index`, counted from 1, of target t."""
    row = index - 1 - seeds.first
    if 0 <= row < seeds.given.shape[1]:
        for v in range(q.shape[0]):
            q[v] = seeds.given[seeds.row[t], row, v]
        return
    for v in range(q.shape[0]):
        unit = seeds.shift[v] + index * seeds.ratios[v]
        unit -= math.floor(unit)
        q[v] = min(box.lower[v] + unit * (box.upper[v] - box.lower[v]), box.upper[v])


@njit(forceinline=True)
def _keep(problem, pool, poses, t, q):
    """Keep a converged configuration if it is not known and proves true; say whether."""
    known = find_known(pool, t, q)
    if known >= 0:
        pool.visits[t, known] += 1
        return False
    if pool.counts[t] >= pool.positions.shape[1]:
        return False
    position, angle = pose_error(problem.verifier, q, poses[t])
    if not (position <= problem.position_tolerance and angle <= problem.orientation_tolerance):
        return False
    place = insert(pool, t, q)
    pool.errors[t, place, 0], pool.errors[t, place, 1] = position, angle
    return True
