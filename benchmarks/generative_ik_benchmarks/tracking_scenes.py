"""Boxes around a robot that a tracker keeps away from."""

from dataclasses import dataclass, replace

import numpy as np

from generative_ik_benchmarks.collision_oracle import WorldOracle
from generative_ik_benchmarks.peers.tracking import Case
from generative_ik_benchmarks.random_scenes import random_obstacles, scene_of, with_geometry
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.known import robots_directory

_ROOM = 0.03
"""Distance of the boxes from the arm where it begins [m]."""
_APART = 0.01
"""Distance of its links from each other there [m]."""


@dataclass(frozen=True)
class BoxedRobot:
    """A robot among random boxes: our solver with its geometry, the boxes, and coal's of both."""

    solver: IKSolver
    scene: Scene
    oracle: WorldOracle

    @classmethod
    def of(cls, case: Case, start: Floats, count: int, seed: int) -> "BoxedRobot":
        """Place boxes around a configuration (n,) that stays free.

        Raises:
            UnsupportedChainError: The robot's collision geometry is not at hand, or its links are
                too near to each other, by spheres, for it to move.
        """
        shipped = robots_directory() / f"{case.robot}.srdf"
        model, robot = with_geometry(case, case.srdf or (shipped if shipped.is_file() else None))
        solver = IKSolver(case.chain, collision=model)
        own = float(solver.clearance(start))
        if own < _APART:
            raise UnsupportedChainError("its links are too near to each other")
        rng, base, boxes = np.random.default_rng(seed), robot.standing(case.base_link), []
        while len(boxes) < count:
            drawn = random_obstacles(rng, base, case.chain.reach, ("box",))
            free = (
                box
                for box in drawn
                if solver.clearance(start, scene=scene_of([box])) >= min(own, _ROOM)
            )
            boxes += [replace(box, name=f"box {len(boxes) + k}") for k, box in enumerate(free)]
        return cls(solver, scene_of(boxes[:count]), robot.among(boxes[:count]))
