"""The compiled collision check by itself: the time of one, and whether its verdicts are true.

Random configurations in random scenes of boxes, spheres, cylinders and capsules. A verdict of
"free" is false where coal finds the robot's meshes touching something, one of "colliding" where
it finds everything at least a millimetre apart and nothing within anything else. What the check
leaves undecided counts as the package's exact decision of it. Times are those of the robot and 20
boxes, over chunks of configurations.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.collision_oracle import TOUCHING, WorldOracle
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import timed
from generative_ik_benchmarks.random_scenes import (
    KINDS,
    random_obstacles,
    robot_geometry,
    scene_of,
    tip_reach,
)
from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.checker import CollisionChecker, SceneCheck
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.robot.joints import finite_limits

CLEAR = 1e-3
"""A collision that is claimed at this clearance is false [m]."""
_CHUNKS, _CHUNK = 200, 1000
_EXAMPLES = 5
"""False verdicts that are kept."""


@dataclass(frozen=True)
class FalseVerdict:
    """A verdict that coal contradicts."""

    scene: int = figure("Number of the random scene.")
    verdict: int = figure("What the compiled check said.")
    positions: tuple[float, ...] = figure("The configuration [rad or m].")
    distance: float = figure("Smallest distance by coal [m].")
    shapes: tuple[str, str] = figure("Between which.")


@dataclass(frozen=True)
class VerdictFigures:
    """The compiled check of one robot."""

    shapes: int = figure("Collision shapes of the robot.")
    pairs: int = figure("Pairs of these that are checked.")
    configurations: int = figure("How many were checked.")
    scenes: int = figure("In how many scenes.")
    free: float = figure("Share that the check calls free.")
    undecided: float = figure("Share that it leaves to the exact decision.")
    colliding: float = figure("Share that it calls colliding.")
    false_free: int = figure("How many that are called free collide, exact decisions included.")
    false_colliding: int = figure("How many that are called colliding are clear.")
    check_min: float = figure("Time of a check, smallest of a chunk [s].")
    check_median: float = figure("Likewise, the median.")
    coal_median: float = figure(
        "Time of coal's check of a whole configuration, broad phase first [s]."
    )
    examples: tuple[FalseVerdict, ...] = figure("Some of the false ones.", default=())


class _Tally:
    """Counts verdicts, and those that coal contradicts."""

    def __init__(self) -> None:
        self.counts = np.zeros(4, int)
        self.false_free = self.false_colliding = 0
        self.examples: list[FalseVerdict] = []
        self.coal_times: list[float] = []

    def compare(
        self, check: SceneCheck, world: WorldOracle, positions: Floats, scene: int
    ) -> None:
        """Check configurations (N, n) in the scene of that number."""
        verdicts = check.verdicts(positions)
        self.counts += np.bincount(verdicts, minlength=4)
        for q, verdict in zip(positions, verdicts, strict=True):
            claimed = bool(verdict != Verdict.FREE)
            if verdict == Verdict.UNDECIDED:
                claimed = check.collides(q)
            hit, spent = timed(partial(world.collides, q, CLEAR if claimed else TOUCHING))
            self.coal_times.append(spent)
            if claimed != (hit or (claimed and world.one_in_the_other(q))):
                distance, *names = world.closest(q)
                self.false_free += not claimed
                self.false_colliding += claimed
                self.examples.append(
                    FalseVerdict(scene, int(verdict), tuple(q), distance, (names[0], names[1]))
                )


def verdict_figures(
    case: ChainCase,
    srdf: Path | None,
    *,
    configurations: int,
    scenes: int,
    seed: int,
    on_share: Callable[[float], None],
) -> VerdictFigures:
    """Check random configurations of a chain in random scenes."""
    chain = case.chain
    model, robot = robot_geometry(case, srdf)
    checker = CollisionChecker(model, chain)
    low, high = finite_limits(chain)
    rng = np.random.default_rng(seed)
    base = robot.standing(case.base_link)
    reach = tip_reach(chain, rng)
    tally = _Tally()
    sizes = np.diff(np.linspace(0, configurations, scenes + 1).astype(int))
    for number, size in enumerate(sizes):
        obstacles = random_obstacles(rng, base, reach, KINDS)
        check, world = checker.at(scene_of(obstacles)), robot.among(obstacles)
        positions = rng.uniform(low, high, (size, chain.num_joints))
        tally.compare(check, world, positions, number)
        on_share((number + 1) / scenes)
    boxes = random_obstacles(rng, base, reach, ("box",))
    times = _check_times(checker, scene_of(boxes), low, high, rng)
    counts, total = tally.counts, int(tally.counts.sum())
    return VerdictFigures(
        shapes=robot.shapes,
        pairs=len(robot.geometry.collisionPairs),
        configurations=total,
        scenes=scenes,
        free=counts[Verdict.FREE] / total,
        undecided=counts[Verdict.UNDECIDED] / total,
        colliding=(counts[Verdict.INSIDE] + counts[Verdict.COLLIDING]) / total,
        false_free=tally.false_free,
        false_colliding=tally.false_colliding,
        check_min=float(times.min()),
        check_median=float(np.median(times)),
        coal_median=float(np.median(tally.coal_times)) if tally.coal_times else float("nan"),
        examples=tuple(tally.examples[:_EXAMPLES]),
    )


def _check_times(
    checker: CollisionChecker, scene: Scene, low: Floats, high: Floats, rng: np.random.Generator
) -> Floats:
    """Return the time of a check, chunk by chunk [s]."""
    check, times = checker.at(scene), []
    for _ in range(_CHUNKS):
        positions = rng.uniform(low, high, (_CHUNK, len(low)))
        times.append(timed(partial(check.verdicts, positions))[1] / _CHUNK)
    return np.array(times[1:])
