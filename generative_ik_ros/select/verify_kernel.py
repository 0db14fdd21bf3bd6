"""The independent verification of chains in numba, for paths and optimization."""

import math

from generative_ik_ros.compiled import WIDTH
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lanes import load, store
from generative_ik_ros.robot.rodrigues_kernel import place_tip
from generative_ik_ros.robot.rodrigues_lanes import tip_in_lanes

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false

_TARGET = 12
"""Numbers of a target: three rows of a (4, 4) pose."""


@inlined
def numbers_for_eight(n):
    """Return how many numbers `measure_eight` works with, of chains of n joints."""
    return (n + _TARGET) * WIDTH


@inlined
def put_in_lane(lanes, lane, q, n, target):
    """Put the first n joints of a configuration and its (4, 4) target into a lane."""
    for v in range(n):
        lanes[v * WIDTH + lane] = q[v]
    for i in range(3):
        for j in range(4):
            lanes[(n + 4 * i + j) * WIDTH + lane] = target[i, j]


@inlined
def measure_eight(chain, lanes, n):
    """Measure the configurations in lanes; `gap_in_lane` then says how far each is off."""
    tip = tip_in_lanes(chain, lanes, 0)
    target = (
        (load(lanes, n), load(lanes, n + 1), load(lanes, n + 2), load(lanes, n + 3)),
        (load(lanes, n + 4), load(lanes, n + 5), load(lanes, n + 6), load(lanes, n + 7)),
        (load(lanes, n + 8), load(lanes, n + 9), load(lanes, n + 10), load(lanes, n + 11)),
    )
    squared_distance, squared_chord = squared_gaps(tip, target)
    store(lanes, 0, squared_distance)
    store(lanes, 1, squared_chord)


@inlined
def gap_in_lane(lanes, lane):
    """Return distance [m] and angle [rad], once `measure_eight` has been called."""
    return gap_of_squares(lanes[lane], lanes[WIDTH + lane])


@inlined
def same(one, other):
    """Say whether two configurations are equal to the last bit."""
    for v in range(one.shape[0]):
        if one[v] != other[v]:
            return False
    return True


@inlined
def pose_error(chain, q, target):
    """Measure one configuration: distance [m] and angle [rad] of the tip from a (4, 4) pose."""
    return gap(place_tip(chain, q), target)


@inlined
def gap(tip, target):
    """Measure distance [m] and angle [rad] of a tip, see `place_tip`, from a (4, 4) pose."""
    squared_distance, squared_chord = squared_gaps(tip, target)
    return gap_of_squares(squared_distance, squared_chord)


@inlined
def squared_gaps(tip, target):
    """Return the squared distance of a tip from a pose and its rotation's in the Frobenius norm.

    The tip's are numbers, or lanes of them, and so may be the target's.
    """
    r0, r1, r2, p = tip
    x, y, z = p[0] - target[0][3], p[1] - target[1][3], p[2] - target[2][3]
    chord = _squared_gap(r0, target[0]) + _squared_gap(r1, target[1]) + _squared_gap(r2, target[2])
    return x * x + y * y + z * z, chord


@inlined
def _squared_gap(row, other):
    x, y, z = row[0] - other[0], row[1] - other[1], row[2] - other[2]
    return x * x + y * y + z * z


@inlined
def gap_of_squares(squared_distance, squared_chord):
    """Return distance [m] and angle [rad] from `squared_gaps`."""
    # Rotations that differ by an angle differ by sqrt(8) sin(angle / 2) in the Frobenius norm.
    return (
        math.sqrt(squared_distance),
        2.0 * math.asin(min(1.0, math.sqrt(squared_chord / 8.0))),
    )
