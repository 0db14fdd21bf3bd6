"""Null-space smoothing of a path: shorter, without leaving poses, limits or free space."""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.paths.freedom import Freedom
from generative_ik_ros.paths.motion import MotionCheck
from generative_ik_ros.paths.objective import LARGEST_STEP, Objective
from generative_ik_ros.paths.smooth_kernel import smoothing_step
from generative_ik_ros.paths.solved import solved
from generative_ik_ros.paths.task import PathTask
from generative_ik_ros.refine.base import RefineTask
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt

# A type checker does not see what compiled code takes.
# pyright: reportCallIssue=false

_SWEEPS, _TRIES = 30, 4
"""Sweeps of smoothing, and times that it begins again because what it leads to is not valid."""
_LONGEST_MOVE = 0.5
"""Largest move of a joint in one sweep, in its unit; further off, poses curve too much."""
_AT, _PASSES = 1e-3, 3
"""How close to its limit a joint is at it, in its unit; how often it is looked for what is."""
_LEAST_GAIN = 1e-3
"""Sweeps end when one shortens the path by a smaller share."""
_WHOLE = 0.2
"""Moves of which this share fails are made with configurations that could not move held back."""
_HOLD = 3
"""Sweeps for which a configuration stays that could not move."""
_BENDS = 20
"""Sweeps after which a path that does not meet its end is given up."""
_LEAST_SHARE = 0.2
"""A move of which not even this share is valid is not made."""
_AROUND = 31
"""Most configurations around one that cannot move that are held back with it."""
_STRAIGHT = 0.1
"""Motions that are shorter than this share of the mean count like it; else they would be stiff."""


