"""Where the tips of a tree are in vector lanes, and how far from their targets or regions."""

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lane_algebra import (
    advance,
    multiply_quaternions,
    rotate,
    store_six,
    store_three,
)
from generative_ik_ros.compiled.lanes import load, spread, store, where_less
from generative_ik_ros.compiled.vectors import dot
from generative_ik_ros.refine.goals.bounded_rotation import chord, in_angles, in_cone
from generative_ik_ros.refine.goals.rows import TARGET_ROWS
from generative_ik_ros.refine.goals.vectors import (
    axes_of,
    length,
    pick_less,
    scaled,
)
from generative_ik_ros.refine.lm_step import move_joint
from generative_ik_ros.robot.region_rows import Bounded, Rotation

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

_CONE, _ANGLES = Bounded.CONE.value, Bounded.ANGLES.value
_ROOM, _TURNS = Bounded.ROOM.value, Bounded.TURNS.value
_FREE, _IN_CONE, _IN_ANGLES = Rotation.FREE.value, Rotation.CONE.value, Rotation.ANGLES.value


@inlined
def measure_goals(tree, options, buffer, rows):
    """Compute the errors of all goals, and store what the step needs of them."""
    _place_joints(tree, buffer, rows)
    zero = spread(0.0)
    largest, widest, total = zero, zero, zero
    for g in range(tree.tip_slot.shape[0]):
        px, py, pz, qx, qy, qz, qw = _frame(buffer, rows, tree.tip_slot[g])
        px, py, pz, qx, qy, qz, qw = advance(px, py, pz, qx, qy, qz, qw, tree.tip[g])
        goal, target = _target(tree, buffer, rows, g)
        if tree.bounded[g] == 0:
            position, angle = _pose_gap(
                buffer, rows, g, (px, py, pz), (qx, qy, qz, qw), goal, target
            )
        else:
            position, angle = _region_gap(
                tree.bounded[g], buffer, rows, g, (px, py, pz), (qx, qy, qz, qw), goal, target
            )
        row = rows.tip + 3 * g
        store(buffer, row, px)
        store(buffer, row + 1, py)
        store(buffer, row + 2, pz)
        largest = where_less(largest, position, position, largest)
        widest = where_less(widest, angle, angle, widest)
        linear, angular = position * options.position_weight, angle * options.orientation_weight
        total = total + linear * linear + angular * angular
    store(buffer, rows.position_error, largest)
    store(buffer, rows.orientation_error, widest)
    store(buffer, rows.error, total)


@inlined
def _place_joints(tree, buffer, rows):
    """Store each joint's axis and origin, and the moved frames from which others begin."""
    px, py, pz, qx, qy, qz, qw = _frame(buffer, rows, -1)
    for j in range(tree.origins.shape[0]):
        if tree.begin[j] > -2:
            px, py, pz, qx, qy, qz, qw = _frame(buffer, rows, tree.begin[j])
        px, py, pz, qx, qy, qz, qw = advance(px, py, pz, qx, qy, qz, qw, tree.origins[j])
        px, py, pz, qx, qy, qz, qw = move_joint(
            tree, j, buffer, rows.axes + 6 * j, px, py, pz, qx, qy, qz, qw
        )
        if tree.slot[j] >= 0:
            row = rows.slots + 7 * tree.slot[j]
            store_six(buffer, row, (px, py, pz), (qx, qy, qz))
            store(buffer, row + 6, qw)


@inlined
def _frame(buffer, rows, slot):
    """Return the frame in a slot; that of the base where it is below 0."""
    zero = spread(0.0)
    px, py, pz, qx, qy, qz, qw = zero, zero, zero, zero, zero, zero, spread(1.0)
    if slot >= 0:
        row = rows.slots + 7 * slot
        px, py, pz = load(buffer, row), load(buffer, row + 1), load(buffer, row + 2)
        qx, qy, qz = load(buffer, row + 3), load(buffer, row + 4), load(buffer, row + 5)
        qw = load(buffer, row + 6)
    return px, py, pz, qx, qy, qz, qw


@inlined
def _target(tree, buffer, rows, g):
    """Return position and rotation of a goal's target in the base."""
    row = rows.target + TARGET_ROWS * g
    tx, ty, tz = load(buffer, row), load(buffer, row + 1), load(buffer, row + 2)
    ux, uy, uz = load(buffer, row + 3), load(buffer, row + 4), load(buffer, row + 5)
    uw = load(buffer, row + 6)
    if tree.reference_slot[g] > -2:
        px, py, pz, qx, qy, qz, qw = _frame(buffer, rows, tree.reference_slot[g])
        px, py, pz, qx, qy, qz, qw = advance(px, py, pz, qx, qy, qz, qw, tree.reference[g])
        dx, dy, dz = rotate(qx, qy, qz, qw, tx, ty, tz)
        tx, ty, tz = px + dx, py + dy, pz + dz
        ux, uy, uz, uw = multiply_quaternions(qx, qy, qz, qw, ux, uy, uz, uw)
    return (tx, ty, tz), (ux, uy, uz, uw)


