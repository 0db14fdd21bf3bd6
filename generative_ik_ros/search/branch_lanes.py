"""Branches measured side by side: their errors, and how far joints can move within tolerances."""

import numpy as np

from generative_ik_ros.compiled.kernel import called, inlined
from generative_ik_ros.compiled.lane_algebra import store_three
from generative_ik_ros.compiled.lanes import (
    WIDTH,
    floor,
    load,
    spread,
    square_root,
    store,
    where_less,
)
from generative_ik_ros.compiled.vectors import cross
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.robot.rodrigues import tip_of, turned_axis
from generative_ik_ros.robot.rodrigues_lanes import placed_lanes
from generative_ik_ros.search.branch_probes import REGULAR
from generative_ik_ros.search.form_call import unpack_form
from generative_ik_ros.select.verify import gap_of_squares, squared_gaps

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false, reportArgumentType=false

_SINGULAR = 1e-6
"""Where the square of an error, in tolerances, is below this, it is taken for none."""
_LEAST, _DOUBT, _DISTANCE, _CHORD = range(4)
_RESULTS = 4


@inlined
def rows_of_lanes(m, n):
    """Return how many rows of lanes `measure` works with."""
    return _RESULTS + 8 * n + n * n + 6 * m


@called
def measure(packed, slack, pose, count, memory):
    """Measure branches, eight at a time.

    Args:
        packed: A FormCall as `pack_form` packs it.
        slack: Where a full turn brings a joint outside its limits by no more than this, the caller
            looks at it [rad].
        pose: (4, 4) tip in base [m].
        count: How many branches there are.
        memory: Memory with these; out: their errors, `least` and `loosest`.

    Returns:
        0; 1 where a full turn that is outside the limits by a little more may be a solution on
        them, all the same; 2 if of a joint that has room for no full turn.
    """
    floats, ints, flags = packed
    form, lanes, found, doubt = unpack_form(floats, ints, flags), memory.lanes, memory.found, 0.0
    problem, box, distance, n = form.problem, form.box, form.distance, found.shape[1]
    # In rows: results, joints, Jacobian, its Gram matrix, the diagonal of the inverse, axes.
    jacobian = _RESULTS + n
    gram, squares = jacobian + 6 * n, jacobian + 6 * n + n * n
    for first in range(0, count, WIDTH):
        for lane in range(WIDTH):
            row = min(first + lane, count - 1)
            for v in range(n):
                lanes[(_RESULTS + v) * WIDTH + lane] = found[row, v]
        tip = _jacobian(problem, lanes, jacobian, squares + n, distance, n)
        distances, chords = squared_gaps(tip, pose)
        store(lanes, _DISTANCE, distances)
        store(lanes, _CHORD, chords)
        store(lanes, _LEAST, _least_error(lanes, jacobian, gram, n))
        store(
            lanes,
            _DOUBT,
            _doubt(lanes, box, form.circular, form.joints.periodic, squares, distance, slack),
        )
        for lane in range(min(WIDTH, count - first)):
            k = first + lane
            memory.least[k] = lanes[_LEAST * WIDTH + lane]
            memory.gaps[k, 0], memory.gaps[k, 1] = gap_of_squares(
                lanes[_DISTANCE * WIDTH + lane], lanes[_CHORD * WIDTH + lane]
            )
            doubt = max(doubt, lanes[_DOUBT * WIDTH + lane])
            if memory.least[k] <= REGULAR:
                memory.loosest[k] = 0.0
                for v in range(1, n):
                    most = lanes[(squares + int(memory.loosest[k])) * WIDTH + lane]
                    if lanes[(squares + v) * WIDTH + lane] > most:
                        memory.loosest[k] = v
    return doubt


