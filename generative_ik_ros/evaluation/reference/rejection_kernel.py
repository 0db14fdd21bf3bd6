"""Uniform draws in, those configurations that reach one of many targets roughly out."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from generative_ik_ros.evaluation.metrics.space import JointSpace
from generative_ik_ros.evaluation.poses import finite_limits
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import inverse

# ruff: noqa: ANN001, ANN202  (types inside compiled code are numba's, not Python's)


class RejectionKernel:
    """Rejection sampling of one chain for T targets at once.

    A chain's first joint, if it turns, carries the tip round a circle, so that the angles that
    bring it near a target are known in closed form. They are an interval of half-width w, never
    more than a half-width W that depends on the target only. Instead of drawing that angle from
    the whole range, it is drawn from the interval, and kept with the chance w / W: the density
    is the same for every angle in every interval, so what is accepted is as uniform as without
    the short cut, at a chance that is higher by the ratio of the whole range to 2 W.

    Args:
        chain: The chain.
        targets: (T, 4, 4) tip in base [m].
        position_tolerance: Largest distance of the tip from a target [m].
        orientation_tolerance: Largest angle between them [rad].
        short_cut: Whether to draw the first joint's angle that way, where it applies.
    """

    def __init__(
        self,
        chain: KinematicChain,
        targets: NDArray[np.float64],
        position_tolerance: float,
        orientation_tolerance: float,
        *,
        short_cut: bool = True,
    ):
        """Fold the chain and see whether its first joint allows the short cut."""
        lower, upper = finite_limits(chain)
        middle, half = (lower + upper) / 2.0, (upper - lower) / 2.0
        half = np.where(JointSpace.of(chain).circular, np.pi, half)
        self._lower, self._upper = middle - half, middle + half
        first = int(chain.joint_variable[0])
        alone = int((chain.joint_variable == first).sum()) == 1
        plain = abs(chain.joint_multiplier[0]) == 1.0 and not chain.joint_prismatic[0]
        self.short_cut = bool(short_cut and alone and plain)
        start, skipped = np.eye(4), 0
        if self.short_cut:
            # All is seen from the first joint's frame, turned so that its axis is z.
            start, skipped = inverse(_z_to(chain.joint_axes[0])), 1
            targets = start @ inverse(chain.joint_origins[0]) @ targets
        self._targets = np.ascontiguousarray(targets)
        self._tolerances = position_tolerance, orientation_tolerance
        self._chain = (
            np.ascontiguousarray(start[:3]),
            np.ascontiguousarray(chain.joint_origins[skipped:, :3]),
            np.ascontiguousarray(chain.joint_axes[skipped:]),
            np.array(chain.joint_prismatic[skipped:]),
            np.array(chain.joint_variable[skipped:]),
            np.array(chain.joint_multiplier[skipped:]),
            np.array(chain.joint_offset[skipped:]),
            np.ascontiguousarray(chain.tip_in_last_joint[:3]),
        )
        self._first = (
            first if self.short_cut else -1,
            float(chain.joint_multiplier[0]),
            float(chain.joint_offset[0]),
            float(middle[first]),
            float(half[first]),
        )

    def draw(
        self, rng: np.random.Generator, count: int
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Draw so many times; return the accepted (k, n) and which target (k,) each reaches."""
        drawn = rng.uniform(self._lower, self._upper, (count, len(self._lower)))
        chances = rng.random((count, 2))
        rows, reached, values = _accepted(
            self._chain, self._first, drawn, chances, self._targets, *self._tolerances
        )
        accepted = drawn[rows]
        if self.short_cut:
            accepted[:, self._first[0]] = values
        return accepted, reached


