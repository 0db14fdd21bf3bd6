"""Compiled following of poses: eight tracks at a time, in vector lanes.

A track follows poses one by one from a configuration: the solution of each pose is the seed of the
next. It ends where no solution is found, where a joint would move further than a step, or where
the motion collides. Motions that spheres cannot tell go on; who uses the track decides on them.
"""

import numpy as np
from numba import njit

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.compiled import WIDTH
from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.paths.motion_check import motion_verdict
from generative_ik_ros.paths.records import Ending
from generative_ik_ros.refine.lm_step import within_tolerances
from generative_ik_ros.refine.local import (
    advance_lanes,
    clear_lanes,
    lane_error,
    load_target,
    measure,
    rows_for,
)
from generative_ik_ros.search.local import unpacked, verified
from generative_ik_ros.search.records import RunStatus

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false


@kernel(error_model="numpy")
def follow_kernel(
    problem_floats, problem_ints, bounds, poses, tracks, current, seeds, positions, edges,
    lanes, buffer, run, max_steps,
):  # fmt: skip
    """Follow poses along some tracks until all have ended.

    Args:
        problem_floats: A packed Problem, or GoalProblem for regions.
        problem_ints: Likewise.
        bounds: (4, n) joint limits, lower and upper, infinite for continuous joints; largest step
            from a pose to the next; largest motion between two checks [rad or m].
        poses: (B, 4, 4) tip in base [m]; (B, 1, 4, 4) with regions.
        tracks: (J,) TRACK records.
        current: (J, n) where each track is, to begin with and in the end [rad or m].
        seeds: (J, n) from where each one's first pose is solved; in the end, for a track that
            ended in collision, where its last motion led.
        positions: (R, n) out: configurations, in the rows that the tracks name.
        edges: (E,) out: Verdicts on the motions, likewise.
        lanes: (8,) LANE records.
        buffer: Memory: the rows of `rows_for`, 2 n more, and what the verification needs.
        run: RUN record.
        max_steps: Steps of all lanes after which the call returns.

    Returns:
        A RunStatus.
    """
    problem = unpacked(poses, borrow(problem_floats), borrow(problem_ints))
    targets = borrow(poses)
    if poses.ndim == 3:
        regions = targets
    else:
        regions = problem.regions
    bounds, tracks, lanes = borrow(bounds), borrow(tracks), borrow(lanes)
    current, seeds, positions = borrow(current), borrow(seeds), borrow(positions)
    edges, buffer, run = borrow(edges), borrow(buffer), borrow(run)[0]
    chain, options, rows = problem.chain, problem.options, rows_for(targets, problem.chain)
    n, used = bounds.shape[1], rows.end * WIDTH
    q, point = buffer[used : used + n], buffer[used + n : used + 2 * n]
    memory = buffer[used + 2 * n :]
    if not run.begun:
        clear_lanes(targets, options, buffer, rows)
        for lane in range(WIDTH):
            lanes[lane].track = -1
        run.begun = True
    for _ in range(max_steps):
        measured = measure(targets, chain, options, buffer, rows)
        active = False
        for lane in range(WIDTH):
            # Written only when it changes: a row just written lane by lane is slow to load.
            if buffer[rows.alive * WIDTH + lane] == 0.0:
                buffer[rows.alive * WIDTH + lane] = 1.0
            j = lanes[lane].track
            if j >= 0:
                ending = _look(targets, problem, rows, buffer, lanes[lane], lane)
                if ending == Ending.UNDER_WAY:
                    active = True
                    continue
                for v in range(n):
                    q[v] = buffer[v * WIDTH + lane]
                ending = _advance(
                    problem, bounds, targets, tracks[j], current[j], seeds[j], positions, edges,
                    run, q, point, memory, ending,
                )  # fmt: skip
                if ending == Ending.UNDER_WAY:
                    _load(targets, regions, tracks[j], lanes[lane], rows, buffer, lane)
                    active = True
                    continue
                tracks[j].ending = ending
                lanes[lane].track = -1
            if run.next_track < tracks.shape[0]:
                j = run.next_track
                run.next_track += 1
                lanes[lane].track = j
                for v in range(n):
                    buffer[v * WIDTH + lane] = seeds[j, v]
                _load(targets, regions, tracks[j], lanes[lane], rows, buffer, lane)
                active = True
        if not active:
            return RunStatus.OVER.value
        advance_lanes(targets, chain, options, buffer, rows, bounds[0], bounds[1], measured)
    return RunStatus.OUT_OF_STEPS.value


@inlined
def _look(poses, problem, rows, buffer, state, lane):
    """Say whether the seed in a lane has converged (COMPLETE), failed, or is under way."""
    options = problem.options
    position = buffer[rows.position_error * WIDTH + lane]
    orientation = buffer[rows.orientation_error * WIDTH + lane]
    if within_tolerances(options, position, orientation):
        return Ending.COMPLETE.value
    error = lane_error(poses, options, buffer, rows, lane, position, orientation)
    state.iterations += 1
    failed = state.iterations >= options.max_iterations or not error < np.inf
    if state.iterations % options.stall_window == 0:
        failed = failed or error > options.stall_ratio * state.past_error
        state.past_error = error
    return Ending.UNREACHED.value if failed else Ending.UNDER_WAY.value


@njit(inline="always")
def _advance(
    problem, bounds, poses, track, current, seed, positions, edges, run, q, point, memory, ending
):  # fmt: skip
    """Take the step to the configuration q if it may be taken; say how the track goes on."""
    if ending == Ending.UNREACHED:
        return ending
    _, _, exact = verified(poses, problem, q, track.pose, memory)
    if not exact:
        return Ending.UNREACHED.value
    for v in range(q.shape[0]):
        if not abs(q[v] - current[v]) <= bounds[2, v]:
            return Ending.TOO_FAR.value
    verdict = motion_verdict(run, current, q, bounds[3], point)
    if verdict >= Verdict.INSIDE:
        for v in range(q.shape[0]):
            seed[v] = q[v]
        return Ending.COLLIDING.value
    for v in range(q.shape[0]):
        current[v] = q[v]
        positions[track.row, v] = q[v]
    edges[track.edge] = verdict
    track.row += track.direction
    track.edge += track.direction
    track.pose += track.direction
    track.reached += 1
    track.left -= 1
    return Ending.UNDER_WAY.value if track.left > 0 else Ending.COMPLETE.value


@inlined
def _load(poses, regions, track, state, rows, buffer, lane):
    """Give a lane its track's next pose."""
    # The errors at hand are of the last pose: the configuration must not move by them.
    buffer[rows.alive * WIDTH + lane] = 0.0
    load_target(poses, regions, buffer, rows, lane, track.pose)
    state.iterations, state.past_error = 0, np.inf
