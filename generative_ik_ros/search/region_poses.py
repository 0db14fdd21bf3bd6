"""Poses all over a task space region, from a quasi-random sequence, compiled.

Pose k of a region is the same in all calls. What has only one value takes no dimension of the
sequence, so that few poses lie evenly along what is free.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lane_algebra import cosine_and_sine
from generative_ik_ros.compiled.lanes import absolute, floor, spread, square_root
from generative_ik_ros.compiled.vectors import turn
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.robot.region_rows import FREE_ANGLE, Rotation, angle_bounds, rotation_of
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.samplers.quasi_random import recurrence

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

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
    """Return what `region_poses` takes of a region, (30,); None: see `DrawnIn`.

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
def coordinate(numbers, which, i):
    """Return coordinate i of points of the sequence, from 0 to 1, eight side by side."""
    value = (which + 1.0) * numbers[_RATIO + i] + numbers[_SHIFT + i]
    return value - floor(value)


@inlined
def region_poses(numbers, target, which):
    """Return eight poses of the region about a target, side by side.

    Args:
        numbers: See `pose_numbers`.
        target: (4, 4) pose [m].
        which: Their numbers.

    Returns:
        Rows of the rotation, the position [m], and whether they may be within reach.
    """
    x, y, z = _rotation(numbers, which)
    rows = (
        _row(target[0, 0], target[0, 1], target[0, 2], x, y, z),
        _row(target[1, 0], target[1, 1], target[1, 2], x, y, z),
        _row(target[2, 0], target[2, 1], target[2, 2], x, y, z),
    )
    px, py, pz, inside = spread(target[0, 3]), spread(target[1, 3]), spread(target[2, 3]), True
    for i in range(3):
        lower, upper = numbers[_LOWER + i], numbers[_UPPER + i]
        along = spread(lower)
        if lower != upper:
            # Beyond the reach along any axis there is nothing.
            away, reach = 0.0, numbers[_REACH]
            for j in range(3):
                away += target[j, i] * target[j, 3]
            lower, upper = max(lower, -reach - away), min(upper, reach - away)
            inside = inside and lower <= upper
            along = coordinate(numbers, which, i) * (upper - lower) + lower
        px = px + along * target[0, i]
        py = py + along * target[1, i]
        pz = pz + along * target[2, i]
    return rows, (px, py, pz), inside


@inlined
def _row(a, b, c, x, y, z):
    """Return (a, b, c) times the columns x, y, z."""
    return (
        x[0] * a + x[1] * b + x[2] * c,
        y[0] * a + y[1] * b + y[2] * c,
        z[0] * a + z[1] * b + z[2] * c,
    )


@inlined
def _rotation(numbers, which):
    """Return the columns of rotations of the region, tip in target."""
    zero, one, kind = spread(0.0), spread(1.0), numbers[_KIND]
    columns = (one, zero, zero), (zero, one, zero), (zero, zero, one)
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    if kind == _EXACT:
        return columns
    a, b, c = (
        coordinate(numbers, which, 3), coordinate(numbers, which, 4), coordinate(numbers, which, 5)
    )  # fmt: skip
    if kind == _ANGLES:
        columns = _between(numbers, 3, a, x, columns)
        columns = _between(numbers, 4, b, y, columns)
        return _between(numbers, 5, c, z, columns)
    if kind == _FREE:
        # Turns about z, then y, then z again, that reach all rotations alike.
        tilt = b * 2.0 - 1.0, square_root(b * (1.0 - b)) * 2.0
        columns = _turned(y, tilt, _turned(z, cosine_and_sine(a * TURN), columns))
        return _turned(z, cosine_and_sine(c * TURN), columns)
    axis, aside = z, x
    if numbers[_AXIS] == 0.0:
        axis, aside = x, y
    elif numbers[_AXIS] == 1.0:
        axis, aside = y, z
    columns = _turned(axis, cosine_and_sine(a * TURN), columns)
    if numbers[_COSINE] == 1.0:
        return columns
    level = 1.0 - c * (1.0 - numbers[_COSINE])
    # 1 - level^2, which is none where rounding leaves a little less.
    tilt = level, square_root(absolute((1.0 - level) * (1.0 + level)))
    return _turned(turn(axis, cosine_and_sine(b * TURN), aside), tilt, columns)


@inlined
def _between(numbers, i, share, axis, columns):
    """Return columns turned about an axis by angle i of the region; in most there is none."""
    lower, upper = numbers[_LOWER + i], numbers[_UPPER + i]
    if lower == upper == 0.0:
        return columns
    return _turned(axis, cosine_and_sine(share * (upper - lower) + lower), columns)


@inlined
def _turned(axis, angle, columns):
    """Return columns turned about an axis by an angle (cosine, sine)."""
    x, y, z = columns
    return turn(axis, angle, x), turn(axis, angle, y), turn(axis, angle, z)
