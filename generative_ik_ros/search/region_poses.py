"""A task space region as the numbers of which the native core makes poses all over it.

Pose k of a region is the same in all calls. What has only one value takes no dimension of the
quasi-random sequence, so that few poses lie evenly along what is free.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.robot.region_rows import FREE_ANGLE, Rotation, angle_bounds, rotation_of
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.samplers.quasi_random import recurrence

_EVEN = math.pi / 3.0
"""Largest pitch beside which roll and yaw are bounded, too: beyond, small turns of the tip are
large ones of these angles [rad]."""


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
            # Small turns of the tip may be larger ones of an angle that is not alone.
            error[3:] *= 1.0 if alone else 4.0
        with np.errstate(invalid="ignore"):
            inwards = np.minimum(error, 0.5 * (upper - lower))
        whole = upper - lower >= TURN
        inwards[3:][whole[3:]] = 0.0
        return cls(lower + inwards, upper - inwards, max(half_angle - tolerances[1], 0.0))


def pose_numbers(
    region: TaskSpaceRegion, tolerances: tuple[float, float], reach: float, more: bool
) -> NDArray[np.float64] | None:
    """Return what a SurfaceProblem takes of a region, (30,); None: see `DrawnIn`.

    These are a `Rotation`, the axis of a cone and the cosine of its half angle, the reach, lower
    and upper bounds (6 each), shifts and ratios of the sequence (7 each).

    Args:
        region: A region with room somewhere.
        tolerances: See `DrawnIn`.
        reach: No tip is further from the base along any axis [m].
        more: Whether the caller has a coordinate of its own, which comes last.
    """
    bounds = DrawnIn.of(region, tolerances)
    if bounds is None:
        return None
    kind, axis, _ = rotation_of(region)
    # Of the pose, and a coordinate that is the caller's.
    free = np.zeros(7, np.bool_)
    free[:6], free[6] = bounds.upper > bounds.lower, more
    if kind == Rotation.CONE:
        free[3:6] = True, bounds.half_angle > 0.0, bounds.half_angle > 0.0
    elif kind != Rotation.ANGLES:
        free[3:6] = kind == Rotation.FREE
    sequence = np.zeros((2, len(free)))
    sequence[:, free] = recurrence(0, int(free.sum()))
    header = kind, axis, math.cos(bounds.half_angle), reach
    return np.concatenate([header, bounds.lower, bounds.upper, sequence.ravel()])
