"""Task space regions as numbers, for the local solver and for the verification."""

import math
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.region import AXES, TaskSpaceRegion
from generative_ik_ros.robot.rigid import TURN

SIZE, CHECK_SIZE = 18, 14
"""Numbers of a region for the local solver (see `solver_row`) and for the verification."""
FREE_ANGLE = 4.0
"""Bound of an angle that is free: none is further from 0 than pi."""
_KIND, _HALF_SINE = 6, 11
"""Places in a region's row; see `solver_row`."""


class Rotation(IntEnum):
    """How a region bounds the tip's rotation."""

    EXACT = 0
    FREE = 1
    CONE = 2
    ANGLES = 3


class Bounded(IntEnum):
    """Bits that say what the local solver has to look at; none for exact poses."""

    REGION = 1
    CONE = 2
    ANGLES = 4
    ROOM = 8
    """A position has room, or is not the target's."""
    TURNS = 16
    """A rotation likewise."""


class PackedRegions(NamedTuple):
    """Regions of G goals: the same for all targets (R = 1), or of each.

    Attributes:
        rows: (R, G, 18) for the local solver, see `solver_row`.
        checks: (R, G, 14) for the verification, see `check_row`.
        bounded: (G,) `Bounded` bits of each goal.
        held: The fewest coordinates of all tips together that have one value only; closures not
            counted.
        roomy: Whether some tip has room within bounds, rather than all or none.
    """

    rows: NDArray[np.float64]
    checks: NDArray[np.float64]
    bounded: NDArray[np.int64]
    held: int
    roomy: bool

    @classmethod
    def of(
        cls,
        regions: Sequence[Sequence[TaskSpaceRegion]],
        position_tolerance: float,
        orientation_tolerance: float,
        closures: Sequence[TaskSpaceRegion] = (),
    ) -> "PackedRegions":
        """Pack (R, K) regions of tips and, behind them, (L,) regions of closures.

        A tolerance of inf leaves positions or rotations free.
        """
        tips = regions
        regions = [(*each, *closures) for each in tips]
        tolerances = position_tolerance, orientation_tolerance
        bounded = np.zeros(len(regions[0]), np.int64)
        for each in regions:
            bounded |= [bounded_by(region) for region in each]
        free = [math.isinf(tolerance) for tolerance in tolerances]
        held = min(
            sum(
                (not free[0]) * r.held_coordinates[0] + (not free[1]) * r.held_coordinates[1]
                for r in each
            )
            for each in tips
        )
        # A path has thousands, most of them the same.
        different = {region.key: region for each in regions for region in each}
        solver = {key: solver_row(region, *tolerances) for key, region in different.items()}
        check = {key: check_row(region) for key, region in different.items()}
        return cls(
            np.array([[solver[region.key] for region in each] for each in regions]),
            np.array([[check[region.key] for region in each] for each in regions]),
            bounded,
            held,
            any(sum(r.held_coordinates) < 6 and not r.is_free for each in tips for r in each),
        )