@inlined
def _pose_gap(buffer, rows, g, point, tip, goal, target):
    """Store the errors of a goal that is a pose, in the base's axes; return their lengths."""
    gap = goal[0] - point[0], goal[1] - point[1], goal[2] - point[2]
    turned = chord(target, tip)
    store_six(buffer, rows.gap + 6 * g, gap, turned)
    return length(gap), length(turned)


@inlined
def _region_gap(bounded, buffer, rows, g, point, tip, goal, target):
    """Store the errors of a goal with a region, and the directions that are held.

    Directions of a position or rotation without room are left out: its errors are in the base's
    axes, and the step does not turn its part of the Jacobian.
    """
    target_axes = axes_of(target[0], target[1], target[2], target[3])
    gap = goal[0] - point[0], goal[1] - point[1], goal[2] - point[2]
    if bounded & _ROOM:
        gap = _gap_to_box(buffer, rows, g, target_axes, gap)
    turned = chord(target, tip)
    angle = length(turned)
    if bounded & _TURNS:
        turned, angle = _gap_of_rotation(
            bounded, buffer, rows, g, target, target_axes, tip, turned
        )
    store_six(buffer, rows.gap + 6 * g, gap, turned)
    return length(gap), angle


@inlined
def _gap_to_box(buffer, rows, g, axes, gap):
    """Return how far a tip is outside its bounds along the target's axes; store those held."""
    region, row = rows.target + TARGET_ROWS * g + 7, rows.directions + 18 * g
    gap0, held0 = _outside(buffer, region, 0, dot(axes[0], gap) * -1.0)
    gap1, held1 = _outside(buffer, region, 1, dot(axes[1], gap) * -1.0)
    gap2, held2 = _outside(buffer, region, 2, dot(axes[2], gap) * -1.0)
    store_six(buffer, row, scaled(axes[0], held0), scaled(axes[1], held1))
    store_three(buffer, row + 6, scaled(axes[2], held2))
    return gap0, gap1, gap2


@inlined
def _gap_of_rotation(bounded, buffer, rows, g, target, target_axes, tip, turned):
    """Return how far a tip's rotation is outside its bounds, and how much; store what is held."""
    region, row = rows.target + TARGET_ROWS * g + 7, rows.directions + 18 * g + 9
    zero, one = spread(0.0), spread(1.0)
    kind = load(buffer, region + 6)
    held = where_less(kind, _FREE - 0.5, one, zero)
    turned = scaled(turned, held)
    a, b, c = (held, zero, zero), (zero, held, zero), (zero, zero, held)
    angle = length(turned)
    if bounded & (_CONE | _ANGLES):
        tip_axes = axes_of(tip[0], tip[1], tip[2], tip[3])
        if bounded & _CONE:
            found = in_cone(buffer, region + 7, target_axes, tip_axes)
            low, high = kind - (_IN_CONE - 0.5), kind - (_IN_CONE + 0.5)
            turned, a, b, c = _choose(low, high, found, (turned, a, b, c))
            angle = where_less(0.0, low, where_less(high, 0.0, found[4], angle), angle)
        if bounded & _ANGLES:
            found = in_angles(buffer, region + 12, target, target_axes, tip, tip_axes)
            low, high = kind - (_IN_ANGLES - 0.5), kind - (_IN_ANGLES + 0.5)
            turned, a, b, c = _choose(low, high, found, (turned, a, b, c))
            angle = where_less(0.0, low, where_less(high, 0.0, found[4], angle), angle)
    store_six(buffer, row, a, b)
    store_three(buffer, row + 6, c)
    return turned, angle


@inlined
def _choose(low, high, found, other):
    """Return in each lane what was found where low > 0 > high, else the other."""
    inner0, inner1 = (
        pick_less(high, 0.0, found[0], other[0]),
        pick_less(high, 0.0, found[1], other[1]),
    )
    inner2, inner3 = (
        pick_less(high, 0.0, found[2], other[2]),
        pick_less(high, 0.0, found[3], other[3]),
    )
    return (
        pick_less(0.0, low, inner0, other[0]), pick_less(0.0, low, inner1, other[1]),
        pick_less(0.0, low, inner2, other[2]), pick_less(0.0, low, inner3, other[3]),
    )  # fmt: skip


@inlined
def _outside(buffer, region, k, value):
    """Return how far a coordinate has to move to be inside its bounds, and 1 unless it is free."""
    lower, upper = load(buffer, region + k), load(buffer, region + 3 + k)
    inside = where_less(value, lower, lower, where_less(upper, value, upper, value))
    return inside - value, where_less(lower, value, where_less(value, upper, 0.0, 1.0), 1.0)
