"""Compiled ascents: configurations climb along their self-motions to where a score is best.

A trial is a step in the null space of the Jacobian, from which the local solver returns to the
pose; eight trials share the vector lanes. `ascent_moves.py` says where it lies.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.compiled import WIDTH
from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.paths.null_space import dot
from generative_ik_ros.refine.goals.rows import GoalRows
from generative_ik_ros.refine.lm_step import Rows, within_tolerances
from generative_ik_ros.refine.local import (
    advance_lanes,
    clear_lanes,
    load_target,
    measure,
    rows_for,
)
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.search.ascent_goals import (
    manipulability_of,
    measure_climbers,
    write_directions,
)
from generative_ik_ros.search.ascent_moves import weigh
from generative_ik_ros.search.ascent_records import Mode, Move, Score
from generative_ik_ros.search.collisions import collision_verdict
from generative_ik_ros.search.goal_problem import GoalProblem
from generative_ik_ros.search.local import box_of, unpacked
from generative_ik_ros.search.problem import Box, Problem
from generative_ik_ros.search.scores import Scale, score_of
from generative_ik_ros.select.verify_kernel import FRAME

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false

_ITERATIONS = 8
"""Most iterations of the local solver for one trial."""
_GOLDEN, _PLASTIC = 0.6180339887498949, 0.7548776662466927


class Ascent(NamedTuple):
    """All that a call of an ascent kernel reads and writes.

    Attributes:
        problem: Chain and tolerances.
        box: Where solutions may lie.
        scale: What scores are measured by.
        poses: (T, 4, 4) targets, tip in base [m]; (T, G, 4, 4) of goals.
        climbers: (S,) CLIMBER records.
        rows: (4, S, n) configurations; those best among the ones known to be free of collisions;
            trials; directions of the last steps, in joint units.
        climb: CLIMB record.
        buffer: The lanes' numbers.
        layout: Where in the buffer they are.
        axes: (m, 6) memory.
        jacobian: (6 G, n) memory.
        basis: (k, n) memory, where k is the dimension of the null space.
        held: (R, G, 18) what regions hold.
        regions: (R, G, 18) regions about the targets of goals; anything for chains.
        near: (S, 4) what is nearest to each climber, see `AddressedCheck`.
    """

    problem: Problem | GoalProblem
    box: Box
    scale: Scale
    poses: NDArray[np.float64]
    climbers: NDArray[np.void]
    rows: NDArray[np.float64]
    climb: np.void
    buffer: NDArray[np.float64]
    layout: Rows | GoalRows
    axes: NDArray[np.float64]
    jacobian: NDArray[np.float64]
    basis: NDArray[np.float64]
    held: NDArray[np.float64]
    regions: NDArray[np.float64]
    near: NDArray[np.int64]


@kernel(error_model="numpy")
def ascend(
    problem_floats, problem_ints, box, scale, poses, held, climbers, rows, climb, basis, mode,
    least, rounds,
):  # fmt: skip
    """Let configurations climb, for so many rounds of trials or until all are over.

    Arrays are passed one by one and put together as in `_core.search`.

    Args:
        problem_floats: A packed Problem.
        problem_ints: Likewise.
        box: (7, n) rows of a Box.
        scale: (6, n) rows of a Scale.
        poses: (T, 4, 4) targets; (T, G, 4, 4) of goals.
        held: (R, G, 18) what the goals' regions hold, see `ascent_goals.opened`; (0, 0, 18).
        climbers: (S,) CLIMBER records; a new one has its target, its value, and 0.
        rows: As in `Ascent`.
        climb: (1,) CLIMB record.
        basis: (k, n) memory.
        mode: A Mode.
        least: Climbers whose radius is below this wait.
        rounds: Most rounds.

    Returns:
        Whether some that do not wait are not over yet.
    """
    problem = unpacked(poses, borrow(problem_floats), borrow(problem_ints))
    n, joints = box.shape[1], problem.verifier.shifts.shape[0]
    layout, count = rows_for(poses, problem.chain), max(held.shape[1], 1)
    slots = max(problem.verifier.slot.max() + 1, 0) if poses.ndim == 4 else 0
    memory = (
        np.empty((joints, 6)), np.empty((6 * count, n)),
        np.empty(layout.end * WIDTH + FRAME * slots),
    )  # fmt: skip
    box, scale, near = borrow(box), borrow(scale), np.full((climbers.shape[0], 4), -1)
    state = Ascent(
        problem,
        box_of(box),
        Scale(scale[0], scale[1], scale[2], scale[3], scale[4], scale[5]),
        borrow(poses), borrow(climbers), borrow(rows), borrow(climb)[0],
        borrow(memory[2]), layout, borrow(memory[0]), borrow(memory[1]), borrow(basis),
        borrow(held), borrow(problem.regions) if poses.ndim == 4 else borrow(held),
        borrow(near),
    )  # fmt: skip
    lanes = np.empty(WIDTH, np.int64)
    going = _rounds(state, borrow(lanes), mode, least, rounds)
    # Until here the memory must be there, which the compiler does not see.
    memory[0][0, 0] = memory[1][0, 0] = memory[2][0] = 0.0
    lanes[0] = near[0, 0] = 0
    return going


@njit(inline="always")
def _rounds(state, lanes, mode, least, rounds):
    climbers = state.climbers
    clear_lanes(state.poses, state.problem.options, state.buffer, state.layout)
    for _ in range(rounds):
        going, s = False, 0
        while s < climbers.shape[0]:
            used = 0
            while s < climbers.shape[0] and used < WIDTH:
                if climbers[s].move != Move.NONE and climbers[s].radius >= least:
                    lanes[used] = s
                    used += 1
                s += 1
            going |= used > 0
            _round(state, lanes[:used], mode)
        if not going or mode == Mode.SCORE:
            return False
    return True


@njit(inline="always")
def _round(state, some, mode):
    """Make a trial of each of at most eight climbers, score it and take it or leave it."""
    if mode != Mode.JUDGE:
        measure_climbers(state.poses, state.held, state, some)
        if mode == Mode.SCORE:
            for lane in range(some.shape[0]):
                # Of other configurations at the same pose the same is often nearest.
                s = some[lane]
                state.climbers[s].value = _score(state, state.rows[0, s], lane, state.near[0])
            return
        for lane in range(some.shape[0]):
            _write_trial(state, some[lane], lane)
        _return_to_poses(state, some.shape[0])
        for lane in range(some.shape[0]):
            _read_trial(state, some[lane], lane)
    if mode == Mode.ASCEND:
        for lane in range(some.shape[0]):
            _score_trial(state, some[lane], lane)
    if mode != Mode.PROPOSE:
        for lane in range(some.shape[0]):
            weigh(state, some[lane])


@njit(inline="always")
def _write_trial(state, s, lane):
    """Write the trial of climber s, a step in the null space, to a lane."""
    climber, buffer, box = state.climbers[s], state.buffer, state.box
    q, heading, basis = state.rows[0, s], state.rows[3, s], state.basis
    units = state.problem.chain.scale
    length = climber.radius
    if climber.move == Move.VERTEX:
        length = climber.vertex
    else:
        write_directions(state.poses, state, q, lane)
        if climber.move >= 0:
            _polled(basis, climber.move // 2, climber.rotations, heading)
            length = length if climber.move % 2 == 0 else -length
        else:
            _along(state.jacobian, basis, heading)
    climber.trials += 1
    for v in range(q.shape[0]):
        x = q[v] + length * heading[v] * units[v]
        buffer[v * WIDTH + lane] = min(max(x, box.soft_lower[v]), box.soft_upper[v])
    load_target(state.poses, state.regions, buffer, state.layout, lane, climber.target)


@inlined
def _polled(basis, a, rotations, heading):
    """Write direction a of the null space's basis, turned `rotations` times.

    The turned basis is the image under a reflection, whose normal changes with every turn.
    """
    count = basis.shape[0]
    if count == 1 or rotations == 0:
        for v in range(heading.shape[0]):
            heading[v] = basis[a, v]
        return
    squared = 0.0
    for b in range(count):
        squared += _normal(rotations, b) ** 2
    for v in range(heading.shape[0]):
        total = basis[a, v]
        for b in range(count):
            share = 2.0 * _normal(rotations, a) * _normal(rotations, b) / squared
            total -= share * basis[b, v]
        heading[v] = total


@inlined
def _normal(rotations, b):
    unit = rotations * _GOLDEN + (b + 1) * _PLASTIC + rotations * (b + 1) * 0.5698402909980532
    return 2.0 * (unit - math.floor(unit)) - 1.0 + 1e-3


@inlined
def _along(jacobian, basis, heading):
    """Turn a direction into the null space, whose complement the Jacobian's rows now span."""
    for r in range(jacobian.shape[0]):
        share = dot(jacobian[r], heading)
        for v in range(heading.shape[0]):
            heading[v] -= share * jacobian[r, v]
    length = math.sqrt(dot(heading, heading))
    for v in range(heading.shape[0]):
        heading[v] = heading[v] / length if length > 0.01 else basis[0, v]


