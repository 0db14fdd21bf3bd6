"""Closes the loops of a tree from configurations near by: damped least squares (numpy)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.errors import InvalidArgumentError, RobotDescriptionError, listed
from generative_ik_ros.robot.closures import Closure
from generative_ik_ros.robot.joint_tree import JointTree
from generative_ik_ros.robot.quaternions import unit_quaternions
from generative_ik_ros.robot.region_rows import FREE_ANGLE
from generative_ik_ros.robot.rigid import TURN


@dataclass(frozen=True)
class ClosingTuning:
    """How loops are closed."""

    iterations: int = 200
    """Steps from a configuration."""
    progress: float = 0.9
    """Share of the smallest gap so far to which a step must bring it,"""
    patience: int = 15
    """once in so many steps."""
    exact: float = 1e-11
    """Gap at which they end [m and rad]."""
    closed: float = 1e-9
    """Gap at which a loop counts as closed where rounding keeps it from less [m and rad]."""
    damping: float = 1e-3
    """Damping per squared gap."""
    longest: float = 0.5
    """Largest step of a joint, in its unit [rad]."""
    rank: float = 1e-6
    """Singular values below this share of the largest are zero."""


TUNING = ClosingTuning()


def closed_near(tree: JointTree, q: Floats, held: Bools) -> tuple[Floats, Floats]:
    """Move configurations until all loops are closed, within the limits.

    Args:
        tree: The tree.
        q: (B, n) configurations [rad or m].
        held: (n,) joints that stay where they are.

    Returns:
        (B, n) configurations, and (B, L) the gap of each closure [m and rad].
    """
    q = np.where(held, q, np.clip(q, tree.lower, tree.upper))
    best, left, waits = q.copy(), np.full(len(q), np.inf), np.zeros(len(q))
    active = np.arange(len(q))
    for _ in range(TUNING.iterations):
        gap, jacobian = gaps(tree, q)
        size = np.abs(gap).max(axis=(1, 2), initial=0.0)
        waits[active] = np.where(size < TUNING.progress * left[active], 0.0, waits[active] + 1.0)
        better = size < left[active]
        best[active[better]], left[active[better]] = q[better], size[better]
        goes_on = (left[active] > TUNING.exact) & (waits[active] < TUNING.patience)
        if not goes_on.any():
            break
        active, q, gap, jacobian = active[goes_on], q[goes_on], gap[goes_on], jacobian[goes_on]
        q = q + _step(tree, q, held, gap, jacobian * tree.joint_units) * tree.joint_units
        q = np.where(held, q, np.clip(q, tree.lower, tree.upper))
    return best, np.abs(gaps(tree, best)[0]).max(axis=2)


def _step(tree: JointTree, q: Floats, held: Bools, gap: Floats, jacobian: Floats) -> Floats:
    """Return a damped Gauss-Newton step (B, n), in units, that pushes no joint past a limit."""
    errors = gap.reshape(len(q), -1, 1)
    rows = np.where(held, 0.0, jacobian.reshape(len(q), errors.shape[1], -1))
    push = -(np.swapaxes(rows, 1, 2) @ errors)[..., 0]
    stuck = (push > 0.0) & (q >= tree.upper) | (push < 0.0) & (q <= tree.lower)
    rows = np.where(stuck[:, None, :], 0.0, rows)
    squared = (errors**2).sum(axis=(1, 2))[:, None, None]
    damped = rows @ np.swapaxes(rows, 1, 2)
    damped += (TUNING.damping * squared + 1e-12) * np.eye(errors.shape[1])
    step = -(np.swapaxes(rows, 1, 2) @ np.linalg.solve(damped, errors))[..., 0]
    return np.clip(step, -TUNING.longest, TUNING.longest)


def gaps(tree: JointTree, q: Floats) -> tuple[Floats, Floats]:
    """Return how far closures are outside their regions, and how that changes with the joints.

    Args:
        tree: The tree, with L closures.
        q: (B, n) configurations [rad or m].

    Returns:
        (B, L, 6) gaps along and about the axes of the references [m and rad], 0 where the region
        leaves room, and (B, L, 6, n) their derivatives.
    """
    tips, columns = tree.closures_and_jacobian(q)
    gap, jacobian = np.empty((*tips.shape[:2], 6)), columns.copy()
    for k, closure in enumerate(tree.closures):
        place = tips[:, k, :3, 3]
        lower, upper = closure.region.lower[:3], closure.region.upper[:3]
        gap[:, k, :3] = place - np.clip(place, lower, upper)
        inside = (lower < place) & (place < upper)
        jacobian[:, k, :3][inside] = 0.0
        gap[:, k, 3:], free = _rotation_gap(closure, tips[:, k, :3, :3])
        jacobian[:, k, 3:][free] = 0.0
    return gap, jacobian


def _rotation_gap(closure: Closure, rotations: Floats) -> tuple[Floats, Bools]:
    """Return rotation vectors (B, 3) from what a region allows, and about which axes it is free.

    Regions of closures have a rotation that is exact, free, or within bounds about z.
    """
    lower, upper = closure.region.packed.angle_bounds
    free = np.zeros((len(rotations), 3), np.bool_)
    if (upper == FREE_ANGLE).all():
        return np.zeros((len(rotations), 3)), ~free
    x, y = rotations[:, :, 0], rotations[:, :, 1]
    yaw = np.arctan2(x[:, 1] - y[:, 0], x[:, 0] + y[:, 1])
    if upper[2] < FREE_ANGLE:
        middle = (lower[2] + upper[2]) / 2.0
        yaw -= TURN * np.rint((yaw - middle) / TURN)
    inside = np.clip(yaw, lower[2], upper[2])
    free[:, 2] = (lower[2] < yaw) & (yaw < upper[2])
    half = -0.5 * inside
    zero = np.zeros_like(half)
    back = np.stack([zero, zero, np.sin(half), np.cos(half)], axis=1)
    turned = _product(unit_quaternions(rotations), back)
    turned = np.where(turned[:, 3:] < 0.0, -turned, turned)
    sine = np.linalg.norm(turned[:, :3], axis=1)
    angle = 2.0 * np.arctan2(sine, turned[:, 3])
    return turned[:, :3] * (angle / np.maximum(sine, 1e-300))[:, None], free


def _product(a: Floats, b: Floats) -> Floats:
    """Return the products (B, 4) of quaternions x, y, z, w."""
    (ax, ay, az, aw), (bx, by, bz, bw) = a.T, b.T
    return np.stack(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ],
        axis=1,
    )


def check_closed(tree: JointTree, left: Floats) -> None:
    """Check that closures have no gap (B, L) [m and rad].

    Raises:
        InvalidArgumentError: One has; the message names that with the widest.
    """
    if not (left <= TUNING.closed).all():
        row, k = np.unravel_index(np.argmax(left), left.shape)
        which = f" of configuration {row}" if len(left) > 1 else ""
        raise InvalidArgumentError(
            f"{tree.closures[k].name}{which} cannot be closed from there: a gap of "
            f"{left[row, k]:.2g} m or rad is left"
        )


def closed_ones(tree: JointTree, starts: Floats) -> Floats:
    """Close loops from configurations (B, n); return those of which that is possible (C, n)."""
    q, left = closed_near(tree, starts, np.zeros(tree.num_joints, np.bool_))
    return q[(left <= TUNING.closed).all(axis=1)]


def closed_configurations(tree: JointTree) -> Floats:
    """Return some configurations (C, n) that close all loops; the one near zero first, if any.

    Raises:
        RobotDescriptionError: There are none within the limits, as far as can be found.
    """
    rng = np.random.default_rng(0)
    neutral = np.clip(0.0, tree.lower, tree.upper)
    low = np.where(np.isfinite(tree.lower), tree.lower, neutral - np.pi)
    high = np.where(np.isfinite(tree.upper), tree.upper, neutral + np.pi)
    for count in (4, 60, 200):
        starts = rng.uniform(low, high, (count, tree.num_joints))
        starts[0] = neutral
        if len(closed := closed_ones(tree, starts)):
            return closed
    names = listed(dict.fromkeys(closure.name for closure in tree.closures))
    raise RobotDescriptionError(
        f"no configuration within the joint limits was found that closes {names}"
    )


def rank_of_closures(tree: JointTree, q: Floats) -> int:
    """Return how many degrees of freedom the closures take, at the most, at (B, n).

    Bounds that leave room take none.
    """
    values = np.linalg.svd(_held_rows(tree, q) * tree.joint_units, compute_uv=False)
    return int((values > TUNING.rank * np.maximum(values[:, :1], 1e-3)).sum(axis=1).max())


def closed_motions(tree: JointTree, q: Floats, mobility: int) -> Floats:
    """Return orthonormal motions (B, n, mobility) that keep the loops closed, at (B, n)."""
    motions = np.linalg.svd(_held_rows(tree, q))[2]
    return np.swapaxes(motions[:, tree.num_joints - mobility :], 1, 2)


def _held_rows(tree: JointTree, q: Floats) -> Floats:
    """Return how what closures hold changes (B, 6 L, n); zero for what has room within bounds."""
    jacobian = gaps(tree, q)[1]
    for k, closure in enumerate(tree.closures):
        roomy = closure.region.lower < closure.region.upper
        jacobian[:, k, roomy] = 0.0
    return jacobian.reshape(len(q), -1, tree.num_joints)


def region_errors(closures: Sequence[Closure], poses: Floats) -> tuple[Floats, Floats]:
    """Return the distances (..., L) [m] and angles [rad] of poses (..., L, 4, 4) from regions."""
    rows = poses.reshape(math.prod(poses.shape[:-3]), *poses.shape[-3:])
    errors = np.empty((*rows.shape[:2], 2))
    for k, closure in enumerate(closures):
        place = rows[:, k, :3, 3]
        beyond = place - np.clip(place, closure.region.lower[:3], closure.region.upper[:3])
        errors[:, k, 0] = np.linalg.norm(beyond, axis=1)
        vectors, free = _rotation_gap(closure, rows[:, k, :3, :3])
        errors[:, k, 1] = np.linalg.norm(np.where(free, 0.0, vectors), axis=1)
    errors = errors.reshape(*poses.shape[:-2], 2)
    return errors[..., 0], errors[..., 1]