def _z_to(axis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a rotation (4, 4) that takes z to a unit axis."""
    other = np.eye(3)[np.argmin(np.abs(axis))]
    x = np.cross(other, axis)
    x /= np.linalg.norm(x)
    rotation = np.eye(4)
    rotation[:3, :3] = np.stack([x, np.cross(axis, x), axis], axis=1)
    return rotation


@njit(nogil=True, cache=True)
def _accepted(chain, first, drawn, chances, targets, position_tolerance, orientation_tolerance):
    """Return draws, the targets they reach, and the first joint's values for these."""
    start, origins, axes, prismatic, variable, multiplier, offset, tip = chain
    variable_of_first, sign, shift, middle, half = first
    rows, reached, values = [], [], []
    squared_tolerance = position_tolerance**2
    # The trace of a rotation by an angle is 1 + 2 cos(angle).
    least_trace = 1.0 + 2.0 * math.cos(min(orientation_tolerance, math.pi))
    frame, moved = np.empty((3, 4)), np.empty((3, 4))
    radii = np.sqrt(targets[:, 0, 3] ** 2 + targets[:, 1, 3] ** 2)
    for s in range(len(drawn)):
        frame[:] = start
        for j in range(len(origins)):
            value = multiplier[j] * drawn[s, variable[j]] + offset[j]
            _compose(frame, origins[j], moved)
            if prismatic[j]:
                for a in range(3):
                    for b in range(3):
                        moved[a, 3] += moved[a, b] * axes[j, b] * value
            else:
                _turn(moved, axes[j], value)
            frame, moved = moved, frame
        _compose(frame, tip, moved)
        radius = math.sqrt(moved[0, 3] ** 2 + moved[1, 3] ** 2)
        for t in range(len(targets)):
            sine, cosine, value = 0.0, 1.0, 0.0
            if variable_of_first < 0:
                squared = 0.0
                for a in range(3):
                    squared += (moved[a, 3] - targets[t, a, 3]) ** 2
                if squared > squared_tolerance:
                    continue
            else:
                height = moved[2, 3] - targets[t, 2, 3]
                if (radius - radii[t]) ** 2 + height**2 > squared_tolerance:
                    continue
                width = _half_width(radius, radii[t], height, squared_tolerance)
                widest = math.pi
                if radii[t] > position_tolerance:
                    widest = math.asin(position_tolerance / radii[t])
                if chances[s, 0] * widest >= width:
                    continue
                angle = (2.0 * chances[s, 1] - 1.0) * width
                angle += math.atan2(targets[t, 1, 3], targets[t, 0, 3])
                angle -= math.atan2(moved[1, 3], moved[0, 3])
                sine, cosine = math.sin(angle), math.cos(angle)
                value = sign * (angle - shift) - middle
                value -= 2.0 * math.pi * np.rint(value / (2.0 * math.pi))
                if abs(value) > half:
                    continue
                value += middle
            trace = 0.0
            for b in range(3):
                x, y = moved[0, b], moved[1, b]
                trace += (cosine * x - sine * y) * targets[t, 0, b]
                trace += (sine * x + cosine * y) * targets[t, 1, b]
                trace += moved[2, b] * targets[t, 2, b]
            if trace >= least_trace:
                rows.append(s)
                reached.append(t)
                values.append(value)
    return np.array(rows, np.int64), np.array(reached, np.int64), np.array(values, np.float64)


@njit(inline="always")
def _half_width(radius, target_radius, height, squared_tolerance):
    """Return by what angle a point may turn about z from the target's and still be near it."""
    product = 2.0 * radius * target_radius
    if product == 0.0:
        return math.pi
    cosine = (radius**2 + target_radius**2 + height**2 - squared_tolerance) / product
    return math.acos(min(1.0, max(-1.0, cosine)))


@njit(inline="always")
def _compose(left, right, product):
    for a in range(3):
        for b in range(4):
            product[a, b] = (
                left[a, 0] * right[0, b] + left[a, 1] * right[1, b] + left[a, 2] * right[2, b]
            )
        product[a, 3] += left[a, 3]


@njit(inline="always")
def _turn(frame, axis, angle):
    """Turn a frame about an axis of its own: each row r becomes r R, by Rodrigues' formula."""
    sine, cosine = math.sin(angle), math.cos(angle)
    x, y, z = axis[0], axis[1], axis[2]
    for a in range(3):
        p, q, r = frame[a, 0], frame[a, 1], frame[a, 2]
        along = (1.0 - cosine) * (p * x + q * y + r * z)
        frame[a, 0] = cosine * p + sine * (q * z - r * y) + along * x
        frame[a, 1] = cosine * q + sine * (r * x - p * z) + along * y
        frame[a, 2] = cosine * r + sine * (p * y - q * x) + along * z
