"""Layout of the lanes' buffer for several goals."""

from typing import NamedTuple

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.robot.region_rows import SIZE

# ruff: noqa: ANN001, ANN201  (types inside compiled code are numba's, not Python's)

TARGET_ROWS = 7 + SIZE
"""Rows of a goal's target and the region about it."""


class GoalRows(NamedTuple):
    """Layout of the lanes' buffer for goals, in rows of eight lanes; the variables come first.

    Attributes:
        axes: Six rows for each joint: its axis and origin.
        slots: Seven rows for each slot: a moved frame.
        gap: Six rows for each goal: its errors, in the directions of `directions`.
        directions: Eighteen rows for each goal: the three directions in which its position is
            constrained, and the three axes about which its rotation is; 0 where it is free.
        tip: Three rows for each goal: where its tip is.
        jacobian: Six rows for each column.
        normal: 36 rows for each two goals: a block of the normal equations' matrix.
        factor: Likewise: a block of its LDL^T factor.
        solution: Six rows for each goal.
        target: 7 + 18 rows for each goal: its target, and the region about it.
        alive: 1 where the lane may move, else 0.
        damping: Damping per squared error.
        stretch: Rotation error that is minimised, in units of its chord.
        position_error: The largest of all goals [m].
        orientation_error: Likewise, chord of the angle [rad].
        error: Squared error, weighted.
        end: Number of rows.
    """

    axes: int
    slots: int
    gap: int
    directions: int
    tip: int
    jacobian: int
    normal: int
    factor: int
    solution: int
    target: int
    alive: int
    damping: int
    stretch: int
    position_error: int
    orientation_error: int
    error: int
    end: int


@inlined
def goal_rows(tree):
    """Lay out the rows of a buffer for a GoalTree."""
    goals, slots, columns = tree.tip_slot.shape[0], 0, 0
    for j in range(tree.slot.shape[0]):
        slots = max(slots, tree.slot[j] + 1)
    for p in range(tree.path.shape[0]):
        columns = max(columns, tree.path[p, 2] + 1)
    axes = tree.scale.shape[0]
    at_slots = axes + 6 * tree.origins.shape[0]
    gap = at_slots + 7 * slots
    directions = gap + 6 * goals
    tip = directions + 18 * goals
    jacobian = tip + 3 * goals
    normal = jacobian + 6 * columns
    factor = normal + 36 * goals * goals
    solution = factor + 36 * goals * goals
    target = solution + 6 * goals
    k = target + TARGET_ROWS * goals
    return GoalRows(
        axes, at_slots, gap, directions, tip, jacobian, normal, factor, solution, target,
        k, k + 1, k + 2, k + 3, k + 4, k + 5, k + 6,
    )  # fmt: skip
