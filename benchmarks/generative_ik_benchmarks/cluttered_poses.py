"""Random poses among boxes that leave hardly any of their solutions free of collisions."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.checker import CollisionChecker
from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.random_poses import finite_limits

_EVERYTHING = 10_000
_BOXES = 30
"""Most boxes in a scene."""
_DRAWS = 20
"""Random boxes of which one is chosen."""
_LEAST_FREE = 3
"""Free solutions that stay."""


@dataclass(frozen=True)
class ClutteredPose:
    """A pose among obstacles.

    Attributes:
        target: (4, 4) tip in base [m].
        scene: The obstacles.
        free: (k, n) the solutions that are free, as a call for 10,000 finds them [rad or m].
        share: Their share of all solutions.
    """

    target: NDArray[np.float64]
    scene: Scene
    free: NDArray[np.float64]
    share: float


def cluttered_poses(
    model: CollisionModel, chain: KinematicChain, count: int, share: float, random_seed: int
) -> Iterator[ClutteredPose]:
    """Draw poses and put boxes around them until hardly any solution is free.

    Each box is the one of some random ones that leaves fewest solutions free. Poses at which
    that does not lead far enough are left out.

    Args:
        model: The robot's geometry.
        chain: Its chain.
        count: Number of poses.
        share: Largest share of a pose's solutions that is free.
        random_seed: Of poses and boxes.
    """
    rng = np.random.default_rng(random_seed)
    solver, checker = IKSolver(chain), CollisionChecker(model, chain)
    lower, upper = finite_limits(chain)
    made = 0
    while made < count:
        target = chain.forward(rng.uniform(lower, upper)[None])[0]
        solutions = solver.solve(target, _EVERYTHING).of(0)
        scene, free = Scene(), np.array([not checker.at(None).collides(q) for q in solutions])
        for _ in range(_BOXES):
            if free.sum() <= share * len(solutions):
                break
            scene, free = _one_more(checker, scene, solutions, free, rng)
        if _LEAST_FREE <= free.sum() <= share * len(solutions):
            made += 1
            yield ClutteredPose(target, scene, solutions[free], float(free.mean()))


def _one_more(
    checker: CollisionChecker,
    scene: Scene,
    solutions: NDArray[np.float64],
    free: NDArray[np.bool_],
    rng: np.random.Generator,
) -> tuple[Scene, NDArray[np.bool_]]:
    """Add the box of some random ones that leaves fewest solutions free, but not too few."""
    best, reach = (scene, free), checker.chain.reach
    for _ in range(_DRAWS):
        size, place = rng.uniform(0.05, 0.3, 3), rng.uniform(-0.7 * reach, 0.7 * reach, 3)
        boxes = {f"box {len(scene.obstacles)}": (tuple(size), tuple(place))}
        more = Scene.of((*scene.obstacles, *Scene(boxes=boxes).obstacles))
        check = checker.at(more)
        left = free.copy()
        left[free] = [not check.collides(q) for q in solutions[free]]
        if _LEAST_FREE <= left.sum() < best[1].sum():
            best = more, left
    return best
