"""How well bases do: every task is solved for from each of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.collision.cloud import PointCloud
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.errors import check_names
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.select.preferences import CLEARANCE, SCORES
from generative_ik_ros.solutions import IKSolutions

COUNT = "num_solutions"
OBJECTIVES = (*SCORES, CLEARANCE, COUNT)
FIRST = "first"
"""Whether tasks are reached, without scores."""


@dataclass(frozen=True)
class RatingTuning:
    """How bases are rated."""

    counted: int = 16
    """Solutions of a task up to which they are counted."""
    guess: float = 0.1
    """Share of the reach by which a pose within reach counts as missed if that is not measured."""
    hopeless: float = 0.25
    """Share of the arm's size by which a pose is so far out of reach that nobody looks."""
    stretched: float = 0.5
    """Share of the size by which such a pose is missed besides: an arm that is stretched towards
    it may turn its tip otherwise."""


TUNING = RatingTuning()


@dataclass(frozen=True, eq=False)
class Ratings:
    """What is known of B bases and T tasks.

    Attributes:
        missed: (B, T) how far from each task the tip stays, in distances on the arm's scale [m];
            0 where it is reached.
        task_scores: (B, T) scores, NaN where the task is not reached.
        positions: (B, T, n) configurations, NaN likewise.
    """

    missed: Floats
    task_scores: Floats
    positions: Floats

    @property
    def complete(self) -> Bools:
        """(B,) whether all tasks are reached."""
        return (self.missed == 0.0).all(axis=1)

    def put(self, rows: Bools | Ints, others: "Ratings") -> None:
        """Replace those of some bases."""
        for name in ("missed", "task_scores", "positions"):
            getattr(self, name)[rows] = getattr(others, name)

    def taken(self, rows: Sequence[int] | Ints) -> "Ratings":
        """Return those of some bases."""
        return Ratings(self.missed[rows], self.task_scores[rows], self.positions[rows])

    @staticmethod
    def joined(parts: Sequence["Ratings"]) -> "Ratings":
        """Return several one after the other."""
        return Ratings(
            np.concatenate([part.missed for part in parts]),
            np.concatenate([part.task_scores for part in parts]),
            np.concatenate([part.positions for part in parts]),
        )


@dataclass(frozen=True, eq=False)
class Tasks:
    """What the tip is to reach.

    Attributes:
        poses: (T, 4, 4) in the world [m].
        regions: One for each about its pose; None: all exactly.
        mount: (4, 4) the chain's base link in what is placed [m].
    """

    poses: Floats
    regions: Sequence[TaskSpaceRegion] | None
    mount: Floats

    def targets(self, bases: Floats, near: Bools) -> Floats:
        """Return tasks in the base link of bases (B, 4, 4): N of them that are near, (N, 4, 4).

        Args:
            bases: In the world [m].
            near: (B, T) which are meant.
        """
        base, task = np.nonzero(near)
        return inverse(bases @ self.mount)[base] @ self.poses[task]

    def beyond(self, bases: Floats, chain: KinematicChain) -> Floats:
        """Return how far tasks at least are from what the chain may reach, (B, T) [m].

        Negative numbers say that they are within its sphere.
        """
        first = (bases @ self.mount @ chain.joint_origins[0])[:, :3, 3]
        away = np.linalg.norm(self.poses[:, :3, 3] - first[:, None], axis=2)
        if self.regions is not None:
            bounds = [np.maximum(np.abs(r.lower), np.abs(r.upper))[:3] for r in self.regions]
            away = away - np.linalg.norm(bounds, axis=1)
        return away - chain.reach

    def groups(self) -> list[tuple[TaskSpaceRegion | None, Ints]]:
        """Return each region and the tasks that have it."""
        if self.regions is None:
            return [(None, np.arange(len(self.poses)))]
        rows: dict[object, tuple[TaskSpaceRegion, list[int]]] = {}
        for row, region in enumerate(self.regions):
            rows.setdefault(region.key, (region, []))[1].append(row)
        return [(region, np.array(some)) for region, some in rows.values()]


