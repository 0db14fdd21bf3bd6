"""The search among bases: coarse estimates choose what is solved for, patterns improve the best.

Which base is better: one that reaches all tasks, by its score; of others, the one that misses
less. What is missed counts by r / (r + miss), so that a base that misses a few tasks narrowly is
worth more than one that does not come near others.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.arguments import number_array
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.reach.base_rating import BaseRater, Ratings
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import TURN, turn

MOST_BASES = 5_000_000
"""Largest size of a grid."""


@dataclass(frozen=True, eq=False)
class BaseGrid:
    """Positions times yaw angles; base i is at position i // len(yaws), with yaw i % len(yaws).

    Attributes:
        lower: (3,) lower corner of the box of positions [m].
        upper: (3,) upper corner.
        step: Largest distance of neighbours along an axis [m].
        positions: (C, 3) [m].
        yaws: (Y,) evenly over a full turn [rad].
    """

    lower: Floats
    upper: Floats
    step: float
    positions: Floats
    yaws: Floats

    @classmethod
    def of(
        cls,
        chain: KinematicChain,
        tasks: Floats,
        bounds: ArrayLike | None,
        step: float,
        yaw_step: float,
        mount: Floats,
    ) -> "BaseGrid":
        """Lay a grid; arguments and errors are those of `place_base`."""
        if bounds is None:
            lower, upper = _within_reach(chain, tasks, mount)
        else:
            lower, upper = _bounds(bounds)
        with np.errstate(over="ignore"):
            counts = np.floor((upper - lower) / step + 1e-9) + 1
        num_yaws = max(np.ceil(TURN / yaw_step - 1e-9), 1.0)
        if counts.prod() * num_yaws > MOST_BASES:
            raise InvalidArgumentError(
                f"{counts.prod() * num_yaws:.3g} bases are too many, at most {MOST_BASES}: choose "
                "narrower bounds or a larger step"
            )
        # Centred, so that the grid keeps the symmetry that tasks may have.
        axes = [
            (low + high) / 2.0 + step * (np.arange(count) - (count - 1.0) / 2.0)
            for low, high, count in zip(lower, upper, counts, strict=True)
        ]
        positions = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
        return cls(lower, upper, step, positions, TURN / num_yaws * np.arange(num_yaws))

    def __len__(self) -> int:
        """Return the number of bases."""
        return len(self.positions) * len(self.yaws)

    def bases(self, rows: Ints) -> Floats:
        """Return some bases, (N, 4, 4) in the world [m]."""
        cell, yaw = np.divmod(rows, len(self.yaws))
        return upright(np.column_stack([self.positions[cell], self.yaws[yaw]]))


def upright(places: Floats) -> Floats:
    """Return the frames (N, 4, 4) at x, y, z [m], turned about z by a yaw [rad], (N, 4)."""
    frames = turn(np.array([0.0, 0.0, 1.0]), places[:, 3])
    frames[:, :3, 3] = places[:, :3]
    return frames


def _bounds(bounds: ArrayLike) -> tuple[Floats, Floats]:
    box = number_array("bounds", bounds)
    if box.shape != (2, 3) or not np.isfinite(box).all() or (box[0] > box[1]).any():
        raise InvalidArgumentError(
            "bounds must be (2, 3), finite lower and upper corners x y z [m]; equal heights for "
            f"bases on a floor; not {box.tolist()}"
        )
    return box[0], box[1]


def _within_reach(chain: KinematicChain, tasks: Floats, mount: Floats) -> tuple[Floats, Floats]:
    """Return the corners of the rectangle at height 0 outside of which no base reaches all."""
    first_in_base = mount @ chain.joint_origins[0]
    radius = chain.reach + float(np.linalg.norm(first_in_base[:2, 3]))
    lower = np.append(tasks[:, :2, 3].max(axis=0) - radius, 0.0)
    upper = np.append(tasks[:, :2, 3].min(axis=0) + radius, 0.0)
    if not math.isfinite(radius) or (lower > upper).any():
        raise InvalidArgumentError(
            "bounds are needed: the tasks are further apart than twice the reach of the arm, "
            f"{radius:.2f} m, so that no base reaches all of them"
        )
    return lower, upper


@dataclass(frozen=True)
class BaseSearch:
    """How far bases are improved."""

    halvings: int = 5
    """How often a pattern shrinks; it begins with half of the grid's step."""
    most_moves: int = 4
    """Moves of a pattern before it shrinks all the same."""
    rated: int = 64
    """Bases that are solved for in one round."""
    most_rated: int = 1024
    """Bases that are solved for, if fewer than are wanted reach all tasks without collisions."""
    gain: float = 1e-9
    """Share by which a base must be better, so that rounding leads nowhere."""


SEARCH = BaseSearch()

_State = tuple[Floats, Ratings, float]
"""Place of a base (x, y, z, yaw), its rating and value."""