@inlined
def _jacobian(problem, lanes, jacobian, axes, distance, n):
    """Write the Jacobian in tolerances per distance, column by column; return the tip."""
    chain, zero, one = problem.verifier, spread(0.0), spread(1.0)
    per_linear = distance / problem.position_tolerance
    per_angular = distance / problem.orientation_tolerance
    r0, r1, r2, p = (one, zero, zero), (zero, one, zero), (zero, zero, one), (zero, zero, zero)
    for j in range(chain.shifts.shape[0]):
        store_three(lanes, axes + 6 * j, turned_axis(chain, j, r0, r1, r2))
        r0, r1, r2, p = placed_lanes(chain, lanes, _RESULTS, j, r0, r1, r2, p)
        store_three(lanes, axes + 6 * j + 3, p)
    tip = tip_of(chain, r0, r1, r2, p)
    for row in range(jacobian, jacobian + 6 * n):
        store(lanes, row, zero)
    for j in range(chain.shifts.shape[0]):
        at, column = axes + 6 * j, jacobian + 6 * chain.variable[j]
        axis = load(lanes, at), load(lanes, at + 1), load(lanes, at + 2)
        x, y, z = tip[3]
        arm = x - load(lanes, at + 3), y - load(lanes, at + 4), z - load(lanes, at + 5)
        ways, sliding = cross(axis, arm), 1.0 if chain.prismatic[j] else 0.0
        turning = 1.0 - sliding
        for i in range(3):
            linear = (ways[i] * turning + axis[i] * sliding) * (chain.multiplier[j] * per_linear)
            angular = axis[i] * (chain.multiplier[j] * turning * per_angular)
            store(lanes, column + i, load(lanes, column + i) + linear)
            store(lanes, column + 3 + i, load(lanes, column + 3 + i) + angular)
    return tip


@inlined
def _least_error(lanes, jacobian, gram, n):
    """Return the error, in tolerances, that a joint makes which moves by the distance; or less.

    The others move so that it is least. With A = J^T J that of joint v is one by the root of
    (A^-1)_vv, which Cholesky's factor gives and which is written behind A.
    """
    singular, most = spread(0.0), spread(0.0)
    for i in range(n):
        for j in range(i + 1):
            total = spread(0.0)
            for r in range(6):
                a, b = load(lanes, jacobian + 6 * i + r), load(lanes, jacobian + 6 * j + r)
                total = total + a * b
            for k in range(j):
                total = total - load(lanes, gram + i * n + k) * load(lanes, gram + j * n + k)
            if i > j:
                store(lanes, gram + i * n + j, total * load(lanes, gram + j * n + j))
            else:
                # The reciprocals of the diagonal.
                singular = where_less(_SINGULAR, total, singular, 1.0)
                total = where_less(_SINGULAR, total, total, 1.0)
                store(lanes, gram + i * n + i, 1.0 / square_root(total))
    # The inverse of the factor, column by column, above the diagonal.
    for j in range(n):
        own = load(lanes, gram + j * n + j)
        square = own * own
        for i in range(j + 1, n):
            total = load(lanes, gram + i * n + j) * own
            for k in range(j + 1, i):
                total = total + load(lanes, gram + i * n + k) * load(lanes, gram + j * n + k)
            total = total * load(lanes, gram + i * n + i) * -1.0
            store(lanes, gram + j * n + i, total)
            square = square + total * total
        store(lanes, gram + n * n + j, square)
        most = where_less(most, square, square, most)
    return where_less(singular, 0.5, 1.0 / square_root(most), 0.0)


@inlined
def _doubt(lanes, box, circular, periodic, squares, distance, slack):
    """Return whether a joint may reach a limit by a full turn within the tolerances.

    See `measure` for what is returned.
    """
    doubt = spread(0.0)
    for v in range(circular.shape[0]):
        lower, upper, kind = box[2, v], box[3, v], 1.0 if circular[v] else 2.0
        if not (periodic[v] and upper - lower < np.inf):
            continue
        q = load(lanes, _RESULTS + v)
        reach = square_root(load(lanes, squares + v)) * (REGULAR * distance)
        for inside in ((q - lower) * (1.0 / TURN), (upper - q) * (1.0 / TURN)):
            # By how much the nearest turn outside the limit is outside it.
            outside = (1.0 - (inside - floor(inside))) * TURN
            near = where_less(outside, reach, where_less(doubt, kind, kind, doubt), doubt)
            doubt = where_less(slack, outside, near, doubt)
    return doubt
