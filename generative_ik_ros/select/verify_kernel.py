"""The independent verification of poses, tips and regions in numba, for paths and optimization."""

import math

import numpy as np

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.robot.rodrigues_kernel import place_tip, placed

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

_TURN = 2.0 * math.pi
_ROUNDING = 1e-12
"""Bounds that leave room are kept to this."""
FRAME = 12
"""Numbers of a frame in memory: the three rows of its rotation, and its origin."""


@inlined
def pose_error(chain, q, target):
    """Measure one configuration: distance [m] and angle [rad] of the tip from a (4, 4) pose."""
    r0, r1, r2, p = place_tip(chain, q)
    x, y, z = p[0] - target[0][3], p[1] - target[1][3], p[2] - target[2][3]
    chord = _squared_gap(r0, target[0]) + _squared_gap(r1, target[1]) + _squared_gap(r2, target[2])
    # Rotations that differ by an angle differ by sqrt(8) sin(angle / 2) in the Frobenius norm.
    return (
        math.sqrt(x * x + y * y + z * z),
        2.0 * math.asin(min(1.0, math.sqrt(chord / 8.0))),
    )


@inlined
def _squared_gap(row, other):
    x, y, z = row[0] - other[0], row[1] - other[1], row[2] - other[2]
    return x * x + y * y + z * z


@inlined
def goal_errors(tree, bounded, checks, tolerances, q, targets, memory):
    """Measure a configuration against the targets (G, 4, 4) of its goals.

    Args:
        tree: RodriguesTree.
        bounded: (G,) 0 where the goal is a pose.
        checks: (G, 14) regions, see `region_rows.check_row`.
        tolerances: Of position [m] and angle [rad]: narrower bounds need not be kept exactly.
        q: (n,) configuration.
        targets: (G, 4, 4) tip in reference.
        memory: Twelve numbers for each slot.

    Returns:
        The largest distance [m], the largest angle [rad], and whether the tips are inside all
        bounds that leave room.
    """
    _place(tree, q, memory)
    return _gaps(tree, bounded, checks, tolerances, targets, memory)


@inlined
def _gaps(tree, bounded, checks, tolerances, targets, memory):
    """Return what `goal_errors` does, of the joints as they were placed."""
    largest, widest, inside = 0.0, 0.0, True
    for g in range(tree.tip_slot.shape[0]):
        tip = _times(_frame(memory, tree.tip_slot[g]), tree.tip[g])
        reference = _times(_frame(memory, tree.reference_slot[g]), tree.reference[g])
        gap = _from(_times(reference, targets[g]), tip)
        if bounded[g] == 0:
            position, angle = _distance(gap), _angle(gap)
        else:
            position, kept = _outside_box(checks[g], gap, tolerances[0])
            if checks[g, 12] >= 0.0:
                angle, kept_angle = _outside_cone(checks[g], gap, tolerances[1])
            else:
                angle, kept_angle = _outside_angles(checks[g], gap, tolerances[1])
            inside = inside and kept and kept_angle
        largest, widest = max(largest, position), max(widest, angle)
    return largest, widest, inside


@inlined
def _place(tree, q, memory):
    """Keep the moved frames that others begin from, and those that carry tips."""
    r0, r1, r2, p = _frame(memory, -1)
    for j in range(tree.shifts.shape[0]):
        if tree.begin[j] > -2:
            r0, r1, r2, p = _frame(memory, tree.begin[j])
        r0, r1, r2, p = placed(tree, q, j, r0, r1, r2, p)
        if tree.slot[j] >= 0:
            at = FRAME * tree.slot[j]
            for k in range(3):
                memory[at + k], memory[at + 3 + k] = r0[k], r1[k]
                memory[at + 6 + k], memory[at + 9 + k] = r2[k], p[k]


