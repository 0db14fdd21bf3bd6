"""PlaCo: steps of differential inverse kinematics in C++."""

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.peers.seeded.base import SeededSolver
from generative_ik_benchmarks.peers.seeded.stepping import Stepping
from generative_ik_benchmarks.solver import imported
from generative_ik_benchmarks.verification import rotation_angle
from generative_ik_ros.array_types import Floats


class PlacoNear(Stepping):
    """PlaCo (Rhoban, 2023), a soft frame task with joint limits, see `Stepping`.

    Raises:
        MissingDependencyError: PlaCo is not installed.
        UnsupportedChainError: See `Stepping`.
    """

    name = "PlaCo"

    def __init__(self, case: ChainCase, seconds: float):
        """Make the robot and the task."""
        placo = imported("placo", "placo", "peer 'placo'")
        super().__init__(case, seconds)
        self._robot = placo.RobotWrapper("", placo.Flags.ignore_collisions, self.arm.urdf)
        self._solver = placo.KinematicsSolver(self._robot)
        self._solver.mask_fbase(True)
        self._solver.enable_velocity_limits(False)
        self._task = self._solver.add_frame_task(self.arm.tip_link, np.eye(4))
        self._task.configure("tip", "soft", 1.0, 1.0)
        # With less, its solutions are further; with more, it solves fewer of the goals nearby.
        self._solver.add_regularization_task(1e-4)
        self._target = np.eye(4)

    def start(self, tip_in_world: Floats, seed_state: Floats) -> None:
        """Set the target, see `Stepping`."""
        for name, value in zip(self.arm.joint_names, seed_state.tolist(), strict=True):
            self._robot.set_joint(name, value)
        self._robot.update_kinematics()
        self._task.T_world_frame = self._target = tip_in_world

    def errors(self) -> tuple[float, float]:
        """Return distance [m] and angle [rad] from the pose, see `Stepping`."""
        # The errors of its task are those before the last step.
        tip_in_world = self._robot.get_T_world_frame(self.arm.tip_link)
        return (
            float(np.linalg.norm(tip_in_world[:3, 3] - self._target[:3, 3])),
            float(rotation_angle(tip_in_world, self._target)),
        )

    def step(self) -> bool:
        """Solve one quadratic program, see `Stepping`."""
        try:
            self._solver.solve(True)
        except RuntimeError:
            return False
        self._robot.update_kinematics()
        return True

    def positions(self) -> Floats:
        """Return where the arm is (n,), see `Stepping`."""
        return np.array([self._robot.get_joint(name) for name in self.arm.joint_names])


def solvers(case: ChainCase, seconds: float) -> list[SeededSolver]:
    """Return it once."""
    return [PlacoNear(case, seconds)]
