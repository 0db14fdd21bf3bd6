"""The angles of a spherical wrist, from the rotation that other joints leave, compiled."""

from generative_ik_ros.closed_form.header import AXES, write
from generative_ik_ros.closed_form.subproblems import (
    angle_between,
    angles_on_line,
    dot,
    radians,
    times,
    transposed,
    turn,
    turn_back,
    vector,
)
from generative_ik_ros.compiled.kernel import inlined

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)


@inlined
def write_wrist(parameters, rotation, bend, angles, values, off, out, count):
    """Write the branches of an arm whose first three joints are known: two at most.

    Args:
        parameters: See `Family`.
        rotation: Rows of the rotation that all joints make together.
        bend: `arc_of` axes 4, 5 and 6.
        angles: Of joints 1 to 3, as points on the unit circle; of prismatic ones `NO_TURN`.
        values: What is written of these joints [rad or m].
        off: How far the angles are expected to be off [rad].
        out: Memory for branches.
        count: How many there are.

    Returns:
        How many there are then, and whether that is sure.
    """
    mirrored = parameters[0] != 0.0
    axis1, axis2 = vector(parameters, AXES), vector(parameters, AXES + 1)
    axis3, axis4 = vector(parameters, AXES + 2), vector(parameters, AXES + 3)
    axis5, axis6 = vector(parameters, AXES + 4), vector(parameters, AXES + 5)
    first, second, third = angles
    middle, a, b = bend
    flange = times(rotation, axis6)
    pointing = turn_back(axis2, second, turn_back(axis1, first, flange))
    pointing = turn_back(axis3, third, pointing)
    roll = turn(axis1, first, turn(axis2, second, turn(axis3, third, axis4)))
    roll = times(transposed(rotation), roll)
    level = dot(axis4, pointing) - middle
    size, fifths, also_off, certain = angles_on_line(a, b, level, off)
    off += also_off
    sure = certain
    for j in range(size):
        fifth = fifths[j]
        fourth, _, turns = angle_between(turn(axis5, fifth, axis6), pointing, axis4, off)
        sixth, _, also = angle_between(roll, turn_back(axis5, fifth, axis4), axis6, off)
        if not (turns and also and certain):
            # Only the sum of joints 4 and 6 is well defined.
            sure = False
            aside = turn_back(axis1, first, times(rotation, axis5))
            aside = turn_back(axis3, third, turn_back(axis2, second, aside))
            aside = turn_back(axis5, fifth, turn_back(axis4, fourth, aside))
            sixth, _, _ = angle_between(axis5, aside, axis6, off)
        joints = values[0], values[1], values[2], radians(fourth), radians(fifth), radians(sixth)
        write(out, count, mirrored, joints)
        count += 1
    return count, sure
