"""What is asked for where solutions are preferred, and the best that sampling can do.

Solutions are judged by pinocchio, numpy and coal, not by the package.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.collision_oracle import WorldOracle
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.random_scenes import (
    random_obstacles,
    scene_of,
    tip_reach,
    with_geometry,
)
from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.random_poses import random_configurations

MANIPULABILITY, LIMIT_MARGIN, CLEARANCE = "manipulability", "limit_margin", "clearance"
PREFERENCES = (MANIPULABILITY, LIMIT_MARGIN, CLEARANCE)
_MEASURED = 100
"""Samples whose clearance coal measures: those with the greatest lower bounds."""
_STREAM = 11
"""Separates the random numbers of obstacles from those of poses."""


Score = Callable[[Floats], Floats]
"""Takes configurations (N, n) and returns a number of each (N,), the better the greater."""


class Manipulability:
    """The product of the singular values of the Jacobian (T. Yoshikawa, 1985), by pinocchio.

    Of chains none of whose joints is mimicked.

    Rows in metres and radians; six values, or as many as there are joints.
    """

    def __init__(self, case: ChainCase):
        """Find where pinocchio has the chain's joints."""
        import pinocchio

        self._pin: Any = pinocchio
        self._oracle = Oracle.of(case)
        model = self._oracle.robot.model
        joints = [model.joints[model.getJointId(name)] for name in case.chain.joint_names]
        self._columns = [joint.idx_v for joint in joints]

    def __call__(self, positions: Floats) -> Floats:
        """Return the scores (N,) of configurations (N, n)."""
        return np.array([self._of(row) for row in positions])

    def _of(self, row: Floats) -> float:
        pin, oracle, robot = self._pin, self._oracle, self._oracle.robot
        pin.computeJointJacobians(robot.model, robot.data, robot.values.of(row))
        pin.updateFramePlacements(robot.model, robot.data)
        tip, base = (
            pin.getFrameJacobian(robot.model, robot.data, frame, pin.LOCAL)
            for frame in (oracle.tip, oracle.base)
        )
        relative = robot.data.oMf[oracle.tip].actInv(robot.data.oMf[oracle.base])
        jacobian = (tip - relative.action @ base)[:, self._columns]
        return float(np.linalg.svd(jacobian, compute_uv=False).prod())


def limit_margins(case: ChainCase, positions: Floats) -> Floats:
    """Return the distances (N,) of configurations (N, n) from the nearest joint limit.

    They are shares of that joint's range, 0.5 where no joint has limits.
    """
    lower, upper = case.chain.lower, case.chain.upper
    limited = np.isfinite(lower) & np.isfinite(upper) & (upper > lower)
    places = (positions[:, limited] - lower[limited]) / (upper - lower)[limited]
    return np.minimum(places, 1.0 - places).min(axis=1, initial=0.5)


def clearances(world: WorldOracle, positions: Floats) -> Floats:
    """Return the smallest distances (N,) of the robot from obstacles and itself, by coal [m]."""
    return np.array([world.closest(row)[0] for row in positions])


@dataclass(frozen=True)
class Task:
    """One preference of one chain: our solver, what solutions are judged by, maybe obstacles."""

    name: str
    case: ChainCase
    solver: IKSolver
    score: Score
    scene: Scene | None = None

    @classmethod
    def of(cls, name: str, case: ChainCase, seed: int) -> "Task":
        """Prepare a preference.

        Raises:
            UnsupportedChainError: Clearance of a robot that has no collision geometry at hand.
        """
        if name == CLEARANCE:
            return cls(name, case, *_among_obstacles(case, seed))
        margins = partial(limit_margins, case)
        score = Manipulability(case) if name == MANIPULABILITY else margins
        return cls(name, case, IKSolver(case.chain), score)

    def targets(self, count: int, seed: int) -> Floats:
        """Return poses (count, 4, 4) that random configurations reach, free ones if it matters."""
        free: list[Floats] = []
        while len(free) < count:
            drawn = random_configurations(self.case.chain, 4 * count, seed + len(free))
            collide = np.zeros(len(drawn), bool)
            if self.scene is not None:
                collide = self.solver.collides(drawn, scene=self.scene)
            free += list(drawn[~collide])
            if not len(free):
                seed += 1
        return Oracle.of(self.case).forward(np.array(free[:count]))

    def solve(self, target: Floats, optimize: bool) -> Floats:
        """Return the solution (1, n) of a pose (4, 4), or none (0, n)."""
        found = self.solver.solve(
            target, 1, scene=self.scene, order_by=self.name, optimize=optimize
        )
        return found.of(0)

    def best(self, sampled: Floats) -> float:
        """Return the greatest score of sampled solutions (N, n) that collide with nothing."""
        if self.scene is not None:
            bounds = self.solver.clearance(sampled, scene=self.scene)
            sampled = sampled[np.argsort(-bounds, kind="stable")[:_MEASURED]]
        return greatest(self.score, sampled)


def greatest(score: Score, positions: Floats) -> float:
    """Return the greatest score of configurations (N, n), 0 without any or below."""
    return float(score(positions).max(initial=0.0)) if len(positions) else 0.0


def _among_obstacles(case: ChainCase, seed: int) -> tuple[IKSolver, Score, Scene]:
    """Return our solver, coal's distances, and random obstacles."""
    model, robot = with_geometry(case, case.srdf)
    chain, rng = case.chain, np.random.default_rng((seed, _STREAM))
    base, reach = robot.standing(case.base_link), tip_reach(chain, rng)
    obstacles = random_obstacles(rng, base, reach, ("box", "sphere"))
    solver, scene = IKSolver(chain, collision=model), scene_of(obstacles)
    return solver, partial(clearances, robot.among(obstacles)), scene
