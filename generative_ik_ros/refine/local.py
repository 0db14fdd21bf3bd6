"""The local solver in vector lanes: towards the one tip of a chain, or towards several goals.

`poses` tells which: (T, 4, 4) targets are for the one tip of a KernelChain, whose code is
unrolled; (T, G, 4, 4) targets for the goals of a GoalTree, or for regions. numba knows the
dimension when it compiles, and leaves the other branch out.
"""

from generative_ik_ros.compiled import WIDTH
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.refine import kernel_chain
from generative_ik_ros.refine.goals.measure import measure_goals
from generative_ik_ros.refine.goals.move import step_to_goals
from generative_ik_ros.refine.goals.rows import TARGET_ROWS, goal_rows
from generative_ik_ros.refine.lm_step import (
    clear,
    errors,
    rows_of,
    squared_error,
    step,
)
from generative_ik_ros.robot.region_rows import SIZE

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

_quaternion = inlined(kernel_chain.quaternion)


@inlined
def rows_for(poses, chain):
    """Lay out the lanes' buffer."""
    if poses.ndim == 3:
        return rows_of(chain)
    return goal_rows(chain)


@inlined
def clear_lanes(poses, options, buffer, rows):
    """Fill a buffer whose lanes hold no seed yet with numbers that are safe to compute with."""
    clear(buffer, rows, options)
    if poses.ndim == 4:
        for g in range(poses.shape[1]):
            row = rows.target + TARGET_ROWS * g + 6
            buffer[row * WIDTH : (row + 1) * WIDTH] = 1.0


@inlined
def measure(poses, chain, options, buffer, rows):
    """Compute the errors of the configurations in all lanes, for `advance_lanes`."""
    if poses.ndim == 3:
        return errors(chain, buffer, rows)
    return measure_goals(chain, options, buffer, rows)


@inlined
def advance_lanes(poses, chain, options, buffer, rows, lower, upper, measured):
    """Move the lanes that are alive one step towards their targets, inside the bounds."""
    if poses.ndim == 3:
        tip, position_error, orientation_error = measured
        step(chain, options, buffer, rows, lower, upper, tip, position_error, orientation_error)
    else:
        step_to_goals(chain, options, buffer, rows, lower, upper)


@inlined
def load_target(poses, regions, buffer, rows, lane, t):
    """Write target t, and its region, to a lane's rows of the buffer."""
    if poses.ndim == 3:
        _load_pose(poses[t], buffer, rows.target, lane)
    else:
        region = regions[t if regions.shape[0] > 1 else 0]
        for g in range(poses.shape[1]):
            row = rows.target + TARGET_ROWS * g
            _load_pose(poses[t, g], buffer, row, lane)
            for k in range(SIZE):
                buffer[(row + 7 + k) * WIDTH + lane] = region[g, k]


@inlined
def lane_error(poses, options, buffer, rows, lane, position, orientation):
    """Return the weighted squared error in a lane, of an angle or its chord for one tip."""
    if poses.ndim == 3:
        return squared_error(options, position, orientation)
    return buffer[rows.error * WIDTH + lane]


@inlined
def _load_pose(pose, buffer, row, lane):
    x, y, z, w = _quaternion(pose)
    numbers = (pose[0, 3], pose[1, 3], pose[2, 3], x, y, z, w)
    for k in range(7):
        buffer[(row + k) * WIDTH + lane] = numbers[k]
