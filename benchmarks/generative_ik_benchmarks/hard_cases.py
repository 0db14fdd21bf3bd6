"""Goals whose search is hard: several tips, self-collisions, obstacles that leave little free."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.curobo_robots import CUROBO_ROBOTS
from generative_ik_benchmarks.held_out import TipsTogether, free_configurations
from generative_ik_benchmarks.motion_problems import read_problems
from generative_ik_benchmarks.oracle import oracle_of
from generative_ik_benchmarks.protocols.collision_batches import BatchRobot
from generative_ik_benchmarks.random_scenes import robot_geometry
from generative_ik_benchmarks.tree_cases import TreeCase
from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.collision.checker import CollisionChecker
from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.joints import finite_limits

Collides = Callable[[Floats], bool]


_EVERYTHING = 10_000
_BOXES = 30
"""Most boxes in a scene."""
_DRAWS = 20
"""Random boxes of which one is chosen."""
_LEAST_FREE = 3
"""Free solutions that stay."""
_MOST_LEFT_OUT = 50
"""Poses in a row after which there is no hope for another."""


@dataclass(frozen=True)
class ClutteredPose:
    """A pose among obstacles.

    Attributes:
        target: (4, 4) tip in base [m].
        scene: The obstacles.
        free: (k, n) the solutions that are free, as a call for 10,000 finds them [rad or m].
        share: Their share of all solutions.
    """

    target: Floats
    scene: Scene
    free: Floats
    share: float


def cluttered_poses(
    model: CollisionModel, chain: KinematicChain, count: int, share: float, random_seed: int
) -> Iterator[ClutteredPose]:
    """Draw poses and put boxes around them until at most a share of their solutions is free.

    Each box is the one of some random ones that leaves fewest solutions free. Poses at which
    that does not lead far enough are left out, as are those with too few solutions.

    Raises:
        InvalidArgumentError: Many poses in a row are left out.
    """
    rng = np.random.default_rng(random_seed)
    solver, checker = IKSolver(chain), CollisionChecker(model, chain)
    lower, upper = finite_limits(chain)
    made = left_out = 0
    while made < count:
        if left_out == _MOST_LEFT_OUT:
            raise InvalidArgumentError(
                f"none of {left_out} poses has {_LEAST_FREE} or more free solutions among boxes "
                f"that leave at most {100 * share:g} % of all free"
            )
        left_out += 1
        target = chain.forward(rng.uniform(lower, upper)[None])[0]
        solutions = solver.solve(target, _EVERYTHING).of(0)
        if len(solutions) * share < _LEAST_FREE:
            continue
        scene, free = Scene(), np.array([not checker.at(None).collides(q) for q in solutions])
        for _ in range(_BOXES):
            if free.sum() <= share * len(solutions):
                break
            scene, free = _one_more(checker, scene, solutions, free, rng)
        if _LEAST_FREE <= free.sum() <= share * len(solutions):
            made, left_out = made + 1, 0
            yield ClutteredPose(target, scene, solutions[free], float(free.mean()))


def _one_more(
    checker: CollisionChecker,
    scene: Scene,
    solutions: Floats,
    free: Bools,
    rng: np.random.Generator,
) -> tuple[Scene, Bools]:
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


@dataclass(frozen=True)
class HardGoal:
    """One goal.

    Attributes:
        target: (4, 4) or (K, 4, 4) [m].
        scene: What is about it; None: the robot alone.
        collides: Says whether a configuration collides, without the package; None: not known.
    """

    target: Floats
    scene: Scene | None
    collides: Collides | None


@dataclass(frozen=True)
class HardCase:
    """A robot and its goals, which can be reached without collision.

    Further goals (`more`) are for one call with many; none where each has a scene of its own.
    """

    name: str
    case: ChainCase | TreeCase
    model: CollisionModel
    goals: Sequence[HardGoal]
    more: Sequence[HardGoal] = ()

    @property
    def together(self) -> bool:
        """Whether all goals have one scene, and may go to one call."""
        return len(self.more) > 0


def curobo_case(
    name: str,
    folder: Path,
    counts: tuple[int, int],
    seed: int,
    region: TipsTogether | None = None,
) -> HardCase:
    """Return one of cuRobo's robots above its table, at poses of free configurations.

    The counts are of goals and of further ones; a region, if there is one, contains them all.
    """
    case, rng = CUROBO_ROBOTS[name].tree_case(name, folder), np.random.default_rng(seed)
    robot = BatchRobot(case, folder / CUROBO_ROBOTS[name].spheres)
    goals, more = (
        [HardGoal(pose, robot.scene, robot.oracle.collides) for pose in poses]
        for poses in (robot.free_poses(rng, k, region) for k in counts)
    )
    return HardCase(name, case, robot.model, goals, more)


def tree_case(
    case: TreeCase, counts: tuple[int, int], seed: int, region: TipsTogether | None = None
) -> HardCase:
    """Return a robot with meshes, alone, at poses of configurations that are free of itself.

    The arguments are those of `curobo_case`.
    """
    model = CollisionModel.from_urdf(case.chain.description, package_dirs=case.package_dirs)
    collides = CollisionChecker(model, case.chain).at(None).collides
    rng = np.random.default_rng(seed)
    free = free_configurations(case.chain, collides, rng, sum(counts), region)
    goals = [HardGoal(pose, None, None) for pose in oracle_of(case).forward(free)]
    return HardCase(case.robot, case, model, goals[: counts[0]], goals[counts[0] :])


def cell_case(case: ChainCase, share: float, count: int, seed: int) -> HardCase:
    """Return an arm among boxes that leave at most a share of each pose's solutions free."""
    model = CollisionModel.from_urdf(case.source, package_dirs=case.package_dirs)
    poses = cluttered_poses(model, case.chain, count, share, seed)
    goals = [HardGoal(pose.target, pose.scene, None) for pose in poses]
    return HardCase(f"{case.robot} in a cell", case, model, goals)


def motion_case(case: TreeCase, count: int) -> HardCase:
    """Return MotionBenchMaker's goals of a robot, of those that start as the first one does."""
    names, goals = case.chain.joint_names, []
    with tempfile.TemporaryDirectory() as into:
        problems = list(read_problems(case.urdf_path.parent, Path(into)))
        fixed = problems[0].standing(names)
        model, oracle = robot_geometry(case, case.urdf_path.with_suffix(".srdf"), fixed)
        for problem in problems:
            collides, known = oracle.among(problem.obstacles).collides, problem.known(names)
            here = problem.standing(names) == fixed
            if here and len(goals) < count and not collides(known):
                target = oracle_of(case).forward(known[None])[0]
                goals.append(HardGoal(target, Scene.from_yaml(problem.scene), collides))
    return HardCase(case.robot, case, model, goals)
