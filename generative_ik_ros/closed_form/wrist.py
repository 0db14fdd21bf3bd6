"""The angles of a spherical wrist, from the rotation that other joints leave, compiled."""

from generative_ik_ros.closed_form.header import AXES, write_branches
from generative_ik_ros.closed_form.lane_subproblems import (
    angle_on_line,
    angles_between,
    anywhere,
    choose,
    doubled_vector,
    third_choice,
)
from generative_ik_ros.closed_form.subproblems import (
    dot,
    times,
    transposed,
    turn,
    turn_back,
    vector,
)
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lane_angles import angle_of
from generative_ik_ros.compiled.lanes import doubled, spread

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false


@inlined
def write_wrist(parameters, rotation, bend, known, values, off, exists, sure, out):
    """Write the branches of an arm whose first three joints are known: two of each at most.

    Args:
        parameters: See `Family`.
        rotation: Rows of the rotation that all joints make together.
        bend: `arc_of` axes 4, 5 and 6.
        known: Joints 1 to 3 in four lanes, as points on the unit circle; of prismatic ones
            `NO_TURN`.
        values: What is written of these joints, likewise [rad or m].
        off: How far the angles are expected to be off, likewise [rad].
        exists: A flag, likewise, see `lane_subproblems`.
        sure: Whether all of that is sure.
        out: Memory for branches.

    Returns:
        What a kernel of a `Family` does.
    """
    first, second, third = known
    middle, a, b = bend
    axis1, axis2 = vector(parameters, AXES), vector(parameters, AXES + 1)
    axis3, axis4 = vector(parameters, AXES + 2), vector(parameters, AXES + 3)
    axis5, axis6 = vector(parameters, AXES + 4), vector(parameters, AXES + 5)
    pointing = turn_back(axis1, first, times(rotation, axis6))
    pointing = turn_back(axis3, third, turn_back(axis2, second, pointing))
    roll = turn(axis1, first, turn(axis2, second, turn(axis3, third, axis4)))
    roll, level = times(transposed(rotation), roll), doubled(dot(axis4, pointing) - middle)
    pointing, roll = doubled_vector(pointing), doubled_vector(roll)
    off, exists = doubled(off), doubled(exists)
    also, fifth, beside, certain = angle_on_line(spread(a), spread(b), level, off, third_choice())
    off, exists = off + beside, exists * also
    fourth, _, turns = angles_between(turn(axis5, fifth, axis6), pointing, axis4, off)
    sixth, _, rolls = angles_between(roll, turn_back(axis5, fifth, axis4), axis6, off)
    regular = turns * rolls * certain
    if anywhere(exists * (1.0 - regular)):
        # Only the sum of joints 4 and 6 is well defined.
        sure = False
        aside = turn_back(axis1, first, times(rotation, axis5))
        aside = doubled_vector(turn_back(axis3, third, turn_back(axis2, second, aside)))
        aside = turn_back(axis5, fifth, turn_back(axis4, fourth, aside))
        instead, _, _ = angles_between(axis5, aside, axis6, off)
        sixth = choose(regular, sixth[0], instead[0]), choose(regular, sixth[1], instead[1])
    joints = (
        doubled(values[0]),
        doubled(values[1]),
        doubled(values[2]),
        angle_of(fourth[0], fourth[1]),
        angle_of(fifth[0], fifth[1]),
        angle_of(sixth[0], sixth[1]),
    )
    count = write_branches(out, exists, parameters[0] != 0.0, joints)
    return count if sure else -1 - count
