"""One step of damped least squares towards several goals at once, in vector lanes."""

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lanes import load, spread, store, where_less
from generative_ik_ros.compiled.vectors import cross, dot
from generative_ik_ros.refine.goals.block_solve import solve_goals
from generative_ik_ros.refine.lm_step import LEAST_DAMPING
from generative_ik_ros.robot.region_rows import Bounded

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

_ROOM, _TURNS = Bounded.ROOM.value, Bounded.TURNS.value


@inlined
def step_to_goals(tree, options, buffer, rows, lower, upper):
    """Move the lanes that are alive one step towards their targets, inside the bounds.

    `measure_goals` has stored the errors.
    """
    _weigh(tree, options, buffer, rows)
    write_columns(tree, options, buffer, rows)
    _hold_at_limits(tree, buffer, rows, lower, upper)
    damp = load(buffer, rows.error) * load(buffer, rows.damping) + LEAST_DAMPING
    solve_goals(tree, buffer, rows, damp)
    alive = load(buffer, rows.alive)
    for v in range(lower.shape[0]):
        move = _along(tree, buffer, rows.jacobian, v, rows.solution)
        most = options.max_step
        move = where_less(move, -most, -most, where_less(most, move, most, move))
        q = load(buffer, v) + move * alive * tree.scale[v]
        q = where_less(q, lower[v], lower[v], where_less(upper[v], q, upper[v], q))
        store(buffer, v, q)


@inlined
def _along(tree, buffer, jacobian, v, goals):
    """Return the product of a variable's columns with what six rows of each goal hold."""
    total = spread(0.0)
    for g in range(tree.column.shape[0]):
        if tree.column[g, v] >= 0:
            c, row = jacobian + 6 * tree.column[g, v], goals + 6 * g
            for k in range(6):
                total = total + load(buffer, c + k) * load(buffer, row + k)
    return total


@inlined
def _weigh(tree, options, buffer, rows):
    """Weigh the stored errors."""
    for g in range(tree.tip_slot.shape[0]):
        for k in range(6):
            weight = options.position_weight if k < 3 else options.orientation_weight
            row = rows.gap + 6 * g + k
            store(buffer, row, load(buffer, row) * weight)


@inlined
def write_columns(tree, options, buffer, rows):
    """Write the weighted geometric Jacobian: what each joint moves a tip against its reference.

    Joints above both move neither against the other. Velocities are taken at the tip.
    """
    n, begin = tree.scale.shape[0], 0
    for g in range(tree.tip_slot.shape[0]):
        for v in range(n):
            if tree.column[g, v] >= 0:
                for k in range(6):
                    store(buffer, rows.jacobian + 6 * tree.column[g, v] + k, spread(0.0))
        row = rows.tip + 3 * g
        tip = load(buffer, row), load(buffer, row + 1), load(buffer, row + 2)
        for p in range(begin, tree.path_end[g]):
            _add_joint(tree, options, buffer, rows, g, p, tip)
        begin = tree.path_end[g]
        if tree.bounded[g] != 0:
            for v in range(n):
                if tree.column[g, v] >= 0:
                    c, row = rows.jacobian + 6 * tree.column[g, v], rows.directions + 18 * g
                    if tree.bounded[g] & _ROOM:
                        _turn_half(buffer, c, row)
                    if tree.bounded[g] & _TURNS:
                        _turn_half(buffer, c + 3, row + 9)


@inlined
def _add_joint(tree, options, buffer, rows, g, p, tip):
    """Add what a joint moves to its variable's column."""
    j = tree.path[p, 0]
    row, c = rows.axes + 6 * j, rows.jacobian + 6 * tree.path[p, 2]
    axis = load(buffer, row), load(buffer, row + 1), load(buffer, row + 2)
    unit = tree.multiplier[j] * tree.scale[tree.variable[j]] * tree.path[p, 1]
    linear, angular = options.position_weight * unit, options.orientation_weight * unit
    if tree.prismatic[j]:
        moved = axis
    else:
        origin = load(buffer, row + 3), load(buffer, row + 4), load(buffer, row + 5)
        moved = cross(axis, (tip[0] - origin[0], tip[1] - origin[1], tip[2] - origin[2]))
        store(buffer, c + 3, load(buffer, c + 3) + axis[0] * angular)
        store(buffer, c + 4, load(buffer, c + 4) + axis[1] * angular)
        store(buffer, c + 5, load(buffer, c + 5) + axis[2] * angular)
    store(buffer, c, load(buffer, c) + moved[0] * linear)
    store(buffer, c + 1, load(buffer, c + 1) + moved[1] * linear)
    store(buffer, c + 2, load(buffer, c + 2) + moved[2] * linear)


@inlined
def _turn_half(buffer, c, row):
    """Turn three rows of a column into the directions in which the goal is held."""
    along = load(buffer, c), load(buffer, c + 1), load(buffer, c + 2)
    for k in range(3):
        d = row + 3 * k
        held = load(buffer, d), load(buffer, d + 1), load(buffer, d + 2)
        store(buffer, c + k, dot(held, along))


@inlined
def _hold_at_limits(tree, buffer, rows, lower, upper):
    """Set the columns of joints to 0 that are at a limit and would be pushed beyond it."""
    for v in range(lower.shape[0]):
        push = _along(tree, buffer, rows.jacobian, v, rows.gap)
        q = load(buffer, v)
        below, above = where_less(lower[v], q, 1.0, 0.0), where_less(q, upper[v], 1.0, 0.0)
        free = where_less(0.0, push, above, below)
        for g in range(tree.column.shape[0]):
            if tree.column[g, v] >= 0:
                c = rows.jacobian + 6 * tree.column[g, v]
                for k in range(6):
                    store(buffer, c + k, load(buffer, c + k) * free)