class Value:
    """Makes numbers of ratings, greater for better bases.

    Args:
        radius: What is missed by this counts half [m].
        mean: Whether the mean of the tasks' scores counts, instead of the worst.
    """

    def __init__(self, radius: float, *, mean: bool):
        """Keep the settings."""
        self._radius, self._mean = radius, mean

    def share(self, ratings: Ratings) -> Floats:
        """Return the shares of the tasks (B,), those that are missed counting in part."""
        return (self._radius / (self._radius + ratings.missed)).mean(axis=1)

    def score(self, ratings: Ratings) -> Floats:
        """Return the scores (B,), NaN where a task is not reached."""
        scores = ratings.task_scores
        return scores.mean(axis=1) if self._mean else scores.min(axis=1)

    def order(self, ratings: Ratings) -> list[int]:
        """Return all rows, best first; where tasks are missed, those that reach more of them."""
        reached = (ratings.missed == 0.0).sum(axis=1)
        return np.lexsort((-self.of(ratings), -reached)).tolist()

    def of(self, ratings: Ratings) -> Floats:
        """Return the values (B,): above 1 where all tasks are reached, else the shares."""
        score = self.score(ratings)
        # Squeezed into 0 to 1, in order, whatever a score's unit.
        good = np.nan_to_num(score / (1.0 + np.abs(score)))
        return np.where(np.isfinite(score), 2.0 + good, self.share(ratings))


def coarse_order(shares: Floats, scores: Floats, num_yaws: int) -> Ints:
    """Return all bases of a grid, most promising first.

    The best yaw of every position comes before any second best: bases at one position with
    different yaws are often much alike.

    Args:
        shares: (M,) estimated shares of the tasks, 1 where all are reached.
        scores: (M,) estimated scores.
        num_yaws: Bases at one position.
    """
    value = np.where(shares >= 1.0 - SEARCH.gain, 2.0 + scores / (1.0 + np.abs(scores)), shares)
    by_cell = np.argsort(-value.reshape(-1, num_yaws), axis=1, kind="stable")
    rank = np.empty_like(by_cell)
    np.put_along_axis(rank, by_cell, np.arange(num_yaws)[None], axis=1)
    return np.lexsort((-value, rank.ravel()))


def rated_in_order(
    bases: Callable[[Ints], Floats], order: Ints, promising: int, rater: BaseRater, wanted: int
) -> tuple[Floats, Ratings]:
    """Rate bases in the order of their promise, until there are enough that reach all tasks.

    Args:
        bases: Returns the frames of some rows.
        order: The rows.
        promising: How many of them may reach all tasks, as far as the estimates can tell. The
            search goes on beyond the first round with these only.
        rater: Rates.
        wanted: How many have to reach all tasks.
    """
    end = min(len(order), SEARCH.most_rated, max(promising, SEARCH.rated))
    frames, parts, complete = [], [], 0
    for start in range(0, end, SEARCH.rated):
        frames.append(bases(order[start : min(start + SEARCH.rated, end)]))
        parts.append(rater.compare(frames[-1]))
        complete += int(parts[-1].complete.sum())
        if complete >= wanted:
            break
    return np.concatenate(frames), Ratings.joined(parts)


def improved(
    base: Floats, rating: Ratings, grid: BaseGrid, rater: BaseRater, value: Value
) -> tuple[Floats, Ratings]:
    """Move an upright base (4, 4) to where its value is locally best, at most a step of the grid.

    All neighbours of a pattern are rated at once; the best one is moved to, and where there is no
    better one, the pattern is halved. If that ends where tasks are missed, all yaws are tried
    there, and from the best of them once more: which one is best on the grid may be chance
    where the position is not right yet. Returns the base and its rating.
    """
    place = np.append(base[:3, 3], np.arctan2(base[1, 0], base[0, 0]))
    # Other parts of the grid have starts of their own.
    lower = np.append(np.maximum(place[:3] - grid.step, grid.lower), -np.inf)
    upper = np.append(np.minimum(place[:3] + grid.step, grid.upper), np.inf)
    steps = np.append(np.full(3, grid.step), TURN / len(grid.yaws)) / 2.0
    steps[:3][grid.lower == grid.upper] = 0.0
    shifts = product(*((-1, 0, 1) if step else (0,) for step in steps[:3]))
    turns = (0, 0, 0, -1), (0, 0, 0, 1)
    directions = np.array([*((*shift, 0) for shift in shifts if any(shift)), *turns])
    state = place, rating, float(value.of(rating)[0])

    def moved(state: _State, moves: Floats) -> _State:
        """Return the best of what moves (N, 4) lead to, or the same state."""
        place, _, best = state
        around = np.clip(place + moves, lower, upper)
        ratings = rater.compare(upright(around))
        values = value.of(ratings)
        row = int(values.argmax())
        if values[row] <= best * (1.0 + SEARCH.gain):
            return state
        return around[row], ratings.taken([row]), float(values[row])

    def climbed(state: _State) -> _State:
        for halving in range(SEARCH.halvings):
            for _ in range(SEARCH.most_moves):
                before, state = state, moved(state, directions * steps / 2.0**halving)
                if state is before:
                    break
        return state

    state = climbed(state)
    if (state[1].missed > 0.0).any():
        turned = moved(state, np.outer(grid.yaws[1:], (0.0, 0.0, 0.0, 1.0)))
        state = state if turned is state else climbed(turned)
    return upright(state[0][None])[0], state[1]


def apart(bases: Floats, order: Sequence[int], distance: float, most: int) -> list[int]:
    """Choose rows in an order, each of whose bases stands away from all chosen before.

    Args:
        bases: (N, 4, 4) frames [m].
        order: Rows, best first.
        distance: How far apart positions have to be [m].
        most: How many are chosen at most.
    """
    chosen = []
    for row in order:
        if len(chosen) == most:
            break
        gaps = np.linalg.norm(bases[chosen, :3, 3] - bases[row, :3, 3], axis=1)
        if (gaps >= distance).all():
            chosen.append(int(row))
    return chosen
