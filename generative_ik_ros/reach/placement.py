"""Base placement: where to stand or bolt down an arm so that its tip reaches given poses."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.arguments import finite_number, true_or_false, whole_number
from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.errors import InvalidArgumentError, UnsupportedChainError, check_names
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.reach.base_rating import OBJECTIVES, BaseRater, Ratings, Tasks
from generative_ik_ros.reach.base_search import (
    BaseGrid,
    Value,
    apart,
    coarse_order,
    improved,
    rated_in_order,
)
from generative_ik_ros.reach.compute import check_on_progress
from generative_ik_ros.reach.inverse_map import InverseMap
from generative_ik_ros.reach.reachability_map import ReachabilityMap
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.region import PathRegionArgument, check_path_regions
from generative_ik_ros.robot.targets import check_targets
from generative_ik_ros.select.preferences import CLEARANCE

if TYPE_CHECKING:
    from generative_ik_ros.collision.model import CollisionModel
    from generative_ik_ros.collision.scene import Scene


@dataclass(frozen=True, eq=False)
class BasePlacements:
    """The K best poses of a base for T tasks, best first: those that reach all tasks, by score.

    Attributes:
        joint_names: Names of the n joints.
        objective: What scores are of; see `place_base`.
        bases: (K, 4, 4) what is placed, in the world [m].
        reached: (K, T) whether the tip reaches each task, verified by the solver.
        scores: (K,) score of each base: its worst task's, or the mean; NaN unless all tasks are
            reached.
        task_scores: (K, T) score of each task, NaN where it is not reached.
        num_tried: Bases that were tried, by map or solver.
        positions: (K, T, n) the best configuration for each task [rad or m], NaN likewise.
        num_solved: Bases that were solved for with scores and collisions.
        cells: (C, 3) positions on the grid that bases were tried at [m], or of all candidates.
        cell_shares: (C,) estimated share of the tasks that the best base there reaches, without
            collision checks; tasks that are narrowly missed count in part.
    """

    joint_names: tuple[str, ...]
    objective: str
    bases: Floats
    reached: Bools
    scores: Floats
    task_scores: Floats
    num_tried: int
    positions: Floats
    num_solved: int
    cells: Floats
    cell_shares: Floats

    @property
    def share(self) -> Floats:
        """(K,) share of the tasks that each base reaches."""
        return self.reached.mean(axis=1)

    def __repr__(self) -> str:
        """Say in a line how good the best base is."""
        best = f"the best reaches {self.reached[0].sum()} of {self.reached.shape[1]} tasks"
        if self.reached[0].all():
            best += f", {self.objective} {self.scores[0]:.3g}"
        return f"BasePlacements: {len(self.bases)} bases, {best}"


@dataclass(frozen=True)
class PlacementTuning:
    """How many bases and poses are looked at."""

    looked_up: int = 5000
    """Poses that are looked up in a map at once, so that memory is bounded."""
    solved: int = 1000
    """Poses that are solved for at once, between two reports of progress."""
    spare: int = 1
    """Bases that are improved beyond those wanted: some end beside others."""


TUNING = PlacementTuning()


def place_base(
    chain: KinematicChain, tasks: ArrayLike, *, map: ReachabilityMap | None = None,
    bounds: ArrayLike | None = None, step: float = 0.1, yaw_step: float = math.pi / 8.0,
    candidates: ArrayLike | None = None, mount: ArrayLike | None = None,
    region: PathRegionArgument = None, objective: str = "manipulability", mean: bool = False,
    num_bases: int = 5, collision: "CollisionModel | None" = None, scene: "Scene | None" = None,
    random_seed: int | None = None, on_progress: Callable[[int, int], None] | None = None,
) -> BasePlacements:  # fmt: skip
    """Propose and rank poses of a base from which the tip reaches all of T tasks.

    Bases on a grid are estimated by a map, or by one solution for each task. The most promising
    are then solved for with scores and collision checks, and a pattern search refines the best of
    them beyond the grid (docs/reach.md). All returned bases have been solved for.

    Args:
        chain: The arm.
        tasks: (4, 4) or (T, 4, 4) poses of the tip in the world [m].
        map: A map of the chain, which makes large grids cheap (F. Zacharias et al., Using a model
            of the reachable workspace to position mobile manipulators for 3-d trajectories, 2009).
        bounds: (2, 3) lower and upper corner of the box in which bases stand [m], of equal heights
            on a floor. None: the rectangle at height 0 outside of which no base reaches all tasks.
        step: Distance of neighbours on the grid [m].
        yaw_step: Likewise [rad].
        candidates: (M, 4, 4) bases to choose from instead of a grid [m]; they are not moved.
        mount: (4, 4) the chain's base link in what is placed [m], as on a mobile base, or upside
            down. None: the base link is placed.
        region: Where the tip may be about its task, as in `IKSolver.solve_path`.
        objective: What bases that reach all tasks are ranked by: "manipulability", "limit_margin",
            "clearance" of the best configuration for each task, or "num_solutions", up to 16.
        mean: Whether the mean over the tasks counts, instead of the worst.
        num_bases: Bases wanted; of those within half a step of each other one is returned.
        collision: The robot's geometry: what collides does not reach its task.
        scene: Obstacles in the world; those in the frame of a link move with the robot.
        random_seed: As in `IKSolver.solve`.
        on_progress: Called with how much is done and how much there is to do, in bases of the
            grid: to improve the best counts as much as to estimate all.

    Raises:
        InvalidTargetError: A task or candidate is no pose.
        UnknownNameError: There is no such objective.
        UnsupportedChainError: The chain is a tree.
        InvalidArgumentError: Another argument is unusable, or the map is of another chain.
    """
    check_names("objective", [objective], OBJECTIVES)
    check_on_progress(on_progress)
    if collision is None and (scene is not None or objective == CLEARANCE):
        need = "scene" if scene is not None else f"objective '{CLEARANCE}'"
        raise InvalidArgumentError(f"{need} needs collision=")
    if candidates is not None and bounds is not None:
        raise InvalidArgumentError("give bounds or candidates, not both")
    num_bases = whole_number("num_bases", num_bases, 1, 1000)
    step, yaw_step = finite_number("step", step), finite_number("yaw_step", yaw_step)
    given = _tasks(chain, tasks, region, mount)
    rater = BaseRater(IKSolver(chain, collision=collision), given, objective, scene, random_seed)
    value = Value(step, mean=true_or_false("mean", mean))
    search = _Search(chain, given, rater, value, map, random_seed, on_progress)
    if candidates is not None:
        return search.among(check_targets(candidates), num_bases, objective)
    grid = BaseGrid.of(chain, given.poses, bounds, step, yaw_step, given.mount)
    return search.on_grid(grid, num_bases, objective)


def _tasks(
    chain: KinematicChain, tasks: ArrayLike, region: PathRegionArgument, mount: ArrayLike | None
) -> Tasks:
    """Check the tasks; arguments and errors are those of `place_base`."""
    if not isinstance(chain, KinematicChain):
        raise UnsupportedChainError("bases are placed for chains with one tip")
    poses = check_targets(tasks)
    if not len(poses):
        raise InvalidArgumentError("tasks has no poses; at least one is needed")
    regions = check_path_regions(region, chain.tip_link, len(poses))
    if regions is not None:
        regions = [regions[task % len(regions)][0] for task in range(len(poses))]
    return Tasks(poses, regions, np.eye(4) if mount is None else check_targets(mount)[0])


class _Search:
    """One call of `place_base`."""

    def __init__(
        self,
        chain: KinematicChain,
        tasks: Tasks,
        rater: BaseRater,
        value: Value,
        map: ReachabilityMap | None,
        random_seed: int | None,
        on_progress: Callable[[int, int], None] | None,
    ):
        self._chain, self._tasks, self._rater, self._value = chain, tasks, rater, value
        self._tell = on_progress if on_progress is not None else lambda *_: None
        if map is not None:
            self._estimate, self._chunk = InverseMap(map, chain, tasks).rate, TUNING.looked_up
        else:
            # Collisions come later: most bases fail already without.
            roughly = BaseRater(IKSolver(chain), tasks, None, None, random_seed)
            self._estimate, self._chunk = roughly.rate, TUNING.solved

    def on_grid(self, grid: BaseGrid, num_bases: int, objective: str) -> BasePlacements:
        """Search a grid, and about its best bases."""
        shares, scores = self._estimates(grid.bases, len(grid), 2 * len(grid))
        order = coarse_order(shares, scores, len(grid.yaws))
        promising = int((shares >= 1.0).sum())
        bases, ratings = rated_in_order(grid.bases, order, promising, self._rater, num_bases)
        num_solved = len(bases)
        ranked = np.argsort(-self._value.of(ratings), kind="stable").tolist()
        starts = apart(bases, ranked, 1.5 * grid.step, num_bases + TUNING.spare)
        found = []
        for row in starts:
            found.append(
                improved(bases[row], ratings.taken([row]), grid, self._rater, self._value)
            )
            self._tell(len(grid) + len(grid) * len(found) // len(starts), 2 * len(grid))
        frames = np.stack([base for base, _ in found])
        ratings = Ratings.joined([rating for _, rating in found])
        chosen = apart(frames, self._value.order(ratings), grid.step / 2.0, num_bases)
        best = shares.reshape(-1, len(grid.yaws)).max(axis=1)
        chosen = frames[chosen], ratings.taken(chosen)
        return self._result(*chosen, objective, grid.positions, best, len(grid), num_solved)

    def among(self, candidates: Floats, num_bases: int, objective: str) -> BasePlacements:
        """Choose among given bases."""
        if not len(candidates):
            raise InvalidArgumentError("candidates has no poses; at least one is needed")
        shares, scores = self._estimates(candidates.__getitem__, len(candidates), len(candidates))
        order = coarse_order(shares, scores, 1)
        bases, ratings = rated_in_order(
            candidates.__getitem__, order, len(order), self._rater, num_bases
        )
        rows, tried = self._value.order(ratings)[:num_bases], len(candidates)
        chosen = bases[rows], ratings.taken(rows)
        return self._result(*chosen, objective, candidates[:, :3, 3], shares, tried, len(bases))

    def _estimates(
        self, bases: Callable[[Ints], Floats], count: int, work: int
    ) -> tuple[Floats, Floats]:
        """Estimate shares and scores of all bases, (M,) each, chunk by chunk."""
        shares, scores = np.zeros(count), np.zeros(count)
        chunk = max(self._chunk // len(self._tasks.poses), 1)
        for start in range(0, count, chunk):
            rows = np.arange(start, min(start + chunk, count))
            ratings = self._estimate(bases(rows))
            shares[rows] = self._value.share(ratings)
            scores[rows] = np.nan_to_num(self._value.score(ratings))
            self._tell(int(rows[-1]) + 1, work)
        return shares, scores

    def _result(
        self,
        bases: Floats,
        ratings: Ratings,
        objective: str,
        cells: Floats,
        shares: Floats,
        num_tried: int,
        num_solved: int,
    ) -> BasePlacements:
        # They were compared without scores where tasks are missed.
        missing = np.flatnonzero(~ratings.complete)
        if len(missing):
            ratings.put(missing, self._rater.rate(bases[missing]))
        return BasePlacements(
            joint_names=tuple(self._chain.names),
            objective=objective,
            bases=bases,
            reached=ratings.missed == 0.0,
            scores=self._value.score(ratings),
            task_scores=ratings.task_scores,
            positions=ratings.positions,
            cells=cells,
            cell_shares=shares,
            num_tried=num_tried,
            num_solved=num_solved,
        )