@inlined
def _frame(memory, slot):
    """Return the rows of the rotation and the origin of the frame in a slot, or of the base."""
    if slot < 0:
        return (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
    a = FRAME * slot
    return (
        (memory[a], memory[a + 1], memory[a + 2]), (memory[a + 3], memory[a + 4], memory[a + 5]),
        (memory[a + 6], memory[a + 7], memory[a + 8]),
        (memory[a + 9], memory[a + 10], memory[a + 11]),
    )  # fmt: skip


@inlined
def _times(frame, pose):
    """Return a frame moved on by a (4, 4) pose."""
    r0, r1, r2, p = frame
    return (
        _row_times(r0, pose), _row_times(r1, pose), _row_times(r2, pose),
        (p[0] + _shifted(r0, pose), p[1] + _shifted(r1, pose), p[2] + _shifted(r2, pose)),
    )  # fmt: skip


@inlined
def _row_times(row, pose):
    return (
        row[0] * pose[0, 0] + row[1] * pose[1, 0] + row[2] * pose[2, 0],
        row[0] * pose[0, 1] + row[1] * pose[1, 1] + row[2] * pose[2, 1],
        row[0] * pose[0, 2] + row[1] * pose[1, 2] + row[2] * pose[2, 2],
    )


@inlined
def _shifted(row, pose):
    return row[0] * pose[0, 3] + row[1] * pose[1, 3] + row[2] * pose[2, 3]


@inlined
def _from(one, other):
    """Return the other frame as seen from the first."""
    a, b, c, p = one
    x, y, z, o = other
    away = (o[0] - p[0], o[1] - p[1], o[2] - p[2])
    return (
        _mixed(a, b, c, 0, x, y, z), _mixed(a, b, c, 1, x, y, z), _mixed(a, b, c, 2, x, y, z),
        (a[0] * away[0] + b[0] * away[1] + c[0] * away[2],
         a[1] * away[0] + b[1] * away[1] + c[1] * away[2],
         a[2] * away[0] + b[2] * away[1] + c[2] * away[2]),
    )  # fmt: skip


@inlined
def _mixed(a, b, c, k, x, y, z):
    return (
        a[k] * x[0] + b[k] * y[0] + c[k] * z[0],
        a[k] * x[1] + b[k] * y[1] + c[k] * z[1],
        a[k] * x[2] + b[k] * y[2] + c[k] * z[2],
    )


@inlined
def _distance(gap):
    p = gap[3]
    return math.sqrt(p[0] ** 2 + p[1] ** 2 + p[2] ** 2)


@inlined
def _angle(gap):
    """Return the angle of a rotation."""
    # Rotations that differ by an angle differ by sqrt(8) sin(angle / 2) in the Frobenius norm.
    x, y, z, _ = gap
    squared = (x[0] - 1.0) ** 2 + x[1] ** 2 + x[2] ** 2 + y[0] ** 2 + (y[1] - 1.0) ** 2
    squared += y[2] ** 2 + z[0] ** 2 + z[1] ** 2 + (z[2] - 1.0) ** 2
    return 2.0 * math.asin(min(1.0, math.sqrt(squared / 8.0)))


@inlined
def _outside_box(check, gap, tolerance):
    """Return how far the tip is from the bounds of its position, and whether it keeps them."""
    squared, inside = 0.0, True
    for k in range(3):
        excess = max(check[k] - gap[3][k], gap[3][k] - check[6 + k], 0.0)
        if excess > _ROUNDING and check[6 + k] - check[k] > 2.0 * tolerance:
            inside = False
        squared += excess**2
    return math.sqrt(squared), inside


@inlined
def _outside_cone(check, gap, tolerance):
    """Return the angle by which the tip's axis is outside its cone, and whether it keeps it."""
    k, half_angle = int(check[12]), check[13]
    column = (gap[0][k], gap[1][k], gap[2][k])
    along, squared = column[k], 0.0
    for i in range(3):
        if i != k:
            squared += column[i] ** 2
    excess = max(math.atan2(math.sqrt(squared), along) - half_angle, 0.0)
    return excess, excess <= _ROUNDING or half_angle <= 2.0 * tolerance


@inlined
def _outside_angles(check, gap, tolerance):
    """Return the angle from the nearest rotation within the bounds, and whether it keeps them."""
    x, y, z, _ = gap
    roll, yaw = math.atan2(z[1], z[2]), math.atan2(y[0], x[0])
    pitch = math.atan2(-z[0], math.sqrt(x[0] ** 2 + y[0] ** 2))
    one = _clamped(check, roll, pitch, yaw, tolerance)
    other = _clamped(check, roll + math.pi, math.pi - pitch, yaw + math.pi, tolerance)
    r, p, w, far, inside = one if one[3] <= other[3] else other
    if far == 0.0:
        return 0.0, True
    return _angle(_from(_turned(r, p, w), gap)), inside


@inlined
def _clamped(check, roll, pitch, yaw, tolerance):
    """Return the angles inside the bounds, the squared excess, and whether room is kept to."""
    a, b, c = _nearest(check, 3, roll), _nearest(check, 4, pitch), _nearest(check, 5, yaw)
    far, inside = 0.0, True
    for k, excess in ((3, a[1]), (4, b[1]), (5, c[1])):
        far += excess**2
        # Where two of the axes are nearly the same, angles can be further off than the rotation.
        wide = check[6 + k] - check[k] > 2.0 * tolerance
        if excess > (_ROUNDING if wide else tolerance):
            inside = False
    return a[0], b[0], c[0], far, inside


@inlined
def _nearest(check, k, angle):
    """Return the nearest value inside an angle's bounds, up to full turns, and its distance."""
    lower, upper = check[k], check[6 + k]
    angle -= _TURN * np.rint((angle - 0.5 * (lower + upper)) / _TURN)
    inside = min(max(angle, lower), upper)
    return inside, abs(angle - inside)


@inlined
def _turned(roll, pitch, yaw):
    """Return the frame Rz(yaw) Ry(pitch) Rx(roll)."""
    sr, cr, sp, cp = math.sin(roll), math.cos(roll), math.sin(pitch), math.cos(pitch)
    sw, cw = math.sin(yaw), math.cos(yaw)
    return (
        (cw * cp, cw * sp * sr - sw * cr, cw * sp * cr + sw * sr),
        (sw * cp, sw * sp * sr + cw * cr, sw * sp * cr - cw * sr),
        (-sp, cp * sr, cp * cr),
        (0.0, 0.0, 0.0),
    )
