"""Poses all over a task space region, from a quasi-random sequence, compiled.

Pose k of a region is the same in all calls. What has only one value takes no dimension of the
sequence, so that few poses lie evenly along what is free.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.subproblems import turn
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.robot.region_rows import FREE_ANGLE, Rotation, angle_bounds, rotation_of
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.samplers.quasi_random import recurrence

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

_KIND, _AXIS, _COSINE, _REACH, _LOWER, _UPPER, _SHIFT, _RATIO = 0, 1, 2, 3, 4, 10, 16, 23
_EXACT, _FREE, _, _ANGLES = (float(kind) for kind in Rotation)
SIZE = 30
"""Numbers of `pose_numbers`."""
_COORDINATES = 7
"""Of a pose, and one that is the caller's."""
_EVEN = math.pi / 3.0
"""Largest pitch beside which roll and yaw are bounded, too: beyond, small turns of the tip are
large ones of these angles [rad]."""
_ROUGHER = 4.0
"""There bounds are drawn in by so many tolerances."""


class DrawnIn(NamedTuple):
    """Bounds inside a region's, so that what is off by no more than the tolerances is inside it.

    Attributes:
        lower: (6,) of x, y, z [m], roll, pitch, yaw [rad].
        upper: (6,) likewise.
        half_angle: Of a cone [rad].
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    half_angle: float

    @classmethod
    def of(cls, region: TaskSpaceRegion, tolerances: tuple[float, float]) -> "DrawnIn | None":
        """Return them; None if the region's angles are too tangled.

        Args:
            region: A region.
            tolerances: Of position [m] and rotation [rad].
        """
        kind, _, half_angle = rotation_of(region)
        lower, upper = region.lower.copy(), region.upper.copy()
        lower[3:], upper[3:] = angle_bounds(region)
        free = upper == FREE_ANGLE
        lower[free], upper[free] = -math.pi, math.pi
        error = np.repeat(tolerances, 3)
        if kind == Rotation.ANGLES:
            room = (upper > lower)[3:]
            alone = room.sum() == 1 and not lower[3:][~room].any()
            if not alone and max(-lower[4], upper[4]) > _EVEN:
                return None
            error[3:] *= 1.0 if alone else _ROUGHER
        with np.errstate(invalid="ignore"):
            inwards = np.minimum(error, 0.5 * (upper - lower))
        whole = upper - lower >= TURN
        inwards[3:][whole[3:]] = 0.0
        return cls(lower + inwards, upper - inwards, max(half_angle - tolerances[1], 0.0))


def pose_numbers(
    region: TaskSpaceRegion, tolerances: tuple[float, float], reach: float, more: bool
) -> NDArray[np.float64] | None:
    """Return what `write_region_pose` takes of a region, (30,); None: see `DrawnIn`.

    Args:
        region: A region with room somewhere.
        tolerances: See `DrawnIn`.
        reach: No tip is further from the base along any axis [m].
        more: Whether the caller has a coordinate of its own, which `coordinate` 6 is.
    """
    bounds = DrawnIn.of(region, tolerances)
    if bounds is None:
        return None
    kind, axis, _ = rotation_of(region)
    free = np.zeros(_COORDINATES, np.bool_)
    free[:6], free[6] = bounds.upper > bounds.lower, more
    if kind == Rotation.CONE:
        free[3:6] = True, bounds.half_angle > 0.0, bounds.half_angle > 0.0
    elif kind != Rotation.ANGLES:
        free[3:6] = kind == Rotation.FREE
    numbers = np.zeros(SIZE)
    numbers[:4] = kind, axis, math.cos(bounds.half_angle), reach
    numbers[_LOWER:_UPPER], numbers[_UPPER:_SHIFT] = bounds.lower, bounds.upper
    sequence = np.zeros((2, _COORDINATES))
    sequence[:, free] = recurrence(0, int(free.sum()))
    numbers[_SHIFT:] = sequence.ravel()
    return numbers


@inlined
def coordinate(numbers, k, i):
    """Return coordinate i of point k of the sequence, from 0 to 1."""
    value = numbers[_SHIFT + i] + (k + 1) * numbers[_RATIO + i]
    return value - math.floor(value)


@inlined
def write_region_pose(numbers, target, k, out):
    """Write pose k of the region about a target; return whether it may be within reach.

    Args:
        numbers: See `pose_numbers`.
        target: (4, 4) pose [m].
        k: Which.
        out: (4, 4) memory.
    """
    x, y, z = _rotation(numbers, k)
    inside = True
    for i in range(3):
        a, b, c = target[i, 0], target[i, 1], target[i, 2]
        out[i, 0] = a * x[0] + b * x[1] + c * x[2]
        out[i, 1] = a * y[0] + b * y[1] + c * y[2]
        out[i, 2] = a * z[0] + b * z[1] + c * z[2]
        out[i, 3] = target[i, 3]
    for i in range(3):
        lower, upper, a = numbers[_LOWER + i], numbers[_UPPER + i], 0.0
        if lower == upper:
            a = lower
        else:
            # Beyond the reach along any axis there is nothing.
            along, reach = 0.0, numbers[_REACH]
            for j in range(3):
                along += target[j, i] * target[j, 3]
            lower, upper = max(lower, -reach - along), min(upper, reach - along)
            inside = inside and lower <= upper
            a = lower + coordinate(numbers, k, i) * (upper - lower)
        for j in range(3):
            out[j, 3] += a * target[j, i]
    return inside


@inlined
def _rotation(numbers, k):
    """Return the columns of rotation k of the region, tip in target."""
    x, y, z, kind = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), numbers[_KIND]
    if kind == _EXACT:
        return x, y, z
    a, b, c = coordinate(numbers, k, 3), coordinate(numbers, k, 4), coordinate(numbers, k, 5)
    if kind == _ANGLES:
        low, high = _LOWER + 3, _UPPER + 3
        roll = _along(numbers[low] + a * (numbers[high] - numbers[low]))
        pitch = _along(numbers[low + 1] + b * (numbers[high + 1] - numbers[low + 1]))
        yaw = _along(numbers[low + 2] + c * (numbers[high + 2] - numbers[low + 2]))
        return _all_three(x, roll, y, pitch, z, yaw)
    if kind == _FREE:
        # Turns about z, then y, then z again, that reach all rotations alike.
        tilt = 2.0 * b - 1.0, 2.0 * math.sqrt(b * (1.0 - b))
        return _all_three(z, _along(TURN * a), y, tilt, z, _along(TURN * c))
    axis, aside = z, x
    if numbers[_AXIS] == 0.0:
        axis, aside = x, y
    elif numbers[_AXIS] == 1.0:
        axis, aside = y, z
    spin, still = _along(TURN * a), (1.0, 0.0)
    if numbers[_COSINE] == 1.0:
        return _all_three(axis, spin, axis, still, axis, still)
    away = _along(TURN * b)
    level = 1.0 - c * (1.0 - numbers[_COSINE])
    tilt = level, math.sqrt(max(0.0, 1.0 - level * level))
    lean = turn(axis, away, aside)
    return _all_three(axis, spin, lean, tilt, axis, still)


@inlined
def _along(angle):
    return math.cos(angle), math.sin(angle)


@inlined
def _all_three(a, first, b, second, c, third):
    """Return the columns of a turn about a, then about b, then about c."""
    columns = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    return _turned(c, third, _turned(b, second, _turned(a, first, columns)))


@inlined
def _turned(axis, angle, columns):
    """Return columns turned about an axis; in most regions two of three turns are none."""
    if angle[1] == 0.0 and angle[0] > 0.0:
        return columns
    x, y, z = columns
    return turn(axis, angle, x), turn(axis, angle, y), turn(axis, angle, z)