@njit(inline="always")
def _return_to_poses(state, used):
    """Have the local solver bring the trials in the first lanes back to their poses."""
    poses, problem, buffer, layout = state.poses, state.problem, state.buffer, state.layout
    for lane in range(WIDTH):
        buffer[layout.alive * WIDTH + lane] = 1.0 if lane < used else 0.0
    for iteration in range(_ITERATIONS + 1):
        measured = measure(poses, problem.chain, problem.options, buffer, layout)
        moving = False
        for lane in range(used):
            done = within_tolerances(
                problem.options,
                buffer[layout.position_error * WIDTH + lane],
                buffer[layout.orientation_error * WIDTH + lane],
            )
            buffer[layout.alive * WIDTH + lane] = 0.0 if done else 1.0
            moving |= not done
        if not moving or iteration == _ITERATIONS:
            return
        advance_lanes(
            poses, problem.chain, problem.options, buffer, layout, state.box.soft_lower,
            state.box.soft_upper, measured,
        )  # fmt: skip


@njit(inline="always")
def _read_trial(state, s, lane):
    """Take the trial of climber s out of its lane; say whether it is on its pose and inside."""
    climber, box, trial = state.climbers[s], state.box, state.rows[2, s]
    inside = state.buffer[state.layout.alive * WIDTH + lane] == 0.0
    for v in range(trial.shape[0]):
        x = state.buffer[v * WIDTH + lane]
        if math.isinf(box.soft_lower[v]):
            x = _turn_towards(x, box.reference[v], box.lower[v], box.upper[v])
        inside = inside and box.lower[v] <= x <= box.upper[v]
        trial[v] = x
    climber.reached = inside
    climber.trial_verdict = Verdict.FREE


@njit(inline="always")
def _score_trial(state, s, lane):
    """Score a trial, and check what is better than the climber's configuration."""
    climber, trial = state.climbers[s], state.rows[2, s]
    if not climber.reached:
        return
    climber.trial_value = value = _score(state, trial, lane, state.near[s])
    # A clearance above 0 is not enough: from some things more distance is to be kept.
    if value > climber.value:
        climber.trial_verdict = collision_verdict(state.climb, trial)


@njit(inline="always")
def _score(state, q, lane, near):
    if state.climb.score == Score.MANIPULABILITY.value:
        return manipulability_of(state.poses, state, q, lane)
    return score_of(state.climb, state.scale, state.box.reference, q, near)


@inlined
def _turn_towards(q, reference, lower, upper):
    """Turn a joint by full turns to come as near to a reference as its limits allow [rad]."""
    q = q + TURN * np.rint((reference - q) / TURN)
    if q > upper:
        q = q - TURN if q - TURN >= lower else upper
    elif q < lower:
        q = q + TURN if q + TURN <= upper else lower
    return q
