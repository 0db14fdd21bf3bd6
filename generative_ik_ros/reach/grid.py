"""The positions of a map: voxels around the first joint's axis, or given points."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from generative_ik_ros.arguments import number_array
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.errors import InvalidArgumentError, shown
from generative_ik_ros.robot.chain import KinematicChain

MOST = 2**28
"""Most positions of a map."""


@dataclass(frozen=True, eq=False)
class Positions:
    """The P positions of a map. Those that quarter turns take to each other are side by side.

    Attributes:
        positions: (P, 3) in the base [m].
        voxels: (P, 3) int32 places in the grid; (0, 3) for points.
        origin: (3,) a corner of the grid [m].
        first_quarter: (P, 3) the position that a quarter turn, two, three or none take to it [m].
        quarter: (P,) how many quarter turns.
    """

    positions: Floats
    voxels: NDArray[np.int32]
    origin: Floats
    first_quarter: Floats
    quarter: Ints


def given_points(points: ArrayLike) -> Positions:
    """Take points (P, 3) for positions.

    Raises:
        InvalidArgumentError: They have another shape, or are not finite.
    """
    rows = np.array(number_array("points", points))
    if rows.ndim != 2 or rows.shape[1] != 3 or not 0 < len(rows) <= MOST:
        raise InvalidArgumentError(f"points have shape {rows.shape}; they must be (P, 3), P >= 1")
    if not np.isfinite(rows).all():
        raise InvalidArgumentError(
            f"points[{np.argmin(np.isfinite(rows).all(axis=1))}] is not finite"
        )
    voxels, origin = np.empty((0, 3), np.int32), np.zeros(3)
    return Positions(rows, voxels, origin, rows, np.zeros(len(rows), np.int64))


def voxels_in_reach(
    chain: KinematicChain,
    centre: tuple[float, float],
    resolution: float,
    region: ArrayLike | None,
    quarters: bool,
) -> Positions:
    """Lay out the voxels that a chain's tip may enter, or those of a box among them.

    The corners of voxels lie on a vertical line through `centre`, and on the base's plane z = 0.

    Args:
        chain: The chain.
        centre: (x, y) [m].
        resolution: Edge of a voxel [m].
        region: (2, 3) lower and upper corner of a box [m]: voxels with their centres in it.
        quarters: Whether `first_quarter` and `quarter` are wanted; no quarter turns otherwise.

    Raises:
        InvalidArgumentError: The region is unusable, or there are no voxels, or too many.
    """
    hub, corner = chain.joint_origins[0][:3, 3], np.array([*centre, 0.0])
    lower, upper = _box(hub, chain.reach, region)
    with np.errstate(over="ignore"):
        # Centres in the box, which grows by half a voxel where only the reach bounds it.
        first = np.ceil((lower - corner) / resolution - (0.5 if region is not None else 1.0))
        last = np.floor((upper - corner) / resolution - (0.5 if region is not None else 0.0))
        size = np.prod(np.maximum(last - first + 1.0, 0.0))
    if not size <= MOST:
        raise InvalidArgumentError(
            f"the grid would have {size:.3g} voxels, at most {MOST} are allowed: choose "
            "a coarser resolution or a smaller region"
        )
    low, high = first.astype(np.int64), last.astype(np.int64)
    across = np.stack(
        np.meshgrid(*(np.arange(low[i], high[i] + 1) for i in (0, 1)), indexing="ij"), axis=-1
    ).reshape(-1, 2)
    layers = [
        _in_reach(across, layer, corner, resolution, hub, chain.reach)
        for layer in range(low[2], high[2] + 1)
    ]
    cells = np.concatenate([np.empty((0, 3), np.int64), *layers])
    if not len(cells):
        raise InvalidArgumentError(
            f"region: no voxel's centre lies in it and within {chain.reach:.4g} m of the first "
            f"joint at {np.round(hub, 4).tolist()}"
        )
    first_cells, quarter = _first_quarter(cells) if quarters else (cells, np.zeros(len(cells)))
    order = np.lexsort((quarter, *first_cells.T))
    cells, first_cells, quarter = cells[order], first_cells[order], quarter[order]
    lowest = cells.min(axis=0)
    return Positions(
        np.asarray(corner + (cells + 0.5) * resolution, np.float64),
        (cells - lowest).astype(np.int32),
        corner + lowest * resolution,
        np.asarray(corner + (first_cells + 0.5) * resolution, np.float64),
        quarter.astype(np.int64),
    )


def _box(hub: Floats, reach: float, region: ArrayLike | None) -> tuple[Floats, Floats]:
    """Return the corners of a box that holds all positions [m]."""
    if region is None:
        if not math.isfinite(reach):
            raise InvalidArgumentError("the chain's reach is not bounded: give a region")
        return hub - reach, hub + reach
    box = number_array("region", region)
    if box.shape != (2, 3) or not np.isfinite(box).all() or not (box[0] <= box[1]).all():
        raise InvalidArgumentError(
            "region must be the lower and the upper corner of a box, (2, 3) finite numbers [m], "
            f"none of the lower corner's above the upper's, not {shown(box.tolist())}"
        )
    return np.maximum(box[0], hub - reach), np.minimum(box[1], hub + reach)


def _in_reach(
    across: Ints, layer: int, corner: Floats, resolution: float, hub: Floats, reach: float
) -> Ints:
    """Return the voxels (., 3) of a layer of which a part is within reach."""
    cells = np.column_stack([across, np.full(len(across), layer)])
    centres = corner + (cells + 0.5) * resolution
    gaps = np.maximum(np.abs(centres - hub) - resolution / 2.0, 0.0)
    return cells[np.linalg.norm(gaps, axis=1) <= reach]


def _first_quarter(cells: Ints) -> tuple[Ints, Ints]:
    """Return what voxels (P, 3) are in the quarter x, y > 0, and the quarter turns from there."""
    a, b, c = cells.T
    quarter = np.select([(a >= 0) & (b >= 0), (a < 0) & (b >= 0), (a < 0) & (b < 0)], [0, 1, 2], 3)
    first = np.choose(quarter, [a, b, -a - 1, -b - 1])
    second = np.choose(quarter, [b, -a - 1, -b - 1, a])
    return np.column_stack([first, second, c]), quarter
