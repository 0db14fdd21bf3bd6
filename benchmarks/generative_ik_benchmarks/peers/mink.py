"""mink: steps of differential inverse kinematics on MuJoCo's model, from a seed, as a tracker."""

from typing import Any
from xml.etree import ElementTree

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.peers.seeded import SeededSolver
from generative_ik_benchmarks.peers.stepping import FrameTaskNear, LoneArm
from generative_ik_benchmarks.peers.tracking import Case, Motion, Tracker, turn_cost
from generative_ik_benchmarks.solver import imported
from generative_ik_ros.array_types import Floats


class MinkNear(FrameTaskNear):
    """mink (K. Zakka, 2024), a frame task, solved by DAQP, see `Stepping`.

    Raises:
        MissingDependencyError: mink or DAQP is not installed.
        UnsupportedChainError: See `Stepping`.
    """

    name = "mink"

    def __init__(self, case: ChainCase, seconds: float):
        """Make the model and the task."""
        self.library = _mink()
        super().__init__(case, seconds)
        self.none_found = self.library.NoSolutionFound
        model = _model(self.arm.urdf)
        self.task = self.library.FrameTask(
            self.arm.tip_link, "body", position_cost=1.0, orientation_cost=1.0, lm_damping=1e-2
        )
        self.limits = [self.library.ConfigurationLimit(model, gain=1.0)]
        self.configuration = self.library.Configuration(model)
        names = tuple(model.joint(i).name for i in range(model.njnt))
        assert names == self.arm.joint_names  # noqa: S101 (a chain has one order)

    def start(self, tip_in_world: Floats, seed_state: Floats) -> None:
        """Set the target, see `Stepping`."""
        self.task.set_target(self.library.SE3.from_matrix(tip_in_world))
        self.configuration.update(seed_state)


class MinkTracker(Tracker):
    """mink (K. Zakka, 2024): frame tasks with gain 1, solved by DAQP, see `Tracker`.

    It has no limits of accelerations; and a posture task of low cost for what the tips leave open.

    Raises:
        MissingDependencyError: mink or DAQP is not installed.
        UnsupportedChainError: See `LoneArm`.
    """

    name = "mink"

    def __init__(self, case: Case, motion: Motion):
        """Make the model and the tasks."""
        self._mink = mink = _mink()
        arm = LoneArm.of(case)
        model = _model(arm.urdf)
        names = [model.joint(i).name for i in range(model.njnt)]
        self._order = [arm.joint_names.index(name) for name in names]
        velocities = dict(zip(arm.joint_names, motion.velocity, strict=True))
        self._limits = [
            mink.ConfigurationLimit(model, gain=1.0), mink.VelocityLimit(model, velocities),
        ]  # fmt: skip
        costs = {"position_cost": 1.0, "orientation_cost": turn_cost(case.chain)}
        self._frames = [
            mink.FrameTask(tip, "body", **costs, lm_damping=1e-3) for tip in arm.tip_links
        ]
        posture = mink.PostureTask(model, cost=1e-3)
        posture.set_target(motion.start[self._order])
        self._tasks, self._period = [*self._frames, posture], motion.period
        self._at = mink.Configuration(model, motion.start[self._order])
        self._base_in_world = arm.base_in_world

    def step(self, targets: Floats) -> Floats:
        """Return the next configuration (n,), see `Tracker`."""
        for task, target in zip(self._frames, targets, strict=True):
            task.set_target(self._mink.SE3.from_matrix(self._base_in_world @ target))
        try:
            velocity = self._mink.solve_ik(
                self._at, self._tasks, self._period, solver="daqp", limits=self._limits
            )
            self._at.integrate_inplace(velocity, self._period)
        except self._mink.NoSolutionFound:
            pass  # It stays where it is.
        found = np.empty(len(self._order))
        found[self._order] = self._at.q
        return found


def _mink() -> Any:  # noqa: ANN401 (a module)
    """Return mink; DAQP, which it calls, is installed, too."""
    mink = imported("mink", "mink", "peer 'mink'")
    imported("daqp", "daqp", "peer 'mink'")
    return mink


def _model(urdf: str) -> Any:  # noqa: ANN401 (MuJoCo's)
    """Return MuJoCo's model of a description without masses, with all its links as bodies."""
    robot = ElementTree.fromstring(urdf)
    facts = {"fusestatic": "false", "boundmass": "0.01", "boundinertia": "0.001"}
    ElementTree.SubElement(ElementTree.SubElement(robot, "mujoco"), "compiler", facts)
    text = ElementTree.tostring(robot, encoding="unicode")
    return imported("mujoco", "mujoco", "peer 'mink'").MjModel.from_xml_string(text)


def seeded(case: ChainCase, seconds: float) -> list[SeededSolver]:
    """Return it once."""
    return [MinkNear(case, seconds)]
