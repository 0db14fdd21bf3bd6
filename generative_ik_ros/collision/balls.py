"""Balls around groups of points that reach little beyond the solid the points belong to."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.directions import spread_directions
from generative_ik_ros.collision.solid import Depths
from generative_ik_ros.collision.sphere_tree import EMPTY


@dataclass(frozen=True)
class BallSearch:
    """How the smallest ball around points is found."""

    rounds: int = 24
    """Rounds in which it shrinks."""
    slack: float = 1e-9
    """Relative growth of radii against rounding."""


SEARCH = BallSearch()


EVEN_DIRECTIONS = spread_directions(48)
_STEPS = spread_directions(14)


def balls_around(
    points: NDArray[np.float64],
    reach: NDArray[np.float64],
    group: NDArray[np.int64],
    count: int,
    depths: Sequence[Depths],
) -> NDArray[np.float64]:
    """Return a ball around each group of small balls, (count, 4).

    Of all balls around a group, the one is looked for that reaches least beyond the solid. That
    is not the smallest one: a ball centred on a flat surface stands out of it by its radius, and
    one with its centre deep inside, through the same points, hardly at all.

    Args:
        points: (N, 3) centres of the small balls [m], sorted by group.
        reach: (N,) their radii [m], 0 for points.
        group: (N,) the group of each.
        count: Number of groups.
        depths: How deep points lie in the solids; none: the smallest balls are looked for.
    """
    made = np.zeros((count, 4))
    made[:, 3] = EMPTY
    groups, first = np.unique(group, return_index=True)
    if not len(groups):
        return made
    hull = _outermost(points, reach, first)
    centers = _search(points[hull], reach[hull], depths)
    owner = np.searchsorted(groups, group)
    gaps = np.linalg.norm(points - centers[owner], axis=-1) + reach
    made[groups, :3] = centers
    made[groups, 3] = np.maximum.reduceat(gaps, first) * (1.0 + SEARCH.slack) + 1e-12
    return made


def _outermost(
    points: NDArray[np.float64], reach: NDArray[np.float64], first: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the indices of each group's outermost points in many directions, (G, 48)."""
    size = np.diff(np.append(first, len(points)))
    found = np.empty((len(first), len(EVEN_DIRECTIONS)), np.int64)
    for k, direction in enumerate(EVEN_DIRECTIONS):
        along = points @ direction + reach
        best = np.repeat(np.maximum.reduceat(along, first), size)
        hits = np.flatnonzero(along >= best)
        found[:, k] = hits[np.searchsorted(hits, first)]
    return found


def _search(
    points: NDArray[np.float64],
    reach: NDArray[np.float64],
    depths: Sequence[Depths],
) -> NDArray[np.float64]:
    """Return centres (G, 3) by a pattern search from the middles of the points (G, 48, 3)."""
    middle = (points.min(axis=1) + points.max(axis=1)) / 2.0
    # Distances are expanded into products, for which coordinates must be small.
    near = points - middle[:, None]
    squares = (near**2).sum(axis=-1)[:, None]
    doubled = 2.0 * near.transpose(0, 2, 1)

    def excess(centers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how far balls around centres (G, K, 3) reach beyond the solid, (G, K)."""
        apart = centers - middle[:, None]
        gaps = squares + (apart**2).sum(axis=-1)[..., None] - apart @ doubled
        if flat:
            radius = np.sqrt(np.maximum(gaps.max(axis=-1), 0.0))
        else:
            radius = (np.sqrt(np.maximum(gaps, 0.0)) + reach[:, None]).max(axis=-1)
        return radius - np.max([grid.at(centers) for grid in depths], axis=0) if depths else radius

    flat = not reach.any()
    centers = middle
    radius = np.linalg.norm(points - centers[:, None], axis=-1).max(axis=1) + 1e-9
    far = radius[:, None] * (1.0, 2.0, 4.0, 8.0) if depths else radius[:, None]
    starts = far[:, :, None, None] * _STEPS
    trials = np.concatenate(
        [centers[:, None], centers[:, None] + starts.reshape(len(centers), -1, 3)], axis=1
    )
    rows = np.arange(len(centers))
    least = excess(trials)
    best = least.argmin(axis=1)
    centers, value = trials[rows, best], least[rows, best]
    step = radius / 2.0
    for _ in range(SEARCH.rounds):
        trials = centers[:, None] + step[:, None, None] * _STEPS
        least = excess(trials)
        best = least.argmin(axis=1)
        better = least[rows, best] < value
        centers = np.where(better[:, None], trials[rows, best], centers)
        value = np.where(better, least[rows, best], value)
        step = np.where(better, step, step / 2.0)
    return centers
