"""Forward kinematics by Rodrigues' formula of eight configurations side by side, compiled."""

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lane_algebra import half_angle
from generative_ik_ros.compiled.lanes import load, spread
from generative_ik_ros.robot.rodrigues import moved, tip_of

# ruff: noqa: ANN001, ANN201  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false


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
    half_sine, half_cosine = half_angle(value * (1.0 - sliding))
    sine, versine = half_sine * half_cosine * 2.0, half_sine * half_sine * 2.0
    return moved(chain, j, value * sliding, sine, versine, r0, r1, r2, p)