def angle_bounds(region: TaskSpaceRegion) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the bounds of roll, pitch and yaw; those of a free angle beyond all angles."""
    lower, upper = region.lower[3:].copy(), region.upper[3:].copy()
    free = ~(upper - lower < TURN - 1e-9)
    lower[free], upper[free] = -FREE_ANGLE, FREE_ANGLE
    return lower, upper


def rotation_of(region: TaskSpaceRegion) -> tuple[Rotation, int, float]:
    """Return how a region bounds rotations; for a cone also the axis and the half angle."""
    if region.cone_axis is not None:
        if region.half_angle == math.pi:
            return Rotation.FREE, 0, 0.0
        return Rotation.CONE, AXES.index(region.cone_axis), region.half_angle
    lower, upper = angle_bounds(region)
    free = upper == FREE_ANGLE
    # Two triples of angles are one rotation, so pitch is as good as free from -90 to 90 degrees.
    free[1] |= (
        bool(lower[1] <= -math.pi / 2.0 and upper[1] >= math.pi / 2.0) and free[[0, 2]].all()
    )
    if free.all():
        return Rotation.FREE, 0, 0.0
    zero = (lower == 0.0) & (upper == 0.0)
    if zero.all():
        return Rotation.EXACT, 0, 0.0
    if free.sum() == 1 and zero.sum() == 2:
        return Rotation.CONE, int(free.argmax()), 0.0
    return Rotation.ANGLES, 0, 0.0


def solver_row(
    region: TaskSpaceRegion, position_tolerance: float, orientation_tolerance: float
) -> NDArray[np.float64]:
    """Return a region for the local solver: (18,).

    Lower and upper bounds of the position (6), a `Rotation`, the cone's axis (3), cosine and sine
    of half its half angle, lower and upper bounds of the angles (6). Bounds that leave room are
    drawn in by the tolerances, so that what converges to them is inside.
    """
    row = np.zeros(SIZE)
    kind, axis, half_angle = rotation_of(region)
    row[0:3], row[3:6] = _drawn_in(region.lower[:3], region.upper[:3], position_tolerance)
    row[6], row[7 + axis] = kind, 1.0
    drawn = max(half_angle - orientation_tolerance, 0.5 * half_angle)
    row[10], row[11] = math.cos(0.5 * drawn), math.sin(0.5 * drawn)
    row[12:15], row[15:18] = _drawn_in(*angle_bounds(region), orientation_tolerance)
    return row


def check_row(region: TaskSpaceRegion) -> NDArray[np.float64]:
    """Return a region for the verification: (14,).

    Lower bounds (6), upper bounds (6), the cone's axis or -1, its half angle. Bounds of angles
    stay what they are, also where the local solver takes them for a cone.
    """
    lower, upper = angle_bounds(region)
    kind, axis, half_angle = rotation_of(region)
    cone = (axis, half_angle) if region.cone_axis is not None else (-1.0, 0.0)
    if kind == Rotation.FREE:
        lower, upper = np.full(3, -FREE_ANGLE), np.full(3, FREE_ANGLE)
    return np.concatenate([region.lower[:3], lower, region.upper[:3], upper, cone])


def bounded_by(region: TaskSpaceRegion) -> int:
    """Return the `Bounded` bits of a region; 0 for the exact pose."""
    if region.is_exact:
        return 0
    bits = {Rotation.CONE: Bounded.CONE, Rotation.ANGLES: Bounded.ANGLES}
    kind = rotation_of(region)[0]
    turns = Bounded.TURNS * (kind != Rotation.EXACT)
    room = Bounded.ROOM * bool(region.lower[:3].any() or region.upper[:3].any())
    return Bounded.REGION | bits.get(kind, 0) | turns | room


def _drawn_in(
    lower: NDArray[np.float64], upper: NDArray[np.float64], tolerance: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    width = upper - lower
    by = np.minimum(tolerance, 0.5 * width)
    by[~np.isfinite(by)] = 0.0
    return lower + by, upper - by


def without_room(regions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return regions (..., 18) without the bounds that leave room, only what is held.

    A solution on a bound may move inside as well as along it; what leaves the region comes back to
    it.
    """
    rows = regions.copy()
    for lower, upper, free in ((0, 3, np.inf), (12, 15, FREE_ANGLE)):
        wide = rows[..., upper : upper + 3] > rows[..., lower : lower + 3]
        rows[..., lower : lower + 3][wide], rows[..., upper : upper + 3][wide] = -free, free
    cone = (rows[..., _KIND] == Rotation.CONE) & (rows[..., _HALF_SINE] > 0.0)
    rows[..., _KIND][cone] = Rotation.FREE
    return rows


def held_coordinates(regions: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how many coordinates of position and rotation regions (..., 18) hold, (...) each."""
    position = (regions[..., :3] == regions[..., 3:6]).sum(axis=-1)
    angles = (regions[..., 12:15] == regions[..., 15:18]).sum(axis=-1)
    kind = regions[..., _KIND]
    others = np.select([kind == Rotation.EXACT, kind == Rotation.CONE], [3, 2], 0)
    return position, np.where(kind == Rotation.ANGLES, angles, others)
