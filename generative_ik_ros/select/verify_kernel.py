"""The independent verification of chains in numba, for paths and optimization."""

import math

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.robot.rodrigues_kernel import place_tip

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

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
