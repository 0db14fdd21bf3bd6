"""The compiled local solver for given seeds: Levenberg-Marquardt in eight SIMD lanes.

Each lane is at an iteration of its own: one whose seed has converged or stalled takes the next
seed at once.
"""

import math

import numpy as np

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.compiled.lanes import WIDTH
from generative_ik_ros.refine.lm_step import within_tolerances
from generative_ik_ros.refine.local import (
    advance_lanes,
    borrowed,
    clear_lanes,
    lane_error,
    load_target,
    measure,
    rows_for,
)

# ruff: noqa: ANN001, ANN202  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false

# Marquardt's rule: damping after a good and after a bad step, and when to stop.
_LESS, _MORE, _MOST = 0.2, 8.0, 1e8
_NO_PROGRESS = 1e-12


@kernel(error_model="numpy")
def refine_kernel(
    chain, options, thorough, lower, upper, poses, regions, target_of_seed, wanted, seeds,
    positions, position_error, orientation_error, converged, iterations,
):  # fmt: skip
    """Refine a run of seeds and write where each of them ended.

    Args:
        chain: KernelChain of m joints and n variables, or GoalTree.
        options: KernelOptions.
        thorough: Whether to follow a seed all the way to its local minimum: a step that makes
            the error worse is taken back and the damping raised (Marquardt's rule).
        lower: (n,) bounds of the variables; may be infinite.
        upper: (n,) likewise.
        poses: (T, 4, 4) tip in base [m]; (T, G, 4, 4) for a GoalTree.
        regions: (R, G, 18) regions about the targets, for a GoalTree.
        target_of_seed: (S,) index of each seed's target.
        wanted: (T,) once so many seeds of a target have converged, its other seeds are left out.
        seeds: (S, n) start configurations inside the bounds; may be the same as `positions`.
        positions: (S, n) out: where each seed ended.
        position_error: (S,) out [m].
        orientation_error: (S,) out [rad], measured as the chord 2 sin(angle / 2).
        converged: (S,) out: both errors within their tolerances.
        iterations: (S,) out; 0 marks a seed that was left out.
    """
    chain = borrowed(poses, chain)
    lower, upper, regions = borrow(lower), borrow(upper), borrow(regions)
    n, rows = lower.shape[0], rows_for(poses, chain)
    memory = np.empty(rows.end * WIDTH)
    buffer = borrow(memory)
    clear_lanes(poses, options, buffer, rows)
    lane_seed = np.full(WIDTH, -1)
    lane_iterations = np.zeros(WIDTH, np.int64)
    lane_past_error = np.zeros(WIDTH)
    lane_taken_back = np.zeros(WIDTH, np.bool_)
    found = np.zeros(poses.shape[0], np.int64)
    next_seed, active = 0, 0
    while True:
        measured = measure(poses, chain, options, buffer, rows)
        for lane in range(WIDTH):
            seed = lane_seed[lane]
            buffer[rows.alive * WIDTH + lane] = 1.0
            if seed >= 0:
                position = buffer[rows.position_error * WIDTH + lane]
                orientation = buffer[rows.orientation_error * WIDTH + lane]
                angle = orientation
                if thorough:
                    # The rotation vector, not its chord: its square has the gradient J^T e.
                    angle = 2.0 * math.asin(min(1.0, 0.5 * orientation))
                    stretch = angle / orientation if orientation > 1e-12 else 1.0
                    buffer[rows.stretch * WIDTH + lane] = stretch
                error = lane_error(poses, options, buffer, rows, lane, position, angle)
                done = within_tolerances(options, position, orientation)
                lane_iterations[lane] += 1
                target = target_of_seed[seed]
                given_up = (
                    lane_iterations[lane] >= options.max_iterations
                    or not error < np.inf
                    or found[target] >= wanted[target]
                )
                worse = False
                if thorough:
                    worse, settled = _marquardt(
                        options, buffer, rows, lane, lane_past_error, lane_taken_back, error, done
                    )
                    given_up |= settled
                elif lane_iterations[lane] % options.stall_window == 0:
                    given_up |= error > options.stall_ratio * lane_past_error[lane]
                    lane_past_error[lane] = error
                if worse:
                    for v in range(n):
                        buffer[v * WIDTH + lane] = positions[seed, v]
                elif thorough or done or given_up:
                    for v in range(n):
                        positions[seed, v] = buffer[v * WIDTH + lane]
                    position_error[seed], orientation_error[seed] = position, orientation
                if not (done or given_up):
                    continue
                converged[seed] = done
                iterations[seed] = lane_iterations[lane]
                found[target] += done
                active -= 1
                lane_seed[lane] = -1
            # The errors at hand are the last seed's: the new one must not move by them.
            buffer[rows.alive * WIDTH + lane] = 0.0
            while next_seed < seeds.shape[0] and (
                found[target_of_seed[next_seed]] >= wanted[target_of_seed[next_seed]]
            ):
                next_seed += 1
            if next_seed < seeds.shape[0]:
                target = target_of_seed[next_seed]
                for v in range(n):
                    buffer[v * WIDTH + lane] = seeds[next_seed, v]
                load_target(poses, regions, buffer, rows, lane, target)
                lane_seed[lane], lane_iterations[lane] = next_seed, 0
                lane_past_error[lane], lane_taken_back[lane] = np.inf, False
                buffer[rows.damping * WIDTH + lane] = options.damping
                next_seed += 1
                active += 1
        if active == 0:
            # Until here the buffer must be there, which the compiler does not see.
            memory[0] = 0.0
            return
        advance_lanes(poses, chain, options, buffer, rows, lower, upper, measured)


@inlined
def _marquardt(options, buffer, rows, lane, past_errors, taken_back, error, done):
    """Adapt a lane's damping to its last step.

    `past_errors` (8,) are squared errors before the last step of each lane; where that step was
    taken back, this is a second measurement of the same configuration.

    Returns:
        Whether the step is to be taken back, and whether no further one is worth a try.
    """
    damping, past = buffer[rows.damping * WIDTH + lane], past_errors[lane]
    worse, settled = False, False
    if taken_back[lane]:
        taken_back[lane] = False
    elif not done and not error < past:
        worse, settled = True, damping > _MOST
        taken_back[lane] = True
        buffer[rows.damping * WIDTH + lane] = damping * _MORE
        buffer[rows.alive * WIDTH + lane] = 0.0
    else:
        settled = past - error < _NO_PROGRESS * error
        past_errors[lane] = error
        buffer[rows.damping * WIDTH + lane] = max(damping * _LESS, options.damping)
    return worse, settled