class BaseRater:
    """Rates bases by solving.

    Args:
        solver: Solves; with a collision model if collisions count.
        tasks: What is to be reached.
        objective: One of `OBJECTIVES`; None: roughly. Any solution will do, the score is its
            manipulability, and what is missed is a guess, for which the closest configurations,
            which cost much more, need not be found.
        scene: Obstacles in the world; they stay where they are when a base moves.
        random_seed: As in `IKSolver.solve`.

    Raises:
        UnknownNameError: There is no such objective.
    """

    def __init__(
        self,
        solver: IKSolver,
        tasks: Tasks,
        objective: str | None,
        scene: Scene | None = None,
        random_seed: int | None = None,
    ):
        """Check the objective."""
        if objective is not None:
            check_names("objective", [objective], OBJECTIVES)
        self._solver, self._tasks, self._scene = solver, tasks, scene
        self._objective, self._random_seed = objective, random_seed
        # An angle of the tip counts as the arc of a lever of a quarter of the arm.
        self._lever = solver.chain.size / 4.0

    def rate(self, bases: Floats) -> Ratings:
        """Rate bases (B, 4, 4) in the world [m]."""
        return self._rate_all(bases, self._objective)

    def compare(self, bases: Floats) -> Ratings:
        """Rate bases (B, 4, 4), without the scores of those that do not reach all tasks.

        These are ranked by what they miss, which costs much less than scores.
        """
        ratings = self._rate_all(bases, None if self._objective is None else FIRST)
        complete = ratings.complete
        if self._objective is not None and complete.any():
            ratings.put(complete, self.rate(bases[complete]))
        return ratings

    def _rate_all(self, bases: Floats, objective: str | None) -> Ratings:
        if self._scene is None:
            return self._rate(bases, None, objective)
        # The obstacles are elsewhere about each of them.
        link, mounted = self._solver.chain.base_link, bases @ self._tasks.mount
        scenes = [scene_about_base(self._scene, pose, link) for pose in mounted]
        return Ratings.joined(
            [
                self._rate(bases[row : row + 1], scene, objective)
                for row, scene in enumerate(scenes)
            ]
        )

    def _rate(self, bases: Floats, scene: Scene | None, objective: str | None) -> Ratings:
        chain = self._solver.chain
        beyond = self._tasks.beyond(bases, chain)
        hopeless = beyond > (0.0 if self._objective is None else TUNING.hopeless * chain.size)
        rough = TUNING.guess if self._objective is None else TUNING.stretched
        missed = np.maximum(beyond, 0.0) + rough * chain.size
        scores = np.full(missed.shape, np.nan)
        positions = np.full((*missed.shape, chain.num_joints), np.nan)
        for region, rows in self._tasks.groups():
            near = np.zeros_like(hopeless)
            near[:, rows] = ~hopeless[:, rows]
            if not near.any():
                continue
            found = self._solver.solve(
                self._tasks.targets(bases, near),
                scene=scene,
                region=region,
                random_seed=self._random_seed,
                **_wanted(objective),
            )
            missed[near] = self._missed(found, missed[near])
            scores[near] = self._scores(found, objective)
            positions[near] = found.positions[:, 0]
        return Ratings(missed, scores, positions)

    def _missed(self, found: IKSolutions, roughly: Floats) -> Floats:
        gap = roughly
        if self._objective is not None:
            gap = found.best_effort_position_error
            gap = gap + self._lever * found.best_effort_orientation_error
        # What collides misses nothing, and yet is not reached.
        return np.where(found.counts > 0, 0.0, np.maximum(gap, 1e-6))

    def _scores(self, found: IKSolutions, objective: str | None) -> Floats:
        reached, best = found.counts > 0, found.positions[:, 0]
        scores = np.full(len(best), np.nan)
        if objective == COUNT:
            scores[reached] = found.counts[reached]
        elif objective == CLEARANCE:
            assert found.clearance is not None  # noqa: S101
            scores[reached] = found.clearance[reached, 0]
        elif objective != FIRST and reached.any():
            score = SCORES[objective or "manipulability"]
            scores[reached] = score(self._solver.chain, best[reached])
        return scores


def _wanted(objective: str | None) -> dict:
    if objective is None or objective == FIRST:
        return {"num_solutions": 1}
    if objective == COUNT:
        return {"num_solutions": TUNING.counted}
    return {"num_solutions": 1, "order_by": objective, "optimize": True}


def scene_about_base(scene: Scene, base_in_world: Floats, base_link: str) -> Scene:
    """Return the scene with everything that is in no link's frame moved into that of the base.

    What is given in the frame of a link, or attached to one, stays with the robot.

    Args:
        scene: Obstacles; those without a frame are in the world.
        base_in_world: (4, 4) the chain's base link [m].
        base_link: Its name.
    """
    world_in_base = inverse(base_in_world)

    def moved(cloud: PointCloud | None) -> PointCloud | None:
        if cloud is None or cloud.frame is not None:
            return cloud
        return cloud.moved(world_in_base, base_link)

    obstacles = [
        one
        if one.frame is not None
        else replace(one.placed(world_in_base @ one.shape.pose), frame=base_link)
        for one in scene.obstacles
    ]
    return Scene.of(
        obstacles,
        cloud=moved(scene.cloud),
        octomap=moved(scene.octomap),
        padding=scene.padding,
        allowed=scene.allowed,
        attached=scene.attached,
    )
