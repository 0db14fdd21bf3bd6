"""Damped normal equations of several goals in vector lanes, solved block by block."""

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lane_algebra import solve_damped, store_six
from generative_ik_ros.compiled.lanes import load, store

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false


@inlined
def solve_goals(tree, buffer, rows, damp):
    """Solve (J J^T + damp I) y = e for the goals' errors e; y is stored in `rows.solution`.

    J's rows of a goal are 0 at joints that do not move it, so J J^T has blocks that are 0, and so
    has its factor, but for those that elimination fills (`GoalTree.coupled`).
    """
    goals = tree.tip_slot.shape[0]
    if goals == 1:
        _solve_one(buffer, rows, damp)
        return
    for a in range(goals):
        for b in range(a + 1):
            if tree.coupled[a, b]:
                _product(tree, buffer, rows, a, b)
        diagonal = rows.normal + 36 * (a * goals + a)
        for i in range(6):
            store(buffer, diagonal + 7 * i, load(buffer, diagonal + 7 * i) + damp)
    for a in range(goals):
        for i in range(6):
            _factor_row(tree, buffer, rows, a, i)
    _substitute(tree, buffer, rows)


@inlined
def _solve_one(buffer, rows, damp):
    """Solve for a single goal in registers, as for a chain."""
    gap, columns = rows.gap, (rows.normal - rows.jacobian) // 6
    y = solve_damped(
        buffer, rows.jacobian, columns, damp, load(buffer, gap), load(buffer, gap + 1),
        load(buffer, gap + 2), load(buffer, gap + 3), load(buffer, gap + 4), load(buffer, gap + 5),
    )  # fmt: skip
    store_six(buffer, rows.solution, y[:3], y[3:])


@inlined
def _product(tree, buffer, rows, a, b):
    """Store the block of J J^T that belongs to goals a >= b."""
    block = rows.normal + 36 * (a * tree.tip_slot.shape[0] + b)
    for i in range(6):
        zero = load(buffer, rows.target) * 0.0
        s0, s1, s2, s3, s4, s5 = zero, zero, zero, zero, zero, zero
        for v in range(tree.column.shape[1]):
            if tree.column[a, v] >= 0 and tree.column[b, v] >= 0:
                x = load(buffer, rows.jacobian + 6 * tree.column[a, v] + i)
                c = rows.jacobian + 6 * tree.column[b, v]
                s0, s1 = s0 + x * load(buffer, c), s1 + x * load(buffer, c + 1)
                s2, s3 = s2 + x * load(buffer, c + 2), s3 + x * load(buffer, c + 3)
                s4, s5 = s4 + x * load(buffer, c + 4), s5 + x * load(buffer, c + 5)
        store_six(buffer, block + 6 * i, (s0, s1, s2), (s3, s4, s5))


@inlined
def _factor_row(tree, buffer, rows, a, i):
    """Factor one row of the matrix L D L^T, given the rows above.

    The block of the factor below the diagonal holds L; that of the matrix is left with L D, and
    its diagonal with the inverse of D.
    """
    goals = tree.tip_slot.shape[0]
    for b in range(a + 1):
        if not tree.coupled[a, b]:
            continue
        place = 36 * (a * goals + b) + 6 * i
        for j in range(6 if b < a else i + 1):
            other = 36 * (b * goals + b) + 6 * j
            value = load(buffer, rows.normal + place + j)
            for k in range(b):
                if tree.coupled[a, k] and tree.coupled[b, k]:
                    x = rows.normal + 36 * (a * goals + k) + 6 * i
                    y = rows.factor + 36 * (b * goals + k) + 6 * j
                    for c in range(6):
                        value = value - load(buffer, x + c) * load(buffer, y + c)
            for c in range(j):
                value = value - load(buffer, rows.normal + place + c) * load(
                    buffer, rows.factor + other + c
                )
            if b == a and j == i:
                # All of the row's L D are known: turn them into L.
                store(buffer, rows.normal + place + j, 1.0 / value)
            else:
                store(buffer, rows.normal + place + j, value)
                pivot = load(buffer, rows.normal + other + j)
                store(buffer, rows.factor + place + j, value * pivot)


@inlined
def _substitute(tree, buffer, rows):
    """Solve L D L^T y = e."""
    goals = tree.tip_slot.shape[0]
    for a in range(goals):
        for i in range(6):
            value = load(buffer, rows.gap + 6 * a + i)
            for b in range(a + 1):
                if tree.coupled[a, b]:
                    place = rows.factor + 36 * (a * goals + b) + 6 * i
                    for j in range(6 if b < a else i):
                        value = value - load(buffer, place + j) * load(
                            buffer, rows.solution + 6 * b + j
                        )
            store(buffer, rows.solution + 6 * a + i, value)
    for a in range(goals - 1, -1, -1):
        for i in range(5, -1, -1):
            pivot = load(buffer, rows.normal + 36 * (a * goals + a) + 7 * i)
            value = load(buffer, rows.solution + 6 * a + i) * pivot
            for b in range(a, goals):
                if tree.coupled[b, a]:
                    place = rows.factor + 36 * (b * goals + a) + i
                    for j in range(i + 1 if b == a else 0, 6):
                        value = value - load(buffer, place + 6 * j) * load(
                            buffer, rows.solution + 6 * b + j
                        )
            store(buffer, rows.solution + 6 * a + i, value)
