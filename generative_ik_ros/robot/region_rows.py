"""Task space regions as numbers, for the local solver and for the verification."""

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.robot.region import TaskSpaceRegion

SIZE, CHECK_SIZE = 18, 14
"""Numbers of a region for the local solver (`RegionRow` of the core) and for the verification
(`verify::Region`)."""
FREE_ANGLE = 4.0
"""Bound of an angle that is free: none is further from 0 than pi."""
_KIND, _HALF_SINE = 6, 11
"""Places in a region's row."""


class Rotation(IntEnum):
    """How a region bounds the tip's rotation."""

    EXACT = 0
    FREE = 1
    CONE = 2
    ANGLES = 3


class PackedRegions(NamedTuple):
    """Regions of G goals: the same for all targets (R = 1), or of each.

    Attributes:
        rows: (R, G, 18) for the local solver. Bounds that leave room are drawn in by the
            tolerances, so that what converges to them is inside.
        checks: (R, G, 14) for the verification.
        bounded: (G,) what each goal's regions bound, as bits of the core's `Bounded`; 0: nothing.
        held: The fewest coordinates of all tips together that have one value only; closures not
            counted.
        roomy: Whether some tip has room within bounds, rather than all or none.
    """

    rows: Floats
    checks: Floats
    bounded: Ints
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
        tips = [region.packed for each in regions for region in each]
        loops = [region.packed for region in closures]
        tolerances = position_tolerance, orientation_tolerance
        return cls(*_core.pack_regions(tips, len(regions[0]), loops, *tolerances))


def without_room(regions: Floats) -> Floats:
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


def held_coordinates(regions: Floats) -> tuple[Ints, Ints]:
    """Return how many coordinates of position and rotation regions (..., 18) hold, (...) each."""
    position = (regions[..., :3] == regions[..., 3:6]).sum(axis=-1)
    angles = (regions[..., 12:15] == regions[..., 15:18]).sum(axis=-1)
    kind = regions[..., _KIND]
    others = np.select([kind == Rotation.EXACT, kind == Rotation.CONE], [3, 2], 0)
    return position, np.where(kind == Rotation.ANGLES, angles, others)
