"""A robot that follows paths: its solver, its collision checks, and the truth about both."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.collision_oracle import RobotOracle, Solid
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.path_oracle import ORIENTATION, POSITION, PathOracle
from generative_ik_benchmarks.random_scenes import robot_geometry
from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.rigid import inverse

ROBOTS = {
    "panda": ("panda", "panda_link0", "panda_hand"),
    "fetch": ("fetch", "base_link", "gripper_link"),
    # Only the seven joints of the arm; the torso stands at its lowest.
    "fetch_arm": ("fetch", "torso_lift_link", "gripper_link"),
}
"""Folder, base and tip of the robots that CppFlow's problems name."""


@dataclass(frozen=True)
class PathRobot:
    """A robot, our solver with CppFlow's tolerances, and the truth by coal and pinocchio."""

    case: ChainCase
    model: CollisionModel
    solver: IKSolver
    oracle: RobotOracle
    forward: Oracle

    @classmethod
    def load(cls, scenes_dir: Path, name: str) -> "PathRobot":
        """Read a robot of `ROBOTS` from a folder of ROBOT/ROBOT.urdf, with ROBOT.srdf if any."""
        stem, base, tip = ROBOTS[name]
        case = ChainCase(name, scenes_dir / stem / f"{stem}.urdf", base, tip)
        model, oracle = robot_geometry(case, case.srdf)
        solver = IKSolver(
            case.chain, position_tolerance=POSITION, orientation_tolerance=ORIENTATION,
            collision=model,
        )  # fmt: skip
        return cls(case, model, solver, oracle, Oracle.of(case))

    def where(self, link: str) -> Floats:
        """Return a link's origin in the root link, all joints at zero; 0 for unknown links."""
        import pinocchio

        pin: Any = pinocchio
        model = self.oracle.model
        if not model.existFrame(link):
            return np.zeros(3)
        data = model.createData()
        pin.framesForwardKinematics(model, data, pin.neutral(model))
        return data.oMf[model.getFrameId(link)].translation.copy()

    def in_base(self, targets: Floats) -> Floats:
        """Return poses (B, 4, 4) of the root link in the chain's base link [m]."""
        return inverse(self.oracle.standing(self.case.base_link)) @ targets

    def judge(self, obstacles: tuple[Solid, ...]) -> PathOracle:
        """Return the judge of paths among obstacles."""
        return PathOracle(self.case.chain, self.forward, self.oracle.among(obstacles))
