"""Forward kinematics by Rodrigues' formula of eight configurations side by side, compiled.

Like `rodrigues` it shares no code with the local solver, so it has a sine of its own.
"""

import math

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lanes import load, nearest_integer, spread
from generative_ik_ros.robot.rodrigues_kernel import moved, tip_of

# ruff: noqa: ANN001, ANN201  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

_TURN, _REST = 2.0 * math.pi, 2.4492935982947064e-16
"""A full turn, and what is left of it beyond a float64."""
_SINE = tuple((-1.0) ** k / math.factorial(2 * k + 1) for k in range(8))
_VERSINE = tuple((-1.0) ** k / math.factorial(2 * k + 2) for k in range(8))


@inlined
def tip_in_lanes(chain, lanes, first_row):
    """Return what `place_tip` does; variable v is in row `first_row + v` of the lanes."""
    zero, one = spread(0.0), spread(1.0)
    r0, r1, r2, p = (one, zero, zero), (zero, one, zero), (zero, zero, one), (zero, zero, zero)
    for j in range(chain.shifts.shape[0]):
        r0, r1, r2, p = placed_lanes(chain, lanes, first_row, j, r0, r1, r2, p)
    return tip_of(chain, r0, r1, r2, p)


@inlined
def placed_lanes(chain, lanes, first_row, j, r0, r1, r2, p):
    """Do what `placed` does."""
    value = load(lanes, first_row + chain.variable[j]) * chain.multiplier[j] + chain.offset[j]
    sliding = 1.0 if chain.prismatic[j] else 0.0
    sine, versine = sine_and_versine(value * (1.0 - sliding))
    return moved(chain, j, value * sliding, sine, versine, r0, r1, r2, p)


@inlined
def sine_and_versine(angle):
    """Return the sine, and one minus the cosine: Taylor's series of an eighth, doubled thrice."""
    turns = nearest_integer(angle * (1.0 / _TURN))
    x = (angle - turns * _TURN - turns * _REST) * 0.125
    square = x * x
    sine, versine = square * _SINE[7] + _SINE[6], square * _VERSINE[7] + _VERSINE[6]
    for k in (5, 4, 3, 2, 1, 0):
        sine, versine = sine * square + _SINE[k], versine * square + _VERSINE[k]
    sine, versine = sine * x, versine * square
    for _ in range(3):
        sine, versine = 2.0 * sine * (1.0 - versine), 2.0 * sine * sine
    return sine, versine
