"""How well and how fast one limb of a robot is solved, or the fingers of a hand together."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.file_oracle import FileOracle
from generative_ik_benchmarks.interleaved import in_turns
from generative_ik_benchmarks.limbs import on_floor
from generative_ik_benchmarks.robot_files import RobotFile
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.array_types import Floats
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.closed_form import find_family, find_locked
from generative_ik_ros.robot.kinematic_tree import Kinematics, KinematicTree
from generative_ik_ros.robot.random_poses import random_configurations

MANY = 100
"""Solutions of the larger call."""


@dataclass(frozen=True)
class LimbFigures:
    """What was measured."""

    tips: tuple[str, ...] = figure("The links that are placed: one, or those of all fingers.")
    joints: int = figure("Joints to choose.")
    closed_form: str = figure('What closed form it has; "" where it is searched.')
    solved: float = figure("Share of the poses for which a right solution was found.")
    one: float = figure("Median time of a call for one solution [s].")
    many: float = figure("Median time of a call for 100 solutions [s].")
    solutions: float = figure("Right solutions of such a call, on average.")
    violations: Violations = figure("Everything untrue in the results.")


@dataclass(frozen=True)
class Limb:
    """A limb, or the fingers of a hand, of which only the positions of tips count.

    If it moves, its base is on a floor, in which poses are given then.
    """

    file: RobotFile
    base: str
    tips: tuple[str, ...]
    moves: bool = False

    @property
    def label(self) -> str:
        """For the progress bar."""
        return self.file.name

    def kinematics(self) -> Kinematics:
        """Return its chain, or the tree of its tips.

        Raises:
            RobotDescriptionError: It has joints that are not supported.
        """
        description, limits, base = self.file.description, None, self.base
        if self.moves:
            description, limits = on_floor(description, base)
            base = description.root
        if len(self.tips) > 1:
            return KinematicTree.from_urdf(
                description, base, self.tips, missing_limits="continuous"
            )
        return KinematicChain.from_urdf(
            description, base, *self.tips, joint_limits=limits, missing_limits="continuous"
        )

    def oracle(self, joint_names: list[str]) -> FileOracle:
        """Return independent forward kinematics.

        Raises:
            UnsupportedChainError: Nothing independent reads the description.
        """
        return FileOracle(self.file, joint_names, self.base, self.tips, on_floor=self.moves)


def limb_figures(
    limb: Limb,
    robot: Kinematics,
    poses: int,
    timeout: float,
    seed: int,
    on_share: Callable[[float], None],
) -> LimbFigures:
    """Measure one limb at random reachable poses, each call with a deadline [s].

    Raises:
        UnsupportedChainError: Nothing independent reads the description.
    """
    several = isinstance(robot, KinematicTree)
    solver = IKSolver(robot, orientation_tolerance=math.inf if several else 1e-5)
    tolerances = solver.position_tolerance, solver.orientation_tolerance
    checker = Checker(limb.oracle(robot.joint_names), robot, *tolerances)
    targets = checker.oracle.forward(random_configurations(robot, poses, seed))

    def ask(target: Floats, count: int, turn: int) -> Floats:
        goal = target if several else target[0]
        return solver.solve(goal[None], count, timeout=timeout, random_seed=turn).of(0)

    ask(targets[0], 1, poses)
    seconds, right, violations = np.empty((poses, 2)), np.empty((poses, 2)), Violations()
    for turn, target in enumerate(targets):
        calls = [lambda n=n, t=turn, goal=target: ask(goal, n, t) for n in (1, MANY)]
        for k, (found, spent) in enumerate(in_turns(calls, turn)):
            bad = checker.violations(target, found)
            violations += bad
            seconds[turn, k], right[turn, k] = spent, len(found) - bad.wrong
        on_share((turn + 1) / poses)
    family = None if several else find_family(robot) or find_locked(robot)
    return LimbFigures(
        tips=limb.tips,
        joints=robot.num_joints,
        closed_form=family.name if family else "",
        solved=float((right[:, 0] > 0).mean()),
        one=float(np.median(seconds[:, 0])),
        many=float(np.median(seconds[:, 1])),
        solutions=float(right[:, 1].mean()),
        violations=violations,
    )
