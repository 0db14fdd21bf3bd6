"""The course of an ascent: what a trial's score means, and where the next trial lies.

A step that pays is followed by a further one in its direction. Then the directions of a basis of
the null space are polled both ways, and a bracketed maximum is approached by the parabola through
three points. Where nothing pays the radius shrinks and the basis is turned, so that in the end all
directions are tried (mesh adaptive direct search; C. Audet and J. E. Dennis, Mesh adaptive direct
search algorithms for constrained optimization, SIAM J. Optim. 17, 2006). No derivative is needed,
because two scores have none: the smallest of several distances is not smooth where two are equal,
and that is where its maximum lies.
"""

import numpy as np
from numba import njit

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.compiled import WIDTH
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.search.ascent_records import Move
from generative_ik_ros.search.local import verified

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)

FIRST_RADIUS, LEAST_RADIUS, _LARGEST_RADIUS = 0.25, 2e-3, 0.6
"""Length of a trial's step, in joint units (rad)."""
_GROWTH, _SHRINK, _NEXT_TO_VERTEX = 1.6, 0.35, 0.25
"""What the radius is multiplied by: onward, when nothing pays, and once a vertex was tried."""
_NEGLIGIBLE = 1e-3
"""An ascent ends when all trials around it lose no more than this share of the score: where it is
concave, nothing between them is better by more."""
_MOST_TRIALS = 80


@njit(inline="always")
def weigh(state, s):
    """Take a trial or leave it, and choose the next one."""
    climber, nullity = state.climbers[s], state.basis.shape[0]
    value = climber.trial_value
    if not climber.reached or climber.trial_verdict > Verdict.UNDECIDED:
        value = -np.inf
    if value > climber.value and _is_exact(state, state.rows[2, s], climber.target):
        _take(state, s)
    elif climber.move == Move.ONWARD:
        climber.ahead, climber.ahead_value = climber.radius, value
        _bracketed(climber)
    elif climber.move == Move.VERTEX:
        _poll(climber, _NEXT_TO_VERTEX)
    else:
        climber.lowest = min(climber.lowest, value)
        if climber.move % 2 == 0:
            climber.ahead, climber.ahead_value = climber.radius, value
        else:
            climber.behind, climber.behind_value = -climber.radius, value
        climber.move += 1
        if climber.move == 2 * nullity:
            if climber.value - climber.lowest <= _NEGLIGIBLE * abs(climber.value):
                climber.move = Move.NONE
            elif nullity == 1:
                _bracketed(climber)
            else:
                _poll(climber, _SHRINK)
    if climber.radius < LEAST_RADIUS or climber.trials >= _MOST_TRIALS:
        climber.move = Move.NONE


@inlined
def _is_exact(state, trial, target):
    memory = state.buffer[state.layout.end * WIDTH :]
    _, _, exact = verified(state.poses, state.problem, trial, target, memory)
    return exact


@njit(inline="always")
def _take(state, s):
    """Move a climber to its trial."""
    climber, rows = state.climbers[s], state.rows
    climber.behind, climber.behind_value = -climber.radius, climber.value
    climber.value, climber.verdict = climber.trial_value, climber.trial_verdict
    free = climber.verdict == Verdict.FREE
    if free:
        climber.free_value = climber.value
    backward = climber.move >= 0 and climber.move % 2 == 1
    for v in range(rows.shape[2]):
        rows[0, s, v] = rows[2, s, v]
        if free:
            rows[1, s, v] = rows[2, s, v]
        if backward:
            rows[3, s, v] = -rows[3, s, v]
    if climber.move == Move.VERTEX:
        _poll(climber, _NEXT_TO_VERTEX)
        return
    if climber.move == Move.ONWARD:
        climber.radius = min(_GROWTH * climber.radius, _LARGEST_RADIUS)
    climber.move = Move.ONWARD


@inlined
def _poll(climber, shrink):
    """Have a climber poll all directions again, within a smaller radius."""
    climber.radius *= shrink
    climber.rotations += 1
    climber.move, climber.lowest = 0, np.inf


@inlined
def _bracketed(climber):
    """Have a climber try the vertex of the parabola through its last three points, if it helps."""
    ahead = (climber.ahead_value - climber.value) / climber.ahead
    behind = (climber.behind_value - climber.value) / climber.behind
    curvature = (ahead - behind) / (climber.ahead - climber.behind)
    if -np.inf < curvature < 0.0:
        vertex = 0.5 * (climber.ahead - ahead / curvature)
        vertex = min(max(vertex, 0.9 * climber.behind), 0.9 * climber.ahead)
        if abs(vertex) > 0.05 * climber.radius:
            climber.vertex, climber.move = vertex, Move.VERTEX.value
            return
    _poll(climber, _SHRINK)
