"""PlaCo: steps of differential inverse kinematics, from a seed state and as a tracker."""

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.peers.seeded import SeededSolver
from generative_ik_benchmarks.peers.stepping import LoneArm, Stepping
from generative_ik_benchmarks.peers.tracking import Case, Motion, Tracker, turn_cost
from generative_ik_benchmarks.solver import imported
from generative_ik_benchmarks.verification import rotation_angle
from generative_ik_ros.array_types import Floats


class PlacoArm:
    """PlaCo's model of an arm whose base stands, with a solver that has no tasks yet.

    Raises:
        MissingDependencyError: PlaCo is not installed.
    """

    def __init__(self, arm: LoneArm, *, limit_velocities: bool = False):
        """Make the model."""
        placo, self._names = imported("placo", "placo", "peer 'placo'"), arm.joint_names
        self.robot = placo.RobotWrapper("", placo.Flags.ignore_collisions, arm.urdf)
        self.solver = placo.KinematicsSolver(self.robot)
        self.solver.mask_fbase(True)
        self.solver.enable_velocity_limits(limit_velocities)

    def put(self, positions: Floats) -> None:
        """Move the arm to a configuration (n,)."""
        for name, value in zip(self._names, positions.tolist(), strict=True):
            self.robot.set_joint(name, value)
        self.robot.update_kinematics()

    def step(self) -> bool:
        """Solve one quadratic program; return whether it has a solution, else the arm stays."""
        try:
            self.solver.solve(True)
        except RuntimeError:
            return False
        self.robot.update_kinematics()
        return True

    def positions(self) -> Floats:
        """Return where the arm is (n,)."""
        return np.array([self.robot.get_joint(name) for name in self._names])


class PlacoNear(Stepping):
    """PlaCo (Rhoban, 2023), a soft frame task with joint limits, see `Stepping`.

    Raises:
        MissingDependencyError: PlaCo is not installed.
        UnsupportedChainError: See `Stepping`.
    """

    name = "PlaCo"

    def __init__(self, case: ChainCase, seconds: float):
        """Make the robot and the task."""
        super().__init__(case, seconds)
        self._placo = PlacoArm(self.arm)
        self._task = self._placo.solver.add_frame_task(self.arm.tip_link, np.eye(4))
        self._task.configure("tip", "soft", 1.0, 1.0)
        # With less, its solutions are further; with more, it solves fewer of the goals nearby.
        self._placo.solver.add_regularization_task(1e-4)
        self._target = np.eye(4)

    def start(self, tip_in_world: Floats, seed_state: Floats) -> None:
        """Set the target, see `Stepping`."""
        self._placo.put(seed_state)
        self._task.T_world_frame = self._target = tip_in_world

    def errors(self) -> tuple[float, float]:
        """Return distance [m] and angle [rad] from the pose, see `Stepping`."""
        # The errors of its task are those before the last step.
        tip_in_world = self._placo.robot.get_T_world_frame(self.arm.tip_link)
        return (
            float(np.linalg.norm(tip_in_world[:3, 3] - self._target[:3, 3])),
            float(rotation_angle(tip_in_world, self._target)),
        )

    def step(self) -> bool:
        """Solve one quadratic program, see `Stepping`."""
        return self._placo.step()

    def positions(self) -> Floats:
        """Return where the arm is (n,), see `Stepping`."""
        return self._placo.positions()


class PlacoTracker(Tracker):
    """PlaCo (Rhoban, 2023): soft frame tasks, see `Tracker`.

    It has no limits of accelerations; and a joint task of low weight for what the tips leave open.

    Raises:
        MissingDependencyError: PlaCo is not installed.
        UnsupportedChainError: See `LoneArm`.
    """

    name = "PlaCo"

    def __init__(self, case: Case, motion: Motion):
        """Make the robot and the tasks."""
        arm = LoneArm.of(case)
        self._base_in_world, self._placo = arm.base_in_world, PlacoArm(arm, limit_velocities=True)
        solver = self._placo.solver
        solver.dt = motion.period
        for name, limit in zip(arm.joint_names, motion.velocity.tolist(), strict=True):
            self._placo.robot.set_velocity_limit(name, limit)
        self._placo.put(motion.start)
        self._frames = [solver.add_frame_task(tip, np.eye(4)) for tip in arm.tip_links]
        for task, tip in zip(self._frames, arm.tip_links, strict=True):
            task.configure(tip, "soft", 1.0, turn_cost(case.chain))
        posture = solver.add_joints_task()
        posture.set_joints(dict(zip(arm.joint_names, motion.start.tolist(), strict=True)))
        posture.configure("posture", "soft", 1e-6)

    def step(self, targets: Floats) -> Floats:
        """Return the next configuration (n,), see `Tracker`."""
        for task, target in zip(self._frames, targets, strict=True):
            task.T_world_frame = self._base_in_world @ target
        self._placo.step()  # Where it has no solution, the arm stays where it is.
        return self._placo.positions()


def seeded(case: ChainCase, seconds: float) -> list[SeededSolver]:
    """Return it once."""
    return [PlacoNear(case, seconds)]