class Smoother:
    """Shortens paths.

    Args:
        task: Poses and bounds.
        motions: What may collide.
    """

    def __init__(self, task: PathTask, motions: MotionCheck):
        """Find out how the configurations of a pose may move."""
        refiner = task.stages.refiner
        self._task, self._motions, self._freedom = task, motions, Freedom(task)
        self.nullity = self._freedom.nullity
        tolerances = refiner.position_tolerance, refiner.orientation_tolerance
        if not isinstance(refiner, LevenbergMarquardt):
            refiner = LevenbergMarquardt(task.stages.chain, *tolerances)
        self._refiner = refiner

    def improve(
        self,
        path: NDArray[np.float64],
        held: NDArray[np.bool_],
        objective: Objective,
        hits: Callable[[NDArray[np.float64]], list[int]],
    ) -> NDArray[np.float64]:
        """Return a better path through the same poses than a valid one, or the same path.

        Args:
            path: (L, n) configurations, for the first L poses.
            held: (L,) which of them stay.
            objective: What is better.
            hits: Returns which motions of a path collide by the shapes themselves; -1 is its
                first pose.
        """
        held, score = held.copy(), objective.score(path)
        for _ in range(_TRIES):
            found = self.shorten(path, held, _SWEEPS, even=objective.name == LARGEST_STEP)
            wrong, worse = hits(found), objective.worse_poses(found, score[0])
            if not wrong and not len(worse):
                return found if objective.better(objective.score(found), score) else path
            for t in wrong:
                held[max(t, 0)] = held[t + 1] = True
            held[worse] = True
        return path

    def shorten(
        self,
        path: NDArray[np.float64],
        held: NDArray[np.bool_],
        sweeps: int,
        *,
        even: bool = False,
    ) -> NDArray[np.float64]:
        """Return a shorter path through the same poses, or the same path.

        Args:
            path: (L, n) configurations, for the first L poses, valid but for collisions that
                spheres cannot tell; on these nothing is decided here.
            held: (L,) which of them stay.
            sweeps: Most sweeps.
            even: Whether the largest motions are made smaller, rather than the sum of all.
        """
        power = 4.0 if even else -1.0
        total = _even if even else np.sum
        if self.nullity <= 0 or len(path) < 2:  # noqa: PLR2004
            return path
        stuck, reach = np.zeros(len(path), np.int64), 1.0
        lengths = self._task.lengths(path)
        for _ in range(sweeps):
            if time.perf_counter() >= self._task.deadline:
                break
            # Weights that turn the sum of squares into the sum of lengths, or of high powers.
            mean = max(lengths.mean(), 1e-9)
            stiffness = np.maximum(lengths / mean, _STRAIGHT) ** power
            moves = self._moves(path, stiffness, held | (stuck > 0))
            trial = stuck.copy()
            found = self._moved(path, reach * moves, trial)
            shorter = self._task.lengths(found)
            gain = total(lengths) - total(shorter)
            if gain > 0.0:
                path, lengths, reach, stuck = found, shorter, min(1.0, 2.0 * reach), trial
            else:
                # What keeps all from moving so far may not keep them from moving less.
                stuck = stuck if reach > _WHOLE else trial
                reach /= 4.0
            stuck = np.maximum(stuck - 1, 0)
            if abs(gain) < _LEAST_GAIN * total(lengths) or reach < 0.01:  # noqa: PLR2004
                break
        return path

    def bend(
        self, path: NDArray[np.float64], end: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return a path (L, n) through the same poses with another end, or None.

        The last configuration is exchanged, and the difference spread over the whole path. Limits
        and steps are kept; collisions are not looked at.
        """
        if self.nullity <= 0 or len(path) < 3:  # noqa: PLR2004
            return None
        path, inner = path.copy(), np.arange(1, len(path) - 1)
        path[-1] = end
        held = np.zeros(len(path), np.bool_)
        held[[0, -1]] = True
        for _ in range(_BENDS):
            if (np.abs(np.diff(path, axis=0)) <= self._task.bounds[2]).all():
                return path
            moves = self._moves(path, np.ones(len(path) - 1), held)
            solved, true = self._solutions(path[inner] + moves[inner], inner)
            path[inner[true]] = solved[true]
        return None

    def _moves(
        self, path: NDArray[np.float64], stiffness: NDArray[np.float64], held: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        task, units = self._task, self._task.stages.chain.joint_units
        path, poses = np.ascontiguousarray(path), np.arange(len(path))
        low, high = (path <= task.bounds[0] + _AT * units, path >= task.bounds[1] - _AT * units)
        tips, stopped = self._freedom.at(path, poses), np.zeros(path.shape, np.bool_)
        moves = np.empty(path.shape)
        for _ in range(_PASSES):
            smoothing_step(
                task.arrays, path, task.weight, stiffness, held, stopped, self.nullity, tips.ways,
                moves,
            )  # fmt: skip
            moves[~np.isfinite(moves)] = 0.0
            moves *= min(1.0, _LONGEST_MOVE / max(np.abs(moves / units).max(), 1e-12))
            # What is at a limit or at a bound of its region, and would leave it, slides along it.
            beyond = (low & (moves < 0.0)) | (high & (moves > 0.0))
            if not tips.stop(path + moves) and not beyond.any():
                break
            # The one that would most; then the others may not.
            worst = np.abs(np.where(beyond, moves / units, 0.0))
            stopped |= beyond & (worst == worst.max(axis=1, keepdims=True))
        return moves

    def _moved(
        self, path: NDArray[np.float64], moves: NDArray[np.float64], stuck: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the path after moves (L, n), each taken as far as what it leads to is valid.

        `stuck` (L,) counts for how many sweeps each configuration stays, and is written to.
        """
        found, share = path.copy(), (moves != 0.0).any(axis=1).astype(np.float64)
        verdicts = np.zeros(len(path) - 1, np.int64)
        again, around = share > 0.0, 1
        while again.any():
            some = np.flatnonzero(again & (share > 0.0))
            seeds = path[some] + share[some, None] * moves[some]
            found[again] = path[again]
            solved, true = self._solutions(seeds, some)
            found[some[true]] = solved[true]
            bad = np.zeros(len(path), np.bool_)
            bad[some[~true]] = True
            moved = (share[:-1] > 0.0) | (share[1:] > 0.0)
            new = np.flatnonzero((again[:-1] | again[1:]) & moved)
            verdicts[~moved] = 0
            verdicts[new] = self._motions.verdicts(found[new], found[new + 1])
            far = (np.abs(np.diff(found, axis=0)) > self._task.bounds[2]).any(axis=1)
            wrong = (far | (verdicts >= Verdict.INSIDE)) & moved
            bad[:-1] |= wrong
            bad[1:] |= wrong
            # A configuration that stays keeps those beside it from moving far, which soon ends.
            again = np.convolve(bad, np.ones(around), mode="same") > 0.5  # noqa: PLR2004
            again &= share > 0.0
            around = min(around + 2, _AROUND, len(path))
            share[again] = np.where(share[again] > _LEAST_SHARE, 0.5 * share[again], 0.0)
            stuck[again & (share == 0.0)] = _HOLD
        return found

    def _solutions(
        self, seeds: NDArray[np.float64], poses: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Refine (M, n) seeds of poses (M,); return where they end and which are solutions."""
        lower, upper = self._task.bounds[:2]
        targets, stages = self._task.targets, self._task.stages
        result = self._refiner.refine(
            RefineTask(
                targets, np.clip(seeds, lower, upper), poses, lower, upper,
                wanted=np.full(len(targets), np.iinfo(np.int64).max),
            )
        )  # fmt: skip
        return result.positions, result.converged & solved(
            stages, result.positions, targets, poses
        )


def _even(lengths: NDArray[np.float64]) -> float:
    """Return a norm of (M,) lengths that hardly counts any but the longest."""
    return float(np.linalg.norm(lengths, 8))
